package changeset_test

import (
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/finding"
	"github.com/satchel-dev/satchel/internal/world/git/gittest"
)

// TestReviewed: what several processes say at once is all kept, also in another work
// tree, and a plain folder has nothing.
func TestReviewed(t *testing.T) {
	repo := gittest.New(t)
	repo.Write("a.go", "package a\n")
	repo.Commit("a")
	e, err := engine.Open(t.Context(), &engine.Options{Dir: repo.Dir})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if d, err := e.Reviewed().Read(); err != nil || len(d.Recent) > 0 {
		t.Fatalf("%+v %v", d, err)
	}
	if err := e.Reviewed().Record(nil); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(e.Reviewed().File()); err == nil {
		t.Error("nothing was recorded, and a file is there")
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			f := finding.Finding{Fingerprint: fmt.Sprintf("%04d00000000", i), Category: "style", Path: "a.go", Anchor: finding.Exact, State: finding.Visible, Hash: "h"}
			if err := e.Reviewed().Record([]finding.Finding{f}); err != nil {
				t.Error(err)
			}
			if _, err := e.Reviewed().Dismiss([]string{f.Fingerprint}, "", time.Unix(1, 0)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	d, err := e.Reviewed().Read()
	if err != nil || len(d.Recent) != 8 || len(d.Dismissed) != 8 {
		t.Errorf("%+v %v", d, err)
	}

	plain, err := engine.Open(t.Context(), &engine.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	if err := plain.Reviewed().Record([]finding.Finding{{Fingerprint: "ab", Anchor: finding.Exact}}); err != nil {
		t.Error(err)
	}
	if _, err := plain.Reviewed().Dismiss([]string{"abcd"}, "", time.Unix(1, 0)); err == nil {
		t.Error("a plain folder remembers a dismissal")
	}
}
