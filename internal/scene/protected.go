package scene

import (
	"context"
	"errors"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/scene/readonly"
	"github.com/satchel-dev/satchel/internal/world/git"
)

// A ProtectedError is a file to edit that is a read-only context file.
type ProtectedError struct{ readonly.Protection }

func (e *ProtectedError) Error() string {
	return "path to edit " + e.Path + ": protected, " + e.Why + ": " + e.File
}

// editable returns a *[ProtectedError] if a file to edit is protected. If that is
// unknown, it adds a Diagnostic: the memory may be lost, and packs are made without
// it.
func (sc *Scene) editable(ctx context.Context) error {
	if len(sc.Req.Edit) == 0 {
		return nil
	}
	list, _, err := sc.Project.ContextFiles().Protections(ctx, sc.Req.Edit) // recall reports the notes
	if err != nil && !errors.Is(err, git.ErrNoWorkTree) {
		sc.Diags = append(sc.Diags, satchel.Diagnostic{Text: "files to edit: " + sc.Project.Memory.Unplaced(err.Error())})
	}
	for _, p := range list {
		if p.Protected {
			return &ProtectedError{p}
		}
	}
	return ctx.Err()
}
