package main

import (
	"slices"
	"testing"
)

// TestHardRows keeps the likeliest rows and all right ones, in order.
func TestHardRows(t *testing.T) {
	s := &sample{gold: map[int]bool{3: true, 150: true}}
	scores := make([]float32, 200)
	for i := range scores {
		scores[i] = float32(i)
		if i%10 != 0 || i == 150 {
			s.rows = append(s.rows, i)
		}
	}
	got := s.hardRows(scores)
	if len(got) != hard+1 { // 150 is among the likeliest
		t.Errorf("%d rows kept, want %d", len(got), hard+1)
	}
	if got[0] != 3 || got[len(got)-1] != 199 || !slices.IsSorted(got) || !slices.Contains(got, 150) {
		t.Errorf("rows kept are %v", got)
	}
	if !slices.IsSorted(s.rows) {
		t.Error("the rows of the sample were reordered")
	}
}
