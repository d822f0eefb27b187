package install

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/satchel-dev/satchel/internal/agents"
	"github.com/satchel-dev/satchel/internal/world/fsx/fsxtest"
)

// home is an empty home, and the options of an install there.
func home(t interface{ TempDir() string }) (string, Options) {
	dir := t.TempDir()
	return dir, Options{Scope: User, Version: "v1", Getenv: func(name string) string {
		if name == "HOME" {
			return dir
		}
		return ""
	}}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
}

// files returns all that lies below a folder but the records: bytes, mode, and
// where links lead.
func files(t interface{ Fatal(...any) }, dir string) map[string]string {
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || strings.Contains(name, "/.local") {
			return err
		}
		fi, err := d.Info()
		if err != nil {
			return err
		}
		text := fi.Mode().String()
		switch {
		case fi.Mode()&fs.ModeSymlink != 0:
			to, _ := os.Readlink(name)
			text += " " + to
		case fi.Mode().IsRegular():
			b, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			text += " " + string(b)
		}
		out[strings.TrimPrefix(name, dir)] = text
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestRoundTrip: in random settings, every agent is put in, put in again and
// taken out, in any order, and every file, mode and link is as before.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp("", "install")
		if err != nil {
			rt.Fatal(err)
		}
		defer os.RemoveAll(dir)
		o := Options{Scope: User, Version: "v1", Getenv: func(name string) string { return map[string]string{"HOME": dir}[name] }}
		for _, name := range []string{".claude/settings.json", ".claude.json", ".codex/hooks.json", ".gemini/settings.json", ".qwen/settings.json", ".copilot/mcp-config.json", ".config/opencode/opencode.jsonc", ".cursor/mcp.json", ".config/Code/User/mcp.json", ".config/zed/settings.json", ".junie/mcp/mcp.json"} {
			if !rapid.Bool().Draw(rt, "there is "+name) {
				continue
			}
			file := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				rt.Fatal(err)
			}
			mode := rapid.SampledFrom([]fs.FileMode{0o600, 0o644, 0o660}).Draw(rt, "mode")
			if rapid.Bool().Draw(rt, "is a link") {
				target := filepath.Join(dir, "dotfiles", filepath.Base(filepath.Dir(file))+filepath.Base(file))
				if err := errors.Join(os.MkdirAll(filepath.Dir(target), 0o755), os.Symlink(target, file)); err != nil {
					rt.Fatal(err)
				}
				file = target
			}
			if err := errors.Join(os.WriteFile(file, settings(rt), mode), os.Chmod(file, mode)); err != nil {
				rt.Fatal(err)
			}
		}
		before := files(rt, dir)
		list := rapid.SliceOfNDistinct(rapid.SampledFrom(Clients), 1, 3, func(c Client) Client { return c }).Draw(rt, "order")
		var in []Client
		for _, c := range list {
			r, err := Install(o, c)
			if err != nil {
				var refused *RefusedError // mcp is a number, say
				if !errors.As(err, &refused) {
					rt.Fatalf("install %s: %v", c, err)
				}
				continue
			}
			in = append(in, c)
			now := files(rt, dir)
			again, err := Install(o, c)
			if err != nil || again.Changed() || cmp.Diff(files(rt, dir), now) != "" {
				rt.Fatalf("installing %s twice: %v, %v", c, err, again)
			}
			_ = r
		}
		for _, c := range rapid.Permutation(in).Draw(rt, "order out") {
			if _, err := Uninstall(o, c); err != nil {
				rt.Fatalf("uninstall %s: %v", c, err)
			}
		}
		if d := cmp.Diff(files(rt, dir), before); d != "" {
			rt.Fatalf("not as before (-got +want):\n%s", d)
		}
	})
}

