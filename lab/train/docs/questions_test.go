package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The committed questions are at least 100 over 5 repositories, each a fact.
func TestQuestions(t *testing.T) {
	list, err := read(filepath.Join("testdata", "questions.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if n, repos := len(list), len(byRepo(list)); n < 100 || repos < 5 {
		t.Errorf("%d questions about %d repositories, want 100 about 5", n, repos)
	}
	for _, q := range list {
		// What can be said without the repository: the heading is not repeated.
		if why := refuse(&q, q.Trail[strings.LastIndex(q.Trail, " > ")+1:], ""); why != "" {
			t.Errorf("line %d: %q: %s", q.Line, q.Text, why)
		}
	}
}

func TestRead(t *testing.T) {
	commit := strings.Repeat("a", 40)
	for text, want := range map[string]string{
		"repo a/b " + commit + "\n? how\n= a.md | A\n": "",
		"repo a/b abc\n":                                          ":1: want repo",
		"? how\n= a.md | A\n":                                     ":2: want a repo",
		"repo a/b " + commit + "\n= a.md | A\n":                   ":2: want a repo",
		"repo a/b " + commit + "\n? how\n= a.md\n":                ":3: want a repo",
		"repo a/b " + commit + "\n? how\n= a.md | A\n? how\n":     ":4: the question is there already",
		"repo a/b " + commit + "\n# a remark\n\nsomething else\n": ":4: want repo, ? or =",
	} {
		name := filepath.Join(t.TempDir(), "q.txt")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := read(name)
		switch {
		case err == nil && want != "":
			t.Errorf("read(%q) succeeds, want %q", text, want)
		case err != nil && (want == "" || !strings.Contains(err.Error(), want)):
			t.Errorf("read(%q): %v, want %q", text, err, want)
		}
	}
}

func TestRefuse(t *testing.T) {
	const section = "Email errors to admins. When running the application on a remote server you will not be looking at the messages."
	for question, want := range map[string]string{
		"notify operators about crashes":                        "",
		"email the errors of a remote application":              "of its terms stand",
		"notify me on a remote server please, crashes happened": "stands in the section",
		"crash": "too short",
		"crashed emails, urgently contacting admins anyhow": "of the heading",
	} {
		q := Question{Text: question}
		got := refuse(&q, "Email Errors to Admins", section)
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("refuse(%q) = %q, want %q", question, got, want)
		}
	}
}
