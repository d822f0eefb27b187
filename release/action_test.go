//go:build unix

package release

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

const thisSystem = runtime.GOOS + "/" + runtime.GOARCH

// A run is one run of the action in a repository, with what the forge sets.
type run struct {
	dir     string // the checkout
	temp    string // RUNNER_TEMP
	base    string // where releases are
	env     []string
	summary string
	outputs map[string]string
}

// actionReleases returns the assets of a release of a program for this machine, v1.2.3.
func actionReleases(t *testing.T, program []byte) map[string]asset {
	t.Helper()
	name := "satchel_1.2.3_" + runtime.GOOS + "_" + runtime.GOARCH + ".tar.gz"
	packed := tarOf(t, "satchel", program)
	sums := asset{body: fmt.Appendf(nil, "%x  %s\n", sha256.Sum256(packed), name)}
	return map[string]asset{"/latest/download/checksums.txt": sums, "/download/v1.2.3/checksums.txt": sums, "/download/v1.2.3/" + name: {body: packed}}
}

// step runs one script of the action, and returns what stands in the log.
func (r *run) step(t *testing.T, script string, inputs ...string) (string, int) {
	t.Helper()
	if _, err := os.ReadFile(filepath.Join("action", script)); err != nil { // go test has to know of it
		t.Fatal(err)
	}
	action, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	files := make(map[string]string)
	env := []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + r.temp, "TMPDIR=" + r.temp, "CI=true", "GITHUB_ACTIONS=true", "no_proxy=*", "GIT_CONFIG_NOSYSTEM=1",
		"RUNNER_TEMP=" + r.temp, "RUNNER_OS=" + map[string]string{"linux": "Linux", "darwin": "macOS"}[runtime.GOOS],
		"GITHUB_WORKSPACE=" + r.dir, "GITHUB_ACTION_PATH=" + action, "SATCHEL_BASE_URL=" + r.base,
		"INPUT_MODE=diff", "INPUT_TASK=", "INPUT_BUDGET=16k", "INPUT_BASE=", "INPUT_VERSION=", "INPUT_SHA256=",
	}
	for _, name := range []string{"GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_PATH"} {
		files[name] = filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(files[name], nil, 0o644); err != nil {
			t.Fatal(err)
		}
		env = append(env, name+"="+files[name])
	}
	cmd := exec.Command(filepath.Join(action, "release", "action", script))
	cmd.Dir = r.dir
	cmd.Env = append(append(env, r.env...), inputs...)
	log, err := cmd.CombinedOutput()
	if _, ok := err.(*exec.ExitError); err != nil && !ok {
		t.Fatal(err)
	}
	text := func(name string) string {
		b, err := os.ReadFile(files[name])
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	r.summary, r.outputs = text("GITHUB_STEP_SUMMARY"), make(map[string]string)
	for line := range strings.Lines(text("GITHUB_OUTPUT")) {
		name, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		if !ok {
			t.Errorf("the output %q is none", line)
		}
		r.outputs[name] = value
	}
	return string(log), cmd.ProcessState.ExitCode()
}

// checkout makes a repository as a forge checks out a pull request: HEAD is detached,
// and the base is a branch of origin.
func checkout(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main", "-c", "commit.gpgSign=false"}, args...)...)
		cmd.Dir = dir
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_DATE=2026-01-02T03:04:05Z", "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z"}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	write := func(name, text string) {
		t.Helper()
		program(t, filepath.Join(dir, name), text)
	}
	git("init", "-q")
	write("proxy/proxy.go", "// Package proxy dials.\npackage proxy\n\n// Dial connects to a proxy.\nfunc Dial(addr string) error {\n\treturn connect(addr, 10)\n}\n\nfunc connect(addr string, seconds int) error { return nil }\n")
	write("proxy/login.go", "package proxy\n\n// Login sends the password, and times out.\nfunc Login(user string) error { return Dial(user) }\n")
	write("README.md", "# Proxy\n")
	git("add", ".")
	git("commit", "-qm", "first")
	git("update-ref", "refs/remotes/origin/main", "HEAD")
	git("checkout", "-q", "--detach")
	write("proxy/proxy.go", "// Package proxy dials.\npackage proxy\n\n// Dial connects to a proxy within some seconds.\nfunc Dial(addr string, seconds int) error {\n\treturn connect(addr, seconds)\n}\n\nfunc connect(addr string, seconds int) error { return nil }\n")
	write("::error::x|`y`.txt", "```\n::error::from a file\n````\n</details>\n")
	git("add", ".")
	git("commit", "-qm", "dial with seconds")
	git("branch", "-qD", "main")
	return dir
}