// TestHostileFiles: what is not a settings file of the user's is left alone.
func TestHostileFiles(t *testing.T) {
	for _, tt := range []struct {
		name string
		make func(t *testing.T, file string)
		want string
	}{
		{"a folder", func(t *testing.T, file string) { write(t, filepath.Join(file, "x"), "") }, "is a folder"},
		{"a link to nowhere", func(t *testing.T, file string) {
			write(t, file+"x", "")
			fsxtest.Link(t, "/nowhere/at/all", file)
		}, "broken symbolic link"},
		{"a link to itself", func(t *testing.T, file string) {
			write(t, file+"x", "")
			fsxtest.Link(t, file, file)
		}, "broken symbolic link"},
		{"a device", func(t *testing.T, file string) {
			write(t, file+"x", "")
			fsxtest.Link(t, "/dev/zero", file)
		}, "is not a regular file"},
		{"20 MB", func(t *testing.T, file string) {
			write(t, file, "{}")
			if err := os.Truncate(file, 20<<20); err != nil {
				t.Fatal(err)
			}
		}, "20 MB, limit is 16"},
		{"read-only", func(t *testing.T, file string) {
			write(t, file, "{}")
			if err := os.Chmod(file, 0o444); err != nil {
				t.Fatal(err)
			}
		}, "is read-only"},
		{"another user's", func(t *testing.T, file string) {
			if os.Geteuid() != 0 {
				t.Skip("only root can give a file away")
			}
			write(t, file, "{}")
			if err := os.Chown(file, 12345, 12345); err != nil {
				t.Fatal(err)
			}
		}, "belongs to another user"},
		{"a file for a folder", func(t *testing.T, file string) { write(t, filepath.Dir(file), "x") }, "is not a folder"},
		{"invalid UTF-8 and NUL", func(t *testing.T, file string) { write(t, file, "{\"a\": \xff\x00}") }, "settings.json:1:7: unexpected"},
		{"deep", func(t *testing.T, file string) { write(t, file, strings.Repeat("[", 1<<20)) }, "nested more than 100 deep"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir, o := home(t)
			tt.make(t, filepath.Join(dir, ".claude", "settings.json"))
			before := files(t, dir)
			_, err := Install(o, "claude")
			var refused *RefusedError
			if !errors.As(err, &refused) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %s", err, tt.want)
			}
			if d := cmp.Diff(files(t, dir), before); d != "" {
				t.Errorf("something changed (-got +want):\n%s", d)
			}
		})
	}
}

// TestHostileEditors: the files of every client, editors included, are left alone if
// they are a folder, a pipe, too large or damaged, and then nothing else of that
// client is written.
func TestHostileEditors(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	for _, c := range Clients {
		for i := range (&Options{Scope: User, Getenv: func(string) string { return "/h" }}).files(c) {
			for name, make := range map[string]func(file string) error{
				"a folder": func(file string) error { return os.MkdirAll(file, 0o755) },
				"a pipe":   fsxtest.Mkfifo,
				"too large": func(file string) error {
					return errors.Join(os.WriteFile(file, nil, 0o600), os.Truncate(file, maxFile+1))
				},
				"damaged": func(file string) error { return os.WriteFile(file, []byte("{\"a\" \x00 = [\n"), 0o600) },
			} {
				dir, o := home(t)
				file := o.files(c)[i].Path
				err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), make(file))
				if errors.Is(err, errors.ErrUnsupported) {
					continue // there is no such thing here
				}
				if err != nil {
					t.Fatal(err)
				}
				before := files(t, dir)
				_, err = Install(o, c)
				var refused *RefusedError
				if !errors.As(err, &refused) {
					t.Errorf("%s: %s is %s: %v", c, file, name, err)
				}
				if d := cmp.Diff(files(t, dir), before); d != "" {
					t.Errorf("%s: %s is %s: something changed (-got +want):\n%s", c, file, name, d)
				}
			}
		}
	}
}

// TestNoRecords: nothing is changed if what was there cannot be kept, as in a home
// that nobody may write to.
func TestNoRecords(t *testing.T) {
	dir, o := home(t)
	write(t, filepath.Join(dir, ".claude", "settings.json"), "{}")
	write(t, filepath.Join(dir, ".local"), "a file where a folder should be")
	before := files(t, dir)
	for name, do := range map[string]func(Options, Client) (*Result, error){"install": Install, "uninstall": Uninstall} {
		_, err := do(o, "claude")
		var refused *RefusedError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), "/.local/state/satchel/install: cannot keep the record of changes: not a directory") || !strings.Contains(refused.Hint, "XDG_STATE_HOME") {
			t.Errorf("%s: %v", name, err)
		}
		if d := cmp.Diff(files(t, dir), before); d != "" {
			t.Errorf("%s: something changed (-got +want):\n%s", name, d)
		}
	}
}

