package ask

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/pack"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/tokens"
)

// A Logged is a commit of a range, as a change log is made of it.
type Logged struct {
	ID      string // in full
	Message string
	Files   []string // that it changed; none of a merge
	Merge   bool     // it has several parents
}

// Subject returns the first line of the message.
func (c *Logged) Subject() string {
	s, _, _ := strings.Cut(strings.TrimSpace(c.Message), "\n")
	return strings.TrimSpace(s)
}

// ChangelogOptions are what [Changelog] says beside the commits.
type ChangelogOptions struct {
	Budget       int    // tokens of the messages; 0 means DefaultBudget
	Version      string // that is released
	Instructions string // the user's own
	Language     string // to write in, as a tag; empty means English
	Release      bool   // notes for those who use a release, rather than a change log
}

// mostLogLines is how many lines of a commit's message are shown.
const mostLogLines = 12

// Changelog asks for the entries of a change log, of all commits of a range, newest
// first. Their subjects are shown in any case; what they changed, and the beginnings
// of their messages, as far as there is room.
//
// The error is a *satchel.OverflowError if the subjects do not fit: ask about fewer
// commits then.
func Changelog(commits []Logged, o ChangelogOptions) (*Ask, error) {
	a := &Ask{Name: "changelog", System: changelogSystem, Schema: schemaOf(changelogSchema)}
	if o.Release {
		a.Name, a.System = "release-notes", releaseSystem
	}
	var w wording
	w.said("Instructions of the user:", o.Instructions)
	if o.Version != "" {
		w.line("The version is %s.", o.Version)
	}
	w.language(o.Language)
	w.line("Write the entries. Each of the " + render.Plural(len(commits), "commit") + " is in one of them, or in omitted.")
	a.Question = w.take()

	ids := shortIDs(commits)
	texts := make([][]string, len(commits))
	for i := range commits {
		texts[i] = logLines(&w, ids[i], &commits[i])
	}
	a.Receipt.Redacted = w.secrets
	budget := budgetOr(o.Budget)
	count := tokens.O200k()
	text := func(limit int) string {
		var b strings.Builder
		for _, lines := range texts {
			b.WriteString(strings.Join(lines[:min(limit, len(lines))], ""))
		}
		return "The commits, newest first: id and subject; below, what changed, and the beginning of the message.\n" + render.Fenced("", b.String())
	}
	size := func(limit int) int { return count.Count(text(limit)) + count.Count(a.Question) }
	limit, ok, _ := pack.Within(budget, pack.Range{First: mostLogLines, Most: mostLogLines}, func(limit int) (pack.Layout[int], error) {
		return pack.Layout[int]{Shown: limit, Size: size(limit)}, nil
	})
	if !ok {
		return nil, &satchel.OverflowError{Need: size(1), Limit: budget}
	}
	a.Shared = text(limit)
	a.Receipt.Tokens = size(limit)
	if limit > 1 { // more than the subjects
		named := map[string]bool{}
		for i := range commits {
			_, list := commits[i].ledger()
			for _, name := range list {
				named[name] = true
			}
		}
		for _, name := range slices.Sorted(maps.Keys(named)) {
			a.Receipt.Beside = append(a.Receipt.Beside, Shown{Path: name, How: Listed})
		}
	}
	return a, nil
}

// logLines returns a commit as it is shown: its subject, what it changed, and lines
// of its message.
func logLines(w *wording, id string, c *Logged) []string {
	message := strings.TrimSpace(w.clean(c.Message, false)) // whole, since a secret may go over lines
	subject, body, _ := strings.Cut(message, "\n")
	list := []string{id + " " + strings.TrimSpace(subject) + "\n"}
	if line, _ := c.ledger(); line != "" {
		list = append(list, "  ["+w.clean(line, true)+"]\n")
	}
	for line := range strings.Lines(strings.TrimSpace(body)) {
		if line = strings.TrimSpace(line); line != "" && len(list) < mostLogLines {
			list = append(list, "  "+line+"\n")
		}
	}
	return list
}

// ledger says in a line what files a commit changed: their names, or if they are many
// the folders. It returns these names, too.
func (c *Logged) ledger() (line string, named []string) {
	const most = 6
	if len(c.Files) <= most {
		return strings.Join(c.Files, ", "), c.Files
	}
	count := map[string]int{}
	for _, f := range c.Files {
		dir := path.Dir(f)
		if count[dir]++; count[dir] == 1 {
			named = append(named, dir)
		}
	}
	slices.SortStableFunc(named, func(a, b string) int { return count[b] - count[a] })
	named = named[:min(len(named), most)]
	var parts []string
	for _, dir := range named {
		parts = append(parts, fmt.Sprintf("%s (%d)", dir, count[dir]))
	}
	return render.Plural(len(c.Files), "file") + ": " + strings.Join(parts, ", "), named
}

