package changeset

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/satchel-dev/satchel/finding"
	"github.com/satchel-dev/satchel/internal/scene/project"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/world/git"
)

// What people said of findings is a JSON document below the repository's git
// directory, shared by its work trees and branches. It may have come
// with a copied repository: [finding.ReadDismissals] believes nothing but what is
// within bounds.
const (
	reviewName = "review.json"
	maxReview  = 4 << 20 // bytes; what the limits allow is less
)

// Reviewed is what people said of the findings of reviews. Its methods may be called
// at the same time, also by other processes.
type Reviewed struct {
	dir string // "" outside git
}

// ReviewedOf returns what was said of a repository's reviews.
func ReviewedOf(p *project.Project) Reviewed {
	if repo, ok := p.Tree.(*git.Repo); ok {
		return Reviewed{filepath.Join(repo.CommonDir(), "satchel")}
	}
	return Reviewed{}
}

// File returns the file that it is kept in, "" outside git.
func (r Reviewed) File() string {
	if r.dir == "" {
		return ""
	}
	return filepath.Join(r.dir, reviewName)
}

// Read returns all that was said, nothing outside git.
func (r Reviewed) Read() (*finding.Dismissals, error) {
	if r.dir == "" {
		return finding.ReadDismissals(nil)
	}
	b, err := index.ReadFile(r.dir, reviewName, maxReview)
	if err != nil {
		return nil, err
	}
	return r.parse(b)
}

func (r Reviewed) parse(b []byte) (*finding.Dismissals, error) {
	d, err := finding.ReadDismissals(b)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", r.File(), err)
	}
	return d, nil
}

// update replaces what is kept. Nothing is written if do fails.
func (r Reviewed) update(do func(*finding.Dismissals) error) error {
	if r.dir == "" {
		return git.ErrNotRepository
	}
	return index.ReplaceFile(r.dir, reviewName, maxReview, func(old []byte) ([]byte, error) {
		d, err := r.parse(old)
		if err != nil {
			return nil, err
		}
		if err := do(d); err != nil {
			return nil, err
		}
		return d.Bytes()
	})
}

// Record remembers the findings of a review, so that people can dismiss them by id.
func (r Reviewed) Record(list []finding.Finding) error {
	if len(list) == 0 || r.dir == "" {
		return nil
	}
	return r.update(func(d *finding.Dismissals) error {
		d.Record(list)
		return nil
	})
}

// Dismiss hides findings until the definitions change that they are about.
func (r Reviewed) Dismiss(ids []string, reason string, now time.Time) (list []finding.Known, err error) {
	err = r.update(func(d *finding.Dismissals) (err error) {
		list, err = d.Dismiss(ids, reason, now)
		return err
	})
	return list, err
}

// Forget takes a dismissal back.
func (r Reviewed) Forget(id string) (gone finding.Dismissal, err error) {
	err = r.update(func(d *finding.Dismissals) (err error) {
		gone, err = d.Forget(id)
		return err
	})
	return gone, err
}
