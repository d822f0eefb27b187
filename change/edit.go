package change

import (
	"fmt"
	"strings"

	"github.com/satchel-dev/satchel"
)

// An Action says what an [Edit] does to a definition or a file.
type Action string

const (
	Adds      Action = "adds"
	Removes   Action = "removes"
	Renames   Action = "renames"
	Moves     Action = "moves"             // here, from another file or place
	MovesAway Action = "moves away"        // to another file, where it is an edit that Moves
	Signature Action = "changes signature" // of something that is called
	Body      Action = "changes body"      // of something that is called, or a value
	Type      Action = "changes type"      // fields, variants, bounds, bases
	Imports   Action = "modifies imports"
	Impl      Action = "adds impl"      // Rust
	refactors Action = "refactors code" // lines added and removed, no definition told apart
	cuts      Action = "removes code"   // lines removed only, no definition told apart
)

// An Edit is one semantic change of a file: what its changed lines mean.
type Edit struct {
	Action   Action `json:"action"`
	Kind     string `json:"kind,omitempty"`     // of the definition, as in satchel.Symbol
	Name     string `json:"name,omitempty"`     // of the definition, as it is now; the old name if it was removed
	Parent   string `json:"parent,omitempty"`   // dotted names of the enclosing definitions
	OldName  string `json:"old_name,omitempty"` // if it was renamed, with the old parent if that differs
	Path     string `json:"path,omitempty"`     // the other file, if it moved between files
	Exported bool   `json:"exported,omitempty"` // by the convention of its language, before or after

	// Inner says that nothing changed which can be seen from outside: of a type,
	// fields that Go or Rust do not show; of a move, the file within a Go package.
	Inner bool `json:"inner,omitempty"`

	// Lines of the definition in the new file; in the old file if OldSide is
	// set, as it is for removals. Zero if they are not known.
	Lines   satchel.Range `json:"lines,omitzero"`
	OldSide bool          `json:"old_side,omitempty"`

	Signature    string `json:"signature,omitempty"`     // as it is now; of a removed definition, as it was
	OldSignature string `json:"old_signature,omitempty"` // if the signature changed

	// Added and Removed are the names of imported modules, of an edit of imports.
	Added   []string `json:"added,omitempty"`
	Removed []string `json:"removed,omitempty"`
}

// QualifiedName returns the name with those of the enclosing definitions.
func (e *Edit) QualifiedName() string {
	if e.Parent == "" {
		return e.Name
	}
	return e.Parent + "." + e.Name
}

// Breaks reports whether the edit may break who uses the file from outside:
// something exported went away, changed its name or its signature.
func (e *Edit) Breaks() bool {
	if !e.Exported || e.Inner {
		return false
	}
	switch e.Action {
	case Removes, Renames, MovesAway, Signature, Type:
		return true
	}
	return false
}

// KnownAs is the name that the definition had before the edit, without its parent.
func (e *Edit) KnownAs() string {
	if e.Action == Renames {
		return e.OldName[strings.LastIndexByte(e.OldName, '.')+1:]
	}
	return e.Name
}

// Label says what the edit does, in a few words, such as "adds function Foo".
func (e *Edit) Label() string {
	what := kindName(e.Kind) + " " + e.QualifiedName()
	switch e.Action {
	case Renames:
		return fmt.Sprintf("renames %s %s to %s", kindName(e.Kind), e.OldName, e.QualifiedName())
	case Moves:
		if e.Path == "" {
			return "moves " + what
		}
		return fmt.Sprintf("moves %s here from %s", what, e.Path)
	case MovesAway:
		return fmt.Sprintf("moves %s to %s", what, e.Path)
	case Signature:
		return "changes signature of " + e.QualifiedName()
	case Body, Type:
		return "changes " + what
	case Imports, refactors, cuts:
		return string(e.Action)
	case Impl:
		if e.Name == "" {
			return string(e.Action)
		}
		return "adds impl " + e.QualifiedName()
	}
	if e.Name == "" {
		what = kindName(e.Kind)
	}
	return string(e.Action) + " " + what
}

// kindName spells a kind of symbol out.
func kindName(kind string) string {
	switch kind {
	case "func":
		return "function"
	case "var":
		return "variable"
	case "const":
		return "constant"
	case "":
		return "definition"
	}
	return kind
}
