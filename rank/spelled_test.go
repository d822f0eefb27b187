package rank

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestSpelled(t *testing.T) {
	for _, c := range []struct {
		task  string
		want  []string
		brief bool
	}{
		{"fix DDIMScheduler.set_timesteps", []string{"DDIMScheduler.set_timesteps"}, true},
		{"fix A::b and A#c? in pkg.Func, or Ns\\Type->run()", []string{"A::b", "A#c?", "A#c", "pkg.Func", "Ns\\Type->run"}, true},
		{"the HTTPServer loses max_size of parseHeader", []string{"HTTPServer", "max_size", "parseHeader"}, true},

		// Words are no names, though programs define them.
		{"Run the token parser. Parse fails, URLs and IDs too", nil, true},
		{"rename `token` to `max`, not `the whole of it`", []string{"token", "max"}, true},
		{"Retry", []string{"Retry"}, true},
		{"the Retry", nil, true},

		// Chinese has no spaces.
		{"修复TestFoo_bar的问题", []string{"TestFoo_bar"}, true},

		// Programs and tracebacks hold names for other reasons.
		{"It crashes\n\n```go\nx.DoThis(yThat)\n```\n", nil, true},
		{"LoadFile crashes\n  File \"a.py\", line 3, in run_it\n    run_that()\n  File \"b.py\", line 3, in run_it\n    run_that()\n  File \"c.py\", line 3, in run_it\n", []string{"LoadFile"}, true},
		{"crash\nmain.doIt(0x1)\n\t/src/a.go:4 +0x1\nmain.doThat(0x1)\n\t/src/b.go:4 +0x1\nmain.doMore(0x1)\n\t/src/c.go:4 +0x1\n", nil, true},

		{"fixIt\n\n" + strings.Repeat("walrus badger otter heron falcon stork ibis plover curlew dunlin knot turnstone whimbrel godwit sanderling phalarope ", 2), []string{"fixIt"}, false},
	} {
		q := Analyze(c.task)
		var got []string
		for _, s := range q.Spelled {
			got = append(got, s.Text)
		}
		slices.Sort(got)
		slices.Sort(c.want)
		if !slices.Equal(got, c.want) || q.Brief() != c.brief {
			t.Errorf("Analyze(%q) spells %q, brief %v (%d besides), want %q, %v", c.task, got, q.Brief(), q.Besides, c.want, c.brief)
		}
	}
}

// TestPaths: a file that prose names is meant; one that a traceback or a program names
// was passed through.
func TestPaths(t *testing.T) {
	for task, want := range map[string][]string{
		"fix app/cli.py": {"app/cli.py"},
		"It dies in app/cli.py\n  File \"/x/flask/ctx.py\", line 3, in push\n    self.go()\n":                {"app/cli.py"},
		"It dies\n\n```\nopen('app/cli.py')\n```\n":                                                          nil,
		"It dies\n\tat org.acme.Login.go(Login.java:7)\n":                                                    nil,
		"See server.go:12: the port is wrong":                                                                {"server.go"},
		"panic\nmain.a()\n\t/s/a.go:4\nmain.b()\n\t/s/b.go:4\nmain.c()\n\t/s/c.go:4\nall of it in main.go\n": {"main.go"},
	} {
		if got := Analyze(task).Paths; !slices.Equal(got, want) {
			t.Errorf("Analyze(%q) names the files %q, want %q", task, got, want)
		}
	}
}

func TestSpelledIsBounded(t *testing.T) {
	var b strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&b, "someName%d ", i)
	}
	if q := Analyze(b.String()); len(q.Spelled) != maxSpelled {
		t.Errorf("%d names, want %d", len(q.Spelled), maxSpelled)
	}
}
