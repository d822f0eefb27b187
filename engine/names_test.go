package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/engine"
)

// What a caller expects weighs as the title does, and what is not here is said.
func TestExpectedNames(t *testing.T) {
	e := open(t, engine.Options{Dir: write(t, lookAlikes())})
	const task = "the timesteps of the scheduler are wrong"
	first := func(names ...string) string {
		t.Helper()
		r, err := e.Search(t.Context(), engine.SearchRequest{Query: task, Names: names})
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(r.Files[0].Path, " ", r.Diagnostics)
	}
	for names, want := range map[string]string{
		"":                              "sched/kind0.py []",
		"DDIMScheduler":                 "sched/ddim.py []",
		"sched/kind7.py":                "sched/kind7.py []",
		"invented_name other.Invention": "sched/kind0.py [{ expected, but not here: invented_name, other.Invention}]",
		"../../etc/passwd *.py sched/k* DDIMScheduler": "sched/ddim.py [{ 3 expected names ignored: want at most 24, of 120 bytes, without wildcards and ..}]",
		"a\x1b[31mb DDIMScheduler":                     "sched/ddim.py [{ 1 expected name ignored: want at most 24, of 120 bytes, without wildcards and ..}]",
	} {
		if got := first(strings.Fields(names)...); got != want {
			t.Errorf("expecting %q: %s, want %s", names, got, want)
		}
	}

	// The title of a template need not be its first line.
	for _, task := range []string{"<!-- Please describe\nthe bug -->\n" + task, "### Describe the bug\n\n" + task + "\n", "\r\n" + task + "\r\nIt is."} {
		r, err := e.Search(t.Context(), engine.SearchRequest{Query: task, Names: []string{"DDIMScheduler"}})
		if err != nil {
			t.Fatal(err)
		}
		if r.Files[0].Path != "sched/ddim.py" {
			t.Errorf("%q, expecting a name: %s is first", task, r.Files[0].Path)
		}
	}

	// What is said of a name holds no secret.
	const secret = "ghp_" + "x7Kq2LmZ9vT4bWc8RyN3sJd6HfG1aEuP0oXi"
	if got := first(secret); strings.Contains(got, secret) || !strings.Contains(got, "expected, but not here: ") {
		t.Errorf("of a secret: %s", got)
	}

	hostile := []string{strings.Repeat("x", 1<<20), "\xff\xfe", "", " "}
	for i := range 10_000 {
		hostile = append(hostile, fmt.Sprintf("invented_%d", i))
	}
	p, err := e.Pack(t.Context(), satchel.Request{Task: task, Names: hostile, Budget: 1000})
	if err != nil {
		t.Fatal(err)
	}
	said := fmt.Sprint(p.Diagnostics)
	for _, want := range []string{"9,978 expected names ignored", "expected, but not here: invented_0, invented_1, invented_2, invented_3, invented_4 and 19 more"} {
		if !strings.Contains(said, want) {
			t.Errorf("the pack says %s, want %s", said, want)
		}
	}
}

func TestExpectedNamesOfAChange(t *testing.T) {
	r := newRepository(t)
	r.WriteAll(lookAlikes())
	r.Commit("first")
	r.WriteAll(map[string]string{"run/run.py": "def run(token):\n    return 1\n"})
	r.Commit("second")
	e := open(t, engine.Options{Dir: r.Dir})
	p, err := e.Pack(t.Context(), satchel.Request{Task: "run the token", Changes: "HEAD~1", Names: []string{"run", "invented_name"}, Budget: 2000})
	if err != nil {
		t.Fatal(err)
	}
	if said := fmt.Sprint(p.Diagnostics); !strings.Contains(said, "expected, but not here: invented_name}") {
		t.Errorf("the pack says %s", said)
	}
}
