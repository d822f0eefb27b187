package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/tools/txtar"
)

// A box is the surroundings of one trial: an empty home, a repository, a model
// API, and a satchel on PATH that records what it is told and what it answers.
type box struct {
	lab  *lab
	dir  string
	home string
	repo string
	bin  string // the folder on PATH that holds satchel
	api  *fakeAPI
}

// tap is put in satchel's place on PATH. What goes in and out of the MCP server
// and the hooks is recorded beside it; hooks answer to the event in their
// arguments or in their input.
const tap = `#!/bin/sh
# Hands everything to the real satchel, and keeps a copy.
case "$1" in
mcp) tee -a "%[2]s/mcp.in" | "%[1]s" "$@" | tee -a "%[2]s/mcp.out" ;;
hook)
	n=$(date +%%s%%N).$$
	tee "%[2]s/hooks/$n.in" | SATCHEL_HOOK_LOG="%[2]s/hooks/$n.log" "%[1]s" "$@" 2>"%[2]s/hooks/$n.err" | tee "%[2]s/hooks/$n.out"
	echo "$*" >"%[2]s/hooks/$n.args" ;;
*) exec "%[1]s" "$@" ;;
esac
`

// box makes new surroundings. The repository is that of the project's examples.
func (l *lab) box(name string) (*box, error) {
	dir, err := os.MkdirTemp(l.work, name+"-")
	if err != nil {
		return nil, err
	}
	b := &box{lab: l, dir: dir, home: filepath.Join(dir, "home"), repo: filepath.Join(dir, "app"), bin: filepath.Join(dir, "bin")}
	for _, d := range []string{b.home, b.repo, b.bin, filepath.Join(dir, "hooks")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return nil, err
		}
	}
	archive, err := txtar.ParseFile(filepath.Join(l.root, "internal/front/cli/testdata/examples.tree"))
	if err != nil {
		return nil, err
	}
	for _, f := range archive.Files {
		if strings.HasSuffix(f.Name, ".json") || strings.HasSuffix(f.Name, ".jsonl") {
			continue
		}
		if err := b.write(f.Name, string(f.Data)); err != nil {
			return nil, err
		}
	}
	if err := b.program(fmt.Sprintf(tap, l.satchel, dir)); err != nil {
		return nil, err
	}
	if err := b.git("init", "-q", "-b", "main"); err != nil {
		return nil, err
	}
	if err := errors.Join(b.git("add", "-A"), b.git("commit", "-qm", "first commit")); err != nil {
		return nil, err
	}
	if b.api, err = newFakeAPI(); err != nil {
		return nil, err
	}
	l.boxes = append(l.boxes, b)
	return b, nil
}

// program puts another satchel on PATH.
func (b *box) program(text string) error {
	name := filepath.Join(b.bin, "satchel")
	_ = os.Remove(name)
	return os.WriteFile(name, []byte(text), 0o755)
}

// write writes a file of the repository.
func (b *box) write(name, text string) error {
	file := filepath.Join(b.repo, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(text), 0o644)
}

func (b *box) git(args ...string) error {
	cmd := exec.Command("git", append([]string{"-C", b.repo, "-c", "user.name=A", "-c", "user.email=a@example.org"}, args...)...)
	cmd.Env = []string{"HOME=" + b.home, "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1"}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git %s: %w: %s", args[0], err, out)
	}
	return nil
}

// env is all that a client gets to see of this machine.
func (b *box) env(more ...string) []string {
	return append([]string{
		"HOME=" + b.home, "PATH=" + b.bin + ":" + b.lab.nodeDir + ":/usr/local/bin:/usr/bin:/bin", "TERM=dumb", "LANG=C.UTF-8", "NO_COLOR=1",
	}, more...)
}

// A run is how a program ended.
type run struct {
	out, err []byte
	code     int
	took     time.Duration
}

// patience is how long a client has for one prompt. The slowest takes 25 s on an
// idle machine of two cores.
const patience = 4 * time.Minute

// start runs a program in the repository, with these variables besides env, and
// this standard input.
func (b *box) start(vars []string, stdin string, argv ...string) *run {
	return b.run(vars, strings.NewReader(stdin), io.Discard, argv...)
}

// run is start, with a standard input that may come bit by bit, and somebody who
// is told what the program writes while it does.
func (b *box) run(vars []string, stdin io.Reader, tell io.Writer, argv ...string) *run {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = b.repo, b.env(vars...)
	cmd.Stdin = stdin
	cmd.WaitDelay = 5 * time.Second
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = io.MultiWriter(&out, tell), &errs
	start := time.Now()
	err := cmd.Run()
	r := &run{out: out.Bytes(), err: errs.Bytes(), took: time.Since(start)}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		r.code, r.err = -1, append(r.err, "\nit took too long"...)
	case errors.As(err, &exit):
		r.code = exit.ExitCode()
	case err != nil:
		r.code, r.err = -1, append(r.err, err.Error()...)
	}
	_ = os.WriteFile(filepath.Join(b.dir, "last.out"), r.out, 0o600) // for whoever looks into a failure
	_ = os.WriteFile(filepath.Join(b.dir, "last.err"), r.err, 0o600)
	return r
}

