// Package satchel is the vocabulary of the satchel context engine: what a
// piece of context is, why it matters, and what was finally packed for an
// agent.
//
// The values here are plain data. They do no I/O and read no clock, and every
// other package of the module speaks in them. One value flows through the
// stages in this order:
//
//	Request   → what the agent is about to do, and how much room it has
//	Item      → one candidate piece of context, offered by a source
//	Candidate → an Item with the Score that package rank gave it
//	Pack      → the chosen Entries, and the Omissions with their reasons
//
// Most users want package [github.com/satchel-dev/satchel/engine], which runs
// the stages.
//
// # Stability
//
// A Pack depends only on its Request, the repository's state and the options:
// the same three give the same bytes.
package satchel

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/satchel-dev/satchel/internal/text/clean"
)

// A Request is what an agent is about to do, and how much room it has.
type Request struct {
	// Task is the task in words: a title line, then any text. Empty means no
	// task: the whole repository, most important first.
	Task string

	// Names are identifiers and paths that whoever asks expects the Pack to be about:
	// guesses, which weigh as words of the Task's title do. Too many, and what is no
	// name, are not looked at, and a Diagnostic says so; without a Task none are.
	Names []string `json:",omitempty"`

	// Rev is the revision to read. Empty means the work tree.
	Rev string

	// Changes, if set, packs a change instead of a repository: what changed, and
	// what a reviewer needs beside it. It is a range (A..B, A...B), a commit, a
	// stash, or staged, unstaged, worktree or untracked. Rev is then not heeded.
	Changes string

	// Pinned are paths that must be shown, slash-separated and relative to the
	// root of the repository. An explicit path overrides exclusions but those of --exclude.
	Pinned []string

	// Edit are the paths of the files that the agent is going to edit: the
	// manifest. They are pinned, whole if they are small, and what calls them and
	// what they call comes before other files. One that does not exist yet is told
	// as a Diagnostic.
	Edit []string

	// Documents asks for sections of documents besides code, as a source of their
	// own. Nil means none: documents are then files as all others. A change, and a
	// request without a task, have none.
	Documents *Documents

	// Paths restricts the candidates to these paths, folders and patterns, as in a
	// .gitignore; a backslash takes the meaning from a wildcard. Empty means all.
	Paths []string

	// Include restricts them further to what these patterns match. Empty means all.
	Include []string

	// With names what else the Pack tells about the project: git, recent, errors,
	// dependencies, environment. Their answers depend on more than the files of the
	// repository: times, logs, the machine.
	With []string

	// Budget is the number of tokens that the rendered Pack may use, but for the
	// list of omissions in JSON, which is never cut. Zero or less means no limit.
	Budget int

	// Auto, if set, has the task decide the Budget, which is then not heeded.
	// Nil means that the Budget is as it stands.
	Auto *Auto `json:",omitempty"`

	// Detail is the most detail that any entry may have. Zero means Full.
	Detail Detail

	// Fill fills the budget however little of the task the repository has.
	Fill bool

	// Format names how the Pack will be rendered (md, xml, json or plain), since
	// the budget covers the rendered text. Empty means md.
	Format string

	// Seen is the path of an agent's session: lines that stand in its window as the
	// files have them are not shown again, but told as left out, unless they are
	// pinned. Empty means that nothing is known to be seen.
	Seen string `json:",omitempty"`

	// Now is the time against which recency is measured, and the only clock.
	// Zero means the time of the newest commit.
	Now time.Time
}

// Auto is a Budget that grows with the task: with the files that it names, the
// folders of the files that it is probably about, the imports between these files,
// and its length. The Pack says what it came to.
type Auto struct {
	Least int // tokens for the smallest task, and without one
	Most  int // tokens that no task exceeds
}

// Documents says how many documents a Pack may show, and how they are found.
type Documents struct {
	Most     int     // documents at most; a simple task gets fewer. Zero means none
	Share    float64 // of the budget that they may take; zero means 0.3 to 0.4, by the task
	Depth    int     // how many links are followed from what the task names
	Linked   bool    // only what the task names or links to: no search by words
	NoLinks  bool    // [[names]] and links of the task are words like others
	MaxBytes int64   // larger documents are not offered; zero means no limit
	IfLinked bool    // only if the task names one or links to it; else documents are files as all others
}

