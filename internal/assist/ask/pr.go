package ask

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/internal/text/lazy"
	"github.com/satchel-dev/satchel/internal/text/markdown"
)

// PROptions are what [PR] says beside the change.
type PROptions struct {
	CommitOptions // Style and the earlier messages are about titles

	Commits  []string // messages of the commits of the branch, oldest first
	Template string   // of descriptions, from the base revision; empty if there is none
}

// PR asks for the title and the description of a pull request.
//
// The error is a *satchel.OverflowError if not even the list of files fits.
func PR(r *change.Report, o PROptions) (*Ask, error) {
	a := &Ask{Name: "pr", System: prSystem, Schema: schemaOf(prSchema)}
	var w wording
	w.style(o.Style, o.Subjects, nil)
	left := w.facts(o.Facts, budgetOr(o.Budget))
	var subjects []string
	for _, m := range o.Commits {
		subject, _, _ := strings.Cut(strings.TrimSpace(m), "\n")
		subjects = append(subjects, subject)
	}
	w.said("The commits of the branch, oldest first:", strings.Join(subjects[:min(len(subjects), mostSubjects)], "\n"))
	var exports strings.Builder
	for _, e := range Exports(r) {
		exports.WriteString(e.Path + ": " + e.What + "\n")
	}
	w.said("What others can use, and is gone or not as it was; the description names each:", firstLines(exports.String(), mostExports))
	before := w.take()

	w.said("Instructions of the user:", o.Instructions)
	w.said("Branch:", o.Branch)
	for _, hint := range o.Hints {
		w.said("What the author says of the change:", hint)
	}
	if sections := SectionsOf(o.Template); len(sections) > 0 {
		headings := make([]string, len(sections))
		for i, s := range sections {
			headings[i] = s.Heading
		}
		w.said("The template of descriptions; it is filled in, not copied:", o.Template)
		w.said("Its sections, by heading:", strings.Join(headings, "\n"))
	}
	w.language(o.Language)
	w.line("Write the title and the description of this pull request.")
	a.Question = w.take()
	a.Receipt.Redacted = w.secrets
	return a, a.broad(r, before, budgetOr(o.Budget), left)
}

const (
	mostSubjects = 60 // commits of a branch that are named
	mostExports  = 60 // that the model is told of; all of them stand in the result
)

// firstLines returns the first n lines of a text.
func firstLines(s string, n int) string {
	lines := strings.SplitAfterN(s, "\n", n+1)
	return strings.Join(lines[:min(n, len(lines))], "")
}

// What submit takes for a pull request.
var prSchema = object(
	"title", text,
	"body", text,
	"sections", list(object("heading", text, "text", text)),
	"names", list(text),
)

// A Description is what a pull request says.
type Description struct {
	Title    string    `json:"title"`
	Body     string    `json:"body"`
	Sections []Section `json:"sections"` // of a template
	Names    []string  `json:"names"`
}

// A Section is one of a template: a heading of Markdown, and what stands below it.
type Section struct {
	Heading string `json:"heading"` // without its signs
	Text    string `json:"text"`
}

// ReadPR reads what a model submitted to a [PR]; see [Ask.Read].
func ReadPR(a *Ask, input json.RawMessage) (d Description, err error) {
	err = a.Read(input, &d)
	if err == nil && strings.TrimSpace(d.Title) == "" {
		err = fault(err, "the title is empty")
	}
	if err == nil && strings.TrimSpace(d.Body) == "" && len(d.Sections) == 0 {
		err = fault(err, "the body is empty")
	}
	return d, err
}

var (
	heading = lazy.Regexp(`^#{1,6}[ \t]+(.*?)[ \t#]*$`)
	ticked  = lazy.Regexp(`(?m)^([ \t>]*(?:(?:[-*+]|\d+[.)])[ \t>]+)+)\[[xX]\]`)
	box     = lazy.Regexp(`^\s*(?:[-*+]|\d+[.)])\s+\[[ xX]\]`)
	comment = lazy.Regexp(`(?s)<!--.*?-->`)
)

// SectionsOf returns the sections of a template.
func SectionsOf(template string) (list []Section) {
	fenced := false
	for line := range strings.Lines(strings.ReplaceAll(template, "\r\n", "\n")) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		}
		if m := heading().FindStringSubmatch(strings.TrimRight(line, "\n")); m != nil && !fenced {
			list = append(list, Section{Heading: m[1]})
		} else if n := len(list); n > 0 {
			list[n-1].Text += line
		}
	}
	return list
}

// Untick takes the tick out of every check box: what was done, a person says.
func Untick(text string) string { return ticked().ReplaceAllString(text, "$1[ ]") }

// FillTemplate puts what a model wrote into a template: below each heading its
// section; the check boxes of the template stay, and none is ticked. What it wrote
// for no heading comes first. Comments of the template, which tell people what to
// write, are left out. Without a template the description is its body and sections.
func FillTemplate(template string, d Description) string {
	used := make([]bool, len(d.Sections))
	take := func(heading string) string {
		i := slices.IndexFunc(d.Sections, func(s Section) bool { return sameHeading(s.Heading, heading) })
		if i < 0 || used[i] {
			return ""
		}
		used[i] = true
		return fencesClosed(d.Sections[i].Text)
	}
	var below strings.Builder
	for _, s := range SectionsOf(template) {
		below.WriteString("\n## " + s.Heading + "\n")
		if said := take(s.Heading); said != "" {
			below.WriteString("\n" + said + "\n")
		}
		if boxes := boxesOf(s.Text); boxes != "" {
			below.WriteString("\n" + boxes)
		}
	}
	var b strings.Builder
	b.WriteString(fencesClosed(d.Body) + "\n")
	for i, s := range d.Sections {
		if !used[i] {
			b.WriteString("\n## " + s.Heading + "\n\n" + fencesClosed(s.Text) + "\n")
		}
	}
	b.WriteString(below.String())
	return Untick(strings.TrimLeft(b.String(), "\n"))
}

// fencesClosed returns a text without blanks around it, in which no block of code is left
// open: what follows is prose.
func fencesClosed(text string) string {
	text = strings.TrimSpace(text)
	var fences markdown.Fences
	mark := ""
	for line := range strings.Lines(text) {
		open := fences.Open()
		if fences.Line([]byte(line)); fences.Open() && !open {
			line = strings.TrimSpace(line)
			mark = line[:len(line)-len(strings.TrimLeft(line, line[:1]))]
		}
	}
	if fences.Open() {
		return text + "\n" + mark
	}
	return text
}

func sameHeading(a, b string) bool {
	trim := func(s string) string { return strings.TrimSpace(strings.TrimLeft(s, "# ")) }
	return strings.EqualFold(trim(a), trim(b))
}

// boxesOf returns the lines of a section that have check boxes.
func boxesOf(text string) string {
	var b strings.Builder
	for line := range strings.Lines(comment().ReplaceAllString(text, "")) {
		if box().MatchString(line) {
			b.WriteString(strings.TrimRight(line, "\n") + "\n")
		}
	}
	return b.String()
}
