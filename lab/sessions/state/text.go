package state

import (
	"regexp"
	"strings"

	"github.com/satchel-dev/satchel/transcript"
)

// maxLine is how much of a line is compared, in characters.
const maxLine = 200

// collapsed writes each run of white space as one blank, and none at the ends.
func collapsed(s string) string { return strings.Join(strings.Fields(s), " ") }

// normal returns a line as it is compared.
func normal(l string) string { return first(collapsed(l), maxLine) }

// normalAll returns the lines as they are compared, without those that are
// blank.
func normalAll(lines []string) []string {
	var out []string
	for _, l := range lines {
		if l = normal(l); l != "" {
			out = append(out, l)
		}
	}
	return out
}

var lineNumber = regexp.MustCompile(`^L?\d{1,7}(?:→|\t|\||: |:)(.*)$`)

// body returns a line without the number that a tool put before it.
func body(l string) string {
	l = strings.TrimSpace(l)
	if m := lineNumber.FindStringSubmatch(l); m != nil {
		return strings.TrimSpace(m[1])
	}
	return l
}

// normalBody returns what a line of a file says, as it is compared.
func normalBody(l string) string { return normal(body(l)) }

// nonBlank returns the lines of a text that hold anything.
func nonBlank(text string) []string {
	var out []string
	for l := range strings.SplitSeq(text, "\n") {
		if strings.TrimSpace(l) != "" {
			out = append(out, l)
		}
	}
	return out
}

// first returns the first n characters.
func first(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}

// last returns the last n characters.
func last(s string, n int) string {
	if len(s) <= n {
		return s
	}
	if r := []rune(s); len(r) > n {
		return string(r[len(r)-n:])
	}
	return s
}

// textOf returns what a reader sees of a block; of a call its tool and its
// fields, each as "key: value".
func textOf(b *transcript.Block) string {
	switch b.Type {
	case transcript.Text, transcript.Result:
		return b.Text
	case transcript.Call:
		var t strings.Builder
		t.WriteString(b.Name)
		t.WriteByte('\n')
		for i, l := range parse(b.Input).leaves() {
			if i > 0 {
				t.WriteByte('\n')
			}
			if l.key != "" {
				t.WriteString(l.key + ": ")
			}
			t.WriteString(l.text)
		}
		return t.String()
	}
	return ""
}

// shows reports whether a reader sees a block as text at all.
func shows(b *transcript.Block) bool {
	return b.Type != transcript.Thinking && b.Type != transcript.Image
}
