package secrets

import (
	"bytes"
	"os"
	"testing"
)

// BenchmarkRedact measures the common case: source code without a secret.
func BenchmarkRedact(b *testing.B) {
	var src []byte
	for _, f := range []string{"secrets.go", "scan.go", "special.go", "context.go", "files.go"} {
		text, err := os.ReadFile(f)
		if err != nil {
			b.Fatal(err)
		}
		src = append(src, text...)
	}
	for _, bc := range []struct {
		name string
		text []byte
	}{
		{"own source", bytes.Repeat(src, 10)},
		{"prose", bytes.Repeat([]byte("The quick brown fox jumps over the lazy dog, again and again.\n"), 5000)},
		{"dashes", bytes.Repeat([]byte("-"), 300_000)},
		{"base64", bytes.Repeat([]byte("QUtJQUFLSUE"), 30_000)},
	} {
		b.Run(bc.name, func(b *testing.B) {
			b.SetBytes(int64(len(bc.text)))
			for b.Loop() {
				if _, found := Redact("main.go", bc.text); len(found) > 0 {
					b.Fatal(found)
				}
			}
		})
	}
}
