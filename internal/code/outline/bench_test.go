package outline

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// sample returns a text of about size bytes, repeated from a golden file.
func sample(b *testing.B, lang string, size int) []byte {
	b.Helper()
	names, err := filepath.Glob("testdata/golden/" + lang + ".txtar")
	if err != nil || len(names) == 0 {
		b.Fatalf("no sample of %s: %v", lang, err)
	}
	ar, err := txtar.ParseFile(names[0])
	if err != nil {
		b.Fatal(err)
	}
	one := ar.Files[0].Data
	if lang == "go" { // a second package clause would be an error
		clause, rest, _ := bytes.Cut(one, []byte("// Limits of"))
		return append(bytes.Clone(clause), bytes.Repeat(rest, max(1, size/len(rest)))...)
	}
	return bytes.Repeat(one, max(1, size/len(one)))
}

func BenchmarkParse(b *testing.B) {
	for i := range table {
		lang := table[i].name
		if !table[i].grammar {
			continue
		}
		b.Run(lang, func(b *testing.B) {
			src := sample(b, lang, 20_000)
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				Parse(lang, src)
			}
		})
	}
}

func BenchmarkLines(b *testing.B) {
	for _, lang := range []string{"c", "cpp", "swift", "python", "typescript", "rust", "ruby", "bash"} {
		b.Run(lang, func(b *testing.B) {
			src := sample(b, lang, 20_000)
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				outlineLines(lang, src, "")
			}
		})
	}
}

func BenchmarkClassify(b *testing.B) {
	src := sample(b, "go", 20_000)
	for b.Loop() {
		Classify("internal/code/outline/class.go", "go", src, nil)
	}
}
