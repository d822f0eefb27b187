package outline

import (
	"bytes"
	"cmp"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/code/symbols"
	"github.com/satchel-dev/satchel/internal/text/clip"
	"github.com/satchel-dev/satchel/internal/text/markdown"
)

// A heading of a document. Documents are outlined by their own marks: headings are
// symbols of kind "heading" that last to the next heading of the same or a higher
// level, and the keys of configuration are symbols of kind "key".
type heading struct {
	level, row int // 1 is the highest; the row of its text, 0-based
	name       string
}

// headings adds symbols for headings in the order of their rows.
func (l *lines) headings(hs []heading) {
	type open struct {
		level, sym int
		path       string
	}
	var stack []open
	closeTo := func(level, row int) {
		for len(stack) > 0 && stack[len(stack)-1].level >= level {
			s := l.At(stack[len(stack)-1].sym)
			s.To = max(s.NameLine, row)
			stack = stack[:len(stack)-1]
		}
	}
	for _, h := range hs {
		closeTo(h.level, h.row)
		up, path := -1, ""
		if len(stack) > 0 {
			up, path = stack[len(stack)-1].sym, stack[len(stack)-1].path
		}
		name := clip.Bytes(h.name, maxHeading)
		before := l.Len()
		sym := l.Add(satchel.Symbol{
			Kind: "heading", Name: name, Parent: path,
			From: h.row + 1, To: h.row + 1, NameLine: h.row + 1,
		}, up)
		if l.Len() == before {
			continue
		}
		s := l.At(sym)
		s.Signature = strings.Repeat("#", h.level) + " " + s.Name // which is valid UTF-8 by now
		stack = append(stack, open{h.level, sym, symbols.Join(path, name)})
	}
	closeTo(0, len(l.starts))
}

func (l *lines) markdown() {
	var hs []heading
	var fences markdown.Fences
	front := false
	previous := -1 // row of a paragraph's only line so far
	for row := range l.starts {
		s, e := l.line(row)
		text := strings.TrimRight(string(l.src[s:min(e, s+matchedPart)]), " \t\r")
		body := strings.TrimLeft(text, " ")
		if row == 0 && text == "---" {
			front = true
			continue
		}
		if front {
			front = text != "---" && text != "..."
			continue
		}
		if fences.Line([]byte(body)) != markdown.Prose {
			previous = -1
			continue
		}
		level := 0
		for level < len(body) && body[level] == '#' {
			level++
		}
		switch {
		case level > 0 && level <= 6 && len(text)-len(body) < 4 && (level == len(body) || body[level] == ' ' || body[level] == '\t'):
			if name := strings.Trim(body[level:], " \t#"); name != "" {
				hs = append(hs, heading{level, row, name})
			}
			previous = -1
		case previous >= 0 && len(body) > 1 && (strings.Trim(body, "=") == "" || strings.Trim(body, "-") == ""):
			level = 1
			if body[0] == '-' {
				level = 2
			}
			s, e := l.line(previous)
			hs = append(hs, heading{level, previous, strings.TrimSpace(string(l.src[s:min(e, s+matchedPart)]))})
			previous = -1
		case body == "" || strings.ContainsAny(body[:1], "-*+>|<") || text[0] == ' ' || text[0] == '\t':
			previous = -1
		default:
			previous = row
		}
	}
	l.headings(hs)
}

// underlined outlines reStructuredText, whose levels are those of the order in
// which the underlining characters first appear.
func (l *lines) underlined() {
	const marks = "=-~`:'\"^_*+#<>."
	var hs []heading
	levels := map[string]int{}
	for row := 1; row < len(l.starts); row++ {
		s, e := l.line(row)
		rule := strings.TrimRight(string(l.src[s:min(e, s+matchedPart)]), " \t\r")
		if len(rule) < 3 || !strings.ContainsRune(marks, rune(rule[0])) || strings.Trim(rule, rule[:1]) != "" {
			continue
		}
		ps, pe := l.line(row - 1)
		title := strings.TrimRight(string(l.src[ps:min(pe, ps+matchedPart)]), " \t\r")
		name := strings.TrimSpace(title)
		if name == "" || len(name) > len(rule)+3 || strings.Trim(name, marks) == "" {
			continue
		}
		style := rule[:1]
		if row >= 2 {
			os, oe := l.line(row - 2)
			if over := strings.TrimSpace(string(l.src[os:min(oe, os+matchedPart)])); over == rule {
				style += "over"
			}
		}
		levels[style] = cmp.Or(levels[style], len(levels)+1)
		hs = append(hs, heading{levels[style], row - 1, name})
	}
	l.headings(hs)
}

// marked outlines formats whose headings begin with marks: == Title.
func (l *lines) marked(mark byte) {
	var hs []heading
	for row := range l.starts {
		s, e := l.line(row)
		text := l.src[s:min(e, s+matchedPart)]
		level := 0
		for level < len(text) && text[level] == mark {
			level++
		}
		if level == 0 || level > 8 || level >= len(text) || text[level] != ' ' {
			continue
		}
		if name := strings.TrimSpace(string(text[level:])); name != "" {
			hs = append(hs, heading{level, row, name})
		}
	}
	l.headings(hs)
}

// keys adds one symbol for each key, lasting to the next.
func (l *lines) keys(kind string, rows []int, names []string, spans [][2]int) {
	for i, row := range rows {
		last := len(l.starts) - 1
		if i+1 < len(rows) {
			last = rows[i+1] - 1
		}
		for last > row && (l.blank(last) || l.inLead(last, rows, i)) {
			last--
		}
		start, _ := l.line(row)
		_, end := l.line(last)
		_, head := l.line(row)
		l.define(kind, clip.Bytes(names[i], maxHeading), "", start, min(head, start+symbols.MaxSignature), end, start+spans[i][0], -1)
	}
}