// An Entry is an Item as it was packed.
type Entry struct {
	Ref    Ref     `json:"ref"`
	Title  Text    `json:"title,omitzero"`
	Lang   string  `json:"lang,omitempty"`
	Blob   string  `json:"blob,omitempty"`  // object id of the file's bytes
	Dirty  bool    `json:"dirty,omitempty"` // the bytes are not in the commit
	Pinned bool    `json:"pinned,omitempty"`
	Detail Detail  `json:"detail"`
	Lines  []Range `json:"lines,omitempty"` // lines of the file whose text is shown
	Text   Text    `json:"text,omitzero"`
	Tokens int     `json:"tokens"`        // tokens of Text
	Note   Text    `json:"note,omitzero"` // a sentence shown with it
	Score  Score   `json:"score,omitempty"`
	Hunk   *Hunk   `json:"-"` // as that of the Item
}

// An Omission is an Item that was left out, and why.
type Omission struct {
	Ref    Ref     `json:"ref"`
	Why    string  `json:"why"`              // one of the Why constants, or a Source's own
	Score  float64 `json:"score,omitempty"`  // 0 if it was never ranked
	Tokens int     `json:"tokens,omitempty"` // about how many tokens showing it would take; 0 if unknown
	SameAs Ref     `json:"same_as,omitzero"` // of a copy: the piece that it is a copy of

	// What is left out of a change, which may be a part of the Item only.
	Hunk  *Hunk  `json:"-"` // Added and Removed count what is left out
	Lines int    `json:"-"` // of the patch
	Bytes int    `json:"-"` // the same
	Shown Detail `json:"-"` // what is shown instead
}

// Reasons why something was left out.
const (
	WhyNoRoom    = "no room"               // the budget was spent on more useful entries
	WhyFar       = "far behind"            // little of the task is in the repository, and less of it here
	WhyNoMatch   = "no match"              // nothing of the task is in the repository
	WhyUnrelated = "unrelated"             // few or no signs that it belongs to a file to edit
	WhyNamed     = "named only"            // the path list has its path, the entries do not have its text
	WhyEmpty     = "empty"                 // a file of 0 bytes
	WhyCopy      = "same as another"       // Omission.SameAs, which is told where it stands
	WhyShown     = "shown before"          // on an earlier page
	WhySeen      = "already in the window" // of the session that the request names
	WhyIgnored   = "ignored"               // git's ignore rules or the user's exclusions
	WhySealed    = "holds secrets"         // by its nature, as .env and id_rsa: a model is never sent it
	WhyVendored  = "vendored"
	WhyGenerated = "generated"
	WhyLock      = "lock file"
	WhyMinified  = "minified"
	WhyBinary    = "binary"
	WhyRandom    = "random data" // encoded or encrypted: text that nobody reads
	WhyLarge     = "too large"
	WhySubmodule = "submodule"
	WhyNested    = "nested repository" // one of its own, that is no submodule
	WhySymlink   = "symbolic link"
	WhySpecial   = "not a regular file"
	WhyMissing   = "object missing" // a partial or damaged clone
	WhyUnread    = "unreadable"
)

// A Diagnostic says something about the work that its result alone does not show:
// a line skipped, a fallback taken. Work went on.
type Diagnostic struct {
	Path string `json:"path,omitempty"`
	Text string `json:"text"`
}

// A Section says how many tokens one part of a Pack takes.
type Section struct {
	Name   string `json:"name"` // paths, code, docs, receipt, …
	Tokens int    `json:"tokens"`
}

// A Pack is the context chosen for one Request. It accounts for every
// candidate, as an Entry or as an Omission.
type Pack struct {
	Version     int          `json:"version"`
	Task        string       `json:"task,omitempty"`
	Rev         string       `json:"rev,omitempty"`       // commit id; empty outside git or on an unborn branch
	Budget      int          `json:"budget"`              // 0 means no limit
	Used        int          `json:"used"`                // tokens of the whole rendered text; in JSON, Omitted is not counted
	Method      string       `json:"method"`              // how Used was counted, such as "o200k_base exact"
	Match       Match        `json:"match,omitempty"`     // whether the task is about the repository; empty without a task
	MatchWhy    string       `json:"match_why,omitempty"` // in words
	Sections    []Section    `json:"sections"`
	Paths       []PathLine   `json:"paths,omitempty"`   // the most likely files, best first
	Tests       []Related    `json:"tests,omitempty"`   // of a change or of files to edit: tests that cover it, the likeliest first
	Related     []Related    `json:"related,omitempty"` // other files that probably change too
	Tree        []Folder     `json:"tree,omitempty"`    // without a task: the largest folders, by path
	Named       []string     `json:"named,omitempty"`   // without a task: files of which only the path is told, by path
	Entries     []Entry      `json:"entries"`
	Omitted     []Omission   `json:"omitted"`
	Diagnostics []Diagnostic `json:"diagnostics,omitempty"`
	Snapshot    string       `json:"snapshot,omitempty"`
}