// leastID is how many characters of an id are shown at least.
const leastID = 8

// shortIDs returns ids that are short and tell the commits apart.
func shortIDs(commits []Logged) []string {
	n := leastID
	for ; n < 40; n++ {
		seen := map[string]bool{}
		for i := range commits {
			seen[commits[i].ID[:min(n, len(commits[i].ID))]] = true
		}
		if len(seen) == len(commits) {
			break
		}
	}
	list := make([]string, len(commits))
	for i := range commits {
		list[i] = commits[i].ID[:min(n, len(commits[i].ID))]
	}
	return list
}

// LogSections are the sections of a change log, in their order.
var LogSections = []string{"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}

// What submit takes for a change log.
var changelogSchema = object(
	"entries", list(object("section", oneOf(LogSections...), "text", text, "commits", list(text))),
	"omitted", list(object("commit", text, "why", text)),
)

// A Log is what a change log says of a range of commits.
type Log struct {
	Entries []LogEntry  `json:"entries"`
	Omitted []LogSilent `json:"omitted"`
}

// A LogEntry is one line of a change log.
type LogEntry struct {
	Section string   `json:"section"`
	Text    string   `json:"text"`
	Commits []string `json:"commits"` // ids; in full, once they are checked
}

// A LogSilent is a commit that a change log does not tell of, and why.
type LogSilent struct {
	Commit string `json:"commit"`
	Why    string `json:"why"`
}

// ReadChangelog reads what a model submitted to a [Changelog], and holds it to the
// commits: see [CheckChangelog].
func ReadChangelog(a *Ask, input json.RawMessage, commits []Logged) (l Log, err error) {
	err = a.Read(input, &l)
	return CheckChangelog(l, commits, err)
}

// CheckChangelog returns a log in which every id is that of a commit, in full, and
// stands once: invented ids go, and with them the entries that rest on nothing else.
// The error names what went, and the commits that the log is silent about;
// [CompleteChangelog] tells of those.
func CheckChangelog(l Log, commits []Logged, err error) (Log, error) {
	told := map[string]bool{}
	take := func(id string) (full string) {
		for i := range commits {
			if id = strings.TrimSpace(id); len(id) >= 4 && strings.HasPrefix(commits[i].ID, strings.ToLower(id)) {
				if full != "" {
					return "" // it may be either
				}
				full = commits[i].ID
			}
		}
		switch {
		case full == "":
			err = fault(err, "unknown commit %.40q", id)
		case told[full]:
			err = fault(err, "commit %s appears more than once", id)
			return ""
		}
		told[full] = full != ""
		return full
	}
	var out Log
	for _, e := range l.Entries {
		var ids []string
		for _, id := range e.Commits {
			if full := take(id); full != "" {
				ids = append(ids, full)
			}
		}
		if e.Commits = ids; len(ids) == 0 || strings.TrimSpace(e.Text) == "" {
			err = fault(err, "the entry %.60q has no commit, or is empty", e.Text)
			for _, id := range ids {
				told[id] = false
			}
			continue
		}
		out.Entries = append(out.Entries, e)
	}
	for _, o := range l.Omitted {
		if full := take(o.Commit); full != "" {
			out.Omitted = append(out.Omitted, LogSilent{full, o.Why})
		}
	}
	for i, id := range shortIDs(commits) {
		if !told[commits[i].ID] {
			err = fault(err, "commit %s is missing: put it in an entry or in omitted", id)
		}
	}
	return out, err
}

// CompleteChangelog adds what a log is silent about, as [SkeletonOf] tells it.
func CompleteChangelog(l Log, commits []Logged) Log {
	rest := SkeletonOf(Untold(l, commits))
	l.Entries = append(l.Entries, rest.Entries...)
	l.Omitted = append(l.Omitted, rest.Omitted...)
	return l
}

// Untold returns the commits that stand neither in an entry nor in what is omitted.
func Untold(l Log, commits []Logged) (list []Logged) {
	told := map[string]bool{}
	for _, e := range l.Entries {
		for _, id := range e.Commits {
			told[id] = true
		}
	}
	for _, o := range l.Omitted {
		told[o.Commit] = true
	}
	for i := range commits {
		if !told[commits[i].ID] {
			list = append(list, commits[i])
		}
	}
	return list
}