func TestAction(t *testing.T) {
	r := &run{dir: checkout(t), temp: t.TempDir(), base: serve(t, actionReleases(t, released(t, thisSystem)))}
	log, code := r.step(t, "install.sh")
	if code != 0 || r.outputs["version"] != "v1.2.3" {
		t.Fatalf("install: exit code %d, outputs %q\n%s", code, r.outputs, log)
	}

	const evil = "why does Login time out; $(touch pwned) `touch pwned` \"; touch pwned; ' ${{ github.token }}\n::error::from a task\n"
	for _, tt := range []struct {
		name    string
		inputs  []string
		file    string   // the name of what is written
		text    []string // in it
		summary []string
	}{
		{"diff", []string{"GITHUB_BASE_REF=main"}, "diff.patch", []string{"+func Dial(addr string, seconds int) error {"}, []string{"### satchel: diff\n", "% | `proxy/proxy.go` | +3 -3 |", "- `proxy/proxy.go`: `~ Dial`"}},
		{"the commit before", nil, "diff.patch", []string{"+func Dial("}, []string{"`proxy/proxy.go`"}},
		{"a base that is named", []string{"INPUT_BASE=main", "GITHUB_BASE_REF=nowhere"}, "diff.patch", []string{"+func Dial("}, []string{"`proxy/proxy.go`"}},
		{"with a task that is hostile", []string{"INPUT_TASK=" + evil}, "diff.patch", []string{"+func Dial("}, []string{"`proxy/proxy.go`"}},
		{"nothing changed", []string{"INPUT_BASE=HEAD"}, "diff.patch", nil, []string{"Nothing changed."}},
		{"pack", []string{"INPUT_MODE=pack", "INPUT_TASK=" + evil}, "pack.md", []string{"func Login(user string) error"}, []string{"### satchel: pack\n", "<details><summary>", "func Login(user string)"}},
		{"review-context", []string{"INPUT_MODE=review-context", "GITHUB_BASE_REF=main"}, "review-context.md", []string{"+func Dial(addr string, seconds int)"}, []string{"### satchel: review-context", "| `proxy/proxy.go` |", "+func Dial("}},
		{"review-context with a task", []string{"INPUT_MODE=review-context", "INPUT_TASK=" + evil, "GITHUB_BASE_REF=main"}, "review-context.md", []string{"+func Dial("}, []string{"| `proxy/proxy.go` |"}},
		{"review-context of nothing", []string{"INPUT_MODE=review-context", "INPUT_BASE=HEAD"}, "review-context.md", nil, []string{"Nothing changed."}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			log, code := r.step(t, "run.sh", tt.inputs...)
			if code != 0 {
				t.Fatalf("exit code %d\n%s", code, log)
			}
			b, err := os.ReadFile(r.outputs["file"])
			if err != nil || filepath.Base(r.outputs["file"]) != tt.file {
				t.Fatalf("file %s, %v, want %s", r.outputs["file"], err, tt.file)
			}
			if n := r.outputs["tokens"]; (n == "0" || n == "") != (len(tt.text) == 0) {
				t.Errorf("%s tokens", n)
			}
			for _, want := range tt.text {
				if !strings.Contains(string(b), want) {
					t.Errorf("%s does not hold %q:\n%s", tt.file, want, b)
				}
			}
			for _, want := range tt.summary {
				if !strings.Contains(r.summary, want) {
					t.Errorf("the summary does not hold %q:\n%s", want, r.summary)
				}
			}
			closed(t, r.summary)
			quiet(t, log)
		})
	}
	if entries, err := filepath.Glob(filepath.Join(r.dir, "*pwned*")); err != nil || len(entries) > 0 {
		t.Errorf("an input was run: %q, %v", entries, err)
	}
}

