package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/satchel-dev/satchel/change"
)

// The measure of the warning "usually changes with these, missing here". A
// commit left something out if the next commit of the same author, within a
// day, changes a file that the first did not, and that file changed in at least
// a quarter of the earlier commits (and in no fewer than three) that changed
// one of the first commit's files: a usual partner by a far more lenient rule
// than the one that warns.
//
// Recall is the share of the files left out of which the warnings tell.
// Precision is, of the warnings about those commits, the share that names a file
// of the next commit. Both are also given for a synthetic task: of commits of 2
// to 20 files one file is hidden; does a warning name it? And alarms are how
// often any warning is given about an ordinary commit, as most are whole.
const (
	soon          = 24 * time.Hour
	lenientShare  = 0.25
	lenientTimes  = 3
	partnersEach  = 1000 // commits of a repository that are looked at
	leastEarlier  = 200  // commits before the first that is looked at
	hideFilesMost = 20
)

type tally struct{ asked, told, warned, right int }

func (t *tally) add(gold map[string]bool, missing []change.Partner) {
	t.asked += len(gold)
	t.warned += len(missing)
	for _, m := range missing {
		if gold[m.Path] {
			t.told++
			t.right++
		}
	}
}

func (t *tally) String() string {
	return fmt.Sprintf("precision %.3f (%d of %d warnings), recall %.3f (%d of %d files)",
		ratio(t.right, t.warned), t.right, t.warned, ratio(t.told, t.asked), t.told, t.asked)
}

func ratio(a, b int) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

func measurePartners(ctx context.Context, mirror string, names []string) error {
	var next, hidden tally
	commits, alarms, cases := 0, 0, 0
	for _, name := range names {
		_, h, err := readHistory(ctx, mirror, name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		authors, err := authorsOf(ctx, mirror, name)
		if err != nil {
			return err
		}
		following := followers(h, authors)
		for i := range h.log[:max(0, min(partnersEach, len(h.log)-leastEarlier))] {
			files := h.log[i].Files
			if len(h.log[i].Parents) != 1 || len(files) == 0 || len(files) > hideFilesMost {
				continue
			}
			past := h.before(i)
			known := map[string]bool{}
			for _, c := range past.Commits {
				for _, f := range c {
					known[past.Paths[f]] = true
				}
			}
			exists := func(p string) bool { return known[p] }
			commits++
			_, _, missing := change.Partners(past, files, exists)
			if len(missing) > 0 {
				alarms++
			}
			if j, ok := following[i]; ok {
				gold := map[string]bool{}
				for _, f := range h.log[j].Files {
					if !slices.Contains(files, f) && partnerOf(past, files, f) {
						gold[f] = true
					}
				}
				if len(gold) > 0 {
					cases++
					next.add(gold, missing)
				}
			}
			if len(files) > 1 {
				// Which file is hidden does not depend on anything but the commit.
				k := int(h.log[i].ID[0]) % len(files)
				rest := slices.Delete(slices.Clone(files), k, k+1)
				_, _, missing := change.Partners(past, rest, exists)
				hidden.add(map[string]bool{files[k]: true}, missing)
			}
		}
	}
	fmt.Printf("%d commits, %d with a warning (%.1f%%)\n", commits, alarms, 100*ratio(alarms, commits))
	fmt.Printf("came in the next commit, %d commits: %s\n", cases, &next)
	fmt.Printf("one file hidden: %s\n", &hidden)
	return nil
}

// followers maps a commit to the author's next one, if it came soon.
func followers(h *history, authors map[string]string) map[int]int {
	last := map[string]int{} // of each author, going from new to old
	out := map[int]int{}
	for i := range h.log {
		c := &h.log[i]
		if len(c.Parents) != 1 {
			continue
		}
		who := authors[c.ID]
		if j, ok := last[who]; ok && h.log[j].Time-c.Time <= int64(soon/time.Second) && h.log[j].Time >= c.Time {
			out[i] = j
		}
		last[who] = i
	}
	return out
}

// partnerOf reports whether f is a usual partner of one of the files by the
// lenient rule.
func partnerOf(past *change.History, files []string, f string) bool {
	at := slices.Index(past.Paths, f)
	if at < 0 {
		return false
	}
	is := map[int32]bool{}
	for k, p := range past.Paths {
		if slices.Contains(files, p) {
			is[int32(k)] = true
		}
	}
	of, both := map[int32]int{}, map[int32]int{}
	for _, c := range past.Commits {
		with := slices.Contains(c, int32(at))
		for _, g := range c {
			if is[g] {
				of[g]++
				if with {
					both[g]++
				}
			}
		}
	}
	for g, n := range both {
		if n >= lenientTimes && float64(n) >= lenientShare*float64(of[g]) {
			return true
		}
	}
	return false
}
