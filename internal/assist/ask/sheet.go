package ask

import (
	"strconv"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/internal/code/outline"
	"github.com/satchel-dev/satchel/internal/scene/changeset"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/tokens"
)

// A sheet is a changed file with its lines as they may be shown.
type sheet struct {
	*change.Scored
	folded  string // why one line describes it, or ""
	capped  bool   // no more than mostCapped changed rows are shown, since people do not read them
	rows    []row  // of all hunks, in reading order
	dull    int    // tokens of the dull ones of these, with their numbers
	loaded  int    // rows that have their text: those that a budget can hold
	above   int    // tokens of the line with the path
	size    int    // tokens of the changed rows that are loaded, and of what stands above them
	changed int    // rows that are not context
	longest int    // bytes of a line that are shown
	secrets int
}

// A row is a line of a hunk.
type row struct {
	mark     byte // '+', '-', ' ', or '=' for the new side of a file that was not compared
	clipped  bool // the text is not all of the line
	dull     bool // it stands in the middle of many that were removed
	hunk     int32
	old, new int32 // its number, or that of the next line on the side that it is not on
	tokens   int32
	text     string // clean, without its mark and its end
}

// changes reports whether the row is one that was added or removed.
func (r *row) changes() bool { return r.mark != ' ' }

// number is that of the line on its own side.
func (r *row) number() int {
	if r.mark == '-' {
		return int(r.old)
	}
	return int(r.new)
}

const (
	longestLine = 500 // bytes of a line that are shown; what is longer is data
	leastLine   = 120 // that are shown however small the budget is
	mostCapped  = 20  // changed lines of a capped file that are shown
	aboveFile   = 8   // tokens of the line above a file's lines, beside its path
	aboveRun    = 4   // tokens of the line above lines that stand apart
)

// sheetsOf prepares files. most is about how many tokens of one could be shown,
// longest how many bytes of a line are.
func sheetsOf(files []*change.Scored, most, longest int) []*sheet {
	list := make([]*sheet, len(files))
	changeset.OnAllCores(len(files), func(i int) { list[i] = newSheet(files[i], most, longest) })
	return list
}

func newSheet(f *change.Scored, most, longest int) *sheet {
	s := &sheet{Scored: f, folded: f.Folded(), longest: longest}
	if s.capped = s.folded != "" && (s.folded != string(outline.Data) || outline.Recorded(f.Path)); s.capped {
		s.longest = min(longest, leastLine)
	}
	if len(f.Hunks) == 0 {
		return s
	}
	count := tokens.O200k()
	s.above = aboveFile + count.Count(f.Path)
	s.size = s.above
	for k := range f.Hunks {
		h := &f.Hunks[k]
		from := len(s.rows)
		s.number(k, h)
		if to := s.end(); s.size < most && from < to {
			s.load(s.rows[from:to], h, count)
			s.loaded = to
			s.dim(s.rows[from:to])
		}
	}
	return s
}

// end returns the number of rows up to the last one that may be shown.
func (s *sheet) end() int {
	n := 0
	for i := 0; s.capped && i < len(s.rows); i++ {
		if s.rows[i].changes() {
			n++
		}
		if n > mostCapped {
			return i
		}
	}
	return len(s.rows)
}

// number appends the rows of a hunk, without their text.
func (s *sheet) number(k int, h *change.Hunk) {
	old, now := int32(h.OldFrom), int32(h.NewFrom)
	if h.OldLines == 0 {
		old++ // git names the line before
	}
	if h.NewLines == 0 {
		now++
	}
	for line := range strings.Lines(h.Body) {
		r := row{mark: line[0], hunk: int32(k), old: old, new: now}
		switch r.mark {
		case '\\':
			continue // that a line has no end belongs to the line
		case '+':
			now++
			s.changed++
		case '-':
			old++
			s.changed++
		default:
			r.mark = ' '
			old++
			now++
			if s.Unread != "" { // there is nothing else to show
				r.mark = '='
				s.changed++
			}
		}
		s.rows = append(s.rows, r)
	}
}

// load gives the rows of a hunk their text.
func (s *sheet) load(rows []row, h *change.Hunk, count *tokens.Encoding) {
	text, found := clean.PatchSecrets(s.Path, h.Body)
	s.secrets += len(found)
	i, apart := 0, true
	for _, line := range text.Split() {
		body := line.TrimNewline()
		if strings.HasPrefix(body.String(), "\\") || i == len(rows) {
			continue
		}
		r := &rows[i]
		i++
		if r.clipped = body.Len() > s.longest; r.clipped {
			body = clean.Sprintf("%s… %s more", body.Cut(s.longest), clean.Count(body.Len()-s.longest, "byte"))
		}
		r.text = body.String()
		if r.text != "" {
			r.text = r.text[1:] // the mark
		}
		if r.tokens = int32(1 + count.Count(r.text)); r.text != "" {
			r.tokens++ // the mark, which seldom joins what follows
		}
		if !r.changes() {
			apart = true
			continue
		}
		if apart {
			s.size += aboveRun
		}
		apart = false
		s.size += int(r.tokens)
	}
}

// Removed lines are dull in the middle of a longer run: its ends tell what went.
const (
	dullRun = 12
	dullEnd = 4 // lines at both ends that are not
)

