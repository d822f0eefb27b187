// Package finding holds what a reviewer says of a change, and verifies it: the
// line that a finding names is looked up by the text that it quotes, findings
// about one thing become one, and what was dismissed stays so until the code that
// it was about changes.
//
// It asks no model and reads no file. Start with [Resolve], [Merge] and
// [Dismissals].
package finding

// A Finding is one defect that a reviewer sees in a change.
type Finding struct {
	ID          string `json:"id"`          // the beginning of Fingerprint, as people type it
	Fingerprint string `json:"fingerprint"` // the same as long as the finding is about the same code

	Path   string `json:"path"`
	Side   Side   `json:"side"`
	From   int    `json:"from"`
	To     int    `json:"to"`
	Anchor Anchor `json:"anchor"`
	Quote  string `json:"quote"` // the line at From, as the reviewer copied it

	Severity   Severity `json:"severity"`
	Confidence int      `json:"confidence"` // 0 to 100
	Category   string   `json:"category"`

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
	Why          string     `json:"why,omitempty"` // of the State, the Anchor or the Verdict, in a few words
	Of           string     `json:"of,omitempty"`  // id of the finding that this one repeats
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
	File       Anchor = "file"       // it stands at several lines, and which is meant is not known
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
