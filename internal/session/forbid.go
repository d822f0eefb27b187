package session

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/satchel-dev/satchel/internal/scene/readonly"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/world/git"
)

// mostForbidden is how many read-only paths and patterns are told by name.
const mostForbidden = 20

// Forbidden tells an agent that begins a session what the user does not want
// changed: the paths and patterns of read-only context files. It is empty if
// there are none.
func (k *Kept) Forbidden(ctx context.Context) (string, error) {
	st, err := k.memory.Open(ctx)
	if st == nil || err != nil {
		return "", err
	}
	defer st.Close()
	kept, _, err := st.Context(ctx)
	if err != nil {
		return "", err
	}
	var names []string
	for i := range kept.Rules {
		if r := &kept.Rules[i]; r.ReadOnly {
			names = append(names, clean.Inline(r.Pattern))
		}
	}
	if len(names) == 0 {
		return "", nil
	}
	more := ""
	if n := len(names); n > mostForbidden {
		names, more = names[:mostForbidden], fmt.Sprintf(", and %d more", n-mostForbidden)
	}
	return "The user has marked these paths as read-only: " + strings.Join(names, ", ") + more + ". Do not change them.\n", nil
}

// Forbids returns the message that a file is read-only, for an agent that is about to
// change it, or has changed it (done). It returns "" if the file may be changed. It is
// an error if that is unknown: the message is advice, not a lock.
func (k *Kept) Forbids(ctx context.Context, u ToolUse, done bool) (string, error) {
	if u.Path == "" || !u.Edited {
		return "", nil
	}
	list, _, err := readonly.NewKept(k.tree, k.memory.Patient(0), nil).Protections(ctx, []string{u.Path}, u.Dir)
	if errors.Is(err, git.ErrNoWorkTree) {
		return "", nil
	}
	if err != nil || !list[0].Protected {
		return "", err
	}
	what := clean.Inline(list[0].File) + " is read-only (" + list[0].Why + " of the user)"
	if done {
		return what + ", and was changed. Undo the change, or ask the user.\n", nil
	}
	return what + ": do not change it, or ask the user first.\n", nil
}
