package main

import (
	"strings"
	"testing"
)

func TestMentions(t *testing.T) {
	tests := []struct {
		text, path, symbols string
		want                bool
	}{
		{"fix the user store", "src/UserStore.java", "", true},
		{"user_store: close it", "a/user_store.go", "", true},
		{"UserStore.close: wait", "a/user-store.ts", "", true},
		{"the store of users", "src/UserStore.java", "", false},
		{"parsers: speed up", "src/parser.go", "", false},
		{"parser: speed up", "src/parser.go", "", true},
		{"parser: speed up", "src/parser_test.go", "", false},
		{"io: read", "io.go", "", false}, // too short to be a name
		{"Keep OpenStore quiet", "a.go", "OpenStore other", true},
		{"Keep openStore quiet", "a.go", "OpenStore other", false},
		{"keep run() quiet", "a.go", "run", true},
		{"make it run", "a.go", "run", false},
		{"let Session close", "a.py", "Session", true},
		{"Session closes", "a.py", "Session", false}, // any first word is capitalised
		{"update max_size", "a.py", "max_size", true},
		{"", ".gitignore", "", false},
		{"fix it\n\nSession closes. Cache waits, as Pool does.", "a.py", "Session", false},
		{"fix it\n\nSession closes. Cache waits, as Pool does.", "a.py", "Cache", false},
		{"fix it\n\nSession closes. Cache waits, as Pool does.", "a.py", "Pool", true},
		{"fix it\n\nThe user store waits", "UserStore.java", "", true},
	}
	for _, test := range tests {
		m := parseMentions(test.text)
		if got := m.File(test.path) || m.Any(strings.Fields(test.symbols)); got != test.want {
			t.Errorf("parseMentions(%q) of %q, %q = %v, want %v", test.text, test.path, test.symbols, got, test.want)
		}
	}
}