// converse runs a program that takes prompts as lines of JSON, as Claude Code
// does, and gives it the next one when it has written the result of the one
// before.
func (b *box) converse(vars []string, prompts []string, argv ...string) *run {
	in, say := io.Pipe()
	seen := &results{next: make(chan struct{}, len(prompts)+1)}
	go func() {
		defer say.Close()
		for _, p := range prompts {
			line, _ := json.Marshal(object{"type": "user", "message": object{"role": "user", "content": []any{object{"type": "text", "text": p}}}}) // it always can
			if _, err := say.Write(append(line, '\n')); err != nil {
				return // it went away
			}
			select {
			case <-seen.next:
			case <-time.After(patience):
				return
			}
		}
	}()
	r := b.run(vars, in, seen, argv...)
	_ = in.Close()
	return r
}

// results counts the results in a stream of JSON lines.
type results struct {
	line []byte
	next chan struct{}
}

func (s *results) Write(p []byte) (int, error) {
	s.line = append(s.line, p...)
	for {
		line, rest, ok := bytes.Cut(s.line, []byte("\n"))
		if !ok {
			return len(p), nil
		}
		var m struct{ Type string }
		if json.Unmarshal(line, &m) == nil && m.Type == "result" {
			select {
			case s.next <- struct{}{}:
			default: // nobody waits for so many
			}
		}
		s.line = rest
	}
}

// satchel runs satchel itself.
func (b *box) satchel(args ...string) *run {
	return b.start(nil, "", append([]string{b.lab.satchel}, args...)...)
}

// A hookCall is one call of a hook, as the tap saw it.
type hookCall struct {
	args, in, out, err string
	log                string // what satchel says that it did, as JSON
}

// field returns a string of the JSON that a hook was given, or that satchel wrote
// about it.
func field(document, name string) string {
	var v object
	if json.Unmarshal([]byte(document), &v) != nil {
		return ""
	}
	s, _ := v[name].(string)
	return s
}

// hooks returns the calls so far, in the order in which they began.
func (b *box) hooks() (list []hookCall) {
	names, _ := filepath.Glob(filepath.Join(b.dir, "hooks", "*.in")) // the pattern is fine
	slices.Sort(names)
	read := func(name string) string { text, _ := os.ReadFile(name); return string(text) }
	for _, n := range names {
		base := strings.TrimSuffix(n, ".in")
		list = append(list, hookCall{read(base + ".args"), read(n), read(base + ".out"), read(base + ".err"), read(base + ".log")})
	}
	return list
}

// forgetHooks removes the records of the calls so far.
func (b *box) forgetHooks() {
	dir := filepath.Join(b.dir, "hooks")
	_ = errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o755))
}

// event returns the calls of one event.
func (b *box) event(name string) (list []hookCall) {
	for _, h := range b.hooks() {
		if strings.HasSuffix(strings.TrimSpace(h.args), " "+name) || strings.Contains(h.in, fmt.Sprintf("%q", name)) {
			list = append(list, h)
		}
	}
	return list
}

// recorded returns a file that the tap keeps, such as mcp.in.
func (b *box) recorded(name string) string {
	text, _ := os.ReadFile(filepath.Join(b.dir, name)) // nothing, if there was no call
	return string(text)
}

// texts returns all strings of a JSON document, in order.
func texts(body []byte) (list []string) {
	var v any
	if json.Unmarshal(body, &v) != nil {
		return nil
	}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			list = append(list, v)
		case []any:
			for _, e := range v {
				walk(e)
			}
		case object:
			keys := make([]string, 0, len(v))
			for k := range v {
				keys = append(keys, k)
			}
			slices.Sort(keys)
			for _, k := range keys {
				walk(v[k])
			}
		}
	}
	walk(v)
	return list
}

// asking returns the requests with a conversation in which a user says mark.
func (f *fakeAPI) asking(mark string) (list []request) {
	for _, r := range f.seen() {
		var body object
		if json.Unmarshal(r.Body, &body) != nil {
			continue
		}
		for _, t := range turnsOf(body) {
			if t.role == "user" && strings.Contains(t.text, mark) && !strings.Contains(r.Path, "ount") {
				list = append(list, r)
				break
			}
		}
	}
	return list
}
