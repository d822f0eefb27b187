package outline

import (
	"testing"
)

func TestParseFindsSymbolsInEveryGrammar(t *testing.T) {
	for lang, src := range map[string]string{
		"go": "package p\nfunc want() {}\n", "python": "def want():\n  pass\n", "javascript": "function want() {}\n",
		"typescript": "function want(): void {}\n", "tsx": "const want = () => {\n  return <a/>\n}\n", "rust": "fn want() {}\n",
		"java": "class A {\n void want() {}\n}\n", "c": "int want(void) { return 1; }\n", "cpp": "int A::want() { return 1; }\n",
		"csharp": "class A { void want() {} }\n", "ruby": "def want\nend\n", "php": "<?php function want() {}\n",
		"kotlin": "fun want() {}\n", "scala": "object A { def want() = 1 }\n", "bash": "want() { :; }\n",
		"swift": "func want() {}\n", "lua": "function want() end\n", "markdown": "# want\n",
	} {
		out := Parse(lang, []byte(src))
		found := false
		for _, s := range out.Symbols {
			found = found || s.Name == "want"
		}
		if !found {
			t.Errorf("Parse(%q, %q) = %+v, has no symbol want", lang, src, out)
		}
	}
}
