package archive

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/internal/world/git/gittest"
	"github.com/satchel-dev/satchel/snapshot"
)

var day = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// A box is a repository with an environment that owes nothing to the host.
type box struct {
	*gittest.Repo
	t testing.TB
}

func newBox(t testing.TB, args ...string) *box {
	t.Helper()
	return &box{gittest.New(t, args...), t}
}

func (b *box) open() *Archive {
	b.t.Helper()
	return openAt(b.t, b.Dir)
}

func openAt(t testing.TB, dir string) *Archive {
	t.Helper()
	repo, err := (&git.Options{Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}}).Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { repo.Close() })
	return New(repo)
}

// draft is a snapshot of n snippets, none of which another name shares.
func draft(a *Archive, name string, n int) *snapshot.Draft {
	d := snapshot.New(snapshot.Explicit, a.BlobID)
	for i := range n {
		d.Add(snapshot.Item{Kind: snapshot.KindSnippet, Path: fmt.Sprintf("%s-%03d", name, i), Role: snapshot.Pinned, Detail: satchel.Full},
			snapshot.Bytes{Data: fmt.Appendf(nil, "text %d of %s\n", i, name)})
	}
	d.SetOutput("md", []byte("output of "+name))
	return d
}

func keep(t testing.TB, a *Archive, name string, n int, when time.Time, r Retention) Entry {
	t.Helper()
	e, fresh, err := a.Keep(t.Context(), draft(a, name, n), when, r)
	if err != nil || !fresh {
		t.Fatalf("Keep(%s) = %v, %v", name, fresh, err)
	}
	return e
}

func verify(t testing.TB, a *Archive) []Proof {
	t.Helper()
	entries, damaged, err := a.List(t.Context())
	if err != nil || len(damaged) > 0 {
		t.Fatalf("List: %v, %v", damaged, err)
	}
	proofs, err := a.Verify(t.Context(), entries)
	if err != nil {
		t.Fatal(err)
	}
	return proofs
}

func TestKeepAndFind(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			b := newBox(t, "--object-format="+format)
			a := b.open()
			if e, _, err := a.List(t.Context()); len(e) > 0 || err != nil {
				t.Fatalf("an empty archive lists %v, %v", e, err)
			}
			one := keep(t, a, "one", 3, day, chain)
			two := keep(t, a, "two", 3, day.Add(time.Hour), chain)
			if same, fresh, err := a.Keep(t.Context(), draft(a, "one", 3), day.Add(2*time.Hour), chain); err != nil || fresh || same.ID != one.ID || !same.Taken.Equal(day) {
				t.Errorf("an equal snapshot is kept as %+v, fresh %v, %v", same, fresh, err)
			}
			entries, _, err := a.List(t.Context())
			if err != nil || len(entries) != 2 || entries[0].ID != two.ID || entries[1] != one {
				t.Errorf("List = %+v, %v", entries, err)
			}
			if e, err := a.Find(t.Context(), strings.ToUpper(one.ID[:8])); e != one || err != nil {
				t.Errorf("Find = %+v, %v", e, err)
			}
			if e, err := a.Find(t.Context(), "latest"); e.ID != two.ID || err != nil {
				t.Errorf("latest is %+v, %v", e, err)
			}
			var unknown *UnknownError
			for _, id := range []string{"", "abc", strings.Repeat("0", 64), "zzzz"} {
				if _, err := a.Find(t.Context(), id); !errors.As(err, &unknown) {
					t.Errorf("Find(%q) = %v", id, err)
				}
			}
			r, err := a.Record(t.Context(), one)
			if err != nil || len(r.Items) != 3 {
				t.Fatalf("Record = %+v, %v", r, err)
			}
			if data, err := a.Blob(t.Context(), one, r.Output.Blob); string(data) != "output of one" || err != nil {
				t.Errorf("the output is %q, %v", data, err)
			}
			if out := b.Git("fsck", "--full", "--strict"); strings.Contains(out, "error") {
				t.Errorf("git fsck: %s", out)
			}
			if out := b.Git("for-each-ref", "refs/heads", "refs/tags"); out != "" {
				t.Errorf("a branch or tag appeared: %s", out)
			}
		})
	}
}

