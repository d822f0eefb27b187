package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/engine"
)

// bundled are sources, a bundle of them, and what declares for a compiler what the
// bundle defines, and a type besides.
func bundled() map[string]string {
	files := map[string]string{}
	var all, stubs strings.Builder
	stubs.WriteString("class WalrusOptions:\n    host: str\n    port: int\n\n\n")
	for _, name := range []string{"badger", "falcon", "heron", "otter"} {
		var b strings.Builder
		for i := range 60 {
			fmt.Fprintf(&b, "def %s_walrus_%d(proxy, token):\n    reply = proxy.connect(%d, token)\n    return reply + %d\n\n\n", name, i, i, i)
			fmt.Fprintf(&stubs, "def %s_walrus_%d(proxy, token): ...\n", name, i)
		}
		files["source/"+name+".py"] = b.String()
		all.WriteString(b.String())
	}
	files["whole/all.py"], files["whole/all.pyi"] = all.String(), stubs.String()
	return files
}

func TestCopiesHaveOriginals(t *testing.T) {
	e := open(t, engine.Options{Dir: write(t, bundled())})
	for _, tt := range []struct {
		task  string
		paths []string
		want  string // begins a path that is shown
	}{
		{"the walrus proxy refuses to connect a token", nil, "source/"},
		{"the walrus proxy refuses to connect a token", []string{"whole"}, "whole/all.py"},
		{"WalrusOptions lacks a token", nil, "whole/all.pyi"},
	} {
		p, err := e.Pack(t.Context(), satchel.Request{Task: tt.task, Paths: tt.paths, Budget: 3000})
		if err != nil {
			t.Fatal(err)
		}
		shown := ""
		for _, x := range p.Entries {
			shown += x.Ref.Path + "\n"
		}
		if !strings.Contains(shown, tt.want) {
			t.Errorf("%s in %q: %s is not shown, but %q", tt.task, tt.paths, tt.want, shown)
		}
		copies := map[string]bool{}
		for _, o := range p.Omitted {
			copies[o.Ref.Path] = o.Why == satchel.WhyCopy && o.Ref.From == 0
		}
		for _, o := range p.Omitted {
			if o.Why == satchel.WhyCopy && copies[o.SameAs.Path] {
				t.Errorf("%s in %q: %s is a copy of %s, which is one itself", tt.task, tt.paths, o.Ref.Path, o.SameAs.Path)
			}
		}
	}
}
