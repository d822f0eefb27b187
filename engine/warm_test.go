package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/world/git/gittest"
)

// asked is what a warm engine is asked in turn: everything that an engine keeps
// for the next call takes part in one of the answers.
var asked = []func(ctx context.Context, e *engine.Engine) (any, error){
	func(ctx context.Context, e *engine.Engine) (any, error) {
		return e.Search(ctx, engine.SearchRequest{Query: task, Explain: true, Limit: 50})
	},
	func(ctx context.Context, e *engine.Engine) (any, error) {
		return e.Search(ctx, engine.SearchRequest{Query: "replay the lease of a shard", Symbols: true, Explain: true})
	},
	func(ctx context.Context, e *engine.Engine) (any, error) {
		return e.Search(ctx, engine.SearchRequest{Query: task, Rev: "HEAD", Explain: true})
	},
	func(ctx context.Context, e *engine.Engine) (any, error) {
		return e.Pack(ctx, satchel.Request{Task: task, Budget: 3000})
	},
	func(ctx context.Context, e *engine.Engine) (any, error) {
		return e.Pack(ctx, satchel.Request{Budget: 3000, Now: time.Unix(1_800_000_000, 0)})
	},
	func(ctx context.Context, e *engine.Engine) (any, error) {
		return e.Pack(ctx, satchel.Request{Task: task, Pinned: []string{"README.md"}, Budget: 6000})
	},
	func(ctx context.Context, e *engine.Engine) (any, error) { return e.Pack(ctx, satchel.Request{}) },
	func(ctx context.Context, e *engine.Engine) (any, error) {
		list, _, err := e.Files().Exclusions(ctx, "", nil, nil)
		return list, err
	},
}

// answer is what an engine says, as bytes.
func answer(tb testing.TB, e *engine.Engine, k int) string {
	tb.Helper()
	got, err := asked[k](context.Background(), e)
	if err != nil {
		return "error: " + err.Error()
	}
	b, err := json.MarshalIndent(got, "", " ")
	if err != nil {
		tb.Fatal(err)
	}
	return string(b)
}

// An engine that is held open says what a new one says, whatever happens to the
// repository between two calls: the law behind everything that it keeps.
func TestWarmLaw(t *testing.T) {
	if testing.Short() {
		t.Skip("48 random changes")
	}
	for seed := range uint64(2) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 7))
			r := grown(t, seed, 3)
			warm := open(t, engine.Options{Dir: r.Dir, CacheDir: t.TempDir()})
			for k := range asked {
				answer(t, warm, k)
			}
			for range 24 {
				done := disturb(t, r, rng)
				k := rng.IntN(len(asked))
				cold := open(t, engine.Options{Dir: r.Dir, NoCache: true})
				want := answer(t, cold, k)
				cold.Close()
				for _, again := range []string{"at once", "once more"} {
					if got := answer(t, warm, k); got != want {
						t.Fatalf("after %s, question %d, %s: a warm engine differs from a cold one (-cold +warm):\n%s", done, k, again, cmp.Diff(want, got))
					}
				}
			}
		})
	}
}

// disturb changes something about the repository and says what.
func disturb(t *testing.T, r *gittest.Repo, rng *rand.Rand) string {
	tracked := strings.Fields(r.Git("ls-files"))
	some := func() string { return tracked[rng.IntN(len(tracked))] }
	name := filepath.Join(r.Dir, filepath.FromSlash(some()))
	switch rng.IntN(14) {
	case 0:
		return "nothing"
	case 1: // the same size, and soon enough the same second
		b, err := os.ReadFile(name)
		if err == nil && len(b) > 0 {
			b[len(b)/2] ^= 1
			err = os.WriteFile(name, b, 0o644)
		}
		return fmt.Sprint("a bit of ", name, err)
	case 2:
		return fmt.Sprint("removal of ", name, os.Remove(name))
	case 3:
		r.WriteAll(map[string]string{fmt.Sprintf("pkg1/new%d.go", rng.IntN(5)): fmt.Sprintf("package pkg1\n\n// Replay%d retries the lease.\nfunc Replay%d() {}\n", rng.IntN(9), rng.IntN(9))})
		return "a new file"
	case 4:
		r.WriteAll(map[string]string{".gitignore": []string{"", "new*.go\n", "docs/\n", "*.md\n"}[rng.IntN(4)]})
		return "another .gitignore"
	case 5:
		r.Git("add", "-A")
		return "git add"
	case 6:
		r.Commit("fix the replay of a lease")
		return "a commit"
	case 7:
		r.Git("checkout", "-q", "-f", "-B", fmt.Sprint("side", rng.IntN(3)), "HEAD~1")
		return "another branch"
	case 8:
		r.Git("reset", "-q", "--hard")
		return "reset"
	case 9:
		now := time.Now()
		return fmt.Sprint("touch of ", name, os.Chtimes(name, now, now))
	case 10: // other bytes with the times of the old ones
		fi, err := os.Stat(name)
		if err == nil {
			err = os.WriteFile(name, []byte(strings.Repeat("flush\n", int(fi.Size())/6+1))[:fi.Size()], 0o644)
		}
		if err == nil {
			err = os.Chtimes(name, fi.ModTime(), fi.ModTime())
		}
		return fmt.Sprint("edit under the old time of ", name, err)
	case 11:
		r.Git("gc", "-q", "--prune=now")
		return "gc"
	case 12:
		r.Git("mv", "-k", some(), fmt.Sprintf("pkg1/moved%d.go", rng.IntN(100)))
		return "a move"
	}
	r.WriteAll(map[string]string{".gitattributes": []string{"", "pkg0/** linguist-generated\n", "*.md linguist-vendored\n"}[rng.IntN(3)]})
	return "another .gitattributes"
}

