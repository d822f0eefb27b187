package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/engine"
	sourcefiles "github.com/satchel-dev/satchel/internal/source/files"
	"github.com/satchel-dev/satchel/render"
)

var noted = time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)

// memoryTree is a plain folder; what is remembered about it lies in a cache
// directory of the test's own.
func memoryTree(t *testing.T) *engine.Engine {
	t.Helper()
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("HOME", cache)
	files := map[string]string{"notes": "a file of this name\n"}
	for i := range 30 {
		files[fmt.Sprintf("pkg%02d/store.go", i)] = fmt.Sprintf("package pkg%02d\n\n// Open opens the store %d of sessions.\nfunc Open() int { return %d }\n", i, i, i)
	}
	return open(t, engine.Options{Dir: write(t, files)})
}

func bytesOf(t *testing.T, e *engine.Engine, req satchel.Request) (string, *satchel.Pack) {
	t.Helper()
	p, err := e.Pack(context.Background(), req)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := render.Pack(&b, p, render.Format(req.Format)); err != nil {
		t.Fatal(err)
	}
	return b.String(), p
}

func addNote(t *testing.T, e *engine.Engine, text string, pin bool, now time.Time) {
	t.Helper()
	if _, _, err := e.Memory().Add(context.Background(), text, "", pin, now); err != nil {
		t.Fatal(err)
	}
}

var memoryRequests = []satchel.Request{
	{Task: "open the store of sessions", Budget: 1200},
	{Task: "open the store of sessions", Budget: 1200, Format: "json"},
	{Task: "open the store of sessions", Budget: 1200, Format: "xml"},
	{Task: "open the store of sessions", Budget: 1200, Format: "plain", Detail: satchel.Outline},
	{Task: "open the store of sessions"},
	{Budget: 1200},
	{Budget: 1200, Detail: satchel.Mention},
	{},
}

// Without notes, and after the last one has gone, packs are what they were.
func TestPackWithoutNotes(t *testing.T) {
	e := memoryTree(t)
	var before []string
	for _, req := range memoryRequests {
		text, _ := bytesOf(t, e, req)
		before = append(before, text)
	}
	addNote(t, e, "gone", true, noted)
	if err := e.Memory().Use(context.Background(), noted, true, "pkg07/store.go"); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Memory().Remove(context.Background(), 1); err != nil {
		t.Fatal(err)
	}
	if err := e.Memory().Forget(context.Background()); err != nil {
		t.Fatal(err)
	}
	for i, req := range memoryRequests {
		if text, _ := bytesOf(t, e, req); text != before[i] {
			t.Errorf("%+v: another pack than before there were notes", req)
		}
	}
}

func TestPackShowsNotes(t *testing.T) {
	e := memoryTree(t)
	addNote(t, e, "sessions are kept\nin one store for each user", false, noted)
	addNote(t, e, "releases are cut on Fridays", false, noted)
	addNote(t, e, "always run gofmt", true, noted.Add(-900*24*time.Hour))
	for _, req := range memoryRequests {
		text, p := bytesOf(t, e, req)
		name := fmt.Sprintf("%+v", req)
		shown := map[int]bool{}
		for _, entry := range p.Entries {
			if entry.Ref.Kind == satchel.KindNote {
				shown[entry.Ref.From] = true
			}
		}
		wantOther := req.Task == "" || req.Budget == 0
		if !shown[1] || shown[2] != wantOther || !shown[3] {
			t.Errorf("%s: notes %v, want 1 and 3, and 2 if there is no task or no limit", name, shown)
		}
		if !wantOther && !slices.ContainsFunc(p.Omitted, func(o satchel.Omission) bool {
			return o.Ref == satchel.Ref{Kind: satchel.KindNote, Path: "notes", From: 2, To: 2} && o.Why == "not about the task"
		}) {
			t.Errorf("%s: note 2 is not accounted for: %v", name, p.Omitted)
		}
		if req.Budget > 0 && p.Used > req.Budget {
			t.Errorf("%s: %d tokens used", name, p.Used)
		}
		if !strings.Contains(text, "always run gofmt") {
			t.Errorf("%s: the pinned note is missing:\n%s", name, text)
		}
		if !slices.ContainsFunc(p.Sections, func(s satchel.Section) bool { return s.Name == "notes" && s.Tokens > 0 }) {
			t.Errorf("%s: sections %v, want notes", name, p.Sections)
		}
		if again, _ := bytesOf(t, e, req); again != text {
			t.Errorf("%s: the second pack is another", name)
		}
	}
	// The receipt's "satchel show" finds them, beside a file of the same name.
	for _, bad := range [][2]int{{-5, 0}, {1, -1}, {2, 1}, {99, 100}} {
		var lines *sourcefiles.RangeError
		if _, err := e.Files().Show(context.Background(), "notes", bad[0], bad[1], ""); !errors.As(err, &lines) {
			t.Errorf("lines %v: %v, want a *files.RangeError", bad, err)
		}
	}
	if text, err := e.Files().Show(context.Background(), "notes", 1, 1, ""); err != nil || text.Text != "a file of this name\n" {
		t.Errorf("Show of a file notes: %+v, %v", text, err)
	}
}

