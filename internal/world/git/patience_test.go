package git

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/satchel-dev/satchel/internal/world/fsx/fsxtest"
)

// Whatever keeps git waiting in a repository ends at the time limit, or is named before.
func TestSilence(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	t.Parallel()
	deep := strings.Repeat("a/", 40)
	slow := strings.Repeat("a/**/", 8) + "b\n"
	for _, test := range []struct {
		name string
		pipe string // this is one
		text map[string]string
		want string // part of the error
	}{
		{"config", ".git/config", nil, ".git/config: not a regular file: a pipe"},
		{"index", ".git/index", nil, ".git/index: not a regular file: a pipe"},
		{"HEAD", ".git/HEAD", nil, ".git/HEAD: not a regular file: a pipe"},
		{"packed-refs", ".git/packed-refs", nil, ".git/packed-refs: not a regular file: a pipe"},
		{"exclude", ".git/info/exclude", nil, ".git/info/exclude: not a regular file: a pipe"},
		{"alternates", ".git/objects/info/alternates", nil, ".git/objects/info/alternates: not a regular file: a pipe"},
		{"included configuration", ".git/more", map[string]string{".git/config": "[include]\n\tpath = more\n"}, "no answer within 300ms, "},
		{"ignore file", ".gitignore", nil, "no answer within 300ms, "},
		{"ignore file below", "a/a/.gitignore", nil, "no answer within 300ms, "},
		{"exponential", "", map[string]string{".gitignore": "*.log\n# a\n" + slow}, "no answer within 300ms, "},
		{"exponential below", "", map[string]string{".gitignore": "**/x/**\n", "a/.gitignore": slow}, "no answer within 300ms, "},
		{"exponential elsewhere", "", map[string]string{".git/info/exclude": slow}, "no answer within 300ms, "},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			s.init("r")
			s.write("r/x", "x\n")
			s.commit("r", "x")
			s.write("r/"+deep+strings.Repeat("a", 60), "")
			for name, text := range test.text {
				if name == ".git/config" {
					old, err := os.ReadFile(s.path("r/" + name))
					if err != nil {
						t.Fatal(err)
					}
					text = string(old) + text
				}
				s.write("r/"+name, text)
			}
			if test.pipe != "" {
				os.Remove(s.path("r/" + test.pipe))
				if err := os.MkdirAll(filepath.Dir(s.path("r/"+test.pipe)), 0o755); err != nil {
					t.Fatal(err)
				}
				fsxtest.Fifo(t, s.path("r/"+test.pipe))
			}
			o := s.options()
			const short = 300 * time.Millisecond
			if test.pipe == ".git/more" {
				o.Timeout = short
			}
			r, err := o.Open(t.Context(), s.path("r"))
			if err == nil {
				defer r.Close()
				r.run.timeout = short
				_, _, err = r.WorkTree(t.Context())
			}
			var silent *SilentError
			if err == nil || !strings.Contains(err.Error(), test.want) || !errors.As(err, &silent) && !errors.Is(err, ErrNotRegular) {
				t.Errorf("error %v, want %s", err, test.want)
			}
		})
	}
}

// A git that is silent is told about, and one that then answers is no failure.
func TestSilenceIsTold(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	t.Parallel()
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer out.Close()
	told := 0
	r := runner{timeout: time.Hour, progress: func(command string, waited, limit time.Duration) {
		if told++; told == 1 {
			if command != "ls-files" || waited != waitShown || limit != time.Hour {
				t.Errorf("told of %s, %v of %v", command, waited, limit)
			}
			out.WriteString("answer")
		}
	}}
	m := r.meter("ls-files", in, 100)
	p := make([]byte, 10)
	if n, err := m.Read(p); string(p[:n]) != "answer" || err != nil || told != 1 {
		t.Errorf("Read: %q, %v; told %d times", p[:n], err, told)
	}
}

// killEnv makes this test a process that starts a git, which it names, and is killed.
const killEnv = "SATCHEL_GIT_TEST_KILLED"

// A git that would go on for long ends when the process that started it is killed, and
// can remove its lock files.
func TestKilled(t *testing.T) {
	if program := os.Getenv(killEnv); program != "" {
		r := runner{git: program, dir: "/", timeout: time.Hour}
		_, err := r.run(t.Context(), nil, "version")
		t.Fatal(err)
	}
	if runtime.GOOS != "linux" {
		t.Skip("only Linux ends children")
	}
	// The git tells that it runs, and would tell that it went on, through a pipe that
	// nobody else holds open.
	dir := t.TempDir()
	said := filepath.Join(dir, "said")
	fsxtest.Fifo(t, said)
	git := filepath.Join(dir, "git")
	if err := os.WriteFile(git, []byte("#!/bin/sh\nexec 9>"+said+"\ntrap 'echo cleans up >&9; exit' TERM\necho runs >&9\nsleep 20 9>&- &\nwait\necho goes on >&9\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$")
	cmd.Env = append(os.Environ(), killEnv+"="+git)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(said)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	first := make([]byte, len("runs\n"))
	if _, err := io.ReadFull(f, first); err != nil || string(first) != "runs\n" {
		t.Fatalf("git said %q, %v", first, err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	// Linux signals once for each thread of the parent that ends, so git may be asked twice.
	if rest, err := io.ReadAll(f); err != nil || len(rest) == 0 || strings.ReplaceAll(string(rest), "cleans up\n", "") != "" {
		t.Errorf("git said %q, %v; want that it cleans up and does not go on", rest, err)
	}
}

// A file of git's is read whole or not at all.
func TestReadShared(t *testing.T) {
	name := filepath.Join(t.TempDir(), "shallow")
	if err := os.WriteFile(name, []byte("12345"), 0o600); err != nil {
		t.Fatal(err)
	}
	if b, err := readShared(name, 5); err != nil || string(b) != "12345" {
		t.Errorf("with room for it: %q, %v", b, err)
	}
	b, err := readShared(name, 4)
	if _, large := errors.AsType[*TooLargeError](err); !large || len(b) > 0 {
		t.Errorf("one byte more than the limit: %q, %v", b, err)
	}
}