// TestUninstallGoesOn: a file that cannot be understood keeps no other from being cleaned,
// and is named; an install, which is all or nothing, changes neither.
func TestUninstallGoesOn(t *testing.T) {
	const broken = "{\n  \"model\": opus\n}\n"
	for _, damaged := range []string{".claude.json", ".claude/settings.json"} {
		dir, o := home(t)
		if _, err := Install(o, "claude"); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, damaged), broken)
		before := files(t, dir)
		if r, err := Install(o, "claude"); r != nil || err == nil {
			t.Errorf("install beside a damaged %s: %v, %v", damaged, r, err)
		}
		if d := cmp.Diff(files(t, dir), before); d != "" {
			t.Errorf("the install changed something:\n%s", d)
		}
		r, err := Uninstall(o, "claude")
		var refused *RefusedError
		if !errors.As(err, &refused) || refused.Path != filepath.Join(dir, damaged)+":2:12" || !strings.HasPrefix(refused.Hint, "satchel's entries stay in it; correct") {
			t.Errorf("uninstall with a damaged %s: error %v, %+v", damaged, err, refused)
		}
		if r == nil || len(r.Changes) != 1 || r.Changes[0].Action != Removed {
			t.Errorf("uninstall with a damaged %s: %+v", damaged, r)
		}
		write(t, filepath.Join(dir, damaged), "{}\n")
		if r, err := Uninstall(o, "claude"); err != nil || r.Changed() {
			t.Errorf("the file is mended: %+v, %v", r, err)
		}
	}

	dir, o := home(t)
	write(t, filepath.Join(dir, ".claude.json"), broken)
	write(t, filepath.Join(dir, ".claude/settings.json"), broken)
	if r, err := Uninstall(o, "claude"); r != nil || err == nil || strings.Count(err.Error(), ":2:12: ") != 2 {
		t.Errorf("both are damaged: %+v, %v", r, err)
	}
}

// TestUninstallWithoutRecord: no empty object or array stays of what was ours, and all
// of what was not.
func TestUninstallWithoutRecord(t *testing.T) {
	for _, c := range Clients {
		dir, o := home(t)
		if _, err := Install(o, c); err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(o.stateDir()); err != nil {
			t.Fatal(err)
		}
		if _, err := Uninstall(o, c); err != nil {
			t.Fatalf("%s: %v", c, err)
		}
		for _, f := range o.files(c) {
			text, err := os.ReadFile(f.Path)
			if f.Table != "" || f.Whole != "" || errors.Is(err, fs.ErrNotExist) {
				continue
			}
			root, perr := parseJSON(text)
			if err != nil || perr != nil {
				t.Fatal(err, perr)
			}
			for _, m := range root.members { // copilot's hooks begin with their version
				if m.value.kind == '{' || m.value.kind == '[' {
					t.Errorf("%s: %s is\n%s", c, strings.TrimPrefix(f.Path, dir), text)
				}
			}
		}
	}
}

// TestUsersEmptyContainers: what was empty before satchel came stays where the record
// says so, and without one if nothing of ours stood in it.
func TestUsersEmptyContainers(t *testing.T) {
	const text = "{\n  \"hooks\": {\n    \"UserPromptSubmit\": [],\n    \"Mine\": []\n  }\n}\n"
	for _, tt := range []struct {
		name           string
		change, forget bool
		want           string
	}{
		{"with its record", false, false, text},
		{"with its record, changed since", true, false, strings.Replace(text, "{\n", "{\n  \"model\": 1,\n", 1)},
		{"without its record", false, true, "{\n  \"hooks\": {\n    \"Mine\": []\n  }\n}\n"},
	} {
		dir, o := home(t)
		name := filepath.Join(dir, ".claude/settings.json")
		write(t, name, text)
		if _, err := Install(o, "claude"); err != nil {
			t.Fatal(err)
		}
		if tt.change {
			now, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			write(t, name, strings.Replace(string(now), "{\n", "{\n  \"model\": 1,\n", 1))
		}
		if tt.forget {
			if err := os.RemoveAll(o.stateDir()); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := Uninstall(o, "claude"); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(name); err != nil || string(got) != tt.want {
			t.Errorf("%s: %v\n%s", tt.name, err, cmp.Diff(string(got), tt.want))
		}
	}
}

// TestProjectLinks: the settings of a project do not lead out of it, by a file
// nor by a folder. Links that stay inside are followed.
func TestProjectLinks(t *testing.T) {
	dir, o := home(t)
	o.Scope, o.Project = Project, filepath.Join(dir, "project")
	bashrc := filepath.Join(dir, ".bashrc")
	write(t, bashrc, "{}")
	write(t, filepath.Join(o.Project, ".claude", "x"), "")
	link := filepath.Join(o.Project, ".claude", "settings.json")
	fsxtest.Link(t, bashrc, link)
	if _, err := Install(o, "claude"); err == nil || !strings.Contains(err.Error(), "is a link out of the project") {
		t.Errorf("a file: %v", err)
	}
	fsxtest.Link(t, dir, filepath.Join(o.Project, ".gemini"))
	if _, err := Install(o, "gemini"); err == nil || !strings.Contains(err.Error(), "is a link out of the project") {
		t.Errorf("a folder: %v", err)
	}
	if text, err := os.ReadFile(bashrc); err != nil || string(text) != "{}" || exists(filepath.Join(dir, "settings.json")) {
		t.Errorf("something was written outside: %q, %v", text, err)
	}
	inside := filepath.Join(o.Project, "shared.json")
	write(t, inside, "{}")
	if err := errors.Join(os.Remove(link), os.Symlink("../shared.json", link)); err != nil {
		t.Fatal(err)
	}
	r, err := Install(o, "claude")
	if err != nil || r.Changes[0].Target == "" {
		t.Fatalf("a link inside: %v, %+v", err, r)
	}
	if fi, err := os.Lstat(link); err != nil || fi.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v", err)
	}
	if text, _ := os.ReadFile(inside); !bytes.Contains(text, []byte("satchel hook claude")) {
		t.Errorf("nothing was written through the link")
	}
}