// dim marks the rows of a hunk that are dull.
func (s *sheet) dim(rows []row) {
	for i := 0; i < len(rows); {
		to := i + 1
		for to < len(rows) && rows[to].mark == rows[i].mark {
			to++
		}
		if rows[i].mark == '-' && to-i > dullRun {
			for k := i + dullEnd; k < to-dullEnd; k++ {
				rows[k].dull = true
				s.dull += int(rows[k].tokens) + numbers
			}
		}
		i = to
	}
}

// brief shows the changed rows that are not dull.
func (s *sheet) brief() mask {
	m := s.all(false)
	for i := range m {
		m[i] = m[i] && !s.rows[i].dull
	}
	return m
}

// A mask says which rows of a sheet are shown.
type mask []bool

// all shows the changed rows of a sheet that are loaded, and context too if
// that is wanted.
func (s *sheet) all(context bool) mask {
	m := make(mask, len(s.rows))
	for i := range m[:s.loaded] {
		m[i] = context || s.rows[i].changes()
	}
	return m
}

// shown counts the changed rows that a mask shows.
func (s *sheet) shown(m mask) (n int) {
	for i, show := range m {
		if show && s.rows[i].changes() {
			n++
		}
	}
	return n
}

// complete reports whether a mask shows every changed row that may be shown.
func (s *sheet) complete(m mask) bool {
	n := s.shown(m)
	return s.Elided == 0 && (n == s.changed || s.capped && n == s.shown(s.all(false)))
}

// account says what of the file a mask shows.
func (s *sheet) account(m mask) Shown {
	out := Shown{Path: s.Path, How: Full}
	some := false
	for i := 0; i < len(s.rows); {
		r := &s.rows[i]
		if !r.changes() || m != nil && m[i] && !r.clipped {
			some = some || r.changes()
			i++
			continue
		}
		h, to := s.cut(i, m)
		out.Cut = append(out.Cut, h)
		some = some || m != nil && m[i]
		i = to
	}
	if len(s.rows) == 0 && s.Unread == "" && s.Added+s.Removed > 0 {
		out.Cut = append(out.Cut, satchel.Hunk{Parts: 1, Added: s.Added, Removed: s.Removed})
	}
	switch {
	case s.Unseen() != "":
		out.How = Unread
	case s.Binary:
		out.How = Folded
	case len(out.Cut) == 0:
	case some && !s.capped:
		out.How = Part
	case s.folded != "":
		out.How = Folded
	default:
		out.How = Listed
	}
	return out
}

// cut describes the run of changed rows from i on that a mask hides, and returns
// where it ends.
func (s *sheet) cut(i int, m mask) (h satchel.Hunk, to int) {
	first := &s.rows[i]
	h = satchel.Hunk{Number: int(first.hunk) + 1, Part: 1, Parts: 1, OldFrom: int(first.old), NewFrom: int(first.new)}
	for to = i; to < len(s.rows); to++ {
		r := &s.rows[to]
		if !r.changes() || r.hunk != first.hunk || m != nil && m[to] && !r.clipped {
			break
		}
		if r.mark == '+' {
			h.Added++
		} else {
			h.Removed++
		}
	}
	h.NewLines, h.OldLines = h.Added, h.Removed
	return h, to
}

// write writes the rows that a mask shows, in a form that cannot be taken for
// anything else: what is ours begins with @ or ⋮, a line with its mark, or, if
// lines are numbered, with a digit.
func (s *sheet) write(b *strings.Builder, m mask, numbered, sections bool) {
	last, hidden := -1, 0
	for i := range s.rows {
		r := &s.rows[i]
		if !m[i] {
			if r.changes() {
				hidden++
			}
			continue
		}
		if hidden > 0 && last >= 0 {
			b.WriteString("⋮ " + strconv.Itoa(hidden) + "\n")
		}
		if apart := last < 0 || last != i-1 || s.rows[last].hunk != r.hunk; apart && (last < 0 || !numbered || sections) {
			s.head(b, i, last < 0, sections && (last < 0 || s.rows[last].hunk != r.hunk))
			if hidden > 0 && last < 0 {
				b.WriteString("⋮ " + strconv.Itoa(hidden) + "\n")
			}
		}
		if numbered {
			b.WriteString(strconv.Itoa(r.number()))
			b.WriteByte(' ')
		}
		b.WriteByte(r.mark)
		b.WriteString(r.text)
		b.WriteByte('\n')
		last, hidden = i, 0
	}
	if hidden > 0 && last >= 0 {
		b.WriteString("⋮ " + strconv.Itoa(hidden) + "\n")
	}
}

// head writes the line above rows that stand apart.
func (s *sheet) head(b *strings.Builder, i int, first, section bool) {
	b.WriteString("@ ")
	if first {
		b.WriteString(clean.Inline(s.Path))
		b.WriteByte(':')
	}
	r := &s.rows[i]
	b.WriteString(strconv.Itoa(r.number()))
	if section {
		if t := clean.Heading(s.Path, s.Hunks[r.hunk].Section).Shorten(longestSection); !t.IsZero() {
			b.WriteString(" " + t.String())
		}
	}
	b.WriteByte('\n')
}

// longestSection is how many bytes are shown of the definition that a hunk stands
// in.
const longestSection = 80