// closed fails if a summary leaves a fence or a fold open, or a line of a file got out
// of its fence.
func closed(t *testing.T, summary string) {
	t.Helper()
	fence, depth := "", 0
	for line := range strings.Lines(summary) {
		line = strings.TrimSuffix(line, "\n")
		ticks := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		switch {
		case fence == "" && len(ticks) >= 3:
			fence = ticks
		case fence != "" && len(ticks) >= len(fence) && ticks == line:
			fence = ""
		case fence == "":
			depth += strings.Count(line, "<details>") - strings.Count(line, "</details>")
			if strings.Contains(line, "from a file") {
				t.Errorf("outside of its fence: %q", line)
			}
		}
	}
	if fence != "" || depth != 0 {
		t.Errorf("the summary ends inside of %q, %d folds deep:\n%s", fence, depth, summary)
	}
}

// quiet fails if the runner would take a line of the log, but for those between
// stop-commands and its token, as a command.
func quiet(t *testing.T, log string) {
	t.Helper()
	token := ""
	for line := range strings.Lines(log) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case token == "" && strings.HasPrefix(line, "::stop-commands::"):
			token = strings.TrimPrefix(line, "::stop-commands::")
		case token != "" && line == "::"+token+"::":
			token = ""
		case token == "" && (strings.HasPrefix(strings.TrimLeft(line, " \t\r"), "::") || strings.Contains(line, "##[")):
			t.Errorf("the runner takes %q as a command", line)
		}
	}
	if token != "" {
		t.Error("commands are stopped to the end")
	}
}

