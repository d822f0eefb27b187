package ask

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/text/markdown"
)

// An Insertion is a text, and the byte of a file before which it comes. Everything
// else of the file stays as it is.
type Insertion struct {
	At   int
	Text string
}

// Into returns the file with the text in it.
func (i Insertion) Into(file string) string { return file[:i.At] + i.Text + file[i.At:] }

// ErrThere means that a change log has the section already.
var ErrThere = errors.New("it is there already")

// InsertLog says where a log, as [WriteLog] writes it, belongs in a change log of
// Markdown: that of a version before the heading of the newest one; without a
// version, below the heading of what is unreleased. It takes the form that the file
// has: the level and the words of its headings, its bullets, its ends of lines.
//
// The error says why the file is no change log, or is ErrThere.
func InsertLog(file, log, version, date string) (Insertion, error) {
	if strings.IndexByte(file, 0) >= 0 || !utf8.ValidString(file) {
		return Insertion{}, errors.New("it is no text in UTF-8")
	}
	f := readLogFile(file)
	switch {
	case f.unreleased == nil && f.newest == nil && strings.TrimSpace(file) != "" && !f.titled:
		return Insertion{}, errors.New("it is no change log of Markdown: it has no heading of a version, none that says Unreleased, and no title such as Changelog")
	case version != "" && f.has(version):
		return Insertion{}, fmt.Errorf("%s: %w", clean.Inline(version), ErrThere)
	}
	_, body, _ := strings.Cut(log, "\n") // without its heading
	body = f.form(strings.Trim(body, "\n"))
	if body == "" {
		body = f.form("- Nothing that users notice.")
	}
	if version == "" && f.unreleased != nil {
		if strings.Contains(strings.ReplaceAll(file, "\r\n", "\n"), body+"\n") {
			return Insertion{}, ErrThere
		}
		return f.place(f.unreleased.below, body), nil
	}
	heading := "Unreleased"
	if version != "" {
		heading = f.headingOf(version, date)
	} else if f.newest == nil || strings.HasPrefix(f.newest.text, "[") {
		heading = "[Unreleased]"
	}
	at := len(file)
	if f.newest != nil {
		at = f.newest.at
	}
	return f.place(at, strings.Repeat("#", f.level())+" "+heading+"\n\n"+body), nil
}

// A logFile is what is known of the form of a change log.
type logFile struct {
	text       string
	titled     bool // a heading says that it is a change log
	unreleased *logHeading
	newest     *logHeading  // of a version
	versions   []logHeading // all of them
	bullet     string
}

// A logHeading is a heading of Markdown.
type logHeading struct {
	at, below int // where its line begins, and where the next one does
	level     int
	text      string
}

var (
	titleOfLog   = regexp.MustCompile(`(?i)\b(?:change ?-?log|changes|release ?notes|releases|history|news|what'?s new)\b`)
	isUnreleased = regexp.MustCompile(`(?i)^\W*(?:unreleased|upcoming|unpublished|tbd|tba|head|in development|next(?: (?:release|version))?)\b`)
	isVersion    = regexp.MustCompile(`(?i)^\W*(?:(?:[a-z][\w./-]*[ @])?(?:version |release )?v?(\d+(?:\.\d+)+[\w.+-]*|\d+))(?:$|[])]|-\d|\s+[-–—(/\[:]|[:,]|\s+(?:released\b|\d{4}\b)|\s*$)`)
	underline    = regexp.MustCompile(`^ {0,3}(?:=+|--+)[ \t]*$`)
	hasDate      = regexp.MustCompile(`\d{4}-\d{2}-\d{2}`)
)

func readLogFile(text string) *logFile {
	f := &logFile{text: text, bullet: "-"}
	var fences markdown.Fences
	hidden, bulleted, at := false, false, 0
	var last logHeading // the line before, if it is prose that an underline makes a heading
	for line := range strings.Lines(text) {
		from := at
		at += len(line)
		line = strings.TrimRight(line, "\r\n")
		if from == 0 {
			line = strings.TrimPrefix(line, "\uFEFF")
		}
		before := last
		last = logHeading{}
		if !hidden && fences.Line([]byte(line)) != markdown.Prose {
			continue
		}
		if was := hidden; strings.Contains(line, "<!--") || was { // a comment is no heading
			hidden = strings.LastIndex(line, "-->") < strings.LastIndex(line, "<!--") || was && !strings.Contains(line, "-->")
			continue
		}
		if m := heading.FindStringSubmatch(line); m != nil {
			f.heading(logHeading{from, at, len(line) - len(strings.TrimLeft(line, "#")), m[1]})
		} else if before.text != "" && underline.MatchString(line) {
			before.below, before.level = at, 1
			if strings.Contains(line, "-") {
				before.level = 2
			}
			f.heading(before)
		} else if len(f.versions) > 0 && !bulleted && len(line) > 2 && line[1] == ' ' && strings.ContainsRune("-*+", rune(line[0])) {
			f.bullet, bulleted = line[:1], true
		} else {
			last = logHeading{at: from, text: strings.TrimSpace(line)}
		}
	}
	return f
}

