package main

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel/rank"
)

// TestSource writes the committed table again, all numbers aside.
func TestSource(t *testing.T) {
	want, err := os.ReadFile("../../../rank/relevance_weights.go")
	if err != nil {
		t.Fatal(err)
	}
	var e rank.Evidence
	m := model{
		relevance: logistic{weights: slices.Repeat([]float64{1}, len(relevanceFeatures(&e)))},
		kinship:   logistic{weights: slices.Repeat([]float64{1}, len(kinshipFeatures(&e)))},
	}
	number := regexp.MustCompile(`-?\d+\.\d+`)
	if diff := cmp.Diff(number.ReplaceAllString(string(want), "N"), number.ReplaceAllString(string(m.source(0, 0, 0)), "N")); diff != "" {
		t.Errorf("rank/relevance_weights.go is not what relevance writes (-committed +written):\n%s", diff)
	}
}
