package finding

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/text/clip"
	"github.com/satchel-dev/satchel/internal/text/lazy"
)

// What a finding loses whose claims do not hold, in percent.
const (
	unknownCosts   = 30 // a name that stands nowhere
	unfoundedCosts = 20 // no evidence stands where it says
)

var (
	span = lazy.Regexp("`([^`\n]{1,200})`")
	name = lazy.Regexp(`^[&*.]{0,2}([A-Za-z_$][\w$]*(?:(?:\.|::|->|#)[A-Za-z_$][\w$]*)*)(?:\(\))?$`)
	part = lazy.Regexp(`[A-Za-z_$][\w$]*`)
)

// literals stand in backticks as often as names, and are names of no code.
var literals = []string{
	"nil", "null", "none", "undefined", "true", "false", "self", "this", "super", "void", "int", "string", "bool", "byte", "error", "float", "char",
	"if", "else", "for", "while", "switch", "case", "return", "defer", "go", "func", "function", "def", "class", "struct", "interface", "type", "var", "let", "const",
	"import", "package", "async", "await", "try", "catch", "finally", "throw", "raise", "yield", "new", "delete", "static", "public", "private", "panic", "unsafe",
}

// claims checks the names in backticks, and whether something is said to be missing
// that is in the change.
func (c *Change) claims(f *Finding) {
	said := strings.Join([]string{f.Title, f.Trigger, f.Consequence, f.Body}, "\n")
	if p := c.calledMissing(said); p != "" {
		f.Anchor = Unverified
		f.Inline, f.Replacement = false, ""
		f.note("it says that " + clip.Cut(clean.Inline(p), longPath) + " is missing, which is in the change")
	}
	if c.code.Known == nil {
		return
	}
	for _, m := range span().FindAllStringSubmatch(said, -1) {
		n := name().FindStringSubmatch(strings.TrimSpace(m[1]))
		if n == nil || len(n[1]) < 2 || c.known(n[1]) {
			continue
		}
		if s := shortName(n[1]); !slices.Contains(f.UnknownNames, s) && len(f.UnknownNames) < mostEvidence {
			f.UnknownNames = append(f.UnknownNames, s)
		}
	}
	if len(f.UnknownNames) > 0 {
		f.Confidence = max(0, f.Confidence-unknownCosts)
		f.note("no code has the name " + strings.Join(f.UnknownNames, ", "))
	}
}

// known reports whether a name, or all that it is put together from, stands anywhere.
func (c *Change) known(n string) bool {
	if slices.Contains(literals, strings.ToLower(n)) || c.file(n) != nil || c.code.Known(n) {
		return true
	}
	parts := part().FindAllString(n, -1)
	return len(parts) > 1 && !slices.ContainsFunc(parts, func(s string) bool {
		return !slices.Contains(literals, strings.ToLower(s)) && !c.code.Known(s)
	})
}

// What says that a file is missing stands right before its name, or right behind.
const (
	missingBefore = `(?:(?:missing|absent|omits|lacks|forgot|forgets|without|no)(?: the| a| any)?(?: new)?(?: source| test)?(?: file| module)?)[ :]+$`
	missingBehind = `^(?: file| module)?(?: itself)?,?(?: (?:is|was|are|were|seems to be|appears to be|has been|to be))?(?: missing(?:[.,;:)\n]|$| from| in th| entirely| here)| absent| not (?:in|part of|included|present|shown|found|provided|added|committed)| omitted| (?:does not|doesn't) exist| cannot be found| never added)`
)

var (
	before = lazy.Regexp(`(?i)\b` + missingBefore)
	behind = lazy.Regexp(`(?i)` + missingBehind)
)

// calledMissing returns the path of a changed file that a text says is missing; "" if
// there is none. Nothing that a model was not shown is missing for that.
func (c *Change) calledMissing(s string) string {
	for _, f := range c.files {
		if f.Status == change.Deleted {
			continue
		}
		for _, n := range []string{f.Path, path.Base(f.Path)} {
			if len(n) < 4 || !strings.ContainsAny(n, "./") {
				continue
			}
			for at := 0; ; {
				i := strings.Index(s[at:], n)
				if i < 0 {
					break
				}
				i += at
				at = i + len(n)
				left := strings.TrimRight(s[max(0, i-60):i], "`\"'*")
				right := strings.TrimLeft(s[at:min(len(s), at+60)], "`\"'*")
				if behind().MatchString(right) || before().MatchString(left) && !follows(right) {
					return f.Path
				}
			}
		}
	}
	return ""
}

// follows reports whether a word goes on with what a name begins: "no lock.go entry"
// says nothing of the file.
func follows(right string) bool {
	right = strings.TrimPrefix(right, " ")
	return right != "" && (right[0] == '/' || right[0] == '_' || 'a' <= right[0] && right[0] <= 'z')
}

// evidence looks up what the finding rests on.
func (c *Change) evidence(f *Finding) {
	good := 0
	for i := range f.Evidence {
		e := &f.Evidence[i]
		e.Line = min(max(e.Line, 0), mostLine)
		e.OK = c.stands(e)
		if e.OK {
			good++
		} else {
			e.Path, e.Quote = clean.Inline(e.Path), clean.Line(e.Quote).String()
		}
		e.Path, e.Quote = clip.Cut(e.Path, longPath), clip.Cut(e.Quote, longQuote)
	}
	if len(f.Evidence) > 0 && good == 0 {
		f.Confidence = max(0, f.Confidence-unfoundedCosts)
		f.note("its evidence was not found")
	}
}

// stands looks for evidence in the change and in the code, and sets where it is.
func (c *Change) stands(e *Evidence) bool {
	q := quote(e.Quote)
	p := named(e.Path)
	if q == nil || p == "" {
		return false
	}
	var places [][]line
	if file := c.file(p); file != nil {
		p = file.Path
		places = append(places, file.lines(New), file.lines(Old))
	}
	places = append(places, c.text(p, New), c.text(p, Old))
	for _, lines := range places {
		if at := find(lines, q); len(at) > 0 {
			best := at[0]
			for _, i := range at {
				if max(lines[i].number-e.Line, e.Line-lines[i].number) < max(lines[best].number-e.Line, e.Line-lines[best].number) {
					best = i
				}
			}
			e.Path, e.Line, e.Quote = p, lines[best].number, lines[best].shown
			return true
		}
	}
	return false
}

// A Look is what came of a second look at a finding.
type Look struct {
	Verdict Verdict
	Why     string

	// Path, Line and Quote are what the verdict rests on.
	Path  string
	Line  int
	Quote string
}

// Weigh adds a second look to a finding. Who refutes it has to show a line: without
// one that stands, nobody knows. A look that failed is none, and changes nothing.
func (c *Change) Weigh(f *Finding, l Look) {
	g := c.guard
	g.Limit = longTitle
	why, taken := g.Line(l.Why)
	switch l.Verdict {
	case Refuted:
		e := Evidence{Path: l.Path, Line: l.Line, Quote: l.Quote}
		e.Path = cmp.Or(e.Path, f.Path)
		f.Check = Unsure
		if c.stands(&e) {
			f.Check = Refuted
		} else {
			why = strings.TrimSuffix(why+" (the quote that refutes it was not found)", " ")
		}
	case Confirmed, Unsure:
		f.Check = l.Verdict
	default:
		f.Check = None
		return
	}
	f.Taken = append(f.Taken, taken...)
	if why != "" {
		f.note(strings.TrimSpace(why))
	}
}
