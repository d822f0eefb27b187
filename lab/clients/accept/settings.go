package main

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// tree returns what is below some folders: files with their mode and their bytes,
// links with where they lead, folders with their mode.
func tree(dirs ...string) (map[string]string, error) {
	files := map[string]string{}
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			st, err := d.Info()
			if err != nil {
				return err
			}
			var text []byte
			var to string
			switch {
			case st.Mode().IsRegular():
				text, err = os.ReadFile(name)
			case st.Mode()&fs.ModeSymlink != 0:
				to, err = os.Readlink(name)
			}
			files[name] = st.Mode().String() + " " + to + string(text)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

func plugin(t *trial) {
	b := t.setup("plugin", func(b *box) error { return b.codexSettings("") }, (*box).geminiSettings)
	t.want(b.satchel("index").code == 0, "index")
	dir, ext := filepath.Join(b.dir, "plugin"), filepath.Join(b.dir, "extension")
	if r := b.satchel("install", "--plugin", dir, "--extension", ext); r.code != 0 {
		t.fail("install --plugin: %s", r.err)
		return
	}
	claude, codex := t.argv("claude"), t.argv("codex")
	must := func(argv []string, args ...string) {
		r := b.start(append(b.claudeVars(), "FAKE_KEY=fake"), "", append(slices.Clone(argv), args...)...)
		t.want(r.code == 0, "%s ended with %d: %s %s", strings.Join(args, " "), r.code, r.out, r.err)
	}
	// The profile is for the folder of a plugin; the marketplace is validated
	// without one. Strictly means that warnings fail, too.
	must(claude, "plugin", "validate", "--strict", dir)
	must(claude, "plugin", "validate", "--strict", "--profile", "directory", filepath.Join(dir, "plugins", "satchel"))
	must(t.argv("gemini"), "extensions", "validate", ext)
	fresh, err := tree(dir)
	t.want(err == nil, "%v", err)
	must(claude, "plugin", "marketplace", "add", dir)
	must(claude, "plugin", "install", "satchel@satchel")
	must(codex, "plugin", "marketplace", "add", dir)
	must(codex, "plugin", "add", "satchel@satchel")
	r := b.claude("claude: " + task)
	t.want(r.code == 0, "claude ended with %d: %s", r.code, r.err)
	t.given("claude", b.api.asking("claude: "))
	b.api.clear()
	b.forgetHooks()
	r = b.codex("codex: "+task, true)
	t.want(r.code == 0, "codex ended with %d: %s", r.code, r.err)
	t.given("codex", b.api.asking("codex: "))
	for _, h := range b.hooks() {
		t.want(strings.HasPrefix(h.args, "hook codex"), "Codex calls %s", h.args)
	}

	t.absentSatchel(b)

	used, err := tree(dir)
	t.want(err == nil && maps.Equal(fresh, used), "the folder is not the same for both agents: %v", err)
	must(claude, "plugin", "uninstall", "satchel@satchel")
	must(codex, "plugin", "remove", "satchel@satchel")
	b.forgetHooks()
	b.claude("gone: " + task)
	b.codex("gone: "+task, true)
	t.want(len(b.hooks()) == 0, "hooks run without the plugin")
	t.fact("passes --strict --profile directory, one folder in both agents")

	t.restored()
}

// restored installs satchel into every agent's settings, as the agents themselves
// wrote them, and takes it out again.
func (t *trial) restored() {
	c := t.setup("settings", func(b *box) error { return b.codexSettings("") }, (*box).geminiSettings, (*box).opencodeSettings, (*box).piSettings)
	c.claude("hello @@say HELLO@@")
	c.codex("hello @@say HELLO@@", false)
	c.gemini("hello @@say HELLO@@")
	// An install keeps its notes, and builds the index of the project.
	kept := []string{filepath.Join(c.home, ".local", "state", "satchel"), filepath.Join(c.repo, ".git", "satchel", "index")}
	files := func() map[string]string {
		m, err := tree(c.home, c.repo)
		if err != nil {
			t.fail("%v", err)
		}
		for name := range m {
			if slices.ContainsFunc(kept, func(k string) bool { return strings.HasPrefix(name, k) || strings.HasPrefix(k, name) }) {
				delete(m, name)
			}
		}
		return m
	}
	before := files()
	all := []string{"claude", "codex", "gemini", "copilot", "opencode", "pi"}
	t.want(c.satchel(append([]string{"install"}, all...)...).code == 0, "install")
	t.want(c.satchel(append([]string{"install", "--project"}, all...)...).code == 0, "install --project")
	changed := 0
	for name, text := range files() {
		if before[name] != text {
			changed++
		}
	}
	t.want(c.satchel(append([]string{"uninstall", "--project"}, all...)...).code == 0, "uninstall --project")
	t.want(c.satchel(append([]string{"uninstall"}, all...)...).code == 0, "uninstall")
	after := files()
	for name, text := range before {
		t.want(after[name] == text, "%s is not restored", strings.TrimPrefix(name, c.dir))
	}
	for name := range after {
		_, was := before[name]
		t.want(was, "%s is left behind", strings.TrimPrefix(name, c.dir))
	}
	t.fact("%d files changed and restored, byte for byte and in their modes", changed)
}

// absentSatchel takes satchel away from a plugin that is installed: one line says so
// when a session starts, and the prompt reaches the model as it was typed. Codex shows
// the line on its screen only.
func (t *trial) absentSatchel(b *box) {
	program := filepath.Join(b.bin, "satchel")
	if err := os.Rename(program, program+".gone"); err != nil {
		t.fail("%v", err)
		return
	}
	defer func() { _ = os.Rename(program+".gone", program) }()
	const says = "there is no program satchel on the PATH"
	for name, ask := range map[string]func() *run{
		"claude": func() *run { return b.claude("absent: " + task) },
		"codex":  func() *run { return b.codex("absent: "+task, true) },
	} {
		b.api.clear()
		r := ask()
		t.want(r.code == 0, "%s without satchel ended with %d: %s", name, r.code, r.err)
		asked := b.api.asking("absent: ")
		t.want(len(asked) > 0, "%s without satchel: the prompt did not reach the model", name)
		for _, q := range asked {
			t.want(!strings.Contains(string(q.Body), says), "%s tells the model that satchel is absent", name)
		}
		t.want(name == "codex" || strings.Contains(string(r.out), says), "%s does not say that satchel is absent: %s%s", name, r.out, r.err)
	}
}
