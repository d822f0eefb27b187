package engine_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/render"
)

// lookAlikes are files that hold all words of a name, and one that defines it.
func lookAlikes() map[string]string {
	files := map[string]string{
		"sched/ddim.py": "class DDIMScheduler:\n    def set_timesteps(self, n):\n        # here they are\n        self.n = n\n        return n\n",
		"run/run.py":    "def run(token):\n    return token\n\n\ndef parse(token):\n    return run(token)\n",
		"sched/tests/test_ddim.py": "def test_set_timesteps_of_ddim():\n    a = 1\n    b = 2\n    assert a < b\n" +
			strings.Repeat("\n\ndef test_ddim_timesteps_set():\n    pass\n", 1),
	}
	for i := range 12 {
		files[fmt.Sprintf("sched/kind%d.py", i)] = fmt.Sprintf("class Kind%dScheduler:\n    # ddim scheduler timesteps, set timesteps of the DDIM scheduler\n    def set_timesteps(self, ddim, timesteps):\n        return timesteps\n", i)
	}
	return files
}

func TestExactNamesComeFirst(t *testing.T) {
	e := open(t, engine.Options{Dir: write(t, lookAlikes())})
	for task, want := range map[string]string{
		"fix DDIMScheduler.set_timesteps":                                "sched/ddim.py",
		"the timesteps of other schedulers differ from DDIMScheduler":    "sched/ddim.py",
		"test_set_timesteps_of_ddim fails since the scheduler was set":   "sched/tests/test_ddim.py",
		"look at sched/tests/test_ddim.py, the scheduler sets timesteps": "sched/tests/test_ddim.py",
		"why does `parse` set the timesteps of the ddim scheduler":       "run/run.py",
		"parse": "run/run.py",
	} {
		r, err := e.Search(t.Context(), engine.SearchRequest{Query: task, Explain: true})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Files) == 0 || r.Files[0].Path != want {
			t.Errorf("%s: first is %v, want %s", task, r.Files, want)
			continue
		}
		if why := fmt.Sprint(r.Files[0].Reasons); !strings.Contains(why, "the task names") && !strings.Contains(why, "which the task mentions") {
			t.Errorf("%s: no reason says so: %s", task, why)
		}
		for _, f := range r.Files {
			if math.Abs(f.Reasons.Value()-f.Score) > 0.01 {
				t.Errorf("%s: the reasons of %s come to %.3f, its score is %.3f", task, f.Path, f.Reasons.Value(), f.Score)
			}
		}
		p, err := e.Pack(t.Context(), satchel.Request{Task: task, Budget: 600})
		if err != nil {
			t.Fatal(err)
		}
		if p.Match != satchel.MatchStrong || len(p.Paths) == 0 || p.Paths[0].Path != want {
			t.Errorf("%s: the pack begins with %v, match %s, want %s", task, p.Paths, p.Match, want)
		}
	}

	// A name alone comes first in all files that define it, before what only looks alike.
	files := map[string]string{"evict.py": strings.Repeat("# evict all of them: evict, all\ndef evict(all):\n    return all\n\n\n", 9)}
	for i := range 6 {
		files[fmt.Sprintf("pool%d.py", i)] = "class Pool:\n    def evict_all(self):\n        self.items = []\n"
	}
	e = open(t, engine.Options{Dir: write(t, files)})
	r, err := e.Search(t.Context(), engine.SearchRequest{Query: "evict_all", Explain: true})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 6 {
		if len(r.Files) <= i || !strings.HasPrefix(r.Files[i].Path, "pool") || !strings.Contains(fmt.Sprint(r.Files[i].Reasons), "which the task names") {
			t.Errorf("evict_all: file %d is not one of those that define it, or not for that: %v", i, r.Files)
		}
	}

	// Words that are names only somewhere lift nothing.
	e = open(t, engine.Options{Dir: write(t, lookAlikes())})
	r, err = e.Search(t.Context(), engine.SearchRequest{Query: "run the ddim scheduler and parse its timesteps", Explain: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Files {
		if why := fmt.Sprint(f.Reasons); strings.Contains(why, "the task names") {
			t.Errorf("%s: %s", f.Path, why)
		}
	}
}

// A definition larger than the budget is outlined, and the pack says so.
func TestExactIsOutlinedIfLarge(t *testing.T) {
	var b strings.Builder
	b.WriteString("class LargeThing:\n")
	for i := range 60 {
		fmt.Fprintf(&b, "    def method_%d(self, first, second):\n", i)
		for k := range 20 {
			fmt.Fprintf(&b, "        first = second_%d + first * %d - len(str(second))\n", i, k)
		}
	}
	e := open(t, engine.Options{Dir: write(t, map[string]string{"large.py": b.String(), "other.py": "def other_thing():\n    return 1\n"})})
	p, err := e.Pack(t.Context(), satchel.Request{Task: "fix LargeThing", Budget: 3000})
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := render.Pack(&text, p, render.Markdown); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"LargeThing takes ", "def method_59(self, first, second)", " + first * 19"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the pack does not say %q", want)
		}
	}
	if p.Used > 3000 {
		t.Errorf("%d tokens", p.Used)
	}

	// What stands within the first has nothing left to be told.
	p, err = e.Pack(t.Context(), satchel.Request{Task: "fix LargeThing and LargeThing.method_3", Budget: 3000})
	if err != nil {
		t.Fatal(err)
	}
	if said := fmt.Sprint(p.Diagnostics); strings.Contains(said, "its 0 parts") || !strings.Contains(said, "LargeThing takes ") {
		t.Errorf("the pack says %s", said)
	}
}

// Many exact names do not fill a pack with the definitions of the first of them.
func TestExactIsBounded(t *testing.T) {
	files := map[string]string{"core/cause.go": "package core\n\nfunc cause(walrus int) int {\n\treturn walrus\n}\n"}
	var names strings.Builder
	for i := range 30 {
		files[fmt.Sprintf("p%d/a.go", i)] = fmt.Sprintf("package p\n\nfunc namedThing%d() {\n%s}\n", i, strings.Repeat("\tprintln(1, 2, 3)\n", 30))
		fmt.Fprintf(&names, "namedThing%d ", i)
	}
	e := open(t, engine.Options{Dir: write(t, files)})
	p, err := e.Pack(t.Context(), satchel.Request{Task: "the walrus is the cause\n" + names.String(), Budget: 4000})
	if err != nil {
		t.Fatal(err)
	}
	first := 0
	for _, x := range p.Entries {
		if strings.Contains(fmt.Sprint(x.Score), "the task names") {
			first += x.Tokens
		}
	}
	if first == 0 || first > 2400 {
		t.Errorf("definitions that come first take %d tokens of 4000", first)
	}
}

// A hook gives the definition that is named.
func TestExactInAside(t *testing.T) {
	r := newRepository(t)
	r.WriteAll(lookAlikes())
	r.Commit("first")
	e := open(t, engine.Options{Dir: r.Dir})
	if _, err := e.Search(t.Context(), engine.SearchRequest{Query: "timesteps"}); err != nil {
		t.Fatal(err)
	}
	for _, prompt := range []string{"fix DDIMScheduler.set_timesteps", "fix test_set_timesteps_of_ddim"} {
		a, err := e.Aside(t.Context(), engine.AsideRequest{Prompt: prompt})
		if err != nil {
			t.Fatal(err)
		}
		if name := prompt[strings.LastIndexAny(prompt, " .")+1:]; !strings.Contains(a.Text, "def "+name) || !strings.Contains(a.Text, "ddim.py") {
			t.Errorf("%s: %q (%s)", prompt, a.Text, a.Why)
		}
	}
}