// heading takes the next heading.
func (f *logFile) heading(h logHeading) {
	switch m := isVersion.FindStringSubmatch(h.text); {
	case f.unreleased == nil && f.newest == nil && isUnreleased.MatchString(h.text):
		f.unreleased = &h
	case m != nil && (strings.Contains(m[1], ".") || h.level <= 2) && (f.newest == nil || h.level <= f.newest.level):
		f.versions = append(f.versions, h)
		if f.newest == nil {
			f.newest = &h
		}
	case h.level <= 2 && titleOfLog.MatchString(h.text):
		f.titled = true
	}
}

// has reports whether a version has a section.
func (f *logFile) has(version string) bool {
	for _, h := range f.versions {
		if m := isVersion.FindStringSubmatch(h.text); m[1] == strings.TrimLeft(version, "vV") || strings.Trim(h.text, "[] ") == version {
			return true
		}
	}
	return false
}

// level is that of the headings of versions.
func (f *logFile) level() int {
	switch {
	case f.newest != nil:
		return f.newest.level
	case f.unreleased != nil:
		return f.unreleased.level
	}
	return 2
}

// headingOf writes the heading of a version as the newest one is written.
func (f *logFile) headingOf(version, date string) string {
	like := "[0.0] - 2000-01-01"
	if f.newest != nil {
		like = f.newest.text
	}
	m := isVersion.FindStringSubmatchIndex(like)
	before, after := like[:m[2]], like[m[3]:]
	if strings.HasSuffix(strings.ToLower(before), "v") {
		version = strings.TrimLeft(version, "vV")
	} else if version != "" && strings.ContainsAny(version[:1], "vV") && f.newest != nil {
		version = version[1:]
	}
	closing := ""
	if i := strings.IndexByte(after, ']'); i >= 0 && strings.Contains(before, "[") {
		closing = "]" // without a link, whose address would be that of another version
	}
	day := hasDate.FindStringIndex(after)
	if day == nil || date == "" {
		return before + version + closing
	}
	between := after[:day[0]]
	if i := strings.LastIndexAny(between, "])"); i >= 0 {
		between = between[i+1:]
	}
	end := ""
	if strings.Count(between, "(") > 0 {
		end = ")"
	}
	return before + version + closing + between + date + end
}

// form gives entries the bullets and the level of headings that the file has.
func (f *logFile) form(body string) string {
	deeper := strings.Repeat("#", min(f.level()+1, 6)) + " "
	var b strings.Builder
	for line := range strings.Lines(body) {
		if rest, ok := strings.CutPrefix(line, "### "); ok {
			line = deeper + rest
		} else if rest, ok := strings.CutPrefix(line, "- "); ok {
			line = f.bullet + " " + rest
		}
		b.WriteString(line)
	}
	return b.String()
}

// place sets a block of lines before a byte of the file, which begins a line or is its
// end, with a blank line on both sides.
func (f *logFile) place(at int, block string) Insertion {
	end := "\n"
	if bytes.Contains([]byte(f.text), []byte("\r\n")) {
		end = "\r\n"
		block = strings.ReplaceAll(block, "\n", end)
	}
	before, after := f.text[:at], f.text[at:]
	lead := ""
	switch {
	case strings.TrimPrefix(before, "\uFEFF") == "":
	case !strings.HasSuffix(before, "\n"):
		lead = end + end
	case !strings.HasSuffix(before, end+end):
		lead = end
	}
	tail := end
	if after != "" && !strings.HasPrefix(after, end) {
		tail += end
	}
	return Insertion{At: at, Text: lead + block + tail}
}

// Patch shows the insertion as git diff writes it.
func (i Insertion) Patch(name, file string) string {
	const around = 3
	head, tail := linesOf(file[:i.At]), linesOf(file[i.At:])
	first := max(len(head)-around, 0)
	added := linesOf(i.Text)
	var b strings.Builder
	name = clean.Inline(name)
	fmt.Fprintf(&b, "--- a/%s\n+++ b/%s\n", name, name)
	cut := len(head) > 0 && !strings.HasSuffix(head[len(head)-1], "\n")
	before, after := head[first:], tail[:min(around, len(tail))]
	old := len(before) + len(after)
	grown := old + len(added)
	if cut { // the first line of the text only ends the last one of the file
		grown--
	}
	from := func(n int) int {
		if n == 0 {
			return 0
		}
		return first + 1
	}
	fmt.Fprintf(&b, "@@ -%d,%d +%d,%d @@\n", from(old), old, from(grown), grown)
	for k, line := range before {
		if cut && k == len(before)-1 {
			b.WriteString("-" + line + "\n\\ No newline at end of file\n+" + line + added[0])
			added = added[1:]
			continue
		}
		b.WriteString(" " + line)
	}
	for _, line := range added {
		b.WriteString("+" + line)
	}
	for _, line := range after {
		b.WriteString(" " + line)
		if !strings.HasSuffix(line, "\n") {
			b.WriteString("\n\\ No newline at end of file\n")
		}
	}
	return b.String()
}

func linesOf(s string) (list []string) {
	for line := range strings.Lines(s) {
		list = append(list, line)
	}
	return list
}
