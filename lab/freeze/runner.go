package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/tools/txtar"
)

// A runner runs the steps of one group in its folder.
type runner struct {
	w      *workshop
	dir    string
	in     string            // the folder of the inputs
	values map[string]string // what let remembered
	last   []byte            // standard output of the last case
	server *server
	found  []digest
}

// step runs one line of the table.
func (r *runner) step(s step) error {
	switch s.verb {
	case setUp:
		return r.shell(s.text)
	case forgetAll:
		return r.forget()
	case takeFile:
		return r.takeSession(s.name, s.text)
	case remember:
		return r.remember(s.name, s.text)
	case serve:
		r.hangUp()
		var err error
		r.server, err = startServer(r.command(s.text))
		return err
	case sendCase:
		return r.send(s)
	}
	return r.run(s)
}

// command returns a shell command in the folder of the group.
func (r *runner) command(line string) *exec.Cmd {
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir = r.dir
	cmd.Env = append(r.w.environ(), "DIR="+r.dir, "IN="+r.in)
	for name, value := range r.values {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	return cmd
}

// shell runs a command that has to succeed.
func (r *runner) shell(line string) error {
	if out, err := r.command(line).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %v\n%s", line, err, out)
	}
	return nil
}

// run runs a case.
func (r *runner) run(s step) error {
	var stdout, stderr bytes.Buffer
	cmd := r.command(s.text)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return err
	}
	d := digest{name: s.name, exit: cmd.ProcessState.ExitCode()}
	if s.mute {
		stderr.Reset()
	}
	return r.keep(d, stdout.Bytes(), stderr.Bytes(), s.mute)
}

// send asks the server, and digests what it says up to its answer.
func (r *runner) send(s step) error {
	if r.server == nil {
		return errors.New("there is no server")
	}
	text := os.Expand(s.text, func(name string) string { return r.values[name] })
	answer, err := r.server.ask(text)
	if err != nil {
		return err
	}
	return r.keep(digest{name: s.name}, answer, nil, true)
}

// keep normalises and digests the output of a case, and writes it below the
// folder of outputs.
func (r *runner) keep(d digest, stdout, stderr []byte, mute bool) error {
	r.last = stdout
	stdout, stderr = r.w.norm.apply(stdout), r.w.norm.apply(stderr)
	d.stdout, d.stderr = hash(stdout), hash(stderr)
	if mute {
		d.stderr = "-"
	}
	r.found = append(r.found, d)
	if r.w.f.keep == "" {
		return nil
	}
	name := filepath.Join(r.w.f.keep, filepath.FromSlash(d.name))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(name+".out", stdout, 0o644); err != nil || len(stderr) == 0 {
		return err
	}
	return os.WriteFile(name+".err", stderr, 0o644)
}

// remember keeps the first part of what a pattern finds in the last output; of
// nothing found, the empty text, so that the cases after it show the difference.
func (r *runner) remember(name, pattern string) error {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return err
	}
	r.values[name] = ""
	if m := re.FindSubmatch(r.last); len(m) > 1 {
		r.values[name] = string(m[1])
	}
	return nil
}

// takeSession copies a gathered session to the folder of the group.
func (r *runner) takeSession(name, file string) error {
	text, err := os.ReadFile(filepath.Join(r.w.f.sessions, filepath.FromSlash(file)))
	if err != nil {
		return err
	}
	if strings.HasSuffix(file, ".txtar") { // of our own fixtures
		text = txtar.Parse(text).Files[0].Data
	}
	name = filepath.Join(r.dir, name)
	if err := os.WriteFile(name, text, 0o644); err != nil {
		return err
	}
	return os.Chtimes(name, checkoutTime, checkoutTime)
}

// forget undoes all that the steps before did to the repository, but for its
// index: files, commits, branches, and what satchel remembers.
func (r *runner) forget() error {
	r.hangUp()
	clear(r.values)
	err := r.shell(strings.Join([]string{
		`git reset -q --hard start`,
		`git clean -qfdx`,
		`git for-each-ref --format='%(refname)' refs/satchel refs/stash | while read -r ref; do git update-ref -d "$ref"; done`,
		`find .git/satchel -mindepth 1 -maxdepth 1 ! -name index -exec rm -rf {} +`,
	}, "\n"))
	if err != nil {
		return err
	}
	return r.w.settle(r)
}

// hangUp ends the server, if there is one.
func (r *runner) hangUp() {
	if r.server != nil {
		r.server.close()
		r.server = nil
	}
}
