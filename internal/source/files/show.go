package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/measure/ranking"
	"github.com/satchel-dev/satchel/internal/scene/project"
	"github.com/satchel-dev/satchel/internal/source"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/text/lazy"
	"github.com/satchel-dev/satchel/internal/text/secrets"
	"github.com/satchel-dev/satchel/internal/world/git"
)

// A Shown is lines of a file as they are, except for redacted secrets.
type Shown struct {
	Path     string `json:"path"`
	Blob     string `json:"blob,omitempty"`
	Lang     string `json:"lang,omitempty"`
	From     int    `json:"from"`
	To       int    `json:"to"`
	Lines    int    `json:"lines"` // of the whole file
	Text     string `json:"text"`
	Redacted int    `json:"redacted,omitempty"` // secrets redacted in the file
	Sparse   bool   `json:"sparse,omitempty"`   // not checked out; see git.NotCheckedOut
	Clamped  bool   `json:"-"`                  // lines behind the end were asked for
}

// A RangeError reports that a file has fewer lines than the first one that was asked for.
type RangeError struct {
	Path        string
	From, Lines int
}

func (e *RangeError) Error() string {
	return fmt.Sprintf("%s:%d: the file has only %d lines", e.Path, e.From, e.Lines)
}

// Show returns the lines from..to of a file, both included; from 0 means the
// whole file, to 0 its end. What a built-in rule or git excludes is shown: naming it is
// asking for it. What the user excludes is not, unless unignore matches it. A path that begins with "vault:" is that of a
// document of the vault. If there is no file notes, that path shows the notes
// that are remembered, with their numbers for lines. The errors are *index.PathError, *[RangeError],
// *git.UnknownRevisionError, and why the file could not be read.
func (f Files) Show(ctx context.Context, path string, from, to int, rev string) (*Shown, error) {
	c, err := f.project.Index.ReadFile(ctx, f.project.Tree, rev, path)
	if err == nil {
		err = f.Allows(ctx, rev, path)
	}
	if name, ok := strings.CutPrefix(path, ranking.VaultPrefix); ok && err != nil && f.project.Vault != "" {
		c, err = ranking.ReadVaultFile(f.project.Vault, name, max(f.project.Largest, project.DefaultFileBytes))
	}
	if err != nil {
		if t, ok := f.showNotes(ctx, path, from, to); ok {
			return t, nil
		}
		return nil, err
	}
	redacted, found := secrets.Redact(path, c.Text)
	lines := slices.Collect(strings.Lines(string(redacted)))
	from = cmp.Or(from, 1)
	clamped := to > len(lines)
	if to == 0 || clamped {
		to = len(lines)
	}
	if from < 0 || to < 0 || from > max(to, 1) {
		return nil, &RangeError{path, from, len(lines)}
	}
	return &Shown{
		Path: path, Blob: c.Blob, Lang: c.Lang, From: from, To: to, Lines: len(lines), Text: strings.Join(lines[min(from-1, to):to], ""), Redacted: len(found), Sparse: c.Sparse, Clamped: clamped,
	}, nil
}

// ShowRanges shows each range of lines that an argument names, in a form of
// [ParsePosition] or, if it names no file, of [Rewritten]. Root returns a name relative
// to the root of the project. Refuses says why a file that exists is not shown.
func (f Files) ShowRanges(ctx context.Context, arg, rev string, root func(name string) (string, error), refuses func(path string) error) (parts []*Shown, err error) {
	name, ranges, err := ParsePosition(arg)
	if err != nil {
		return nil, err
	}
	if len(ranges) == 0 {
		ranges = []satchel.Range{{}} // the whole file
	}

	if name, err = root(name); err == nil {
		for i := 0; i < len(ranges) && err == nil; i++ {
			var part *Shown
			part, err = f.Show(ctx, name, ranges[i].From, ranges[i].To, rev)
			parts = append(parts, part)
		}
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, git.ErrNotRegular) {
			return parts, cmp.Or(refuses(name), err)
		}
	}
	if other := Rewritten(arg); other != arg {
		return f.ShowRanges(ctx, other, rev, root, refuses)
	}
	switch near := f.Nearest(ctx, rev, name); {
	case near != "" && strings.HasPrefix(near+" or ", path.Clean(name)+" or "):
		return nil, &index.PathError{Path: name, Why: "a folder, not a file"}
	case near != "" && errors.Is(err, fs.ErrNotExist):
		err = fmt.Errorf("%v; did you mean %s?", err, near)
	}
	return nil, err
}

