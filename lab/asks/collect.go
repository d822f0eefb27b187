package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/satchel-dev/satchel/internal/code/outline"
	"github.com/satchel-dev/satchel/lab/train/tasks"
)

// Which commits are taken.
const (
	newest      = 6000    // commits of a repository that are read
	maxTries    = 6000    // of these, by their ids, those that are looked at
	leastPatch  = 16_000  // bytes of a patch: some 5,000 tokens, so that small budgets must choose
	mostPatch   = 800_000 // bytes
	mostHunks   = 12      // of a fix
	leastSource = 8       // bytes of a line that says something
)

// collectAll writes the list of one kind.
func collectAll(ctx context.Context, o options, repos string, each int) error {
	f, err := os.Open(repos)
	if err != nil {
		return err
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		w := strings.Fields(s.Text())
		if len(w) < 2 {
			continue
		}
		dir, err := tasks.Repository(o.mirror, w[1])
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", w[1], err)
			continue
		}
		r := repository{ctx, dir}
		n := 0
		take := r.commit
		if o.review {
			take = r.fix
		}
		seen := map[string]bool{}
		for _, id := range r.ids() {
			if n == each {
				break
			}
			if line := take(id, seen); line != "" {
				fmt.Printf("%s\t%s\n", w[1], line)
				n++
			}
		}
		fmt.Fprintf(os.Stderr, "%-30s %d\n", w[1], n)
	}
	return nil
}

// A repository is one that is read with git.
type repository struct {
	ctx context.Context
	dir string
}

// git runs git; what fails has no output.
func (r repository) git(args ...string) string {
	cmd := exec.CommandContext(r.ctx, "git", append([]string{"-C", r.dir, "-c", "core.quotePath=false"}, args...)...)
	var out bytes.Buffer
	cmd.Stdout = &out
	if err := cmd.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		return ""
	}
	return out.String()
}

// ids returns the newest commits that have one parent, by their ids.
func (r repository) ids() []string {
	list := strings.Fields(r.git("rev-list", "--no-merges", "--min-parents=1", "-n", strconv.Itoa(newest), "HEAD"))
	slices.Sort(list)
	return list[:min(len(list), maxTries)]
}

// patch returns the changed lines of a commit, and its paths.
func (r repository) patch(id string, args ...string) string {
	return r.git(append([]string{"diff-tree", "-p", "-M", "--no-color", "--no-ext-diff", "--no-textconv"}, append(args, id+"^", id)...)...)
}

// commit returns the line of a commit whose message has enough facts.
func (r repository) commit(id string, _ map[string]bool) string {
	message := r.git("log", "-1", "--format=%B", id)
	if strings.HasPrefix(message, "Revert") || strings.HasPrefix(strings.ToLower(message), "merge") {
		return ""
	}
	patch := r.patch(id)
	if len(patch) < leastPatch || len(patch) > mostPatch {
		return ""
	}
	if n := len(factsOf(message, changedText(patch))); n < leastFacts {
		return ""
	}
	return id
}

// changedText returns the changed lines and the paths of a patch.
func changedText(patch string) string {
	var b strings.Builder
	for line := range strings.Lines(patch) {
		switch line[0] {
		case '+', '-':
			for _, p := range []string{"--- a/", "+++ b/"} {
				if name, ok := strings.CutPrefix(line, p); ok {
					line = " " + name
				}
			}
			b.WriteString(line[1:])
		case 'r', 'c':
			if _, name, ok := strings.Cut(line, " from "); ok {
				b.WriteString(name)
			}
		}
	}
	return b.String()
}

var fixing = regexp.MustCompile(`(?i)\b(fix(es|ed|ing)?|bug|regression|crash(es)?|leak|race|deadlock|wrong|incorrect(ly)?|off.by.one|overflow)\b`)

