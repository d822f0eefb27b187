package changeset

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"github.com/satchel-dev/satchel/internal/scene/project"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/rank"
)

// Feedback is a JSON document below the repository's git directory, shared by
// its work trees and branches. It may have come with a copied repository, so
// nothing in it is believed but numbers within bounds for signals that are known.

const (
	feedbackVersion = 1
	feedbackName    = "feedback.json"
	maxFeedback     = 16 << 20 // bytes; what the limits allow is less
	mostMultiplier  = 4.0      // as rank.Learn bounds them
)

// A Learned is what verdicts on changes taught, in a file below the repository's git
// directory. Its methods may be called at the same time, also by other processes.
type Learned struct {
	project *project.Project
	dir     string // "" outside git
}

// LearnedOf returns what was learned of a repository, or of a plain folder, of which
// nothing is.
func LearnedOf(p *project.Project) Learned {
	l := Learned{project: p}
	if repo, ok := p.Tree.(*git.Repo); ok {
		l.dir = filepath.Join(repo.CommonDir(), "satchel", "feedback")
	}
	return l
}

// File returns the file that feedback is kept in, "" outside git.
func (l Learned) File() string {
	if l.dir == "" {
		return ""
	}
	return filepath.Join(l.dir, feedbackName)
}

// Read returns what is remembered: an empty Feedback if there is none.
func (l Learned) Read() (*Feedback, error) {
	if l.dir == "" {
		return parseFeedback(nil)
	}
	b, err := index.ReadFile(l.dir, feedbackName, maxFeedback)
	if err != nil {
		return nil, err
	}
	f, err := parseFeedback(b)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", l.File(), err)
	}
	return f, nil
}

// Reset forgets everything, and returns how many verdicts that were. A file that
// cannot be read is removed as well.
func (l Learned) Reset() (forgotten int, err error) {
	if l.dir == "" {
		return 0, git.ErrNotRepository
	}
	b, err := index.ReadFile(l.dir, feedbackName, math.MaxInt64)
	if err != nil || len(b) == 0 {
		return 0, err
	}
	return forgotten, index.ReplaceFile(l.dir, feedbackName, math.MaxInt64, func(old []byte) ([]byte, error) {
		if f, err := parseFeedback(old); err == nil {
			forgotten = len(f.Verdicts)
		}
		return nil, nil
	})
}

// update replaces what is remembered.
func (l Learned) update(update func(*Feedback) *Feedback) error {
	return index.ReplaceFile(l.dir, feedbackName, maxFeedback, func(old []byte) ([]byte, error) {
		f, err := parseFeedback(old)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", l.File(), err)
		}
		b, err := json.MarshalIndent(update(f), "", " ")
		return append(b, '\n'), err
	})
}

// parseFeedback reads a file, or makes an empty Feedback of no bytes.
func parseFeedback(b []byte) (*Feedback, error) {
	f := &Feedback{Version: feedbackVersion}
	if len(b) > 0 {
		if err := json.Unmarshal(b, f); err != nil {
			return nil, fmt.Errorf("it is damaged: %w", err)
		}
		if f.Version != feedbackVersion {
			return nil, fmt.Errorf("it has version %d, and this satchel knows %d", f.Version, feedbackVersion)
		}
	}
	known := rank.ChangeSignalNames()
	if f.Multipliers == nil {
		f.Multipliers = map[string]float64{}
	}
	for name, m := range f.Multipliers {
		if !slices.Contains(known, name) || !(m >= 0 && m <= mostMultiplier) {
			return nil, fmt.Errorf("it is damaged: multiplier %.40q = %v", name, m)
		}
	}
	for i := range f.Verdicts {
		for k := range f.Verdicts[i].Files {
			for name, v := range f.Verdicts[i].Files[k].Signals {
				if math.Abs(v) > mostSignal {
					return nil, fmt.Errorf("it is damaged: signal %.40q = %v", name, v)
				}
			}
		}
	}
	if len(f.Verdicts) > maxVerdicts {
		return nil, fmt.Errorf("it is damaged: %d verdicts, and %d is the most", len(f.Verdicts), maxVerdicts)
	}
	f.Verdicts = append([]FeedbackVerdict{}, f.Verdicts...)
	return f, nil
}

// mostSignal is more than any signal measures: they are shares, or little more.
const mostSignal = 100