// Notes that are not pinned share a twentieth of the budget, best first.
func TestNotesShare(t *testing.T) {
	e := memoryTree(t)
	for i := range 60 {
		addNote(t, e, fmt.Sprintf("the store %d of sessions is opened by its owner and closed by nobody", i), false, noted.Add(time.Duration(i)*24*time.Hour))
	}
	_, p := bytesOf(t, e, satchel.Request{Task: "open the store of sessions", Budget: 2000})
	tokens, least := 0, 100
	for _, entry := range p.Entries {
		if entry.Ref.Kind == satchel.KindNote {
			tokens += entry.Tokens
			least = min(least, entry.Ref.From)
		}
	}
	if tokens == 0 || tokens > 100 {
		t.Errorf("notes take %d tokens of 2000, want some and at most 100", tokens)
	}
	if least < 50 {
		t.Errorf("note %d is shown before newer ones", least)
	}
}

// Pinned notes that do not fit are an error that says what is needed.
func TestPinnedNotesNeedRoom(t *testing.T) {
	e := memoryTree(t)
	addNote(t, e, strings.Repeat("always remember this ", 200), true, noted)
	_, err := e.Pack(context.Background(), satchel.Request{Task: "open", Budget: 400})
	if err == nil || !strings.Contains(err.Error(), "tokens are needed, limit is 400") {
		t.Errorf("error %v", err)
	}
}

func TestWorkingSet(t *testing.T) {
	e := memoryTree(t)
	ctx := context.Background()
	const used = "pkg23/store.go"
	search := func() (int, *engine.SearchResult) {
		r, err := e.Search(ctx, engine.SearchRequest{Query: "open the store of sessions", Limit: 31, Explain: true})
		if err != nil {
			t.Fatal(err)
		}
		return slices.IndexFunc(r.Files, func(h engine.FileHit) bool { return h.Path == used }), r
	}
	before, _ := search()
	if err := e.Memory().Use(ctx, noted, true, used, "no/such/file.go"); err != nil {
		t.Fatal(err)
	}
	after, r := search()
	if before == 0 || after != 0 {
		t.Errorf("rank %d before and %d after an edit, want it to become 0", before, after)
	}
	var sum float64
	said := false
	for _, why := range r.Files[after].Reasons {
		sum += why.Add
		said = said || why.Why == "used recently" && why.Add > 1
	}
	if !said || math.Abs(sum-r.Files[after].Score) > 1e-3 {
		t.Errorf("reasons %v, sum %v, score %v", r.Files[after].Reasons, sum, r.Files[after].Score)
	}
	// A day later it has faded, by the request's time.
	_, p := bytesOf(t, e, satchel.Request{Task: "open the store of sessions", Budget: 1200, Now: noted})
	_, q := bytesOf(t, e, satchel.Request{Task: "open the store of sessions", Budget: 1200, Now: noted.Add(24 * time.Hour)})
	if p.Paths[0].Path != used || q.Paths[0].Path == used {
		t.Errorf("best path %s right after, %s a day later", p.Paths[0].Path, q.Paths[0].Path)
	}
}

// A damaged database costs packs their notes and nothing else.
func TestPackWithDamagedNotes(t *testing.T) {
	e := memoryTree(t)
	addNote(t, e, "gone", true, noted)
	var file string
	err := filepath.WalkDir(os.Getenv("XDG_CACHE_HOME"), func(path string, d os.DirEntry, err error) error {
		if d != nil && d.Name() == "state.db" {
			file = path
		}
		return err
	})
	if err != nil || file == "" {
		t.Fatalf("no database below the cache directory: %v", err)
	}
	if err := os.WriteFile(file, []byte("garbage"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, req := range memoryRequests {
		text, p := bytesOf(t, e, req)
		if !slices.ContainsFunc(p.Diagnostics, func(n satchel.Diagnostic) bool {
			return n.Text == "notes and context files are left out: state.db: damaged: file is not a database"
		}) {
			t.Errorf("%+v: diagnostics %v", req, p.Diagnostics)
		}
		if strings.Contains(text, file) {
			t.Errorf("%+v: the pack names a folder of this machine", req)
		}
	}
	if _, _, err := e.Memory().Add(context.Background(), "more", "", false, noted); err == nil {
		t.Error("a note was added to garbage")
	}
}
