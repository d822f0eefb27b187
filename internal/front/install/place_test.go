package install

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
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
		{fmt.Errorf("%w: %w", fsx.ErrInUse, rename), "another program has the file open: permission denied", "close the program"},
		{rename, "its folder x cannot be written: permission denied", "chmod u+w x "},
		{&os.LinkError{Op: "rename", Old: "a", New: "b", Err: syscall.EXDEV}, "invalid cross-device link", ""},
	} {
		var refused *RefusedError
		if err := p.unwritten(tt.err); !errors.As(err, &refused) || refused.Path != "settings.json" || refused.Why != tt.why || !strings.HasPrefix(refused.Hint, tt.hint) || (tt.hint == "") != (refused.Hint == "") {
			t.Errorf("%v: %+v, want %s, and %q", tt.err, refused, tt.why, tt.hint)
		}
	}
}

// TestWithin: on Windows a path has backslashes, and letters in either case.
func TestWithin(t *testing.T) {
	windows := runtime.GOOS == "windows"
	for _, tt := range []struct {
		folder, path string
		want         bool
	}{
		{"/p", "/p", true},
		{"/p", "/p/.claude", true},
		{"/p", "/p/..claude/x", true},
		{"/p", "/p/../q", false},
		{"/p", "/pq", false},
		{"/p", "/", false},
		{"/p/q", "/p", false},
		{"/", "/p", true},
		{"/p", "p", false},
		{`C:\p`, `C:\p`, true},
		{`C:\p`, `C:\p\.claude`, true},
		{`C:\p`, `c:\P\.claude\x`, true},
		{`C:\`, `C:\p`, true},
		{`C:\p`, `C:\pq`, false},
		{`C:\p`, `D:\p`, false},
		{`\\host\share\p`, `\\host\share\p\.claude`, true},
		{`\\host\share\p`, `\\host\else\p`, false},
	} {
		if !windows && tt.folder[0] != '/' {
			continue // a name like others
		}
		if got := within(filepath.FromSlash(tt.folder), filepath.FromSlash(tt.path)); got != tt.want {
			t.Errorf("within(%q, %q) = %t, want %t", tt.folder, tt.path, got, tt.want)
		}
	}
}
