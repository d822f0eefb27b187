package ask

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/text/lazy"
)

// SkeletonOf makes a change log of commits without a model: an entry for each, in
// the section that its subject tells. Merges are omitted, and what those who use the
// program do not notice by the words of the subject itself.
func SkeletonOf(commits []Logged) (l Log) {
	for i := range commits {
		c := &commits[i]
		section, said := sectionOf(c)
		switch {
		case c.Merge:
			l.Omitted = append(l.Omitted, LogSilent{c.ID, "a merge"})
		case section == "":
			l.Omitted = append(l.Omitted, LogSilent{c.ID, "does not change the program, by its subject"})
		default:
			l.Entries = append(l.Entries, LogEntry{Section: section, Text: clean.Line(said).String(), Commits: []string{c.ID}})
		}
	}
	return l
}

var (
	conventional = lazy.Regexp(`^([a-z]+)(\([^)]*\))?(!?): *(.+)$`)
	breaking     = lazy.Regexp(`(?m)^BREAKING[ -]CHANGE: `)
)

// conventionalSections are the sections of the types of conventional commits; empty
// for what nobody notices.
var conventionalSections = map[string]string{
	"feat": "Added", "fix": "Fixed", "perf": "Changed", "refactor": "", "docs": "", "style": "", "test": "", "tests": "", "chore": "",
	"ci": "", "build": "", "revert": "Changed", "security": "Security", "deprecate": "Deprecated", "remove": "Removed",
}

// verbSections are the sections of the first words of subjects.
var verbSections = map[string]string{
	"add": "Added", "introduce": "Added", "support": "Added", "implement": "Added", "allow": "Added", "new": "Added",
	"fix": "Fixed", "correct": "Fixed", "repair": "Fixed", "prevent": "Fixed", "avoid": "Fixed",
	"remove": "Removed", "delete": "Removed", "drop": "Removed",
	"deprecate": "Deprecated", "secure": "Security",
}

// sectionOf returns the section of a commit, "" if it is omitted, and what it says.
func sectionOf(c *Logged) (section, said string) {
	said = c.Subject()
	breaks := breaking().MatchString(c.Message)
	if m := conventional().FindStringSubmatch(said); m != nil {
		if s, ok := conventionalSections[m[1]]; ok {
			if section = s; section == "" && (m[3] == "!" || breaks) {
				section = "Changed"
			}
			return section, upperFirst(m[4])
		}
	}
	_, text, ok := strings.Cut(said, ": ")
	if !ok || strings.Contains(strings.TrimSuffix(said, ": "+text), " ") {
		text = said
	}
	first, _, _ := strings.Cut(strings.ToLower(text), " ")
	for _, w := range []string{first, strings.TrimSuffix(first, "s"), strings.TrimSuffix(first, "d"), strings.TrimSuffix(first, "ed"), strings.TrimSuffix(first, "es"), strings.TrimSuffix(first, "ing")} {
		if s := verbSections[w]; s != "" {
			return s, upperFirst(said)
		}
	}
	return "Changed", upperFirst(said)
}

// upperFirst begins a sentence with a capital, unless its first word is a name or
// a path.
func upperFirst(s string) string {
	word, _, _ := strings.Cut(s, " ")
	r, n := utf8.DecodeRuneInString(s)
	if s == "" || strings.ContainsAny(word, "./_:()") || strings.ContainsFunc(word[min(n, len(word)):], unicode.IsUpper) {
		return s
	}
	return string(unicode.ToUpper(r)) + s[n:]
}

// WriteLog writes a log as Keep a Changelog has it, below a heading of level two:
// its sections in order, in each the entries in theirs, with the ids of the commits
// if that is wanted. What a model wrote is put on one line each.
func WriteLog(l Log, heading string, ids bool) string {
	var b strings.Builder
	b.WriteString("## " + clean.Inline(heading) + "\n")
	for _, section := range LogSections {
		begun := false
		for i := range l.Entries {
			e := &l.Entries[i]
			if e.Section != section {
				continue
			}
			if !begun {
				b.WriteString("\n### " + section + "\n\n")
				begun = true
			}
			b.WriteString("- " + strings.Join(strings.Fields(clean.Line(strings.ReplaceAll(e.Text, "\n", " ")).String()), " "))
			if ids && len(e.Commits) > 0 {
				short := make([]string, len(e.Commits))
				for k, id := range e.Commits {
					short[k] = id[:min(leastID, len(id))]
				}
				b.WriteString(" (" + strings.Join(short, ", ") + ")")
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}
