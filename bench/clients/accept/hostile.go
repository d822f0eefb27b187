package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// broken are satchels that do everything wrong that a hook can do wrong.
var broken = []struct{ name, program string }{
	{"exit 2", "#!/bin/sh\necho words on standard error >&2\nexit 2\n"},
	{"exit 127", "#!/bin/sh\nexit 127\n"},
	{"garbage", "#!/bin/sh\nprintf 'plain text, not JSON \\033[31m'\n"},
	{"wrong JSON", "#!/bin/sh\necho '{\"hookSpecificOutput\": {\"hookEventName\": \"Wrong\", \"additionalContext\": 5}}'\n"},
	{"hangs", "#!/bin/sh\nexec sleep 60\n"},
	{"gone", ""},
}

// asked is an agent that can be asked in a box.
type asked struct {
	name     string
	settings func(*box) error
	ask      func(*box, string) *run
}

var four = []asked{
	{"claude", nil, func(b *box, p string) *run { return b.claude(p) }},
	{"codex", func(b *box) error { return b.codexSettings("") }, func(b *box, p string) *run { return b.codex(p, true) }},
	{"gemini", (*box).geminiSettings, func(b *box, p string) *run { return b.gemini(p) }},
	{"copilot", nil, func(b *box, p string) *run { return b.copilot(p) }},
}

// planted is a key of a kind that providers document, and of nobody. It is put
// together here so that it stands in no file.
var planted = "ghp_" + "x7Kq2mVb9TzR4wYc8" + "LhN3sJd6FgP1aQe5uHo"

// failOpen tries every broken satchel with every agent: the prompt reaches the
// model. Then it has the real one work in a repository that is out for harm.
func failOpen(t *trial) {
	reached, runs := 0, 0
	for _, a := range four {
		b := t.setup(a.name)
		if a.settings != nil {
			if err := a.settings(b); err != nil {
				panic(notRun{err.Error()})
			}
		}
		t.installed(b, a.name)
		for i, f := range broken {
			var err error
			if f.program == "" {
				err = os.Remove(filepath.Join(b.bin, "satchel"))
			} else {
				err = b.program(f.program)
			}
			if err != nil {
				panic(notRun{err.Error()})
			}
			b.api.clear()
			prompt := fmt.Sprintf("prompt %d: %s", i, task)
			a.ask(b, prompt)
			runs++
			if len(b.api.asking(prompt)) == 0 {
				t.fail("%s, satchel %s: the prompt did not reach the model", a.name, f.name)
				continue
			}
			reached++
		}
	}
	t.fact("%d of %d prompts went through", reached, runs)
	for _, a := range four {
		t.hostile(a)
	}
}

// hostile has an agent work in a repository that arms everything that makes git
// run a program, and that holds control sequences and a secret. The canary says
// who ran it: agents run git themselves, which is not satchel's doing.
// The key stands in no message of a commit for the same reason.
func (t *trial) hostile(a asked) {
	b := t.setup(a.name + "-hostile")
	canary := filepath.Join(b.dir, "canary")
	script := filepath.Join(b.dir, "x.sh")
	err := os.WriteFile(script, []byte(fmt.Sprintf(`#!/bin/sh
p=$$
while [ "$p" -gt 1 ]; do
	tr '\0' ' ' </proc/$p/cmdline; echo
	p=$(sed -n 's/^PPid:[[:space:]]*//p' /proc/$p/status)
done >>%s
cat
`, canary)), 0o755)
	text := "// retryWithBackoff retries with backoff: login times out behind a proxy.\nconst token = \"" + planted + "\" // \x1b[31m\u202e\x07\n"
	for _, step := range []func() error{
		func() error { return b.write(answer, "package proxy\n\n"+text+"func retryWithBackoff() {}\n") },
		func() error { return b.write(".gitattributes", "* diff=evil filter=evil\n") },
		func() error { return b.write("evil\x1b[2J.go", "package evil\n") },
		func() error { return b.git("add", "-A") },
		func() error { return b.git("commit", "-qm", "login times out \x1b]0;owned\x07") },
		func() error { return b.git("config", "core.fsmonitor", script) },
		func() error { return b.git("config", "core.hooksPath", b.dir) },
		func() error { return b.git("config", "diff.external", script) },
		func() error { return b.git("config", "diff.evil.textconv", script) },
		func() error { return b.git("config", "filter.evil.clean", script) },
		func() error { return b.git("config", "filter.evil.process", script) },
		func() error { return b.git("config", "core.pager", script) },
		func() error { return b.write(answer, "package proxy\n\n"+text+"func retryWithBackoff() { _ = 1 }\n") },
		func() error {
			if a.settings == nil {
				return nil
			}
			return a.settings(b)
		},
	} {
		if err == nil {
			err = step()
		}
	}
	if err != nil {
		panic(notRun{err.Error()})
	}
	_ = os.Remove(canary) // git itself ran it
	t.installed(b, a.name)
	if text, err := os.ReadFile(canary); err == nil {
		t.fail("%s: satchel ran what the repository configures: %.300s", a.name, text)
	}
	call := map[string]string{"claude": "mcp__satchel__pack", "codex": "mcp__satchel::pack", "gemini": "mcp_satchel_pack", "copilot": "satchel-pack"}[a.name]
	a.ask(b, task+` @@tool `+call+` {"task":"`+task+`","budget":3000}@@`)
	seen := b.api.asking(task)
	t.want(len(seen) > 0, "%s: the prompt did not reach the model", a.name)
	if text, err := os.ReadFile(canary); err == nil {
		for line := range strings.Lines(string(text)) {
			if strings.Contains(line, t.satchel) && !strings.Contains(line, "tee ") {
				t.fail("%s: satchel ran what the repository configures: %.300s", a.name, text)
				break
			}
		}
	}
	worked := false
	for _, r := range b.api.seen() {
		t.want(!bytes.Contains(r.Body, []byte(planted)), "%s: the secret reached the model", a.name)
		for _, s := range texts(r.Body) {
			if strings.Contains(s, "[secret:github-token") {
				worked = true
				t.want(!strings.ContainsAny(s, "\x1b\x07\u202e"), "%s: control characters reached the model", a.name)
			}
		}
	}
	t.want(worked, "%s: nothing of the file was given, so that nothing is tested", a.name)
}
