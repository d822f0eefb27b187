package change_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/internal/code/outline"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestEdits compares the files below old/ with those below new/ of each
// archive. Its edits follow: those of the definitions and those of the patch alone,
// exported ones with a star, those that break with an exclamation mark.
func TestEdits(t *testing.T) {
	archives, err := filepath.Glob("testdata/edits/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, name := range archives {
		t.Run(filepath.Base(name), func(t *testing.T) {
			ar, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			old, now, want := map[string]string{}, map[string]string{}, ""
			var paths []string
			kept := ar.Files[:0]
			for _, f := range ar.Files {
				side, file, _ := strings.Cut(f.Name, "/")
				switch side {
				case "old":
					old[file] = string(f.Data)
				case "new":
					now[file] = string(f.Data)
				case "want":
					want = string(f.Data)
					continue
				default:
					t.Fatalf("file %s is neither below old/ nor new/", f.Name)
				}
				paths = append(paths, file)
				kept = append(kept, f)
			}
			slices.Sort(paths)
			paths = slices.Compact(paths)
			files := make([]change.Scored, len(paths))
			sides := make([]change.Sides, len(paths))
			for i, path := range paths {
				files[i].File = patch(path, old[path], now[path])
				files[i].Lang = outline.Language(path, nil)
				if s, ok := old[path]; ok {
					sides[i].Old = outlined(path, s)
				}
				if s, ok := now[path]; ok {
					sides[i].New = outlined(path, s)
				}
			}
			alone := slices.Clone(files)
			change.Describe(files, sides)
			change.Describe(alone, nil)
			var b strings.Builder
			for i := range files {
				f := &files[i]
				fmt.Fprintf(&b, "%s", f.Path)
				if f.Comments {
					b.WriteString(" comments only")
				}
				if f.Spaces {
					b.WriteString(" spaces only")
				}
				fmt.Fprintf(&b, "\n%spatch alone\n%s", show(f.Edits), show(alone[i].Edits))
			}
			if *update {
				ar.Files = append(kept, txtar.File{Name: "want", Data: []byte(b.String())})
				if err := os.WriteFile(name, txtar.Format(ar), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(want, b.String()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// outlined makes a side of a text.
func outlined(name, text string) *change.Side {
	o := outline.Parse(outline.Language(name, []byte(text)), []byte(text))
	return &change.Side{Text: []byte(text), Symbols: o.Symbols, Imports: o.Imports, Comments: o.Comments}
}

// patch makes the hunks of two texts, all lines in one hunk.
func patch(name, old, text string) change.File {
	f := change.File{Path: name, Status: change.Modified}
	a, b := splitLines(old), splitLines(text)
	switch {
	case old == "":
		f.Status = change.Added
	case text == "":
		f.Status = change.Deleted
	}
	// The longest common subsequence, by the table of its lengths.
	length := make([][]int, len(a)+1)
	for i := range length {
		length[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				length[i][j] = 1 + length[i+1][j+1]
			} else {
				length[i][j] = max(length[i+1][j], length[i][j+1])
			}
		}
	}
	h := change.Hunk{OldFrom: min(1, len(a)), OldLines: len(a), NewFrom: min(1, len(b)), NewLines: len(b)}
	var body strings.Builder
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			body.WriteString(" " + a[i])
			i++
			j++
		case j == len(b) || i < len(a) && length[i+1][j] >= length[i][j+1]:
			body.WriteString("-" + a[i])
			h.Removed++
			i++
		default:
			body.WriteString("+" + b[j])
			h.Added++
			j++
		}
	}
	h.Body = body.String()
	f.Added, f.Removed = h.Added, h.Removed
	if h.Added+h.Removed > 0 {
		f.Hunks = []change.Hunk{h}
	}
	return f
}

func splitLines(s string) []string { return slices.Collect(strings.Lines(s)) }
