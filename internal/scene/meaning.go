package scene

import (
	"context"
	"slices"

	"github.com/satchel-dev/satchel/internal/scene/project"
)

// A Meaning asks an Embedder once for all that is tried to make one pack: each
// answer may take as long as the endpoint's time limit, and so may each failure.
type Meaning struct {
	of       project.Embedder
	task     string
	sections []project.DocText
	alike    []float64
	err      error
}

// NewMeaning is for one call of Pack; nil without an Embedder.
func NewMeaning(e *project.Project) *Meaning {
	if e.Embedder == nil {
		return nil
	}
	return &Meaning{of: e.Embedder}
}

// Similarities is an [Embedder]'s. After an error nothing is asked any more.
func (m *Meaning) Similarities(ctx context.Context, task string, sections []project.DocText) ([]float64, error) {
	if m.err != nil || m.alike != nil && m.task == task && slices.Equal(m.sections, sections) {
		return m.alike, m.err
	}
	m.task, m.sections = task, sections
	m.alike, m.err = m.of.Similarities(ctx, task, sections)
	return m.alike, m.err
}
