package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A step is one commit of a clone.
type step struct {
	when    int64
	name    string // of the clone
	tree    string
	message string
}

// join makes a repository in which each clone is a folder. Its first commit has
// all of them as they were some commits ago; the others follow as they were made,
// along the first parents, so that files have a history. Of clones that together
// have more than most files, the last are left out.
func join(out string, clones []string, commits, most int) error {
	if len(clones) == 0 {
		return errors.New("join: no clones")
	}
	packs := filepath.Join(out, ".git", "objects", "pack")
	if err := start(out); err != nil {
		return err
	}
	var first, later []step
	held := 0
	for _, dir := range clones {
		git, err := gitDir(dir)
		if err != nil {
			return err
		}
		blobs, err := blobsOf(git, nameOf(dir))
		if err != nil {
			return err
		}
		if held += len(blobs); held > most {
			break
		}
		steps, err := past(git, nameOf(dir), 1+commits/len(clones))
		if err != nil {
			return err
		}
		if err := borrow(packs, filepath.Join(git, "objects", "pack")); err != nil {
			return err
		}
		first = append(first, steps[0])
		later = append(later, steps[1:]...)
	}
	slices.SortFunc(later, func(a, b step) int { return cmp.Or(cmp.Compare(a.when, b.when), cmp.Compare(a.name, b.name)) })
	err := fastImport(out, func(w io.Writer) {
		when := first[0].when
		for _, s := range later[:min(1, len(later))] {
			when = s.when
		}
		commit(w, when, "Join the clones")
		for _, s := range first {
			fmt.Fprintf(w, "M 040000 %s %s\n", s.tree, s.name)
		}
		for _, s := range later {
			commit(w, s.when, s.message)
			fmt.Fprintf(w, "M 040000 %s %s\n", s.tree, s.name)
		}
	})
	if err != nil {
		return err
	}
	if err := run(out, "multi-pack-index", "write"); err != nil {
		return err
	}
	return checkOut(out)
}

// borrow gives a repository the packs of another, without copying what they hold.
func borrow(to, from string) error {
	list, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range list {
		err := os.Link(filepath.Join(from, e.Name()), filepath.Join(to, e.Name()))
		if err != nil && !errors.Is(err, fs.ErrExist) { // clones that have nothing but their commits in common have a pack in common
			return err
		}
	}
	return nil
}

// past returns the newest commits of a clone, the oldest first.
func past(git, name string, n int) ([]step, error) {
	b, err := exec.Command("git", "-C", git, "log", "-z", "--first-parent", "--format=%ct %T %B", "-n", strconv.Itoa(n), "HEAD").Output()
	if err != nil {
		return nil, fmt.Errorf("log of %s: %v", git, err)
	}
	var steps []step
	last := int64(0)
	records := strings.Split(strings.TrimSuffix(string(b), "\x00"), "\x00")
	slices.Reverse(records)
	for _, r := range records {
		parts := strings.SplitN(r, " ", 3)
		when, err := strconv.ParseInt(parts[0], 10, 64)
		if err != nil || len(parts) < 3 {
			return nil, fmt.Errorf("log of %s: %q", git, r)
		}
		last = max(last, when) // clocks go wrong, but a tree does not come before that of its parent
		steps = append(steps, step{last, name, parts[1], parts[2]})
	}
	return steps, nil
}

// files makes a repository of one commit with n small files, a hundred a folder.
func files(out string, n int) error {
	if err := start(out); err != nil {
		return err
	}
	err := fastImport(out, func(w io.Writer) {
		commit(w, 1_700_000_000, "Add everything")
		for i := range n {
			text := fmt.Sprintf("package p%d\n\nfunc F%d() int { return %d }\n", i/100, i, i)
			fmt.Fprintf(w, "M 100644 inline d%d/p%d/f%d.go\ndata %d\n%s\n", i/10_000, i/100, i, len(text), text)
		}
	})
	if err != nil {
		return err
	}
	return checkOut(out)
}

// checkOut writes the work tree. What the clones lack, as partial ones do, it lacks,
// too.
func checkOut(out string) error {
	if err := run(out, "read-tree", "HEAD"); err != nil {
		return err
	}
	if err := run(out, "checkout-index", "--all", "--quiet", "--index"); err != nil {
		log.Print(err)
	}
	return nil
}

// start makes an empty repository.
func start(out string) error {
	if _, err := os.Stat(out); out == "" || err == nil {
		return fmt.Errorf("-out %q: name a folder that does not exist", out)
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	return run(out, "init", "-q", "-b", "main")
}

// commit begins a commit; what changes is written after it.
func commit(w io.Writer, when int64, message string) {
	fmt.Fprintf(w, "commit refs/heads/main\ncommitter lab <lab@example.com> %d +0000\ndata %d\n%s\n", when, len(message), message)
}

// fastImport runs git fast-import with what write writes.
func fastImport(dir string, write func(w io.Writer)) error {
	cmd := exec.Command("git", "fast-import", "--quiet")
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	w := bufio.NewWriter(in)
	write(w)
	err = errors.Join(w.Flush(), in.Close())
	return errors.Join(err, cmd.Wait())
}

func run(dir string, args ...string) error {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	if b, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git %s: %v\n%s", strings.Join(args, " "), err, b)
	}
	return nil
}

// gitDir returns the folder of a clone's objects, whether it has a work tree or not.
func gitDir(dir string) (string, error) {
	cmd := exec.Command("git", "rev-parse", "--absolute-git-dir")
	cmd.Dir = dir
	b, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: not a clone: %v", dir, err)
	}
	return strings.TrimSpace(string(b)), nil
}

// nameOf is the name of a clone's folder in what is joined: that of its own, or of
// the folder around it where all are called the same.
func nameOf(dir string) string {
	name := filepath.Base(filepath.Clean(dir))
	if name == "repo" || name == ".git" {
		name = filepath.Base(filepath.Dir(filepath.Clean(dir)))
	}
	return name
}
