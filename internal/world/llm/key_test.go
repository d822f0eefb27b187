package llm

import (
	"os"
	"strings"
	"testing"
)

func TestKeyFrom(t *testing.T) {
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("no /bin/sh")
	}
	for _, tt := range []struct{ script, want, fault string }{
		{"echo sk-1", "sk-1", ""},
		{"echo; echo sk-2; echo noise >&2", "sk-2", ""},
		{"echo $NAME", "of-env", ""},
		{"true", "", "/bin/sh prints nothing"},
		{"echo sk-secret; exit 3", "", "/bin/sh ends with status 3"},
		{"while :; do echo sk-secret; done", "", "/bin/sh prints more than 4096 bytes"},
	} {
		got, err := KeyFrom(t.Context(), []string{"/bin/sh", "-c", tt.script}, []string{"NAME=of-env", "PATH=/bin:/usr/bin"})
		if got != tt.want || (err == nil) != (tt.fault == "") || err != nil && (!strings.Contains(err.Error(), tt.fault) || strings.Contains(err.Error(), "sk-secret")) {
			t.Errorf("%s: %q, %v, want %q, %q", tt.script, got, err, tt.want, tt.fault)
		}
	}
	if _, err := KeyFrom(t.Context(), []string{"/nowhere/op", "read"}, nil); err == nil || !strings.Contains(err.Error(), "key-command: start /nowhere/op") {
		t.Errorf("error %v", err)
	}
}
