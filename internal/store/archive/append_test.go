package archive

import (
	"context"
	"strings"
	"testing"
)

// A history is appended to a reference that nobody works on. A branch that is
// checked out here, in another worktree, or without a commit yet, stays as it is.
func TestAppend(t *testing.T) {
	b := newBox(t)
	repo := b.open().repo
	ctx := context.Background()
	appendTo := func(ref string) error {
		return Append(ctx, repo, ref, &HistoryFile{Folder: "snapshot", Name: "id", Text: []byte("{}"), Author: "a", Email: "a@b", Message: "m\n", When: day, Tries: 32})
	}
	if err := appendTo("refs/heads/main"); err == nil || !strings.Contains(err.Error(), "refs/heads/main is checked out in ") {
		t.Errorf("unborn branch: error %v", err)
	}
	b.Git("commit", "-q", "--allow-empty", "-m", "one")
	b.Git("worktree", "add", "-q", "-b", "side", t.TempDir()+"/side")
	b.Git("branch", "other")
	for _, ref := range []string{"refs/heads/main", "refs/heads/side"} {
		before := b.Git("rev-parse", ref)
		if err := appendTo(ref); err == nil || !strings.Contains(err.Error(), ref+" is checked out in ") {
			t.Errorf("%s: error %v", ref, err)
		}
		if after := b.Git("rev-parse", ref); after != before {
			t.Errorf("%s moved from %s to %s", ref, before, after)
		}
	}
	for _, ref := range []string{"refs/heads/other", "refs/heads/libra/intent", "refs/libra/intent"} {
		for range 2 { // new, then on top
			if err := appendTo(ref); err != nil {
				t.Errorf("%s: %v", ref, err)
			}
		}
		if got := b.Git("show", ref+":snapshot/id"); got != "{}" {
			t.Errorf("%s holds %q", ref, got)
		}
	}
}
