package tasks

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/satchel-dev/satchel/lab/train/learn"
	"github.com/satchel-dev/satchel/rank"
)

func modelFile(dir string, fold int) string {
	return filepath.Join(dir, fmt.Sprintf("fold%d.json", fold))
}

// SaveModels writes models that were trained without a part.
func SaveModels(dir string, fold int, m rank.Models) error {
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(modelFile(dir, fold), b, 0o644)
}

// LoadModels reads the models that never saw a repository.
func LoadModels(dir, repo string) (m rank.Models, err error) {
	b, err := os.ReadFile(modelFile(dir, learn.Fold(repo)))
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(b, &m); err != nil {
		return m, err
	}
	// An array of another length is cut or filled up in silence.
	if again, err := json.Marshal(m); err != nil || len(numbers(again)) != len(numbers(b)) {
		return m, fmt.Errorf("%s: models of other signals than there are: %d numbers, not %d", modelFile(dir, learn.Fold(repo)), len(numbers(b)), len(numbers(again)))
	}
	return m, nil
}

// numbers returns the pieces between the commas of a document.
func numbers(b []byte) [][]byte { return bytes.Split(b, []byte(",")) }
