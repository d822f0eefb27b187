package runner

import (
	"context"
	"os"
	"testing"
)

// TestShellByCmd: where there is no sh, cmd.exe has the line as it is.
func TestShellByCmd(t *testing.T) {
	env := []string{"SAID=d", "ComSpec=" + os.Getenv("ComSpec"), "SystemRoot=" + os.Getenv("SystemRoot")}
	out, err := Shell(context.Background(), `echo a "b  c"&echo %SAID%`, env).Output()
	if want := "a \"b  c\"\r\nd\r\n"; err != nil || string(out) != want {
		t.Errorf("%q, %v, want %q", out, err, want)
	}
}
