package outline

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/satchel-dev/satchel/internal/code/symbols"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// print writes an outline as the golden files hold it.
func print(b *bytes.Buffer, o Outline) {
	for _, s := range o.Symbols {
		fmt.Fprintf(b, "%d-%d:%d %s %s | %s", s.From, s.To, s.NameLine, s.Kind, symbols.Join(s.Parent, s.Name), s.Signature)
		if s.Doc != "" {
			fmt.Fprintf(b, " | %s", s.Doc)
		}
		b.WriteByte('\n')
	}
	if len(o.Imports) > 0 {
		fmt.Fprintf(b, "imports %s\n", strings.Join(o.Imports, " "))
	}
	if len(o.Comments) > 0 {
		b.WriteString("comments")
		for _, r := range o.Comments {
			fmt.Fprintf(b, " %d-%d", r.From, r.To)
		}
		b.WriteByte('\n')
	}
	if o.Partial {
		fmt.Fprintf(b, "partial: %s\n", o.Why)
	}
}

// TestGolden outlines each file of each archive. Its outline follows it; in Go, which
// has a parser, that of the line outliner too.
func TestGolden(t *testing.T) {
	archives, err := filepath.Glob("testdata/golden/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, name := range archives {
		t.Run(filepath.Base(name), func(t *testing.T) {
			ar, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			got := &txtar.Archive{Comment: ar.Comment}
			add := func(name string, o Outline) {
				var b bytes.Buffer
				print(&b, o)
				got.Files = append(got.Files, txtar.File{Name: name, Data: b.Bytes()})
			}
			for _, f := range ar.Files {
				if strings.Contains(f.Name, " ") {
					continue
				}
				got.Files = append(got.Files, f)
				lang := Language(f.Name, f.Data)
				if lang == "" {
					t.Errorf("Language(%q) is unknown", f.Name)
				}
				add(f.Name+" outline", Parse(lang, f.Data))
				if lang == "go" {
					add(f.Name+" lines", outlineLines(lang, f.Data, ""))
				}
			}
			if *update {
				if err := os.WriteFile(name, txtar.Format(got), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if d := cmp.Diff(string(txtar.Format(ar)), string(txtar.Format(got))); d != "" {
				t.Errorf("outline differs (-want +got):\n%s", d)
			}
		})
	}
}
