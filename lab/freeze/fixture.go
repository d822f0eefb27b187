package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/tools/txtar"
)

// A fixture is a repository in an archive, as lab/eval has them:
//
//	-- history --   a line "DATE MESSAGE" for each commit, oldest first, and
//	                below it, indented, the files that it touches
//	-- repo/… --    the files as they are after the last commit
//
// A path in the history that ends in a slash means the files below it, and * all
// files. A file that n commits touch grows from commit to commit: the k-th leaves
// the first k/n of its lines.
type fixture struct {
	files   []txtar.File // paths of the repository
	commits []fixtureCommit
}

type fixtureCommit struct {
	time    time.Time
	message string
	files   []int // indexes of files
}

// readFixture reads the archive of a repository.
func readFixture(name string) (*fixture, error) {
	archive, err := txtar.ParseFile(name)
	if err != nil {
		return nil, err
	}
	x := &fixture{}
	history := ""
	for _, f := range archive.Files {
		if path, ok := strings.CutPrefix(f.Name, "repo/"); ok {
			x.files = append(x.files, txtar.File{Name: path, Data: f.Data})
		} else if f.Name == "history" {
			history = string(f.Data)
		}
	}
	for line := range strings.Lines(history) {
		if err := x.addHistory(strings.TrimRight(line, "\n")); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return x, nil
}

// addHistory reads a line of the history.
func (x *fixture) addHistory(line string) error {
	pattern, indented := strings.CutPrefix(line, "  ")
	if !indented {
		date, message, _ := strings.Cut(line, " ")
		day, err := time.Parse(time.DateOnly, date)
		x.commits = append(x.commits, fixtureCommit{time: day, message: message})
		return err
	}
	if len(x.commits) == 0 {
		return fmt.Errorf("%s belongs to no commit", line)
	}
	c := &x.commits[len(x.commits)-1]
	for i, f := range x.files {
		if f.Name == pattern || pattern == "*" || strings.HasSuffix(pattern, "/") && strings.HasPrefix(f.Name, pattern) {
			c.files = append(c.files, i)
		}
	}
	return nil
}

// stream is the history as git fast-import reads it.
func (x *fixture) stream() []byte {
	touches, seen := make([]int, len(x.files)), make([]int, len(x.files))
	for _, c := range x.commits {
		for _, i := range c.files {
			touches[i]++
		}
	}
	var b bytes.Buffer
	for _, c := range x.commits {
		fmt.Fprintf(&b, "commit refs/heads/main\ncommitter A <a@example.org> %d +0000\ndata %d\n%s\n", c.time.Unix(), len(c.message), c.message)
		for _, i := range c.files {
			seen[i]++
			lines := bytes.SplitAfter(x.files[i].Data, []byte("\n"))
			text := bytes.Join(lines[:(len(lines)*seen[i]+touches[i]-1)/touches[i]], nil)
			fmt.Fprintf(&b, "M 100644 inline %s\ndata %d\n%s\n", x.files[i].Name, len(text), text)
		}
	}
	return b.Bytes()
}

// makeFixture makes a repository of an archive, with the tag start.
func (w *workshop) makeFixture(name, dir string) error {
	x, err := readFixture(name)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := w.git(dir, nil, "init", "-q", "-b", "main"); err != nil {
		return err
	}
	if err := w.git(dir, x.stream(), "fast-import", "--quiet"); err != nil {
		return err
	}
	if err := w.git(dir, nil, "reset", "-q", "--hard"); err != nil {
		return err
	}
	return w.git(dir, nil, "tag", "start")
}
