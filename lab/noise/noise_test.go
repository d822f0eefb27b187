package main

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/lab/tasks"
	"github.com/satchel-dev/satchel/rank"
)

func newMaker(seed uint64, language string) *maker {
	return &maker{Rand: rand.New(rand.NewPCG(seed, 1)), paths: []string{"src/a.go", "docs/b.md"}, language: language, most: 5000}
}

// TestKinds: each kind makes what was asked for, and the same bytes again.
func TestKinds(t *testing.T) {
	for _, k := range kinds {
		for seed, language := range []string{"go", "rust", "java", "javascript", "python", "ruby"} {
			m, again := newMaker(uint64(seed), language), newMaker(uint64(seed), language)
			k.write(m)
			k.write(again)
			text := m.String()
			if len(text) < 5000 || len(text) > 12000 || text != again.String() {
				t.Errorf("%s, %s: %d bytes, the same again: %t", k.name, language, len(text), text == again.String())
			}
			if strings.Contains(text, "%!") {
				t.Errorf("%s: a line was not formatted:\n%s", k.name, text)
			}
		}
	}
}

// TestTaken: of what programs print next to nothing is left in the words of a task.
func TestTaken(t *testing.T) {
	for _, k := range kinds {
		m := newMaker(7, "go")
		k.write(m)
		q := rank.Analyze("Sessions leak memory\n\n" + m.String())
		if q.Title != "Sessions leak memory" || len(q.Text) > 5000/2 {
			t.Errorf("%s: title %q, %d bytes of %d are left", k.name, q.Title, len(q.Text), m.Len())
		}
	}
}

func TestChoose(t *testing.T) {
	for kind, want := range map[string]int{"": len(kinds), "none": 0, "tree": 1} {
		if got, err := choose(kind, ""); err != nil || len(got) != want {
			t.Errorf("-kind %q: %d kinds, %v, want %d", kind, len(got), err, want)
		}
	}
	if _, err := choose("else", ""); err == nil {
		t.Error("-kind else is one")
	}
}

// TestOne: without noise a task stays what it is.
func TestOne(t *testing.T) {
	task := tasks.Task{ID: "x", Query: "Sessions leak memory"}
	if n, err := noised(t.Context(), task, "", nil); err != nil || n.Query != task.Query || n.Noise != "none" {
		t.Errorf("%+v, %v", n, err)
	}
}