// TestConcurrentInstalls: many at once are one.
func TestConcurrentInstalls(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	dir, o := home(t)
	write(t, filepath.Join(dir, ".claude", "settings.json"), "{\n  \"model\": \"opus\"\n}\n")
	before := files(t, dir)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for _, c := range Clients {
				if _, err := Install(o, c); err != nil {
					t.Errorf("%s: %v", c, err)
				}
			}
		})
	}
	all.Wait()
	once, p := home(t)
	write(t, filepath.Join(once, ".claude", "settings.json"), "{\n  \"model\": \"opus\"\n}\n")
	for _, c := range Clients {
		if _, err := Install(p, c); err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff(files(t, dir), files(t, once)); d != "" {
		t.Errorf("many at once are not one (-got +want):\n%s", d)
	}
	for range 8 {
		all.Go(func() {
			for _, c := range Clients {
				if _, err := Uninstall(o, c); err != nil {
					t.Errorf("%s: %v", c, err)
				}
			}
		})
	}
	all.Wait()
	if d := cmp.Diff(files(t, dir), before); d != "" {
		t.Errorf("not as before (-got +want):\n%s", d)
	}
}

// TestAllOrNothing: if the second file of an agent cannot be written, the first
// is put back.
func TestAllOrNothing(t *testing.T) {
	dir, o := home(t)
	write(t, filepath.Join(dir, ".claude", "settings.json"), "{}")
	before := files(t, dir)
	l := ledger{o.stateDir()}
	unlock, err := l.lock(lockPatience)
	if err != nil {
		t.Fatal(err)
	}
	var steps []*step
	for _, f := range o.files("claude") {
		p, err := open(f.Path, "")
		if err != nil {
			t.Fatal(err)
		}
		defer p.close()
		s, err := o.plan("claude", &f, p)
		if err != nil {
			t.Fatal(err)
		}
		s.change.Before = p.text
		steps = append(steps, s)
	}
	write(t, filepath.Join(dir, ".claude.json"), "{\"another\": \"program\"}") // between reading and writing
	err = l.apply(steps)
	unlock()
	if err == nil || !strings.Contains(err.Error(), "another program has changed it") {
		t.Errorf("%v", err)
	}
	got := files(t, dir)
	maps.DeleteFunc(got, func(name, _ string) bool { return name == "/.claude.json" })
	if d := cmp.Diff(got, before); d != "" {
		t.Errorf("(-got +want):\n%s", d)
	}
}

// line is the hook line of an agent for an event.
func line(c Client, event string) string { return c.row().HookLine(&agents.Event{Name: event}) }

// codexTable is what stands in Codex's config.toml.
var codexTable = (&Options{Scope: User, Getenv: func(string) string { return "" }}).files("codex")[1].Table