// fix returns the line of a fix: the commit that most of the lines that it removes
// come from, and these lines there.
func (r repository) fix(id string, seen map[string]bool) string {
	if !fixing.MatchString(r.git("log", "-1", "--format=%s", id)) {
		return ""
	}
	patch := r.patch(id, "-U0", "-w")
	if n := strings.Count(patch, "\n@@ "); n == 0 || n > mostHunks {
		return ""
	}
	origins := map[string][]string{}
	for _, h := range removals(patch) {
		r.blame(id+"^", h, origins)
	}
	best := ""
	for _, o := range sortedKeys(origins) {
		if !seen[o] && len(origins[o]) > len(origins[best]) && r.readable(o) {
			best = o
		}
	}
	if best == "" {
		return ""
	}
	seen[best] = true
	slices.Sort(origins[best])
	return best + "\t" + id + "\t" + strings.Join(slices.Compact(origins[best]), "\t")
}

// readable reports whether a commit is one that would be reviewed, and that no budget
// holds all of.
func (r repository) readable(id string) bool {
	if len(strings.Fields(r.git("rev-list", "--parents", "-n", "1", id))) != 2 {
		return false
	}
	n := len(r.patch(id))
	return n >= leastPatch && n <= mostPatch
}

// A removal is a run of lines that a fix takes away.
type removal struct {
	path     string
	from, to int
	said     map[int]bool // those that say something
}

var hunkHead = regexp.MustCompile(`^@@ -(\d+)`)

// removals returns the lines of source that a patch without context takes away.
func removals(patch string) (list []removal) {
	name := ""
	var h *removal
	line := 0
	for l := range strings.Lines(patch) {
		switch {
		case strings.HasPrefix(l, "--- "):
			name = strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(l, "--- "), "a/"))
			h = nil
		case strings.HasPrefix(l, "@@ "):
			m := hunkHead.FindStringSubmatch(l)
			h = nil
			if m == nil || !isSource(name) {
				continue
			}
			line, _ = strconv.Atoi(m[1])
			list = append(list, removal{name, line, line - 1, map[int]bool{}})
			h = &list[len(list)-1]
		case h != nil && l[0] == '-':
			if saysSomething(l[1:]) {
				h.said[line] = true
			}
			h.to = line
			line++
		}
	}
	return slices.DeleteFunc(list, func(h removal) bool { return len(h.said) == 0 })
}

// isSource reports whether a file is code of the program itself.
func isSource(name string) bool {
	lang := outline.Language(name, nil)
	return outline.IsCode(lang) && outline.Classify(name, lang, nil, nil) == outline.Source && !outline.Secondary(name) && path.Base(name) != "CHANGELOG.md"
}

// saysSomething reports whether a line is no comment, no import and no mere brace.
func saysSomething(l string) bool {
	l = strings.TrimSpace(l)
	if len(l) < leastSource {
		return false
	}
	for _, p := range []string{"//", "/*", "*", "#", "--", "import ", "from ", "using ", "use ", "require", "package "} {
		if strings.HasPrefix(l, p) && !strings.HasPrefix(l, "#if") && !strings.HasPrefix(l, "#define") {
			return false
		}
	}
	return true
}

var blameHead = regexp.MustCompile(`^([0-9a-f]{40}) (\d+) (\d+)`)

// blame adds the places that the lines of a removal come from.
func (r repository) blame(rev string, h removal, origins map[string][]string) {
	if h.to < h.from {
		return
	}
	out := r.git("blame", "-w", "--line-porcelain", "-L", fmt.Sprintf("%d,%d", h.from, h.to), rev, "--", h.path)
	var id, line string
	said := false
	for l := range strings.Lines(out) {
		if m := blameHead.FindStringSubmatch(l); m != nil {
			id, line = m[1], m[2]
			n, _ := strconv.Atoi(m[3])
			said = h.said[n]
			continue
		}
		if name, ok := strings.CutPrefix(l, "filename "); ok && said {
			origins[id] = append(origins[id], strings.TrimSpace(name)+":"+line)
		}
	}
}

func sortedKeys(m map[string][]string) []string {
	var list []string
	for k := range m {
		list = append(list, k)
	}
	slices.Sort(list)
	return list
}
