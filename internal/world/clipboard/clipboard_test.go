package clipboard

import (
	"bytes"
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// place returns a place with the variables, and with programs in a folder of
// PATH: name → shell script.
func place(t *testing.T, scripts map[string]string, environ ...string) (p Place, dir string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the programs are shell scripts")
	}
	dir = t.TempDir()
	for name, script := range scripts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	p.Environ = append([]string{"OUT=" + dir, "PATH=" + dir + ":/usr/bin:/bin"}, environ...)
	p.Getenv = func(name string) string {
		for _, kv := range p.Environ {
			if v, ok := strings.CutPrefix(kv, name+"="); ok {
				return v
			}
		}
		return ""
	}
	return p, dir
}

const takes = `cat >"$OUT/took"; echo "$0" "$@" >"$OUT/args"`

func TestCopy(t *testing.T) {
	all := map[string]string{"pbcopy": takes, "wl-copy": takes, "xclip": takes, "clip.exe": takes}
	only := func(name string) map[string]string { return map[string]string{name: all[name]} }
	const text = "päck\n"
	for _, tt := range []struct {
		name     string
		scripts  map[string]string
		environ  []string
		terminal bool
		by       string
		took     string
		args     string
	}{
		{"pbcopy first", all, []string{"DISPLAY=:0", "WAYLAND_DISPLAY=w"}, true, "pbcopy", text, ""},
		{"wl-copy", only("wl-copy"), []string{"WAYLAND_DISPLAY=w"}, false, "wl-copy", text, ""},
		{"xclip", only("xclip"), []string{"DISPLAY=:0"}, false, "xclip", text, "-selection clipboard"},
		{"clip.exe", only("clip.exe"), nil, false, "clip.exe", "\xff\xfep\x00\xe4\x00c\x00k\x00\n\x00", ""},
		{"no display", only("xclip"), nil, true, "the terminal", "", ""},
		{"ssh", all, []string{"SSH_CONNECTION=1.2.3.4"}, true, "the terminal", "", ""},
		{"ssh without a terminal", only("pbcopy"), []string{"SSH_TTY=/dev/pts/1"}, false, "pbcopy", text, ""},
		{"one fails", map[string]string{"wl-copy": "exit 1", "xclip": takes}, []string{"WAYLAND_DISPLAY=w", "DISPLAY=:0"}, false, "xclip", text, "-selection clipboard"},
		{"all fail", map[string]string{"xclip": "exit 1"}, []string{"DISPLAY=:0"}, true, "the terminal", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, dir := place(t, tt.scripts, tt.environ...)
			var screen bytes.Buffer
			if tt.terminal {
				p.Terminal = &screen
			}
			by, err := Copy(t.Context(), []byte(text), p)
			if err != nil || by != tt.by {
				t.Fatalf("Copy = %q, %v, want %q", by, err, tt.by)
			}
			if by == "the terminal" {
				if want := "\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte(text)) + "\a"; screen.String() != want {
					t.Errorf("terminal got %q, want %q", screen.String(), want)
				}
				return
			}
			if took, _ := os.ReadFile(filepath.Join(dir, "took")); string(took) != tt.took || screen.Len() > 0 {
				t.Errorf("%s took %q, want %q; terminal %q", by, took, tt.took, screen.String())
			}
			if args, _ := os.ReadFile(filepath.Join(dir, "args")); !strings.HasSuffix(strings.TrimSpace(string(args)), strings.TrimSpace(by+" "+tt.args)) {
				t.Errorf("arguments %q", args)
			}
		})
	}
}

// TestNoRelativeFolder: a program that a repository holds is not run.
func TestNoRelativeFolder(t *testing.T) {
	p, dir := place(t, map[string]string{"pbcopy": takes})
	t.Chdir(dir)
	for _, path := range []string{".", "", "bin:.", ":"} {
		p.Environ = []string{"OUT=" + dir, "PATH=" + path}
		if by, err := Copy(t.Context(), []byte("x"), p); !errors.Is(err, errNone) {
			t.Errorf("PATH=%s: Copy = %q, %v, want ErrNone", path, by, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "took")); err == nil {
		t.Error("the program ran")
	}
}

func TestTooLong(t *testing.T) {
	p, _ := place(t, nil)
	var screen bytes.Buffer
	p.Terminal = &screen
	if _, err := Copy(t.Context(), bytes.Repeat([]byte("x"), mostBytes), p); err != nil || screen.Len() != mostEncoded+len("\x1b]52;c;\a") {
		t.Errorf("%d bytes, %v", screen.Len(), err)
	}
	screen.Reset()
	_, err := Copy(t.Context(), bytes.Repeat([]byte("x"), mostBytes+1), p)
	if long, ok := errors.AsType[*LengthError](err); !ok || long.Bytes != mostBytes+1 || screen.Len() > 0 {
		t.Errorf("error %v, terminal got %d bytes", err, screen.Len())
	}
}

// TestHangs: a program that takes nothing and does not end is given up, and so is
// one whose child holds its input; what a program leaves in the background stays.
func TestHangs(t *testing.T) {
	p, _ := place(t, map[string]string{"pbcopy": "exec sleep 600"})
	p.Timeout = 50 * time.Millisecond
	if by, err := Copy(t.Context(), bytes.Repeat([]byte("x"), 1<<20), p); err == nil || !strings.Contains(err.Error(), "pbcopy: no answer in 50ms") {
		t.Errorf("Copy = %q, %v", by, err)
	}
	p, _ = place(t, map[string]string{"pbcopy": `cat >"$OUT/took"; sleep 5 &`})
	p.Timeout = time.Minute
	by, err := Copy(t.Context(), []byte("x"), p)
	if err != nil || by != "pbcopy" {
		t.Errorf("Copy = %q, %v", by, err)
	}
}