// TestActionRefuses: what cannot be done is said in one line that the forge shows.
func TestActionRefuses(t *testing.T) {
	r := &run{dir: checkout(t), temp: t.TempDir(), base: serve(t, actionReleases(t, []byte("#!/bin/sh\necho 'satchel v1.2.3'\n")))}
	for _, tt := range []struct {
		input, want string
	}{
		{"INPUT_VERSION=../../evil", "::error::the input version is no version such as v1.2.0\n"},
		{"INPUT_VERSION=v1.2.3\n/x", "::error::the input version is no version such as v1.2.0\n"},
		{"INPUT_VERSION=v6.6.6", "cannot download "},
		{"INPUT_SHA256=" + strings.Repeat("0", 64), "SATCHEL_SHA256 says 0000"},
		{"RUNNER_OS=Windows", "::error::satchel's action runs on Linux and macOS, not on Windows\n"},
	} {
		if log, code := r.step(t, "install.sh", tt.input); code != 1 || !strings.Contains(log, tt.want) {
			t.Errorf("%s: exit code %d, %q, want %q", tt.input, code, log, tt.want)
		}
	}

	// The action's own release is what it installs, if it is named by one.
	if log, code := r.step(t, "install.sh", "ACTION_REF=v7.7.7"); code != 1 || !strings.Contains(log, "/download/v7.7.7/checksums.txt") {
		t.Errorf("ACTION_REF=v7.7.7: exit code %d, %q", code, log)
	}
	for _, ref := range []string{"", "main", "v1", "v1.2.3", "0123456789abcdef0123456789abcdef01234567", "v1.2.3/../../evil"} {
		if log, code := r.step(t, "install.sh", "ACTION_REF="+ref); code != 0 || r.outputs["version"] != "v1.2.3" {
			t.Errorf("ACTION_REF=%s: exit code %d, %q", ref, code, log)
		}
	}

	r.base = serve(t, actionReleases(t, released(t, thisSystem))) // what run.sh needs
	if log, code := r.step(t, "install.sh", "INPUT_VERSION=1.2.3", "ACTION_REF=v7.7.7"); code != 0 {
		t.Fatal(log)
	}
	for _, tt := range []struct {
		inputs []string
		want   string
	}{
		{[]string{"INPUT_MODE=ask"}, "::error::satchel: the input mode is pack, diff or review-context\n"},
		{[]string{"INPUT_MODE=pack"}, "::error::satchel: the mode pack needs a task\n"},
		{[]string{"INPUT_BUDGET=16k --output x"}, "::error::satchel: the input budget is a number of tokens, such as 16k\n"},
		{[]string{"INPUT_BASE=nowhere"}, "::error::satchel: there is nothing to compare with: check out with fetch-depth: 0, or name a base that is there\n"},
		{[]string{"INPUT_BASE=--help"}, "::error::satchel: there is nothing to compare with"},
		{[]string{"INPUT_MODE=pack", "INPUT_TASK=login", "INPUT_BUDGET=10"}, "::error::satchel: pack ended with exit code 3: "},
	} {
		log, code := r.step(t, "run.sh", tt.inputs...)
		if code != 1 || !strings.Contains(log, tt.want) {
			t.Errorf("%q: exit code %d, %q, want %q", tt.inputs, code, log, tt.want)
		}
		if r.summary != "" || len(r.outputs) > 0 {
			t.Errorf("%q: wrote %q, %q", tt.inputs, r.summary, r.outputs)
		}
	}

	shallow := filepath.Join(t.TempDir(), "shallow")
	if out, err := exec.Command("git", "clone", "-q", "--depth=1", "file://"+r.dir, shallow).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	r.dir = shallow
	if log, code := r.step(t, "run.sh"); code != 1 || !strings.Contains(log, "check out with fetch-depth: 0") {
		t.Errorf("a shallow checkout: exit code %d, %q", code, log)
	}
}

// TestActionFile: no input is put into a command, every one that a script reads is
// there, and what others made is named by its commit.
func TestActionFile(t *testing.T) {
	b, err := os.ReadFile("../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	runs, uses := 0, 0
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "- ")), ": ")
		switch key {
		case "run":
			runs++
			if strings.Contains(value, "${{") || strings.ContainsAny(value, "|>") {
				t.Errorf("the command %s is put together", value)
			}
		case "uses":
			uses++
			if !regexp.MustCompile(`@[0-9a-f]{40} # v[0-9.]+$`).MatchString(value) {
				t.Errorf("%s is not named by its commit", value)
			}
		}
	}
	if runs != 2 || uses != 1 {
		t.Errorf("%d commands and %d actions of others, want 2 and 1", runs, uses)
	}
	for _, bad := range []string{"github.token", "secrets.", "GITHUB_TOKEN"} {
		if strings.Contains(text, bad) {
			t.Errorf("action.yml asks for %s", bad)
		}
	}
	for _, script := range []string{"install.sh", "run.sh"} {
		b, err := os.ReadFile(filepath.Join("action", script))
		if err != nil {
			t.Fatal(err)
		}
		names := regexp.MustCompile(`INPUT_[A-Z0-9]+`).FindAllString(string(b), -1)
		if len(names) == 0 {
			t.Errorf("%s reads no input", script)
		}
		for _, name := range names {
			if want := name + ": ${{ inputs." + strings.ToLower(strings.TrimPrefix(name, "INPUT_")) + " }}"; !strings.Contains(text, want) {
				t.Errorf("%s reads %s, and action.yml has no %s", script, name, want)
			}
		}
		if bytes.Contains(b, []byte("eval ")) {
			t.Errorf("%s evaluates", script)
		}
	}
}
