// Command anchors measures how well findings find their lines: it takes hunks of real
// commits, says of one of their lines in nine wrong ways where it is, and looks where
// package finding thinks that it is.
//
//	cd lab && go run ./anchors -mirror DIR -hunks 1000 pallets/flask FiloSottile/age …
//
// The wrong ways are: a line number that is off by 1 to 30; the number of the other
// side; the number that a printed view of the patch has; white space around the quote
// gone; the mark of a patch before it; a line that stands several times; another file
// of the commit; an invented quote; an invented path. A right answer exists where the
// quote stands once on its side, or nearer to the number than any other place of it.
// Where the quote stands at the wrong number too, nothing can tell: such questions are
// counted apart.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/finding"
	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/lab/tasks"
)

func main() {
	mirror := flag.String("mirror", "", "`folder` of repositories, OWNER+NAME/repo each")
	hunks := flag.Int("hunks", 1000, "how `many` hunks are taken")
	wrong := flag.Bool("wrong", false, "print what was resolved wrong")
	flag.Parse()
	if err := run(context.Background(), *mirror, *hunks, *wrong, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "anchors:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, mirror string, hunks int, wrong bool, names []string) error {
	if len(names) == 0 {
		return fmt.Errorf("no repositories: name some, such as pallets/flask")
	}
	t := newTally()
	for i, name := range names {
		quota := (hunks - t.hunks) / (len(names) - i)
		if err := measureRepo(ctx, mirror, name, quota, t); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		fmt.Fprintf(os.Stderr, "%-32s %d hunks so far\n", name, t.hunks)
	}
	if wrong {
		for _, s := range t.wrong {
			fmt.Println(s)
		}
	}
	fmt.Print(t.table())
	return nil
}

// Which commits are taken.
const (
	newest   = 4000
	maxFiles = 30
	perFile  = 3 // hunks
	perSet   = 8
	maxBlob  = 1 << 20
)

// measureRepo takes hunks of a repository's commits, ordered by their ids, so that
// another run takes the same.
func measureRepo(ctx context.Context, mirror, name string, quota int, t *tally) error {
	dir, err := tasks.Repository(mirror, name)
	if err != nil {
		return err
	}
	repo, err := git.Open(ctx, dir)
	if err != nil {
		return err
	}
	defer repo.Close()
	var ids []string
	err = repo.LogFrom(ctx, "HEAD", newest, func(c git.Commit) error {
		if len(c.Parents) == 1 && len(c.Files) <= maxFiles {
			ids = append(ids, c.ID)
		}
		return nil
	})
	if err != nil {
		return err
	}
	slices.Sort(ids)
	objects := repo.Objects(ctx)
	defer objects.Close()
	want := t.hunks + quota
	for _, id := range ids {
		if t.hunks >= want {
			break
		}
		set, err := repo.Diff(ctx, git.DiffSpec{Commit: id})
		if err != nil {
			return err
		}
		text := func(path string, side finding.Side) (string, bool) {
			for i := range set.Files {
				f := &set.Files[i]
				blob := ""
				switch {
				case side == finding.New && f.Path == path:
					blob = f.NewBlob
				case side == finding.Old && (f.OldPath == path || f.OldPath == "" && f.Path == path):
					blob = f.OldBlob
				}
				if blob == "" || strings.Trim(blob, "0") == "" {
					continue
				}
				b, err := objects.Read(blob, maxBlob)
				return string(b), err == nil
			}
			return "", false
		}
		measure(name+" "+id[:8], set.Files, text, want, t)
	}
	return nil
}

// measure asks about hunks of one change.
func measure(where string, files []change.File, text func(string, finding.Side) (string, bool), want int, t *tally) {
	c := finding.NewChange(files, finding.Code{Text: text}, nil)
	ours := 0
	for i := range files {
		f := &files[i]
		if f.Binary || f.Elided > 0 {
			continue
		}
		step := max(1, len(f.Hunks)/perFile)
		for k := 0; k < len(f.Hunks); k += step {
			if t.hunks >= want || ours >= perSet {
				return
			}
			if q, ok := newQuestion(where, files, i, k, text); ok {
				ours++
				t.hunks++
				q.ask(c, t)
			}
		}
	}
}