// A draft with an item that has no bytes is refused, and nothing is written.
func TestKeepRefusesDrafts(t *testing.T) {
	b := newBox(t)
	a := b.open()
	d := draft(a, "x", 2)
	d.Record.Items[1].Blob = ""
	var notFinal *snapshot.DraftError
	if _, _, err := a.Keep(t.Context(), d, day, chain); !errors.As(err, &notFinal) {
		t.Errorf("Keep = %v, want a DraftError", err)
	}
	if out := b.Git("count-objects"); out != "0 objects, 0 kilobytes" {
		t.Errorf("it wrote %s", out)
	}
}

// What each retention promises, after git has thrown away what it can.
func TestGarbage(t *testing.T) {
	if testing.Short() {
		t.Skip("10,000 blobs")
	}
	for r, survives := range map[Retention]bool{chain: true, none: false} {
		t.Run(string(r), func(t *testing.T) {
			const blobs = 5000
			b := newBox(t)
			a := b.open()
			e := keep(t, a, "many", blobs, day, r)
			b.Git("reflog", "expire", "--expire=now", "--all")
			b.Git("gc", "-q", "--prune=now")
			p := verify(t, a)
			if len(p) != 1 || p[0].ID != e.ID {
				t.Fatalf("proofs %+v", p)
			}
			if got := len(p[0].Problems) == 0 && p[0].Blobs == blobs+1; got != survives {
				t.Errorf("%d blobs and %d problems, want all to survive: %v", p[0].Blobs, len(p[0].Problems), survives)
			}
		})
	}
}

