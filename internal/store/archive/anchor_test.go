package archive

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// below is the retention by references below a prefix.
func below(t testing.TB, prefix string) Retention {
	t.Helper()
	r, err := retentionBelow(prefix)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRetentionBelow(t *testing.T) {
	b := newBox(t)
	a := b.open()
	r := below(t, "refs/ai/blobs")
	one := keep(t, a, "one", 3, day, r)
	if one.Retention != "refs:refs/ai/blobs/" {
		t.Errorf("the retention is %q", one.Retention)
	}
	if n := len(strings.Fields(b.Git("for-each-ref", "--format=%(refname)", "refs/ai/blobs"))); n != 4 {
		t.Errorf("%d references, want one for each of 3 items and the text", n)
	}
	b.Git("reflog", "expire", "--expire=now", "--all")
	b.Git("gc", "-q", "--prune=now")
	if p := verify(t, a); len(p) != 1 || len(p[0].Problems) > 0 || p[0].Blobs != 4 {
		t.Errorf("after git gc: %+v", p)
	}
	id := a.BlobID([]byte("text 0 of one\n"))
	b.Git("update-ref", "-d", "refs/ai/blobs/"+id)
	if p := verify(t, a); len(p[0].Problems) != 1 || !strings.Contains(p[0].Problems[0], "refs/ai/blobs/"+id) {
		t.Errorf("without one of its references: %+v", p)
	}
}

// TestRefsBelowShared: what another program anchored stays when our snapshots go, and
// what several of our snapshots hold goes with the last of them.
func TestRetentionBelowShared(t *testing.T) {
	b := newBox(t)
	a := b.open()
	r := below(t, "refs/ai/blobs/")
	theirs := a.BlobID([]byte("text 1 of one\n"))
	repo := a.repo.NewObjects()
	repo.Blob([]byte("text 1 of one\n"))
	if err := repo.Store(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	b.Git("update-ref", "refs/ai/blobs/"+theirs, theirs)
	b.Git("update-ref", "refs/ai/other", theirs)

	keep(t, a, "one", 3, day, r)
	d := draft(a, "one", 2)
	d.Record.Summary = "again, with less"
	if _, fresh, err := a.Keep(t.Context(), d, day.Add(24*time.Hour), r); err != nil || !fresh {
		t.Fatalf("%v, %v", fresh, err)
	}
	left := func() []string {
		return strings.Fields(b.Git("for-each-ref", "--format=%(refname:lstrip=2)", "refs/ai"))
	}
	if out, err := a.Expire(t.Context(), Expiry{Before: day.Add(time.Hour)}); err != nil || len(out.Dropped) != 1 || out.Refs != 1 {
		t.Errorf("Expire = %+v, %v: one blob is of the first snapshot alone", out, err)
	}
	if p := verify(t, a); len(p) != 1 || len(p[0].Problems) > 0 {
		t.Errorf("what is left is not whole: %+v", p)
	}
	if out, err := a.Expire(t.Context(), Expiry{Before: day.Add(48 * time.Hour)}); err != nil || out.Kept != 0 {
		t.Errorf("Expire = %+v, %v", out, err)
	}
	if got, want := left(), []string{"blobs/" + theirs, "other"}; !slices.Equal(got, want) {
		t.Errorf("left are %v, want what the other program made: %v", got, want)
	}
}

// TestRefsBelowMeaning: a reference of that name which points elsewhere is not moved.
func TestRetentionBelowMeaning(t *testing.T) {
	b := newBox(t)
	a := b.open()
	b.Git("commit", "-q", "--allow-empty", "-m", "x")
	name := "refs/ai/" + a.BlobID([]byte("text 0 of one\n"))
	b.Git("update-ref", name, "HEAD")
	if _, _, err := a.Keep(t.Context(), draft(a, "one", 1), day, below(t, "refs/ai")); err == nil || !strings.Contains(err.Error(), name) {
		t.Errorf("Keep = %v", err)
	}
	if got, want := b.Git("rev-parse", name), b.Git("rev-parse", "HEAD"); got != want {
		t.Errorf("%s points to %s", name, got)
	}
}

func TestRetentionBelowNames(t *testing.T) {
	for _, bad := range []string{
		"", "refs", "refs/", "ai/blobs", "/refs/ai", "refs//ai", "refs/../heads", "refs/ai/../heads", "refs/./heads",
		"refs/heads", "refs/heads/main", "refs/tags/x", "refs/remotes/origin", "refs/notes/commits", "refs/stash", "refs/stash/x",
		"refs/satchel/blobs", "refs/satchel", "refs/replace", "refs/bisect/good", "refs/worktree/x", "refs/rewritten/x",
		"refs/Heads/x", "refs/REPLACE", "refs/ai.lock", "refs/ai.lock/x", "refs/a b", "refs/a\nb", "refs/a\x00b", "refs/a~1", "refs/a^", "refs/a:b",
		"refs/a?", "refs/a*", "refs/a[", `refs\heads`, "refs/a@{1}", "refs/.a", "refs/ä", "--upload-pack=x", "refs/a\x1b[31m",
	} {
		if r, err := retentionBelow(bad); err == nil {
			t.Errorf("retentionBelow(%q) = %q, want an error", bad, r)
		}
		if r, err := ParseRetention("refs:" + bad); err == nil {
			t.Errorf("ParseRetention(refs:%q) = %q, want an error", bad, r)
		}
	}
	for _, good := range []string{"refs/ai/blobs", "refs/ai/blobs/", "refs/ai", "refs/headsets/x", "refs/x/heads"} {
		r, err := retentionBelow(good)
		if again, err2 := ParseRetention(string(r)); err != nil || err2 != nil || again != r {
			t.Errorf("retentionBelow(%q) = %q, %v; read again %q, %v", good, r, err, again, err2)
		}
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