// A Folder is a folder of the repository.
type Folder struct {
	Path  string `json:"path"`  // with its final slash
	Files int    `json:"files"` // in it and below
}

// ChangesNothing reports whether no part of a change is in the Pack, shown or left
// out: that of a Request with Changes, where nothing changed.
func (p *Pack) ChangesNothing() bool {
	return !slices.ContainsFunc(p.Entries, func(e Entry) bool { return e.Ref.Kind == KindDiff }) &&
		!slices.ContainsFunc(p.Omitted, func(o Omission) bool { return o.Ref.Kind == KindDiff })
}

// A PathLine names one of the most likely files.
type PathLine struct {
	Path  string  `json:"path"`
	Score float64 `json:"score"`
}

// A Related is a file that belongs to a change and is not in it.
type Related struct {
	Path       string   `json:"path"`
	Line       int      `json:"line,omitempty"`      // of Definition, or of what mentions the change; 0 if nothing does
	Definition Text     `json:"definition,omitzero"` // the signature of what mentions most of the change
	Reasons    []string `json:"reasons"`             // the strongest first
	Direct     bool     `json:"direct,omitempty"`    // it uses what the change removes or gives another signature
	Score      float64  `json:"score"`               // share of the odds of all files of its kind, 0 to 1
}

// Likely reports whether a person should see the file. Of the files with this score, two
// in five tests and one in four others changed in the same commit (lab/related).
func (r *Related) Likely() bool { return r.Direct || r.Score >= 0.05 }

// Why returns the two strongest reasons.
func (r *Related) Why() string { return strings.Join(r.Reasons[:min(len(r.Reasons), 2)], ", ") }

// PackVersion is the version of Pack's JSON form.
const PackVersion = 2

// A Text may be shown to a person or a model: its secrets are redacted, and it
// holds no character that controls a terminal or shows nothing, and no byte that
// is not UTF-8. [Clean] makes one; the zero value is the empty text.
type Text = clean.Text

// Clean returns the Text of a file. Files with some names, such as .env, are redacted more
// strictly. The path of a text that is not from a file is empty.
func Clean(path, text string) Text { return clean.New(path, text) }

// A Match says how sure it is that the first files are the right ones for a task.
type Match string

const (
	// MatchStrong promises that the place to change is in the repository and among the
	// first five files. The budget is filled.
	MatchStrong Match = "strong"

	// MatchWeak is a task whose words are here only in part, or only in common places. The
	// first files are the closest by words. If the task is probably about another
	// repository, files far behind the best are not shown.
	MatchWeak Match = "weak"

	// MatchNone is a task without a word that is here. Only what was asked for by path is
	// shown.
	MatchNone Match = "none"
)

// An OverflowError says that a budget is too small for what has to stay. Nothing
// was packed, cut or changed.
type OverflowError struct {
	What    string // what has to stay, such as "context files"; "" if it is the least of a pack
	Need    int    // tokens: the smallest limit that works
	Limit   int    // tokens
	AtLeast bool   // Need was not counted to the end
	Fixed   int    // the part of Need that cannot be evicted; 0 if unknown
}

func (e *OverflowError) Error() string {
	if e.What == "" {
		return fmt.Sprintf("at least %d tokens are needed, limit is %d (%d short)", e.Need, e.Limit, e.Need-e.Limit)
	}
	least := ""
	if e.AtLeast {
		least = "at least "
	}
	return fmt.Sprintf("%s would take %s%d tokens and may take %d: %s%d too many", e.What, least, e.Need, e.Limit, least, e.Need-e.Limit)
}