// Each change is seen by the very next call.
func TestWarmSees(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	const name, other = "pkg0/lighthouse.go", "pkg0/beacon.go"
	text := func(word string) string { return "package pkg0\n\n// " + word + " guides.\nfunc " + word + "() {}\n" }
	finds := func(path string, e *engine.Engine, query string) bool {
		found, err := e.Search(t.Context(), engine.SearchRequest{Query: query, Limit: 100, Explain: true})
		if err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(found.Files, func(f engine.FileHit) bool {
			return f.Path == path && slices.ContainsFunc(f.Symbols, func(s satchel.Symbol) bool { return s.Name == query })
		})
	}
	lists := func(path string, e *engine.Engine) bool {
		found, err := e.Search(t.Context(), engine.SearchRequest{Query: "guides", Limit: 1000})
		if err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(found.Files, func(f engine.FileHit) bool { return f.Path == path })
	}
	r := grown(t, 1, 3)
	r.WriteAll(map[string]string{name: text("Lantern1")})
	r.Commit("a lighthouse")
	e := open(t, engine.Options{Dir: r.Dir, CacheDir: t.TempDir()})
	check := func(what string, ok bool) {
		t.Helper()
		if !ok {
			t.Errorf("%s: not seen by the next call", what)
		}
	}
	for range 2 {
		check("the file", finds(name, e, "Lantern1"))
	}
	for i := range 20 { // the same size, within the same second
		before := fmt.Sprintf("Lantern%d", 1+i%2)
		after := fmt.Sprintf("Lantern%d", 2-i%2)
		r.WriteAll(map[string]string{name: text(after)})
		check("an edit", finds(name, e, after) && !finds(name, e, before))
	}
	for i := range 20 { // and added each time, so that only the index tells
		before := fmt.Sprintf("Lantern%d", 1+i%2)
		after := fmt.Sprintf("Lantern%d", 2-i%2)
		r.WriteAll(map[string]string{name: text(after)})
		r.Git("add", name)
		check("an edit that was added", finds(name, e, after) && !finds(name, e, before))
	}
	r.WriteAll(map[string]string{other: text("Flare1")})
	check("a new file", finds(other, e, "Flare1"))
	r.WriteAll(map[string]string{".gitignore": "beacon.go\n"})
	check("an ignored file", !lists(other, e))
	r.WriteAll(map[string]string{".gitignore": "bacon.go\n\n"}) // as long as before
	check("a file that is ignored no more", lists(other, e))
	r.WriteAll(map[string]string{".git/info/exclude": "beacon.go\n"})
	check("an excluded file", !lists(other, e))
	r.WriteAll(map[string]string{".git/info/exclude": ""})
	r.Commit("a beacon")
	r.Git("checkout", "-q", "-b", "old", "HEAD~1")
	check("another branch", !lists(other, e))
	r.Git("checkout", "-q", "main")
	check("the branch before", lists(other, e))
	r.Git("pack-refs", "--all")
	r.Git("checkout", "-q", "old")
	check("a branch whose reference is packed", !lists(other, e))
	r.Git("checkout", "-q", "main")
	if err := os.Remove(filepath.Join(r.Dir, other)); err != nil {
		t.Fatal(err)
	}
	check("a file that is gone", !lists(other, e))
	r.Git("checkout", "-q", "--", other)
	check("a file that is back", lists(other, e))
}

// Several calls at the same time, while the work tree changes, give answers of
// states that there were.
func TestWarmConcurrently(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	r := grown(t, 3, 3)
	e := open(t, engine.Options{Dir: r.Dir, CacheDir: t.TempDir()})
	var wg sync.WaitGroup
	for k := range asked {
		wg.Go(func() {
			for range 4 {
				if a := answer(t, e, k); strings.HasPrefix(a, "error: ") {
					t.Errorf("question %d: %s", k, a)
				}
			}
		})
	}
	for i := range 6 {
		r.WriteAll(map[string]string{"pkg0/store0.go": fmt.Sprintf("package pkg0\n\nfunc Replay%d() {}\n", i)})
		time.Sleep(10 * time.Millisecond)
	}
	wg.Wait()
	cold := open(t, engine.Options{Dir: r.Dir, NoCache: true})
	for k := range asked {
		if got, want := answer(t, e, k), answer(t, cold, k); got != want {
			t.Errorf("question %d, afterwards (-cold +warm):\n%s", k, cmp.Diff(want, got))
		}
	}
}
