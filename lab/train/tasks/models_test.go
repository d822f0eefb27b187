package tasks

import (
	"bytes"
	"os"
	"testing"

	"github.com/satchel-dev/satchel/lab/train/learn"
	"github.com/satchel-dev/satchel/rank"
)

// TestModelsOfOtherSignals: models that were saved by a program with other signals are
// refused, for their numbers would stand for other signals.
func TestModelsOfOtherSignals(t *testing.T) {
	dir, repo := t.TempDir(), "a/b"
	if err := SaveModels(dir, learn.Fold(repo), rank.Models{}.OrDefault()); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadModels(dir, repo); err != nil {
		t.Fatal(err)
	}
	file := modelFile(dir, learn.Fold(repo))
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, bytes.Replace(b, []byte(`"Max":[`), []byte(`"Max":[0,`), 1), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadModels(dir, repo); err == nil {
		t.Error("models of other numbers were taken")
	}
}