// TestHookLinesRun: a line hands satchel what it is given and gives back what it
// says; it ends with 0 if satchel fails or is gone, and when it is ended, so is
// satchel.
func TestHookLinesRun(t *testing.T) {
	bin := t.TempDir()
	run := func(line string) (string, error) {
		cmd := exec.Command("/bin/sh", "-c", line)
		cmd.Env = []string{"PATH=" + bin + ":/usr/bin:/bin"}
		cmd.Stdin = strings.NewReader("input")
		out, err := cmd.Output()
		return string(out), err
	}
	lines := []string{line("claude", ""), line("gemini", ""), line("copilot", "sessionStart"), pluginLine, pluginStart, agents.StatusLine}
	for _, c := range []Client{"claude", "codex", "gemini", "copilot", "qwen"} { // what was written on Windows runs here, too
		lines = append(lines, c.row().WindowsLine(nil))
	}
	for _, line := range lines {
		absent := ""
		if line == pluginStart {
			absent = `{"systemMessage":"` + strings.TrimSpace(pluginAbsent) + "\"}\n"
		}
		for program, want := range map[string]string{
			"":                           absent,
			"#!/bin/sh\ncat\nexit 0\n":   "input",
			"#!/bin/sh\nexit 2\n":        "",
			"#!/bin/sh\nkill -9 $$\n":    "",
			"no program at all \x00\xff": "",
		} {
			name := filepath.Join(bin, "satchel")
			_ = os.Remove(name)
			if program != "" {
				if err := os.WriteFile(name, []byte(program), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			if out, err := run(line); err != nil || out != want {
				t.Errorf("%s with %q: %q, %v, want %q", line, program, out, err, want)
			}
		}
	}
	// It starts when the line is ready for a signal, which it is some microseconds
	// after it has started satchel; where there is no /proc, at once.
	const ready = "while [ -r /proc/$PPID/status ] && ! grep -q '^SigCgt:.*[4-7c-f][0-9a-f][0-9a-f][0-9a-f]$' /proc/$PPID/status; do sleep 0.01; done\n"
	if err := os.WriteFile(filepath.Join(bin, "satchel"), []byte("#!/bin/sh\n"+ready+"echo started\nexec sleep 600\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/bin/sh", "-c", "exec "+line("gemini", ""))
	cmd.Env = []string{"PATH=" + bin + ":/usr/bin:/bin"}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, len("started"))); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_, err = io.ReadAll(out) // returns when nobody holds the pipe any more
	if err = errors.Join(err, cmd.Wait()); err != nil {
		t.Errorf("ended: %v", err)
	}
}

// TestTOML: tables that others put between our marks stay.
func TestTOML(t *testing.T) {
	for _, before := range []string{"", "a = 1\n", "a = 1", "a = 1\r\n[b]\r\nc = '''\n[mcp_servers.satchel]\n'''\r\n", "[mcp_servers.other]\ncommand = \"x\" # y\n", "# only words\n"} {
		put, err := addTOML([]byte(before), codexTable)
		after := put.text
		if err != nil || put.entries == nil || !bytes.HasPrefix(after, []byte(before)) {
			t.Fatalf("%q: %v, %v, %q", before, err, put.entries, after)
		}
		again, err := addTOML(after, codexTable)
		if err != nil || again.entries != nil || !bytes.Equal(again.text, after) {
			t.Errorf("%q: twice is not once: %v, %q", before, err, again.text)
		}
		back, err := removeTOML(after)
		if err != nil || strings.TrimRight(string(back.text), "\r\n") != strings.TrimRight(before, "\r\n") {
			t.Errorf("%q: taken out: %q, %v", before, back.text, err)
		}
		foreign := strings.Replace(string(after), tomlEnd, "[projects.\"/x\"]\ntrust_level = \"trusted\" # theirs\n[mcp_servers.satchel.env]\nA = [\n \"b\",\n]\n# theirs, too\n"+tomlEnd, 1)
		back, err = removeTOML([]byte(foreign))
		want := strings.TrimRight(before, "\r\n") + "[projects.\"/x\"]\ntrust_level = \"trusted\" # theirs\n# theirs, too"
		if squash := strings.NewReplacer("\r", "", "\n\n", "\n"); err != nil || strings.ReplaceAll(squash.Replace(string(back.text)), "\n", "") != strings.ReplaceAll(squash.Replace(want), "\n", "") {
			t.Errorf("%q: with foreign tables: %q, %v, want %q", before, back.text, err, want)
		}
	}
	for text, want := range map[string]string{
		"mcp_servers = {satchel = {command = \"satchel\"}}\n": "is not a separate table",
		"[mcp_servers.satchel]\ncommand = 1 2\n":              "2:",
	} {
		_, err := removeTOML([]byte(text))
		var at *syntaxError
		if !errors.As(err, &at) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// TestTOMLKeepsWhatIsBehind: what a user wrote outside of satchel's lines stays
// byte for byte, and is named where its meaning changes.
func TestTOMLKeepsWhatIsBehind(t *testing.T) {
	ours := tomlBegin + "\n" + codexTable + tomlEnd + "\n"
	for _, tt := range []struct{ text, want, kept string }{
		{"a = 1\n\n" + ours + "# mine\nb = \"high\"\n\n[projects.\"/x\"]\n", "a = 1\n# mine\nb = \"high\"\n\n[projects.\"/x\"]\n", "b follows satchel's lines and stays: it now belongs to the top level"},
		{"[tui]\n\n" + ours + "b.c = [\n1,\n]\nd = 1", "[tui]\nb.c = [\n1,\n]\nd = 1", "b.c, d follows satchel's lines and stays: it now belongs to [tui]"},
		{ours + "\n# mine\n", "\n# mine\n", ""},
		{tomlBegin + "\n" + codexTable + "# inside\n" + tomlEnd + "\nb = 1\n", "# inside\nb = 1\n", "b follows"},
		{strings.ReplaceAll(ours+"b = 1\n", "\n", "\r\n"), "b = 1\r\n", "b follows"},
		{ours + "[mcp_servers.satchel.env]\nA = \"b\"\n", "[mcp_servers.satchel.env]\nA = \"b\"\n", "[mcp_servers.satchel.env] is outside"},
		{"[mcp_servers.satchel.env]\nA = \"b\"\n\n" + ours, "[mcp_servers.satchel.env]\nA = \"b\"\n", "[mcp_servers.satchel.env] is outside"},
		{"[mcp_servers.satchel.env]\nA = \"b\"\n" + tomlBegin + "\n" + codexTable + "# mine\n", "# mine\n", ""},
		{tomlEnd + "\n# mine\n", "# mine\n", ""},
	} {
		out, err := removeTOML([]byte(tt.text))
		kept := out.kept
		if err != nil || out.entries == nil || string(out.text) != tt.want || !strings.Contains(strings.Join(kept, "\n"), tt.kept) || len(kept) > 0 && tt.kept == "" {
			t.Errorf("%q: %q, want %q; %q, want %q; %v", tt.text, out.text, tt.want, kept, tt.kept, err)
		}
	}
	_, err := removeTOML([]byte("b = 1\n" + ours + "b = 2\n")) // twice at the top level
	if err == nil || !strings.Contains(err.Error(), "the keys after satchel's table need that table") {
		t.Errorf("a key that is there above: %v", err)
	}
	after, err := addTOML([]byte("[mcp_servers.satchel.env]\nA = \"b\"\n"), codexTable)
	if err != nil || after.entries == nil || !bytes.HasSuffix(after.text, []byte(ours)) {
		t.Errorf("beside a table that stayed: %q, %v", after.text, err)
	}
}

// FuzzTOMLKeeps: whatever stands before and behind satchel's lines is there after
// they went, byte for byte.
func FuzzTOMLKeeps(f *testing.F) {
	f.Add("a = 1\n", "# mine\nb = 1\n\n[c]\n")
	f.Add("[tui]", "b = '''\n'''\r\n")
	f.Add("", "b = 1")
	f.Fuzz(func(t *testing.T, before, behind string) {
		if strings.Contains(before+behind, "satchel") {
			t.Skip() // may be an entry of ours
		}
		put, err := addTOML([]byte(before), codexTable)
		if err != nil || put.entries == nil {
			t.Skip()
		}
		taken, err := removeTOML(append(put.text, behind...))
		out := taken.text
		if err != nil {
			t.Skip() // refused, and nothing is written
		}
		front := string(out[:len(out)-min(len(behind), len(out))])
		if !strings.HasSuffix(string(out), behind) || strings.TrimRight(front, "\r\n") != strings.TrimRight(before, "\r\n") || !strings.HasPrefix(string(out), before) {
			t.Errorf("%q, %q: %q", before, behind, out)
		}
	})
}
