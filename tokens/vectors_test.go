package tokens

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// testdata/vectors.mjs makes the vectors from the npm package tiktoken.
const (
	vectorsVersion = "1.0.22"
	fewestVectors  = 400
)

// A vector is a text with its tokens as OpenAI's own encoder has them.
type vector struct {
	Package, Version string // first line only

	Text          string
	Hex           string // instead of Text: bytes that are not UTF-8
	O200k, Cl100k []uint32
}

func readVectors(t testing.TB) []vector {
	t.Helper()
	f, err := os.Open("testdata/vectors.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var vs []vector
	for sc := bufio.NewScanner(f); sc.Scan(); {
		var v vector
		if err := json.Unmarshal(sc.Bytes(), &v); err != nil {
			t.Fatalf("vectors.jsonl:%d: %v", len(vs)+1, err)
		}
		if v.Hex != "" {
			b, err := hex.DecodeString(v.Hex)
			if err != nil {
				t.Fatalf("vectors.jsonl:%d: %v", len(vs)+1, err)
			}
			v.Text = string(b)
		}
		vs = append(vs, v)
	}
	if len(vs) < fewestVectors || vs[0].Package != "tiktoken" || vs[0].Version != vectorsVersion {
		t.Fatalf("vectors.jsonl: %d lines, want at least %d from tiktoken %s", len(vs), fewestVectors, vectorsVersion)
	}
	return vs[1:]
}

func TestVectors(t *testing.T) {
	for _, v := range readVectors(t) {
		for _, c := range []struct {
			e    *Encoding
			want []uint32
		}{{O200k(), v.O200k}, {Cl100k(), v.Cl100k}} {
			got := c.e.Encode([]uint32{}, v.Text)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s: Encode(%q) (-want +got):\n%s", c.e.Name(), v.Text, diff)
			}
			for range 2 { // the second is answered from the scratch's table
				if n := c.e.Count(v.Text); n != len(c.want) {
					t.Errorf("%s: Count(%q) = %d, want %d", c.e.Name(), v.Text, n, len(c.want))
				}
			}
		}
	}
}
