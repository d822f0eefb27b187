package cli_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/internal/front/cli"
)

// odd are phrases that a native reader stumbles over.
var odd = regexp.MustCompile(`(?i)\b(` + strings.Join([]string{
	`stands? (in|for|on|at|there|below|above|beside|behind|nowhere)`, `(is|are|was|were|be) (told|said)`, `tells? (it|them|that|whether)`,
	`(of|by|in) which`, `those of`, `that of`, `(is|are|was|were) none`, `(is|are) no [a-z]+`,
	`nobody`, `so many`, `besides`, `anew`, `heed(ed|s)?`, `all the same`, `as it comes`, `what is (there|known|said|asked|none)`,
}, "|") + `)\b`)

// plainAfterAll are odd phrases that are plain English where they are.
var plainAfterAll = regexp.MustCompile(`(?i)\b(there (is|are|was|were) no \w+|(is|are|which|that) no (longer|more|room|later|less|earlier))\b`)

// oddOnPurpose are places where odd phrases stay, with the reason.
var oddOnPurpose = map[string]string{
	"rank/smalltalk.go":              "words of people who chat with an agent",
	"internal/assist/ask/prompts.go": "another prompt changes what models answer",
}

// TestPlainEnglish looks for odd phrases in everything that users read: README, docs,
// helps, messages, descriptions of JSON and texts for models. Code in Markdown passes.
func TestPlainEnglish(t *testing.T) {
	check := func(where, text string) {
		for _, m := range odd.FindAllString(plainAfterAll.ReplaceAllString(text, ""), -1) {
			t.Errorf("%s: %q: say it plainly; the variable odd lists such phrases", where, m)
		}
	}
	root := os.DirFS("../../..")
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			switch name {
			case ".git", "bin", "docs/design", "docs/schema", "lab", "tools":
				return fs.SkipDir
			}
			if d.Name() == "testdata" {
				return fs.SkipDir
			}
			return nil
		}
		switch {
		case name == "CHANGELOG.md": // has the words of its time
		case strings.HasSuffix(name, ".md"):
			text, err := fs.ReadFile(root, name)
			if err != nil {
				return err
			}
			check(name, proseOf(string(text)))
		case strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && oddOnPurpose[name] == "":
			checkLiterals(t, filepath.Join("../../..", name), check)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("descriptions.txt")
	if err != nil {
		t.Fatal(err)
	}
	check("descriptions.txt", string(text))
	for _, d := range cli.Documents() {
		check(d.Name, d.What)
	}
}

// checkLiterals checks the strings of a Go file that have more than a word.
func checkLiterals(t *testing.T, name string, check func(where, text string)) {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
			text, err := strconv.Unquote(l.Value)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(text, " ") {
				check(files.Position(l.Pos()).String(), text)
			}
		}
		return true
	})
}

var (
	fencedCode = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
	codeLines  = regexp.MustCompile(`(?m)^(    |\t).*$`)
	codeSpan   = regexp.MustCompile("`[^`]*`")
)

// proseOf returns Markdown without its code.
func proseOf(text string) string {
	for _, code := range []*regexp.Regexp{fencedCode, codeLines, codeSpan} {
		text = code.ReplaceAllString(text, "")
	}
	return text
}
