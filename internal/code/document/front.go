package document

import (
	"bytes"
	"strings"
	"time"
	"unicode/utf8"
)

// A Front is what a document says about itself before its text. The zero value
// is that of a document that says nothing.
type Front struct {
	To      int // its last line; 0 if there is none
	Title   string
	Tags    []string
	Aliases []string  // other names under which notes link to it
	Date    time.Time // of its last change, as it claims; zero if it does not
}

// Limits on front matter. What is longer is text.
const (
	maxFront      = 200 // lines
	maxFrontLine  = 500 // bytes of a value
	maxFrontItems = 50  // of a list
)

// front reads the front matter: YAML between --- lines, TOML between +++, org's
// #+KEYWORD: lines, and AsciiDoc's :attribute: lines. It knows some keys and plain
// values; anchors, tags, nesting and everything else that a parser of such a
// language would have to act upon are not looked at.
func front(lang string, lines [][]byte) Front {
	var f Front
	if len(lines) == 0 {
		return f
	}
	mark := strings.TrimRight(string(bytes.TrimPrefix(lines[0][:min(len(lines[0]), 16)], []byte("\uFEFF"))), " \t")
	switch {
	case lang == "org":
		for i, l := range lines[:min(len(lines), maxFront)] {
			if len(bytes.TrimSpace(l)) == 0 {
				continue
			}
			key, value, ok := strings.Cut(strings.TrimPrefix(clip(l), "#+"), ":")
			if !ok || !bytes.HasPrefix(l, []byte("#+")) {
				break
			}
			f.set(strings.ToLower(key), value)
			f.To = i + 1
		}
		return f
	case lang == "markdown" && (mark == "---" || mark == "+++"):
		end := 0
		for i := 1; i < min(len(lines), maxFront); i++ {
			if t := strings.TrimRight(clip(lines[i]), " \t"); t == mark || mark == "---" && t == "..." {
				end = i
				break
			}
		}
		if end == 0 {
			return f // a rule
		}
		f.To = end + 1
		f.pairs(lines[1:end], map[string]string{"---": ":", "+++": "="}[mark])
	}
	return f
}

// pairs reads lines of KEY: VALUE, and lists of "- item" lines below a key.
func (f *Front) pairs(lines [][]byte, sep string) {
	last := ""
	for _, l := range lines {
		text := clip(l)
		t := strings.TrimSpace(text)
		if item, ok := strings.CutPrefix(t, "- "); ok && last != "" {
			f.set(last, item)
			continue
		}
		if t == "" || t[0] == '#' || text[0] == ' ' || text[0] == '\t' {
			continue // nested: nothing we know
		}
		key, value, ok := strings.Cut(t, sep)
		if !ok {
			continue
		}
		last = strings.ToLower(strings.TrimSpace(key))
		f.set(last, value)
	}
}

// set takes a value if the key is known.
func (f *Front) set(key, value string) {
	value = strings.TrimSpace(value)
	if value == "" {
		return
	}
	switch key {
	case "title":
		if v := unquote(value); f.Title == "" && v != "" && !strings.ContainsAny(v[:1], "&*!|>{[") {
			f.Title = v
		}
	case "tags", "keywords", "categories", "filetags":
		f.Tags = appendItems(f.Tags, value)
	case "aliases", "alias":
		f.Aliases = appendItems(f.Aliases, value)
	case "date", "updated", "modified", "lastmod", "last_updated", "last-updated", "last_modified":
		if t, ok := date(unquote(value)); ok && t.After(f.Date) {
			f.Date = t
		}
	}
}

// appendItems appends the items of [a, b], "a, b" or a.
func appendItems(list []string, value string) []string {
	for item := range strings.SplitSeq(strings.Trim(value, "[]"), ",") {
		if item = unquote(strings.TrimSpace(item)); item != "" && len(list) < maxFrontItems {
			list = append(list, item)
		}
	}
	return list
}

func unquote(s string) string {
	if n := len(s); n >= 2 && (s[0] == '"' || s[0] == '\'') && s[n-1] == s[0] {
		return s[1 : n-1]
	}
	return s
}

func date(s string) (time.Time, bool) {
	s = strings.Trim(s, "[]<>")
	for _, n := range [...]int{len(time.RFC3339), len(time.DateTime), len(time.DateOnly)} {
		if len(s) < n {
			continue
		}
		for _, layout := range [...]string{time.RFC3339, time.DateTime, "2006-01-02T15:04:05Z", time.DateOnly} {
			if t, err := time.Parse(layout, s[:n]); err == nil && t.Year() > 1970 {
				return t.UTC(), true
			}
		}
	}
	return time.Time{}, false
}

// clip returns the beginning of a line, as valid text.
func clip(line []byte) string {
	if len(line) > maxFrontLine {
		n := maxFrontLine
		for n > 0 && !utf8.RuneStart(line[n]) {
			n--
		}
		line = line[:n]
	}
	return strings.ToValidUTF8(string(line), "\uFFFD")
}
