package satchel

import "slices"

// A Kind says what an [Item] is made of.
type Kind string

const (
	KindFile    Kind = "file"    // a whole file
	KindSnippet Kind = "snippet" // a range of lines of a file
	KindDoc     Kind = "doc"     // a document, or a section of one
	KindDiff    Kind = "diff"    // the change to one file
	KindTurn    Kind = "turn"    // a turn of an agent session; no source offers it yet, sessions will
	KindOutput  Kind = "output"  // the output of a command; no source offers it yet, sessions will
	KindNote    Kind = "note"    // a remembered fact
	KindContext Kind = "context" // a file that the user keeps at hand

	// What providers tell about a project.
	KindGit          Kind = "git"          // the branch, what is not committed, a commit
	KindRecent       Kind = "recent"       // a file that changed lately
	KindErrors       Kind = "errors"       // what went wrong, from a log or a test report
	KindDependencies Kind = "dependencies" // what the project says it needs
	KindEnvironment  Kind = "environment"  // the system and the versions that it runs on
)

// kinds holds all that differs between kinds when they are chosen, shown and
// kept, in the order of the sections: what changes least comes first. A new kind
// is one row.
var kinds = []kindRow{
	{KindContext, "context", false, fileText},
	{KindFile, "code", false, fileText},
	{KindSnippet, "code", false, fileText},
	{KindDoc, "docs", false, fileText},
	{KindDiff, "changes", false, ofFile},
	{KindOutput, "output", false, elsewhere},
	{KindTurn, "session", false, elsewhere},
	{KindNote, "notes", true, elsewhere},
	{KindGit, "git", true, elsewhere},
	{KindRecent, "recent", true, elsewhere},
	{KindErrors, "errors", false, elsewhere},
	{KindDependencies, "dependencies", true, elsewhere},
	{KindEnvironment, "environment", true, elsewhere},
}

// A kindRow is what is known of one kind.
type kindRow struct {
	kind    Kind
	section string // of the rendered pack
	list    bool   // its text stands as lines of a list, not as a block
	place   place  // what its path is
}

// A place is what the path of a Ref is.
type place int

const (
	elsewhere place = iota // a label, or a file that is only spoken of
	ofFile                 // a file, and the text is about it
	fileText               // a file, and the text is its own
)

// unknownKind stands for kinds that have no row.
var unknownKind = kindRow{section: "code", place: ofFile}

func (k Kind) row() *kindRow {
	for i := range kinds {
		if kinds[i].kind == k {
			return &kinds[i]
		}
	}
	return &unknownKind
}

// Section names the section of a rendered pack that shows the kind.
func (k Kind) Section() string { return k.row().section }

// SectionOrder orders sections as they are rendered. Kinds of one section have
// the same.
func (k Kind) SectionOrder() int {
	section := k.Section()
	return slices.IndexFunc(kinds, func(r kindRow) bool { return r.section == section })
}

// List reports whether the text of the kind stands as lines of a list, rather
// than as a block of text.
func (k Kind) List() bool { return k.row().list }

// OfFile reports whether an entry of the kind shows the file whose path it has.
func (k Kind) OfFile() bool { return k.row().place != elsewhere }

// FileText reports whether its text is that of the file.
func (k Kind) FileText() bool { return k.row().place == fileText }