// Join returns parts of a file as one.
func Join(parts []*Shown) *Shown {
	all := *parts[0]
	for _, p := range parts[1:] {
		all.To = p.To
		all.Text += "…\n" + p.Text
	}
	return &all
}

// Allows returns an error if the user excludes a path.
func (f Files) Allows(ctx context.Context, rev string, paths ...string) error {
	rules, err := f.project.Rules(ctx, rev, paths...)
	if err != nil {
		return err
	}
	for _, path := range paths {
		if by := rules.LeavesOut(path); by != "" {
			return &index.PathError{Path: path, Why: by + " leaves it out; only a user can include it, with --set unignore=PATTERN"}
		}
	}
	return nil
}

// mostRanges is how many ranges of one file an argument may name. A receipt joins ranges
// that touch, so that it never has more.
const mostRanges = 100

// position is the end of an argument that names lines.
var position = lazy.Regexp(`^((?s:.+)):([0-9]+(?:-[0-9]*)?(?:,[0-9]+(?:-[0-9]*)?)*)?$`)

// ParsePosition takes PATH:FROM-TO,FROM-TO apart, as receipts print it. No
// ranges mean the whole file; a range to 0 goes to its end.
func ParsePosition(arg string) (name string, ranges []satchel.Range, err error) {
	m := position().FindStringSubmatch(arg)
	if m == nil {
		return arg, nil, nil
	}
	if m[2] == "" {
		return m[1], nil, nil
	}
	if n := strings.Count(m[2], ",") + 1; n > mostRanges {
		return "", nil, fmt.Errorf("%d ranges of lines: want at most %d", n, mostRanges)
	}
	for part := range strings.SplitSeq(m[2], ",") {
		first, last, isRange := strings.Cut(part, "-")
		from, err := strconv.Atoi(first)
		to := from
		if isRange && last != "" && err == nil {
			to, err = strconv.Atoi(last)
		}
		if err != nil || from < 1 || to < from {
			return "", nil, fmt.Errorf("%s: want PATH:FROM-TO with 1 <= FROM <= TO", arg)
		}
		if isRange && last == "" {
			to = 0
		}
		ranges = append(ranges, satchel.Range{From: from, To: to})
	}
	return m[1], ranges, nil
}

var (
	column = lazy.Regexp(`^(.+?:[0-9]+)(?::[0-9]+)+$`)
	anchor = lazy.Regexp(`^(.+)#L([0-9]+)(-?)L?([0-9]*)$`)
	inDiff = lazy.Regexp(`^[ab]/([^ab]|[ab][^/])`)
)

// Rewritten returns an argument that names no file as ParsePosition reads it, if it is a
// file URL, PATH:LINE:COLUMN, PATH#L2-L9, or a path as a diff has it: a/PATH or b/PATH.
// Callers may rewrite the result again, which ends soon: a/a/PATH stays as it is.
func Rewritten(arg string) string {
	plain := arg
	if strings.HasPrefix(arg, "file:///") {
		if name, err := url.PathUnescape(arg[len("file://"):]); err == nil {
			plain = name
		}
	}
	plain = column().ReplaceAllString(anchor().ReplaceAllString(plain, "$1:$2$3$4"), "$1")
	if plain == arg && inDiff().MatchString(arg) {
		return arg[2:]
	}
	return plain
}

// showNotes shows notes for Show, if path stands for them and there are any.
func (f Files) showNotes(ctx context.Context, path string, from, to int) (*Shown, bool) {
	if path != source.NotesPath {
		return nil, false
	}
	list, _, err := f.project.Memory.Notes(ctx)
	if err != nil || len(list) == 0 {
		return nil, false
	}
	last := int(list[len(list)-1].ID)
	from = cmp.Or(from, 1)
	to = cmp.Or(to, last)
	var text strings.Builder
	for i := range list {
		if id := int(list[i].ID); id >= from && id <= to {
			text.WriteString(strconv.Itoa(id) + " " + source.NoteText(&list[i]).String() + "\n")
		}
	}
	return &Shown{Path: path, From: from, To: to, Lines: last, Text: text.String()}, text.Len() > 0
}
