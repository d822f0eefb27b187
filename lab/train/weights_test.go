package main

import (
	"bytes"
	"go/format"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel/rank"
)

// TestWeightsFile writes the committed models again.
func TestWeightsFile(t *testing.T) {
	want, err := os.ReadFile("../../rank/weights.go")
	if err != nil {
		t.Fatal(err)
	}
	_, want, _ = bytes.Cut(want, []byte("\n\n")) // without the heading

	var b bytes.Buffer
	writeModels(&b, rank.Models{}.OrDefault())
	got, err := format.Source(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), strings.TrimPrefix(string(got), "\n")); diff != "" {
		t.Errorf("rank/weights.go is not what train writes (-committed +written):\n%s", diff)
	}
}
