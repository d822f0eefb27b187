package main

import (
	"fmt"
	"os"
	"path/filepath"
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

// failOpen has each agent work in a repository that is out for harm, with the
// real satchel and then with every broken one: the prompt reaches the model, and
// nothing leaves that must not.
func failOpen(t *trial) {
	reached, runs := 0, 0
	trap := t.setup("arms")
	if err := trap.armed(); err != nil {
		panic(notRun{err.Error()})
	}
	sprung := t.sprung(trap)
	for _, a := range four {
		b := t.setup(a.name + "-hostile")
		err := b.armed()
		if err == nil && a.settings != nil {
			err = a.settings(b)
		}
		if err != nil {
			panic(notRun{err.Error()})
		}
		t.hostile(b, a)
		for i, f := range broken {
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
			r := a.ask(b, prompt)
			runs++
			t.harmless(b, a.name, false)
			t.secret(b, a.name)
			if r.code != 0 || len(b.api.asking(prompt)) == 0 {
				t.fail("%s, satchel %s: exit code %d, and the prompt reached the model in %d requests", a.name, f.name, r.code, len(b.api.asking(prompt)))
				continue
			}
			reached++
		}
	}
	t.fact("%d of %d prompts went through with a broken satchel", reached, runs)
	t.fact("%d arms in each repository, of which plain git springs %d and satchel none", len(arms), sprung)
	t.fact("no escape in what satchel or the agents print, no key in any request")
}
