package session

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/store/state"
)

// given is what was put beside a prompt.
func given(at time.Time, prompt string, entries []satchel.Entry) Given {
	g := Given{Time: at, Client: "claude", Session: "s1", Prompt: prompt, Match: satchel.MatchStrong}
	g.Show(entries)
	return g
}

// TestRecordPrompt: records of hooks that run at the same time are neither lost nor
// torn, the file stays small, and what is kept is newest first.
func TestRecordPrompt(t *testing.T) {
	k := NewKept(nil, state.Memory{Path: filepath.Join(t.TempDir(), "satchel", state.Name)})
	const hooks, each, keep = 4, 60, 20
	var wg sync.WaitGroup
	for h := range hooks {
		wg.Go(func() {
			for i := range each {
				p := []satchel.Entry{
					{Ref: satchel.Ref{Kind: satchel.KindSnippet, Path: strings.Repeat("d/", 200) + "a.go", From: 1, To: 9}, Tokens: 7},
				}
				if err := k.RecordPrompt(given(time.Unix(int64(1+i), 0), fmt.Sprintf("hook %d prompt %d", h, i), p), keep); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	name := filepath.Join(k.lastDir(), lastName)
	fi, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	if fi.Size() > lastLong+hooks*lastLine || runtime.GOOS != "windows" && fi.Mode().Perm() != 0o600 {
		t.Errorf("%d bytes, mode %v", fi.Size(), fi.Mode())
	}
	list, damaged, err := k.LastPrompts(keep)
	if err != nil || damaged > 0 || len(list) != keep {
		t.Fatalf("%d prompts, %d damaged, %v", len(list), damaged, err)
	}
	if got := list[0]; len(got.Files) != 1 || got.Tokens != 7 || got.Match != satchel.MatchStrong {
		t.Errorf("%+v", got)
	}

	// A long list of files is cut, and says so.
	var p []satchel.Entry
	for i := range 500 {
		p = append(p, satchel.Entry{Ref: satchel.Ref{Kind: satchel.KindFile, Path: fmt.Sprintf("folder/file%d.go", i)}})
	}
	if err := k.RecordPrompt(given(time.Unix(1e9, 0), strings.Repeat("long ", 1000), p), keep); err != nil {
		t.Fatal(err)
	}
	list, _, err = k.LastPrompts(1)
	if err != nil || len(list) != 1 || len(list[0].Files)+list[0].More != 500 || list[0].More == 0 || len([]rune(list[0].Prompt)) != promptRunes {
		t.Errorf("%v: %+v", err, list)
	}
}

// TestRecordPromptsKept: as many prompts are kept as were asked for, however much
// each was given.
func TestRecordPromptsKept(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	k := NewKept(nil, state.Memory{Path: filepath.Join(t.TempDir(), "satchel", state.Name)})
	const keep = 100
	var p []satchel.Entry
	for i := range 20 {
		p = append(p, satchel.Entry{Ref: satchel.Ref{Kind: satchel.KindFile, Path: fmt.Sprintf("%sfile%d.go", strings.Repeat("folder/", 8), i)}})
	}
	for i := range 2 * keep {
		if err := k.RecordPrompt(given(time.Unix(int64(1+i), 0), fmt.Sprint("prompt ", i), p), keep); err != nil {
			t.Fatal(err)
		}
		list, damaged, err := k.LastPrompts(keep)
		if want := min(i+1, keep); err != nil || damaged > 0 || len(list) != want {
			t.Fatalf("after %d prompts: %d are kept, want %d; %d damaged, %v", i+1, len(list), want, damaged, err)
		}
	}
}

// BenchmarkRecordPrompt is what a prompt waits for its record.
func BenchmarkRecordPrompt(b *testing.B) {
	k := NewKept(nil, state.Memory{Path: filepath.Join(b.TempDir(), "satchel", state.Name)})
	var p []satchel.Entry
	for i := range 20 {
		p = append(p, satchel.Entry{Ref: satchel.Ref{Kind: satchel.KindSnippet, Path: fmt.Sprintf("folder/file%d.go", i)}, Lines: []satchel.Range{{From: 1, To: 40}}})
	}
	for b.Loop() {
		if err := k.RecordPrompt(given(time.Unix(1e9, 0), "the login times out behind a proxy", p), 20); err != nil {
			b.Fatal(err)
		}
	}
}
