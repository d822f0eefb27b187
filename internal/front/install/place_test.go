package install

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/satchel-dev/satchel/internal/world/fsx"
)

// TestUnwritten: who may not write gets another advice than who must wait for another
// program, although Windows says "permission denied" of both.
func TestUnwritten(t *testing.T) {
	rename := &os.LinkError{Op: "rename", Old: "a", New: "b", Err: syscall.EACCES}
	p := &place{shown: "settings.json", real: filepath.Join("x", "settings.json")}
	for _, tt := range []struct {
		err       error
		why, hint string
	}{
		{fmt.Errorf("%w: %w", fsx.ErrInUse, rename), "another program has the file open: permission denied", "end that program"},
		{rename, "its folder x cannot be written: permission denied", "chmod u+w x "},
		{&os.LinkError{Op: "rename", Old: "a", New: "b", Err: syscall.EXDEV}, "invalid cross-device link", ""},
	} {
		var refused *RefusedError
		if err := p.unwritten(tt.err); !errors.As(err, &refused) || refused.Path != "settings.json" || refused.Why != tt.why || !strings.HasPrefix(refused.Hint, tt.hint) || (tt.hint == "") != (refused.Hint == "") {
			t.Errorf("%v: %+v, want %s, and %q", tt.err, refused, tt.why, tt.hint)
		}
	}
}
