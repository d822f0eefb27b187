// Command style measures whether what package style learns of a repository's messages
// holds for the messages that came later.
//
//	cd lab && go run ./style -mirror DIR
//
// Of the newest commits of each repository of labels.txt the older 80 % are learned
// from. The kind that comes of it is compared with the one in labels.txt, which was
// told by reading the newest subjects; and the newer subjects that are of that kind
// are given to Check, which should find nothing in what people wrote.
package main

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/lab/tasks"
	"github.com/satchel-dev/satchel/style"
)

// Repositories and the kinds of their newest subjects, as a person reads them.
//
//go:embed labels.txt
var labels string

const (
	newest = 1000 // commits
	older  = 0.8
)

func main() {
	mirror := flag.String("mirror", "", "`folder` of repositories, OWNER+NAME/repo each")
	faults := flag.Bool("faults", false, "print the faults that were found")
	flag.Parse()
	if err := run(context.Background(), *mirror, *faults); err != nil {
		fmt.Fprintln(os.Stderr, "style:", err)
		os.Exit(1)
	}
}

// A result is what came of one repository.
type result struct {
	repo    string
	want    style.Kind
	learned style.Convention
	checked int
	faults  []string
}

func run(ctx context.Context, mirror string, faults bool) error {
	fmt.Printf("%-32s %-13s %-13s %6s %6s %7s\n", "repository", "read", "learned", "share", "held", "passed")
	right, all, passed, checked := 0, 0, 0, 0
	for line := range strings.Lines(labels) {
		repo, kind, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok || strings.HasPrefix(repo, "#") {
			continue
		}
		messages, err := read(ctx, mirror, repo)
		if err != nil {
			return fmt.Errorf("%s: %w", repo, err)
		}
		r := measure(repo, style.Kind(strings.TrimSpace(kind)), messages)
		mark := " "
		if r.learned.Kind != r.want {
			mark = "!"
		} else {
			right++
		}
		all, passed, checked = all+1, passed+r.checked-len(r.faults), checked+r.checked
		fmt.Printf("%-32s %-13s %-12s%s %5.1f%% %6d %6.1f%%\n", r.repo, r.want, r.learned.Kind, mark, 100*r.learned.Share, r.checked, 100*float64(r.checked-len(r.faults))/float64(max(1, r.checked)))
		if faults {
			for _, f := range r.faults {
				fmt.Println("   ", f)
			}
		}
	}
	fmt.Printf("\nkind right: %d of %d; newer subjects of the kind that pass Check: %d of %d, %.2f %%\n", right, all, passed, checked, 100*float64(passed)/float64(max(1, checked)))
	return nil
}

// read returns the newest messages, newest first, without merges.
func read(ctx context.Context, mirror, name string) (list []string, err error) {
	dir, err := tasks.Repository(mirror, name)
	if err != nil {
		return nil, err
	}
	repo, err := git.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer repo.Close()
	err = repo.LogFrom(ctx, "HEAD", newest, func(c git.Commit) error {
		if len(c.Parents) < 2 {
			list = append(list, c.Message)
		}
		return nil
	})
	return list, err
}

// measure learns from the older messages and checks the newer ones.
func measure(repo string, want style.Kind, messages []string) result {
	cut := len(messages) - int(older*float64(len(messages)))
	r := result{repo: repo, want: want, learned: style.Learn(messages[cut:])}
	for _, m := range messages[:cut] {
		subject, _, _ := strings.Cut(strings.TrimSpace(m), "\n")
		if !style.ByPerson(subject) || r.learned.KindOf(subject) != r.learned.Kind {
			continue
		}
		r.checked++
		if list := r.learned.Check(subject); len(list) > 0 {
			r.faults = append(r.faults, fmt.Sprintf("%s: %s", list[0].What, subject))
		}
	}
	return r
}
