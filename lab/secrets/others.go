package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// The examples of other detectors' tests are read from their repositories, at the
// revision that was looked at.
const (
	gitleaks      = "gitleaks/gitleaks"
	gitleaksRev   = "b58d3f102cf3a2c84cb7f923d05c25c9b1aed84b"
	gitleaksFile  = "cmd/generate/config/rules/generic.go"
	detectSecrets = "Yelp/detect-secrets"
	detectRev     = "5e141933554a0b74e7341841f318be21e895339c"
	detectFile    = "tests/plugins/keyword_test.py"
)

// show returns a file of a repository of the mirror.
func show(mirror, repo, rev, file string) (string, error) {
	dir := filepath.Join(mirror, strings.ReplaceAll(repo, "/", "+"), "repo")
	out, err := exec.Command("git", "-C", dir, "show", rev+":"+file).Output()
	if err != nil {
		return "", fmt.Errorf("read %s of %s: %w", file, repo, err)
	}
	return string(out), nil
}

// gitleaksItems returns the true and false positives of gitleaks' generic rule.
func gitleaksItems(mirror string) ([]item, error) {
	src, err := show(mirror, gitleaks, gitleaksRev, gitleaksFile)
	if err != nil {
		return nil, err
	}
	file, err := parser.ParseFile(token.NewFileSet(), gitleaksFile, src, 0)
	if err != nil {
		return nil, err
	}
	var items []item
	r := rand.New(rand.NewPCG(1, 9))
	add := func(list []ast.Expr, secret bool) {
		for _, e := range list {
			if text := evaluate(r, e); text != "" {
				it := item{kind: "gitleaks generic", path: "a.txt", text: text + "\n"}
				if secret {
					it.secret = longestWord(text)
				}
				items = append(items, it)
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		a, ok := n.(*ast.AssignStmt)
		if !ok {
			return true
		}
		name, _ := a.Lhs[0].(*ast.Ident)
		switch v := a.Rhs[0].(type) {
		case *ast.CallExpr: // tps = append(tps, …)
			if name != nil && name.Name == "tps" && len(v.Args) > 1 {
				add(v.Args[1:], true)
			}
		case *ast.CompositeLit:
			if name != nil && name.Name == "fps" {
				add(v.Elts, false)
			}
		}
		return true
	})
	return items, nil
}

var classOf = regexp.MustCompile(`^\[(.*)\]\{(\d+)\}$`)

// evaluate returns the text of an example: literals, and newPlausibleSecret of a class
// and a length.
func evaluate(r *rand.Rand, e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, _ := strconv.Unquote(e.Value)
		return s
	case *ast.BinaryExpr:
		return evaluate(r, e.X) + evaluate(r, e.Y)
	case *ast.CallExpr:
		if len(e.Args) == 1 {
			if m := classOf.FindStringSubmatch(evaluate(r, e.Args[0])); m != nil {
				n, _ := strconv.Atoi(m[2])
				return random(r, alnum, n)
			}
		}
	}
	return ""
}

var word = regexp.MustCompile(`[A-Za-z0-9+/=_.-]+`)

func longestWord(s string) (longest string) {
	for _, w := range word.FindAllString(s, -1) {
		if len(w) > len(longest) {
			longest = w
		}
	}
	return longest
}

var detectCase = regexp.MustCompile(`(?m)^ *\(['"](.*)['"](?:\.format\((\w+)\))?, (\w+)\)`)

// detectItems returns the cases of detect-secrets' keyword detector.
func detectItems(mirror string) ([]item, error) {
	src, err := show(mirror, detectSecrets, detectRev, detectFile)
	if err != nil {
		return nil, err
	}
	values := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^(\w+_SECRET) = '(.*)'$`).FindAllStringSubmatch(src, -1) {
		values[m[1]] = m[2]
	}
	var items []item
	for _, m := range detectCase.FindAllStringSubmatch(src, -1) {
		text := m[1]
		if m[2] != "" {
			text = strings.NewReplacer("{{", "{", "}}", "}", "{}", values[m[2]]).Replace(text)
		}
		it := item{kind: "detect-secrets keyword", path: "a.txt", text: text + "\n"}
		if m[3] != "None" {
			it.secret = values[m[3]]
		}
		items = append(items, it)
	}
	return items, nil
}
