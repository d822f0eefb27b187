package main

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/code/document"
	"github.com/satchel-dev/satchel/internal/text/terms"
)

// A Question is a fact: who asks this about that commit of a repository is
// answered by this section.
type Question struct {
	Repo, Commit string
	Text         string
	Path         string
	Trail        string // headings, outermost first, between " > "
	Line         int    // of the file of questions
}

// Bounds on how much of a question may repeat the section that answers it. Who
// asks does not know the section's words; a few names of the subject are shared
// by everybody.
const (
	maxOverlap = 0.5  // of the question's terms that occur in the section
	maxHeading = 0.34 // of the heading's terms that occur in the question
	maxRun     = 3    // words of the section in a row
)

// read reads a file of questions:
//
//	repo OWNER/NAME COMMIT
//	? the question
//	= PATH | TITLE > … > HEADING
func read(name string) ([]Question, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []Question
	var repo, commit, text string
	seen := map[string]bool{}
	in := bufio.NewScanner(f)
	for n := 1; in.Scan(); n++ {
		line := strings.TrimSpace(in.Text())
		fail := func(why string) ([]Question, error) { return nil, fmt.Errorf("%s:%d: %s", name, n, why) }
		switch {
		case line == "" || line[0] == '#':
		case strings.HasPrefix(line, "repo "):
			words := strings.Fields(line)
			if len(words) != 3 || len(words[2]) != 40 {
				return fail("want repo OWNER/NAME COMMIT")
			}
			repo, commit = words[1], words[2]
		case strings.HasPrefix(line, "? "):
			text = line[2:]
			if seen[text] {
				return fail("the question is there already")
			}
			seen[text] = true
		case strings.HasPrefix(line, "= "):
			path, trail, ok := strings.Cut(line[2:], " | ")
			if !ok || text == "" || repo == "" {
				return fail("want a repo, a question, and = PATH | HEADINGS")
			}
			out = append(out, Question{repo, commit, text, path, trail, n})
			text = ""
		default:
			return fail("want repo, ? or =")
		}
	}
	return out, in.Err()
}

// words returns the distinct terms of a text that are single words.
func words(text string) []uint64 {
	var a terms.Analyzer
	var out []uint64
	a.Each([]byte(text), func(t uint64) {
		if terms.KindOf(t) == terms.KindWord && !slices.Contains(out, t) {
			out = append(out, t)
		}
	})
	return out
}

// share is how much of a is in b.
func share(a, b []uint64) float64 {
	if len(a) == 0 {
		return 0
	}
	n := 0
	for _, t := range a {
		if slices.Contains(b, t) {
			n++
		}
	}
	return float64(n) / float64(len(a))
}

// plainWords are the words of a text in lower case, stop words included.
func plainWords(text string) []string {
	var out []string
	b := []byte(text)
	terms.Words(b, func(from, to int) { out = append(out, strings.ToLower(text[from:to])) })
	return out
}

// refuse says why a question is too close to the section that answers it; "" if
// it is not.
func refuse(q *Question, heading, text string) string {
	asked := words(q.Text)
	if len(asked) < 3 {
		return "too short to mean anything"
	}
	if o := share(asked, words(text)); o > maxOverlap {
		return fmt.Sprintf("%.0f%% of its terms stand in the section, and %.0f%% is the most", 100*o, 100*maxOverlap)
	}
	if o := share(words(heading), asked); o > maxHeading {
		return fmt.Sprintf("it says %.0f%% of the heading, and %.0f%% is the most", 100*o, 100*maxHeading)
	}
	list, in := plainWords(q.Text), " "+strings.Join(plainWords(text), " ")+" "
	for i := 0; i+maxRun <= len(list); i++ {
		run := list[i : i+maxRun]
		if slices.ContainsFunc(run, func(w string) bool { return !terms.Stop(w) }) && strings.Contains(in, " "+strings.Join(run, " ")+" ") {
			return fmt.Sprintf("%q stands in the section", strings.Join(run, " "))
		}
	}
	return ""
}

// gold reports whether a section answers a question.
func (q *Question) gold(path string, s *document.Section) bool {
	return q.Path == path && q.Trail == s.Path()
}