// Blobs of a branch that is deleted stay, under every retention that keeps.
func TestBranchGone(t *testing.T) {
	for _, r := range []Retention{chain} {
		t.Run(string(r), func(t *testing.T) {
			b := newBox(t)
			if err := os.WriteFile(filepath.Join(b.Dir, "f"), []byte("of a branch\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			b.Git("add", "f")
			b.Git("commit", "-q", "-m", "x")
			a := b.open()
			d := snapshot.New(snapshot.Heuristic, a.BlobID)
			d.Add(snapshot.Item{Kind: snapshot.KindFile, Path: "f", Role: snapshot.Context, Detail: satchel.Full},
				snapshot.Bytes{Data: []byte("of a branch\n"), Stored: a.BlobID([]byte("of a branch\n"))})
			if _, _, err := a.Keep(t.Context(), d, day, r); err != nil {
				t.Fatal(err)
			}
			b.Git("update-ref", "-d", "refs/heads/main")
			b.Git("rm", "-q", "--cached", "-f", "f")
			b.Git("reflog", "expire", "--expire=now", "--all")
			b.Git("gc", "-q", "--prune=now")
			if p := verify(t, a); len(p[0].Problems) > 0 || p[0].Blobs != 1 {
				t.Errorf("%+v", p[0])
			}
		})
	}
}

func TestExpire(t *testing.T) {
	for _, r := range []Retention{chain} {
		t.Run(string(r), func(t *testing.T) {
			b := newBox(t)
			a := b.open()
			old := keep(t, a, "old", 4, day, r)
			mid := keep(t, a, "mid", 4, day.Add(24*time.Hour), r)
			last := keep(t, a, "last", 4, day.Add(48*time.Hour), r)
			before := Expiry{Before: day.Add(time.Hour)}
			dry := before
			dry.DryRun = true
			out, err := a.Expire(t.Context(), dry)
			if err != nil || out.Kept != 2 || len(out.Dropped) != 1 || out.Dropped[0] != old.ID || out.Freed != old.Bytes {
				t.Errorf("dry run: %+v, %v", out, err)
			}
			if n := len(verify(t, a)); n != 3 {
				t.Fatalf("a dry run dropped something: %d are left", n)
			}
			if out, err = a.Expire(t.Context(), before); err != nil || out.Kept != 2 {
				t.Fatalf("Expire = %+v, %v", out, err)
			}
			entries, _, _ := a.List(t.Context())
			if len(entries) != 2 || entries[0].ID != last.ID || entries[1].ID != mid.ID || !entries[1].Taken.Equal(mid.Taken) {
				t.Errorf("left are %+v", entries)
			}
			if out, err = a.Expire(t.Context(), Expiry{Bytes: last.Bytes}); err != nil || out.Kept != 1 {
				t.Fatalf("by size: %+v, %v", out, err)
			}
			b.Git("reflog", "expire", "--expire=now", "--all")
			b.Git("gc", "-q", "--prune=now")
			if p := verify(t, a); len(p) != 1 || p[0].ID != last.ID || len(p[0].Problems) > 0 {
				t.Errorf("after git gc: %+v", p)
			}
			if _, err := a.Blob(t.Context(), old, a.BlobID([]byte("text 0 of old\n"))); err == nil {
				t.Error("a blob of a dropped snapshot is still there")
			}
			if out, err = a.Expire(t.Context(), Expiry{Before: day.Add(1000 * time.Hour)}); err != nil || out.Kept != 0 {
				t.Fatalf("all of them: %+v, %v", out, err)
			}
			if refs := b.Git("for-each-ref", "refs/satchel"); refs != "" {
				t.Errorf("references are left: %s", refs)
			}
		})
	}
}

// By size, a blob that many snapshots share is counted once: to count it for
// each drops snapshots that take next to nothing.
func TestExpireShared(t *testing.T) {
	b := newBox(t)
	a := b.open()
	shared := []byte(strings.Repeat("the same file in every pack\n", 1000))
	for i := range 5 {
		d := draft(a, fmt.Sprint("pack ", i), 1)
		d.Add(snapshot.Item{Kind: snapshot.KindSnippet, Path: "shared", Role: snapshot.Context, Detail: satchel.Full}, snapshot.Bytes{Data: shared})
		if _, _, err := a.Keep(t.Context(), d, day.Add(time.Duration(i)*time.Hour), chain); err != nil {
			t.Fatal(err)
		}
	}
	limit := int64(len(shared)) + 3*40 // and what three have of their own, about 31 bytes each
	out, err := a.Expire(t.Context(), Expiry{Bytes: limit})
	if err != nil || out.Kept < 3 || out.Freed >= int64(len(shared)) {
		t.Errorf("Expire = %+v, %v: want three snapshots or more", out, err)
	}
}

// A time that no commit can say would be damage to git, and so would all that
// stands on top of it.
func TestAbsurdTimes(t *testing.T) {
	b := newBox(t)
	a := b.open()
	for i, at := range []time.Time{{}, time.Unix(-5, 0), time.Unix(1<<62, 0), day} {
		keep(t, a, fmt.Sprint("at ", i), 1, at, chain)
	}
	b.Git("fsck", "--strict", "--no-dangling")
	if n := len(verify(t, a)); n != 4 {
		t.Errorf("%d snapshots, want 4", n)
	}
	// A clock that went backwards: the newest is the one that was taken last, and
	// age is a matter of dates.
	last := keep(t, a, "after the clock was set back", 1, day.Add(-time.Hour), chain)
	if e, err := a.Find(t.Context(), "latest"); err != nil || e.ID != last.ID {
		t.Errorf("latest is %+v, %v", e, err)
	}
	out, err := a.Expire(t.Context(), Expiry{Before: day})
	if err != nil || out.Kept != 2 || len(out.Dropped) != 3 || out.Dropped[0] != last.ID {
		t.Errorf("Expire = %+v, %v", out, err)
	}
}

// What a stranger's commit says is not believed: ids are printed and looked up.
func TestHostileMessages(t *testing.T) {
	b := newBox(t)
	a := b.open()
	one := keep(t, a, "one", 1, day, chain)
	for _, message := range []string{
		"snapshot " + strings.Repeat("\x1b[2J", 16) + "\n\nx\n\nrecord " + one.record + "\n",
		"snapshot " + strings.ToUpper(one.ID) + "\n\nx\n\nrecord " + one.record + "\n",
		"snapshot " + one.ID + "\n\nx\n\nrecord HEAD\n",
		"snapshot " + one.ID + "\n\nx\n\nrecord " + one.record + "\nitems -1\n",
		"snapshot " + one.ID + "\n\nx\n\nrecord " + one.record + "\nbytes 99999999999999999999\n",
		"snapshot " + one.ID + "\n\nx\n\nrecord " + one.record + "\nretention forever\n",
		"snapshot",
	} {
		b.Git("update-ref", Ref, b.Git("commit-tree", b.Git("mktree", "--missing"), "-p", one.commit, "-m", message))
		entries, damaged, err := a.List(t.Context())
		if err != nil || len(damaged) != 1 || len(entries) != 1 || entries[0].ID != one.ID {
			t.Errorf("%q: List = %+v, %v, %v", message, entries, damaged, err)
		}
		if len(damaged) > 0 && strings.Contains(damaged[0].Error(), "\x1b") {
			t.Errorf("the error holds an escape: %q", damaged[0])
		}
	}
}

// A missing or wrong blob costs that blob; the rest is proved.
func TestDamage(t *testing.T) {
	b := newBox(t)
	a := b.open()
	one := keep(t, a, "one", 3, day, chain)
	keep(t, a, "two", 3, day, chain)
	file := func(id string) string { return filepath.Join(b.Dir, ".git/objects", id[:2], id[2:]) }
	gone, torn := a.BlobID([]byte("text 0 of one\n")), a.BlobID([]byte("text 1 of one\n"))
	if err := os.Remove(file(gone)); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(file(torn), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(file(torn), 10); err != nil {
		t.Fatal(err)
	}
	swapped := a.BlobID([]byte("text 2 of one\n"))
	other, err := os.ReadFile(file(a.BlobID([]byte("text 2 of two\n"))))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(file(swapped)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file(swapped), other, 0o444); err != nil {
		t.Fatal(err)
	}
	p := verify(t, a)
	if len(p) != 2 || len(p[0].Problems) != 0 {
		t.Errorf("the sound snapshot: %+v", p[0])
	}
	if len(p[1].Problems) != 3 || p[1].Blobs != 1 {
		t.Errorf("the damaged snapshot: %+v", p[1])
	}
	text := strings.Join(p[1].Problems, "\n")
	for _, want := range []string{"one-000: blob " + gone + " is missing", "one-001: ", "one-002: blob " + swapped + " has the hash"} {
		if !strings.Contains(text, want) {
			t.Errorf("no word of %q in\n%s", want, text)
		}
	}
	var damage *DamageError
	if _, err := a.Blob(t.Context(), one, gone); !errors.As(err, &damage) || damage.ID != one.ID {
		t.Errorf("Blob = %v", err)
	}
	if err := os.Remove(file(one.record)); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Record(t.Context(), one); !errors.As(err, &damage) {
		t.Errorf("Record = %v", err)
	}
	if _, err := a.Expire(t.Context(), Expiry{Before: day.Add(-time.Hour)}); err == nil {
		t.Error("Expire drops things although it cannot read a record")
	}
}

// A snapshot whose record was lost is stored again.
func TestLostRecord(t *testing.T) {
	b := newBox(t)
	a := b.open()
	one := keep(t, a, "one", 3, day, chain)
	if err := os.Remove(filepath.Join(b.Dir, ".git/objects", one.record[:2], one.record[2:])); err != nil {
		t.Fatal(err)
	}
	again := keep(t, a, "one", 3, day, chain)
	if _, err := a.Record(t.Context(), one); again.ID != one.ID || err != nil {
		t.Errorf("stored again as %+v: Record = %v", again, err)
	}
}

// A commit that somebody else put on the chain is told, and the rest is listed.
func TestForeignCommit(t *testing.T) {
	b := newBox(t)
	a := b.open()
	one := keep(t, a, "one", 1, day, chain)
	tree := b.Git("mktree", "--missing")
	commit := b.Git("commit-tree", tree, "-p", Ref, "-m", "something else")
	b.Git("update-ref", Ref, commit)
	entries, damaged, err := a.List(t.Context())
	if err != nil || len(damaged) != 1 || len(entries) != 1 || entries[0].ID != one.ID {
		t.Errorf("List = %+v, %v, %v", entries, damaged, err)
	}
	keep(t, a, "two", 1, day, chain)
}

// A repository that cannot be written says so, and loses nothing.
func TestCannotWrite(t *testing.T) {
	b := newBox(t)
	a := b.open()
	keep(t, a, "one", 1, day, chain)
	place := filepath.Join(b.Dir, ".git/objects/pack")
	if err := os.RemoveAll(place); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(place, nil, 0o444); err != nil { // a file where a folder has to be
		t.Fatal(err)
	}
	_, _, err := a.Keep(t.Context(), draft(a, "two", 200), day, chain)
	if err == nil || !strings.Contains(err.Error(), "store the snapshot: git index-pack") {
		t.Errorf("Keep = %v, want that a pack cannot be written", err)
	}
	if n := len(verify(t, a)); n != 1 {
		t.Errorf("%d snapshots, want 1", n)
	}
}

// A lock that a dead process left is told, not waited for without end.
func TestStaleLock(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	b := newBox(t)
	a := b.open()
	keep(t, a, "one", 1, day, chain)
	b.Git("config", "core.filesRefLockTimeout", "1") // ms
	if err := os.WriteFile(filepath.Join(b.Dir, ".git", Ref+".lock"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	_, _, err := a.Keep(t.Context(), draft(a, "two", 1), day, chain)
	var moved *git.RefMovedError
	if !errors.As(err, &moved) || !moved.Locked || !strings.Contains(err.Error(), "remove its file") {
		t.Errorf("Keep = %v", err)
	}
}

// Eight processes that take snapshots at once lose none, nor do sixteen if
// SATCHEL_SOAK_ROUNDS is set.
func TestManyWriters(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	b := newBox(t)
	const each = 3
	writers := 8
	if os.Getenv("SATCHEL_SOAK_ROUNDS") != "" {
		writers = 16
	}
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			cmd := exec.Command(os.Args[0])
			cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + b.Dir, child + "=keep", "SATCHEL_DIR=" + b.Dir,
				fmt.Sprintf("SATCHEL_NAME=w%d", w), fmt.Sprintf("SATCHEL_COUNT=%d", each)}
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("writer %d: %v\n%s", w, err, out)
			}
		})
	}
	wg.Wait()
	proofs := verify(t, b.open())
	if len(proofs) != writers*each {
		t.Errorf("%d snapshots, want %d", len(proofs), writers*each)
	}
	for _, p := range proofs {
		if len(p.Problems) > 0 {
			t.Errorf("%+v", p)
		}
	}
}

