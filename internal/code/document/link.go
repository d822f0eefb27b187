package document

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// A Link is a reference to another document, or to a file of the repository.
// Addresses of the web and links to a heading of the same document are none.
type Link struct {
	Target  string // as written, without heading: a path, or the name of a note
	Heading string // after #; may be empty
	Wiki    bool   // a [[name]] rather than a path
	Line    int
}

// pattern returns what compiles an expression when it is first asked for. The
// repeats of these make large programs of them, which every process would
// otherwise make at its start, and few need.
func pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// The ways to write a link. Each has the target as its first group that matched.
var (
	wikiLink  = pattern(`\[\[([^\[\]|\n]{1,300})(?:\|[^\[\]\n]{0,300})?\]\]`)
	mdLink    = pattern(`\]\(\s*(?:<([^<>\n]{1,300})>|([^()\s<>]{1,300}))(?:\s[^()\n]{0,300})?\)`)
	mdRef     = pattern(`^ {0,3}\[[^\]\n]{1,200}\]:\s+<?([^\s<>]{1,300})>?`)
	htmlLink  = pattern(`\b(?:href|src)=(?:"([^"\n]{1,300})"|'([^'\n]{1,300})'|\{?["']([^"'\n]{1,300})["']\}?)`)
	rstLink   = pattern("`[^`<\n]{0,300}<([^<>`\n]{1,300})>`_")
	rstDoc    = pattern(":doc:`(?:[^`<\n]{0,300}<)?([^<>`\n]{1,300})>?`")
	rstFile   = pattern(`^\s*\.\. (?:literal)?include:: (\S{1,300})`)
	adocLink  = pattern(`\b(?:link|xref|include):{1,2}([^\s\[\]]{1,300})\[`)
	adocCross = pattern(`<<([^<>,\n]{1,300}?)(?:,[^<>\n]{0,300})?>>`)
	orgLink   = pattern(`\[\[(?:file:)?([^\[\]\n]{1,300})\](?:\[[^\[\]\n]{0,300}\])?\]`)
)

var linksOf = map[string][]func() *regexp.Regexp{
	"markdown": {mdLink, mdRef, htmlLink},
	"rst":      {rstLink, rstDoc, rstFile, htmlLink},
	"asciidoc": {adocLink, adocCross},
	"org":      {orgLink},
}

// Links returns the links of a text that is no file, such as a task, in the order
// of their lines: those of Markdown and [[names]], wherever they stand.
func Links(text string) []Link {
	d := &Document{}
	s := scanner{lang: "markdown", d: d}
	n := 0
	for line := range strings.Lines(text) {
		n++
		s.links(n, strings.TrimRight(line[:min(len(line), maxLine)], "\r\n"))
	}
	return d.Links
}

// links adds the links of a line of prose.
func (s *scanner) links(n int, line string) {
	if !strings.ContainsAny(line, "[<:=") {
		return
	}
	if s.lang != "org" {
		for _, m := range wikiLink().FindAllStringSubmatch(line, -1) {
			s.link(n, m[1], true)
		}
	}
	for _, re := range linksOf[s.lang] {
		for _, m := range re().FindAllStringSubmatch(line, -1) {
			for _, target := range m[1:] {
				if target != "" {
					s.link(n, target, false)
					break
				}
			}
		}
	}
}

// scheme matches what begins an address rather than a path.
var scheme = pattern(`^(?:[A-Za-z][A-Za-z0-9+.-]*:|//)`)

func (s *scanner) link(n int, target string, wiki bool) {
	target = strings.TrimSpace(target)
	if !wiki {
		if scheme().MatchString(target) {
			return
		}
		target = unescape(target)
		if i := strings.IndexByte(target, '?'); i >= 0 {
			target = target[:i]
		}
	}
	target, anchor, _ := strings.Cut(target, "#")
	target = strings.TrimSpace(target)
	if target == "" || len(target) > maxTarget || len(s.d.Links) >= maxLinks || strings.ContainsAny(target, "{}$*`") {
		return
	}
	s.d.Links = append(s.d.Links, Link{Target: target, Heading: strings.TrimSpace(anchor), Wiki: wiki, Line: n})
}

// unescape undoes %20 and its like. What is no escape stays.
func unescape(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if c, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil && c >= ' ' && c != 0x7f {
				b.WriteByte(byte(c))
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return strings.ToValidUTF8(b.String(), "\uFFFD")
}

// Slug is a heading, or the name of a note, as links spell it: lower case, with
// hyphens for what is neither letter nor digit.
func Slug(s string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(s) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r >= 0x80 {
			if gap && b.Len() > 0 {
				b.WriteByte('-')
			}
			gap = false
			b.WriteRune(r)
			continue
		}
		gap = gap || r != '\''
	}
	return b.String()
}
