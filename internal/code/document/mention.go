package document

import (
	"path"
	"strings"

	"github.com/satchel-dev/satchel/internal/text/terms"
)

// A Mention is a file or a name of the program that a document speaks of.
type Mention struct {
	Path   bool   // a path, rather than a name
	Name   string // the path, or the last part of the name
	Owner  string // what precedes the name: app in app.route; may be empty
	Called bool   // it stands with parentheses, or behind another name
	Place  Place
	Line   int
}

// A Place is where in a document something is mentioned.
type Place uint8

const (
	InSpan  Place = iota // a span of code in the text
	InBlock              // a block of code
	InLink               // the target of a link
)

// A scanner reads a document line by line.
type scanner struct {
	lang string
	d    *Document
}

var (
	span     = pattern("``([^`]{1,200})``|`([^`\n]{1,200})`")
	orgSpan  = pattern(`(?:^|[\s(])[=~]([^=~\s][^=~\n]{0,198})[=~]`)
	role     = pattern(":[a-z:]{2,20}:`(?:[^`<\n]{0,200}<)?([^<>`\n]{1,200})>?`")
	pathLike = pattern(`^\.{0,2}/?[\w@.-]+(?:/[\w@.+-]+)*/?$`)
	nameLike = pattern(`^[~!@&*$]?((?:[A-Za-z_]\w*(?:\.|::|->|#))*)([A-Za-z_]\w*)([!?]?\([^()]*\)|\[\])?[,;:.]?$`)
)

// line looks at one line of the document.
func (s *scanner) line(n int, raw []byte, in part) {
	line := string(raw)
	switch in {
	case prose:
		s.links(n, line)
		for _, l := range s.d.Links[s.linked(n):] {
			if !l.Wiki {
				s.mention(Mention{Path: true, Name: l.Target, Place: InLink, Line: n})
			}
		}
		s.spans(n, line)
	case code:
		s.block(n, line)
	}
}

// linked returns the index of the first link of line n, which is the newest.
func (s *scanner) linked(n int) int {
	i := len(s.d.Links)
	for i > 0 && s.d.Links[i-1].Line == n {
		i--
	}
	return i
}

// spans looks at the spans of code in a line of prose.
func (s *scanner) spans(n int, line string) {
	switch s.lang {
	case "text":
		return
	case "org":
		for _, m := range orgSpan().FindAllStringSubmatch(line, -1) {
			s.span(n, m[1])
		}
		return
	case "rst":
		if strings.Contains(line, ":`") {
			for _, m := range role().FindAllStringSubmatch(line, -1) {
				if !strings.HasPrefix(m[0], ":ref:") && !strings.HasPrefix(m[0], ":doc:") {
					s.span(n, strings.TrimPrefix(m[1], "~"))
				}
			}
			line = role().ReplaceAllString(line, "")
		}
	}
	if !strings.Contains(line, "`") {
		return
	}
	for _, m := range span().FindAllStringSubmatch(line, -1) {
		if m[1] == "" && s.lang == "rst" {
			continue // single ones are a role's, or a link
		}
		s.span(n, m[1]+m[2])
	}
}

// span looks at one span of code.
func (s *scanner) span(n int, text string) {
	text = strings.TrimSpace(text)
	if strings.ContainsAny(text, " \t") {
		// A command or an expression: only what must be a file says anything.
		for word := range strings.FieldsSeq(text) {
			if file(word) && strings.Contains(word, "/") {
				s.mention(Mention{Path: true, Name: word, Place: InBlock, Line: n})
			}
		}
		return
	}
	s.word(n, text, InSpan)
}

// block looks at one line of a block of code.
func (s *scanner) block(n int, line string) {
	for _, word := range strings.FieldsFunc(line, func(r rune) bool {
		return r <= ' ' || strings.ContainsRune("\"'`,;()[]{}<>=|&!", r)
	}) {
		s.word(n, word, InBlock)
	}
}

// word adds a mention if a word is a path, or a name that is no plain word.
func (s *scanner) word(n int, text string, place Place) {
	if len(text) < 3 || len(text) > 200 || scheme().MatchString(text) && strings.Contains(text, "//") {
		return
	}
	if file(text) && (place == InSpan || strings.Contains(text, "/")) {
		s.mention(Mention{Path: true, Name: text, Place: place, Line: n})
		return
	}
	m := nameLike().FindStringSubmatch(text)
	if m == nil {
		return
	}
	name := Mention{Name: m[2], Owner: strings.TrimRight(m[1], ".:->#"), Called: m[3] != "" || m[1] != "", Place: place, Line: n}
	if len(name.Name) < 3 || !terms.Compound(name.Name) && !name.Called {
		return
	}
	s.mention(name)
}

// extensions are those of files that belong to a program. A word with a dot and
// something else behind it may be a name, a version or a domain.
var extensions = func() map[string]bool {
	m := map[string]bool{}
	for _, e := range strings.Fields(`go py pyi pyx js jsx mjs cjs ts tsx mts vue svelte rs java kt kts scala groovy c h cc cpp cxx hpp hh cs fs rb php
		sh bash zsh fish ps1 bat swift dart zig lua pl ex exs erl hs ml clj el sql proto graphql md mdx rst adoc org txt toml yaml yml json jsonc ini cfg conf
		xml html css scss less tf tfvars hcl mod sum lock gradle cmake mk am ac in tmpl patch csv svg png jpg gif ipynb jq y l`) {
		m[e] = true
	}
	return m
}()

// file reports whether a word reads as the path of a file or folder.
func file(word string) bool {
	if !pathLike().MatchString(word) || strings.Contains(word, "..") && !strings.HasPrefix(word, "../") {
		return false
	}
	if strings.HasSuffix(word, "/") {
		return strings.Count(word, "/") > 1 || len(word) > 3
	}
	ext := path.Ext(word)
	return len(ext) > 1 && len(ext) < len(path.Base(word)) && extensions[strings.ToLower(ext[1:])]
}

func (s *scanner) mention(m Mention) {
	if len(s.d.Mentions) < maxMentions {
		s.d.Mentions = append(s.d.Mentions, m)
	}
}

func alphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
