package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// tree returns the files below some folders with their bytes.
func tree(dirs ...string) (map[string]string, error) {
	files := map[string]string{}
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			text, err := os.ReadFile(name)
			files[name] = string(text)
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
	must(claude, "plugin", "validate", dir)
	must(claude, "plugin", "validate", filepath.Join(dir, "plugins", "satchel"))
	must(t.argv("gemini"), "extensions", "validate", ext)
	must(claude, "plugin", "marketplace", "add", dir)
	must(claude, "plugin", "install", "satchel@satchel")
	must(codex, "plugin", "marketplace", "add", dir)
	must(codex, "plugin", "add", "satchel@satchel")
	r := b.claude("claude: " + task)
	t.want(r.code == 0, "claude ended with %d: %s", r.code, r.err)
	t.given("claude", b.api.asking("claude: "))
	b.api.clear()
	_ = os.RemoveAll(filepath.Join(b.dir, "hooks"))
	_ = os.Mkdir(filepath.Join(b.dir, "hooks"), 0o755)
	r = b.codex("codex: "+task, true)
	t.want(r.code == 0, "codex ended with %d: %s", r.code, r.err)
	t.given("codex", b.api.asking("codex: "))
	for _, h := range b.hooks() {
		t.want(strings.HasPrefix(h.args, "hook codex"), "Codex calls %s", h.args)
	}

	// Every agent's settings, as the agents themselves wrote them, are restored.
	c := t.setup("settings", func(b *box) error { return b.codexSettings("") }, (*box).geminiSettings, (*box).opencodeSettings, (*box).piSettings)
	c.claude("hello @@say HELLO@@")
	c.codex("hello @@say HELLO@@", false)
	c.gemini("hello @@say HELLO@@")
	skip := filepath.Join(c.home, ".local", "state", "satchel")
	files := func() map[string]string {
		m, err := tree(c.home, c.repo)
		if err != nil {
			t.fail("%v", err)
		}
		for name := range m {
			if strings.HasPrefix(name, skip) {
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
	t.fact("%d files changed and restored", changed)
}
