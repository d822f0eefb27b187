package tasks

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"

	"github.com/satchel-dev/satchel/rank"
)

// Folds is the number of parts of a cross-validation. All tasks of a repository
// are in one part.
const Folds = 5

// Fold returns the part that a repository is in.
func Fold(repo string) int {
	h := fnv.New32a()
	h.Write([]byte(repo))
	return int(h.Sum32()>>3) % Folds
}

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
	b, err := os.ReadFile(modelFile(dir, Fold(repo)))
	if err != nil {
		return m, err
	}
	return m, json.Unmarshal(b, &m)
}
