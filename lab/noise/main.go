// Command noise puts what people paste beside the text of tasks whose answers are
// known: logs, dependency trees, templates, dumps of an environment. What ranks the
// tasks with and without it is told apart by lab/eval.
//
//	cd lab && go run ./noise -tasks dev.jsonl,tasks/history.jsonl -commits 400 -mirror DIR > noised.jsonl
//	cd lab && go run ./noise -tasks dev.jsonl,tasks/history.jsonl -commits 400 -mirror DIR -kind none > clean.jsonl
//
// Which kind, how much (5 to 10 KB) and whether it stands behind or before the text
// follows from the hash of the task's id: another run gives the same bytes. Each line
// is the task, with "noise" (the kind) and "place" beside its other fields.
//
// With -real, a folder of files, the noise is what these hold instead, taken from a
// place that follows from the id, too; the kind is then the name of the file.
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/lab/tasks"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "noise: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	fs := flag.NewFlagSet("noise", flag.ContinueOnError)
	files := fs.String("tasks", "", "files of tasks, JSON lines, comma-separated")
	mirror := fs.String("mirror", os.Getenv("MIRROR"), "folder with the repositories as OWNER+NAME/repo")
	commits := fs.Int("commits", 400, "how many tasks that are commits are taken, at most")
	kind := fs.String("kind", "", "one kind for all: "+strings.Join(kindNames(), ", ")+" or none; empty means by the hash of the id")
	real := fs.String("real", "", "folder of files to take the noise from")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if *files == "" || *mirror == "" {
		return errors.New("-tasks and -mirror are needed")
	}
	list, err := load(ctx, strings.Split(*files, ","), *mirror, *commits)
	if err != nil {
		return err
	}
	sources, err := choose(*kind, *real)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(os.Stdout)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	for _, t := range list {
		n, err := noised(ctx, t, *mirror, sources)
		if err != nil {
			return err
		}
		if err := enc.Encode(n); err != nil {
			return err
		}
	}
	return out.Flush()
}

// load reads the tasks, and takes those commits whose ids have the smallest hashes.
func load(ctx context.Context, files []string, mirror string, commits int) (list []tasks.Task, err error) {
	var history []tasks.Task
	for _, name := range files {
		all, err := tasks.Load(name)
		if err != nil {
			return nil, err
		}
		for _, t := range all {
			if t.Commit == "" {
				list = append(list, t)
			} else {
				history = append(history, t)
			}
		}
	}
	slices.SortStableFunc(history, func(a, b tasks.Task) int { return cmp.Compare(sum(a.ID), sum(b.ID)) })
	history = history[:min(len(history), commits)]
	if err := tasks.Rebuild(ctx, mirror, history); err != nil {
		return nil, err
	}
	return append(list, history...), nil
}

// choose returns the kinds of noise that a run makes; none means none.
func choose(kind, folder string) ([]source, error) {
	switch {
	case folder != "":
		return readFolder(folder)
	case kind == "":
		return kinds, nil
	case kind == "none":
		return nil, nil
	}
	for _, k := range kinds {
		if k.name == kind {
			return []source{k}, nil
		}
	}
	return nil, fmt.Errorf("-kind %s: want none or one of %s", kind, strings.Join(kindNames(), ", "))
}

// readFolder makes a kind of noise of each file of a folder.
func readFolder(folder string) (list []source, err error) {
	names, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, n := range names {
		text, err := os.ReadFile(filepath.Join(folder, n.Name()))
		if err != nil {
			return nil, err
		}
		lines := slices.Collect(strings.Lines(string(text)))
		list = append(list, source{n.Name(), func(m *maker) {
			for i := m.IntN(max(len(lines)-60, 1)); i < len(lines) && m.more(); i++ {
				m.WriteString(lines[i])
			}
		}})
	}
	return list, nil
}

// A noisy task is one with what was put beside its text.
type noisy struct {
	tasks.Task
	Noise string `json:"noise"`
	Place string `json:"place"` // behind or before the text, in a fence or not
}

func noised(ctx context.Context, t tasks.Task, mirror string, sources []source) (noisy, error) {
	n := noisy{Task: t, Noise: "none", Place: "none"}
	if len(sources) == 0 {
		return n, nil
	}
	paths, err := others(ctx, t, mirror)
	if err != nil {
		return n, err
	}
	m := &maker{Rand: rand.New(rand.NewPCG(sum(t.ID), 1)), paths: paths, language: t.Language}
	s := sources[m.IntN(len(sources))]
	fenced := m.IntN(2) == 0 && s.name != "template"
	before := m.IntN(3) == 0 && s.name != "template" // which is below a title
	m.most = 5000 + m.IntN(5000)
	s.write(m)
	text := strings.TrimRight(m.String(), "\n")
	n.Noise, n.Place = s.name, "bare"
	if fenced {
		text, n.Place = "```\n"+text+"\n```", "fenced"
	}
	if before {
		n.Query, n.Place = text+"\n\n"+t.Query, n.Place+" before"
	} else {
		n.Query, n.Place = t.Query+"\n\n"+text, n.Place+" behind"
	}
	return n, nil
}

// others are the paths of a repository that the task does not need.
func others(ctx context.Context, t tasks.Task, mirror string) ([]string, error) {
	dir, err := tasks.Repository(mirror, t.Repo)
	if err != nil {
		return nil, err
	}
	out, err := exec.CommandContext(ctx, "git", "-C", dir, "ls-tree", "-r", "--name-only", "-z", t.Base).Output()
	if err != nil {
		return nil, fmt.Errorf("task %s: files of %s: %w", t.ID, t.Base, err)
	}
	var paths []string
	for p := range bytes.SplitSeq(out, []byte{0}) {
		if p := string(p); p != "" && !slices.Contains(t.Gold, p) && !strings.Contains(p, " ") {
			paths = append(paths, p)
		}
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("task %s: %s has no other file", t.ID, t.Base)
	}
	return paths, nil
}

func sum(id string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(id))
	return h.Sum64()
}
