package main

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel/trim/reuse"
)

// TestSource writes the committed weights again.
func TestSource(t *testing.T) {
	want, err := os.ReadFile("../../trim/reuse/weights.go")
	if err != nil {
		t.Fatal(err)
	}
	m := reuse.Committed()
	got, err := source(&m)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("trim/reuse/weights.go is not what sessions writes (-committed +written):\n%s", diff)
	}
}
