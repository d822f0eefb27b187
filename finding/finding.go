// Package finding holds what a reviewer says of a change, and verifies it: the
// line that a finding names is looked up by the text that it quotes, findings
// about one thing become one, and what was dismissed stays so until the code that
// it was about changes.
//
// It asks no model and reads no file. A finding goes through [Change.Resolve], all of
// them through [Merge], those that matter through [Change.Weigh] after a second look,
// and all through [Judge]. [Dismissals] are what people said of earlier ones.
package finding

import "github.com/satchel-dev/satchel/internal/text/hygiene"

// A Finding is one defect that a reviewer sees in a change. What a model says of it
// is not to be shown before [Change.Resolve] has made it clean.
type Finding struct {
	ID          string `json:"id"`          // the beginning of Fingerprint, as people type it
	Fingerprint string `json:"fingerprint"` // the same as long as the finding is about the same code

	Path   string `json:"path"`
	Side   Side   `json:"side"`
	From   int    `json:"from"` // 0 if the lines are not known
	To     int    `json:"to"`
	Anchor Anchor `json:"anchor"`
	Quote  string `json:"quote"` // the line at From

	Severity   Severity `json:"severity"`
	Confidence int      `json:"confidence"` // 0 to 100
	Category   string   `json:"category"`   // one of Categories

	Title       string `json:"title"`
	Trigger     string `json:"trigger"`
	Consequence string `json:"consequence"`
	Body        string `json:"body"`
	Fix         string `json:"fix,omitempty"`

	Evidence     []Evidence `json:"evidence,omitempty"`
	Check        Verdict    `json:"check"`
	UnknownNames []string   `json:"unknown_names,omitempty"`
	Part         int        `json:"part,omitempty"` // of a review in parts, from 1
	State        State      `json:"state"`
	Why          string     `json:"why,omitempty"`    // of the State, the Anchor or the Verdict, in a few words
	Of           string     `json:"of,omitempty"`     // id of the finding that this one repeats
	Places       []Place    `json:"places,omitempty"` // where else the same is

	// Lines are those from From to To as the change has them, the first few of
	// them. Inline says that all stand in one hunk, so that a forge takes a comment
	// there, and Replacement is what takes their place, if the Fix says exactly that.
	Lines       []Line `json:"lines,omitempty"`
	Inline      bool   `json:"inline,omitempty"`
	Replacement string `json:"replacement,omitempty"`

	// Definition is the name of what the lines stand in, and Hash that of its text.
	Definition string `json:"definition,omitempty"`
	Hash       string `json:"definition_hash,omitempty"`

	Taken []hygiene.Taken `json:"taken,omitempty"` // out of what was said, since it would have acted
}

// A Line is one of the lines that a finding is about.
type Line struct {
	Number int    `json:"number"`
	Mark   string `json:"mark"` // + or -, or a space for one that did not change
	Text   string `json:"text"`
}

// A Place is where a finding stands.
type Place struct {
	Path string `json:"path"`
	From int    `json:"from"`
	To   int    `json:"to"`
}

// Categories are what findings are about.
var Categories = []string{
	"correctness", "security", "performance", "error_handling", "complexity", "abstraction", "duplication",
	"testing", "style", "api_contract", "concurrency", "documentation", "other",
}

// A Side is the old or the new side of a change.
type Side string

// The sides.
const (
	New Side = "new"
	Old Side = "old"
)

// An Anchor says how surely the lines of a finding are where it says.
type Anchor string

// From surest to none.
const (
	Exact      Anchor = "exact"      // the quote stands there
	Moved      Anchor = "moved"      // it stands at another line of the change, alone or nearest
	Context    Anchor = "context"    // it stands in the file, on a line that did not change
	File       Anchor = "file"       // it stands at several lines, and which is meant is not known: From is 0
	Unverified Anchor = "unverified" // it stands nowhere
)

// A Severity says how much harm a defect does.
type Severity string

// From most to least.
const (
	Critical Severity = "critical"
	High     Severity = "high"
	Medium   Severity = "medium"
	Low      Severity = "low"
)

// Evidence is a line that a finding rests on.
type Evidence struct {
	Path  string `json:"path"`
	Line  int    `json:"line"`
	Quote string `json:"quote"`
	OK    bool   `json:"ok"` // the quote stands there
}

// A Verdict is what a second look at a finding came to.
type Verdict string

// Verdicts; None means that nobody looked, or that the look failed.
const (
	Confirmed Verdict = "confirmed"
	Refuted   Verdict = "refuted"
	Unsure    Verdict = "unsure"
	None      Verdict = "none"
)

// A State says whether a finding is shown, or why it is not.
type State string

// States.
const (
	Visible     State = "shown"
	TooLow      State = "low" // less confidence than is asked for
	Disproved   State = "refuted"
	Unfounded   State = "unverified"
	Dismissed   State = "dismissed"
	Duplicate   State = "duplicate"
	AlreadyKnew State = "known" // of a baseline
)
