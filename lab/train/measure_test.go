package main

import (
	"slices"
	"testing"
)

// TestKeptFiles keeps the likeliest files and all right ones, and learns from source.
func TestKeptFiles(t *testing.T) {
	const n = 300
	scores, primary := make([]float32, n), make([]bool, n)
	for i := range scores {
		scores[i] = float32(i)
		primary[i] = i%2 == 0
	}
	right := map[int]bool{3: true, 298: true}
	var at []int
	source := 0
	for _, f := range keptFiles(scores, primary, right) {
		at = append(at, f.index)
		if f.learned {
			source++
		}
		if right[f.index] && !f.learned {
			t.Errorf("file %d is right and not learned from", f.index)
		}
		if f.learned && !primary[f.index] && !right[f.index] {
			t.Errorf("file %d is no source and learned from", f.index)
		}
	}
	if source != learned+1 { // 298 is among the likeliest
		t.Errorf("%d files are learned from, want %d", source, learned+1)
	}
	if at[0] != 3 || at[len(at)-1] != n-1 || !slices.IsSorted(at) {
		t.Errorf("files kept are %v", at)
	}
}
