package git

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/satchel-dev/satchel/change"
)

// TestDiffSoak checks the laws of checkCommit on real histories: it takes
// SATCHEL_SOAK_COMMITS commits (500), spread evenly, of the repositories that
// SATCHEL_SOAK_REPOS lists, a PATH list. Without that it does nothing.
func TestDiffSoak(t *testing.T) {
	repos := filepath.SplitList(os.Getenv("SATCHEL_SOAK_REPOS"))
	if len(repos) == 0 {
		t.Skip("SATCHEL_SOAK_REPOS is not set")
	}
	n, err := strconv.Atoi(os.Getenv("SATCHEL_SOAK_COMMITS"))
	if err != nil {
		n = 500
	}
	for i, dir := range repos {
		t.Run(filepath.Base(filepath.Dir(dir)), func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			r, err := s.options().Open(t.Context(), dir)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			ids, err := r.RevList(t.Context(), "HEAD", 0)
			if err != nil {
				t.Fatal(err)
			}
			share := n*(i+1)/len(repos) - n*i/len(repos)
			var sum lawful
			for k := range share {
				sum.add(checkCommit(t, r, s, dir, ids[k*len(ids)/share]))
			}
			t.Logf("%d commits: %+v", share, sum)
		})
	}
}

// A lawful says what was compared.
type lawful struct {
	files, renamed, copied, binary, typed, bytes int
	ours, gits                                   time.Duration
}

func (a *lawful) add(b lawful) {
	a.files += b.files
	a.renamed += b.renamed
	a.copied += b.copied
	a.binary += b.binary
	a.typed += b.typed
	a.bytes += b.bytes
	a.ours += b.ours
	a.gits += b.gits
}

// checkCommit checks that the counts of a commit are those of git diff
// --numstat, that its patches are git's, byte for byte, that reading and writing
// them changes nothing, and that git apply makes the commit's tree of them.
func checkCommit(t *testing.T, r *Repo, s *sandbox, dir, commit string) (sum lawful) {
	t.Helper()
	keep := Keep{MaxPatch: 1 << 30, MaxTotal: 1 << 40}
	start := time.Now()
	set, err := r.Diff(t.Context(), DiffSpec{Commit: commit, Keep: keep})
	sum.ours = time.Since(start)
	if err != nil {
		t.Errorf("%s: %v", commit, err)
		return sum
	}
	for _, n := range set.Diagnostics {
		t.Errorf("%s: note %v", commit, n)
	}
	git := func(env []string, input []byte, args ...string) []byte {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
		cmd.Env, cmd.Stdin = append(s.env(), env...), bytes.NewReader(input)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Errorf("%s: git %q: %v\n%s", commit, args, err, stderr.Bytes())
		}
		return out
	}
	parent := set.From
	if parent == "" {
		parent = r.format.emptyTree()
	}
	numstat := git(nil, nil, "diff", "--numstat", "-z", "-M", "-C", parent, commit)
	if got := numstatOf(set); got != string(numstat) {
		t.Errorf("%s: counts\n%q, want\n%q", commit, got, numstat)
	}
	start = time.Now()
	patch := git(nil, nil, "diff", "--full-index", "-M", "-C", parent, commit)
	sum.gits = time.Since(start)
	if got := patchOf(set); !bytes.Equal(got, patch) {
		t.Errorf("%s: the patches are not git's: %s", commit, firstDifference(got, patch))
	}
	parsed, err := ParsePatch(bytes.NewReader(patch), keep)
	if err != nil {
		t.Errorf("%s: %v", commit, err)
		return sum
	}
	if got := patchOf(parsed); !bytes.Equal(got, patch) {
		t.Errorf("%s: read and written again: %s", commit, firstDifference(got, patch))
	}
	if got := numstatOf(parsed); got != string(numstat) {
		t.Errorf("%s: counts of the patch\n%q, want\n%q", commit, got, numstat)
	}
	tmp := t.TempDir()
	env := []string{"GIT_INDEX_FILE=" + filepath.Join(tmp, "index"), "GIT_OBJECT_DIRECTORY=" + tmp,
		"GIT_ALTERNATE_OBJECT_DIRECTORIES=" + filepath.Join(r.common, "objects")}
	if set.From != "" {
		git(env, nil, "read-tree", parent)
	}
	if len(patch) > 0 {
		git(env, patchOf(set), "apply", "--cached", "--whitespace=nowarn", "-")
	}
	got := string(bytes.TrimSpace(git(env, nil, "write-tree")))
	want := string(bytes.TrimSpace(git(nil, nil, "rev-parse", commit+"^{tree}")))
	if got != want {
		t.Errorf("%s: the patch makes the tree %s, want %s", commit, got, want)
	}
	for _, f := range set.Files {
		sum.files++
		switch f.Status {
		case change.Renamed:
			sum.renamed++
		case change.Copied:
			sum.copied++
		case change.TypeChanged:
			sum.typed++
		}
		if f.Binary {
			sum.binary++
		}
	}
	sum.bytes = len(patch)
	return sum
}

// numstatOf writes a set as git diff --numstat -z does.
func numstatOf(set *change.Set) string {
	var b strings.Builder
	for _, f := range set.Files {
		if f.Binary {
			b.WriteString("-\t-\t")
		} else {
			fmt.Fprintf(&b, "%d\t%d\t", f.Added, f.Removed)
		}
		if f.OldPath != "" {
			b.WriteString("\x00" + f.OldPath + "\x00")
		}
		b.WriteString(f.Path + "\x00")
	}
	return b.String()
}

// patchOf writes all patches of a set.
func patchOf(set *change.Set) (b []byte) {
	for i := range set.Files {
		b = set.Files[i].AppendPatch(b)
	}
	return b
}

// firstDifference shows where two texts begin to differ.
func firstDifference(got, want []byte) string {
	i := 0
	for i < len(got) && i < len(want) && got[i] == want[i] {
		i++
	}
	cut := func(b []byte) []byte { return b[max(0, i-200):min(len(b), i+200)] }
	return fmt.Sprintf("at byte %d of %d and %d: got\n%q\nwant\n%q", i, len(got), len(want), cut(got), cut(want))
}
