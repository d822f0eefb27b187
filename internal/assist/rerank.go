package assist

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/assist/ask"
)

// Rerank has the model grade candidates for a task, in one call, and returns their
// new order: see engine.Reranker. It notes in seen what the model is shown. Candidates
// without a grade keep their places. An answer about fewer than half of them is an error.
func (d *Desk) Rerank(ctx context.Context, task string, list []satchel.Candidate, seen *Material) (order []int, said []string, err error) {
	shown := make([]ask.RerankCandidate, len(list))
	for i := range list {
		shown[i] = candidateOf(&list[i])
	}
	a := ask.Rerank(task, shown)
	seen.add(a)
	run := d.run(d.helper(), "rerank")
	run.MaxTokens = partAnswer
	run.Check = func(input json.RawMessage) error {
		_, err := ask.ReadGrades(a, input, len(list))
		return err
	}
	out, err := run.Do(ctx, a)
	if err != nil {
		return nil, nil, err
	}
	grades, _ := ask.ReadGrades(a, out.Input, len(list)) // what lacks keeps its place
	if order, err = ask.ApplyGrades(grades, len(list)); err != nil {
		return nil, nil, err
	}
	said = make([]string, len(list))
	for i, g := range grades {
		said[i] = fmt.Sprintf("model: %d of %d", g, mostGrade)
	}
	return order, said, nil
}

// mostGrade is the best grade.
const mostGrade = 3

// candidateOf is what a model is told of a candidate: its signature, or the first line
// that says anything.
func candidateOf(c *satchel.Candidate) ask.RerankCandidate {
	r := ask.RerankCandidate{Path: c.Ref.Path, Name: c.Title.String()}
	for i := range c.Forms {
		for line := range strings.Lines(c.Forms[i].Text.String()) {
			if line = strings.TrimSpace(line); line != "" && !strings.Contains(r.Name, line) {
				r.Line = line
				return r
			}
		}
	}
	return r
}
