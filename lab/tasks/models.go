package tasks

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/satchel-dev/satchel/lab/learn"
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
	return m, json.Unmarshal(b, &m)
}