func BenchmarkVerify(b *testing.B) {
	x := newBox(b)
	a := x.open()
	const shots = 1000
	for i := range shots {
		keep(b, a, fmt.Sprint("s", i), 20, day, chain)
	}
	x.Git("gc", "-q")
	b.ReportAllocs()
	for b.Loop() {
		if n := len(verify(b, a)); n != shots {
			b.Fatal(n)
		}
	}
}

func BenchmarkKeep(b *testing.B) {
	x := newBox(b)
	a := x.open()
	for i := 0; b.Loop(); i++ {
		keep(b, a, fmt.Sprint("s", i), 200, day, chain)
	}
}

// TestBlobs: the list for a garbage collector of one's own is whole or an error.
func TestBlobs(t *testing.T) {
	b := newBox(t)
	a := b.open()
	keep(t, a, "one", 2, day, none)
	keep(t, a, "two", 1, day, chain)
	got, err := a.Blobs(t.Context())
	if err != nil || len(got) != 5 || !slices.IsSorted(got) || !slices.Contains(got, a.BlobID([]byte("text 1 of one\n"))) {
		t.Errorf("Blobs = %v, %v", got, err)
	}
	b.Git("update-ref", Ref, b.Git("commit-tree", "-m", "not ours", b.Git("mktree", "--missing", "-z")))
	if got, err := a.Blobs(t.Context()); err == nil {
		t.Errorf("of a damaged chain: %v", got)
	}
}