// inLead reports whether a line is a comment that belongs to the next key.
func (l *lines) inLead(row int, rows []int, i int) bool {
	if i+1 >= len(rows) {
		return false
	}
	from, _ := l.leadOf(rows[i+1])
	return row >= from
}

func (l *lines) yaml() {
	var rows []int
	var names []string
	var spans [][2]int
	for row := range l.starts {
		s, e := l.line(row)
		text := l.masked[s:min(e, s+matchedPart)]
		if len(text) == 0 || text[0] <= ' ' || text[0] == '-' || text[0] == '%' || text[0] == '{' || text[0] == '}' {
			continue
		}
		colon := bytes.IndexByte(text, ':')
		if colon <= 0 || colon+1 < len(text) && text[colon+1] != ' ' && text[colon+1] != '\r' && text[colon+1] != '\t' {
			continue
		}
		rows, names, spans = append(rows, row), append(names, strings.Trim(string(text[:colon]), `"' `)), append(spans, [2]int{0, colon})
	}
	l.keys("key", rows, names, spans)
}

// sections outlines TOML and INI by their [tables]; before the first of them,
// and in files without, by keys.
func (l *lines) sections() {
	var rows []int
	var names []string
	var spans [][2]int
	tables := false
	for row := range l.starts {
		s, e := l.line(row)
		text := bytes.TrimRight(l.masked[s:min(e, s+matchedPart)], " \t\r")
		if len(text) == 0 || text[0] == ' ' || text[0] == '\t' {
			continue
		}
		name := ""
		if text[0] == '[' {
			raw := bytes.TrimRight(l.src[s:min(e, s+matchedPart)], " \t\r")
			if end := bytes.LastIndexByte(raw, ']'); end > 0 {
				name = strings.Trim(string(raw[:end]), "[] \"")
				tables = true
			}
		} else if i := bytes.IndexAny(text, "=:"); i > 0 && !tables {
			name = strings.Trim(string(l.src[s:s+i]), ` "'`)
			name = strings.TrimPrefix(name, "export ")
		}
		if name == "" {
			continue
		}
		rows, names, spans = append(rows, row), append(names, name), append(spans, [2]int{0, 0})
	}
	l.keys("key", rows, names, spans)
}

// json adds the keys of the outermost object.
func (l *lines) json() {
	var rows []int
	var names []string
	var spans [][2]int
	depth, key := 0, -1
	for i := 0; i < len(l.src); i++ {
		switch c := l.src[i]; c {
		case '{', '[':
			depth++
			if depth == 1 && c == '[' {
				return
			}
		case '}', ']':
			depth--
		case '"':
			end := stringEnd(l.src, i, len(l.src))
			if depth == 1 {
				key = i
			}
			if depth == 1 {
				rest := bytes.TrimLeft(l.src[end:], " \t\r\n")
				if len(rest) > 0 && rest[0] == ':' {
					row := l.row(key)
					if len(rows) == 0 || rows[len(rows)-1] != row {
						rows, names, spans = append(rows, row), append(names, string(l.src[key+1:max(key+1, end-1)])), append(spans, [2]int{key - l.starts[row], end})
					}
				}
			}
			i = end - 1
		case '/':
			if i+1 < len(l.src) && l.src[i+1] == '/' {
				if j := bytes.IndexByte(l.src[i:], '\n'); j >= 0 {
					i += j
				} else {
					i = len(l.src)
				}
			}
		}
	}
	l.keys("key", rows, names, spans)
}

// script returns the script part of a component file, with everything else
// blanked so that lines keep their numbers, and its language.
func script(lang string, src []byte) (inner []byte, innerLang string, ok bool) {
	switch lang {
	case "vue", "svelte", "astro", "html":
	default:
		return nil, "", false
	}
	out := bytes.Clone(src)
	innerLang = "javascript"
	keep := 0 // everything before is decided
	blank := func(a, b int) {
		for i := a; i < b; i++ {
			if out[i] != '\n' {
				out[i] = ' '
			}
		}
	}
	if lang == "astro" && bytes.HasPrefix(src, []byte("---\n")) {
		if j := bytes.Index(src[4:], []byte("\n---")); j >= 0 {
			blank(0, 3)
			blank(4+j, len(src))
			return out, "typescript", true
		}
	}
	for {
		i := bytes.Index(src[keep:], []byte("<script"))
		if i < 0 {
			break
		}
		i += keep
		tag := bytes.IndexByte(src[i:], '>')
		if tag < 0 {
			break
		}
		open := src[i : i+tag]
		begin := i + tag + 1
		end := bytes.Index(src[begin:], []byte("</script"))
		if end < 0 {
			end = len(src) - begin
		}
		blank(keep, begin)
		keep = begin + end
		ok = ok || end > 0
		if bytes.Contains(open, []byte("ts")) && bytes.Contains(open, []byte("lang")) {
			innerLang = "typescript"
			if bytes.Contains(open, []byte("tsx")) {
				innerLang = "tsx"
			}
		}
		if bytes.Contains(open, []byte("json")) || bytes.Contains(open, []byte("template")) {
			blank(begin, keep)
		}
	}
	if !ok {
		return nil, "", false
	}
	blank(keep, len(src))
	return out, innerLang, true
}
