package scene

import (
	"context"
	"fmt"
	"slices"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/scene/changeset"
	"github.com/satchel-dev/satchel/internal/scene/project"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/render"
)

// lookAtChange makes the scene of a Request with Changes.
func lookAtChange(ctx context.Context, w *project.Project, req satchel.Request, format render.Format) (*Scene, error) {
	x, err := changeset.Measure(ctx, w, &changeset.Request{Range: req.Changes, Task: req.Task, Names: req.Names, Detail: changeset.DiffStandard, Budget: req.Budget})
	if err != nil {
		return nil, err
	}
	if x.View == nil { // its error is in the notes; without it, the change has no surroundings
		return nil, fmt.Errorf("pack %s: cannot read the files around the change", clean.Inline(req.Changes))
	}

	sc := New(w, req, format, x.View)
	sc.Change = x
	for i := range x.View.Files() {
		sc.Accounted[i] = x.LeavesOut(x.View.Files()[i].Path)
	}
	var changed []string // some are not there any more
	for i := range x.Report.Files {
		changed = append(changed, x.Report.Files[i].Path)
	}
	if sc.Scope, sc.Diags, err = w.Limit(x.View, x.Req.NewSide(), req.Paths, req.Include, changed...); err != nil {
		return nil, err
	}
	sc.Diags = append(slices.Clone(x.Report.Diagnostics), sc.Diags...)
	sc.Memory = w.Recall(ctx, req.Now)
	sc.settle()
	return sc, nil
}
