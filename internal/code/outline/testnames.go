package outline

import (
	"slices"
	"strings"
)

// How the names of test files look, by language: stem is the name in lower case and
// raw as it was written, both without what stands behind the last dot.

func pythonTests(stem, _ string) bool {
	return strings.HasPrefix(stem, "test_") || strings.HasSuffix(stem, "_test") || stem == "conftest" || stem == "tests" || stem == "test"
}

func suffixTests(stem, _ string) bool {
	return strings.HasSuffix(stem, "_test") || strings.HasSuffix(stem, "_tests") || strings.HasSuffix(stem, "_unittest") || stem == "test" || stem == "tests"
}

func cTests(stem, raw string) bool { return suffixTests(stem, raw) || strings.HasPrefix(stem, "test_") }

func objcTests(stem, raw string) bool {
	return suffixTests(stem, raw) || camelSuffix(raw, "Tests", "Test")
}

func camelTests(_, raw string) bool {
	return camelSuffix(raw, "Test", "Tests", "TestCase", "Spec", "IT")
}

func scriptTests(stem, _ string) bool {
	ends := []string{".test", ".spec", ".e2e", ".cy", "-test", "-spec", "_test", "_spec", ".bench", ".test-d"}
	return stem == "test" || stem == "tests" || slices.ContainsFunc(ends, func(s string) bool { return strings.HasSuffix(stem, s) })
}

func rubyTests(stem, _ string) bool {
	return strings.HasSuffix(stem, "_test") || strings.HasSuffix(stem, "_spec") || strings.HasPrefix(stem, "test_")
}

func shellTests(stem, _ string) bool {
	return strings.HasSuffix(stem, "_test") || strings.HasPrefix(stem, "test_") || strings.HasPrefix(stem, "test-") || strings.HasSuffix(stem, "-test")
}

// camelSuffix reports whether a capitalised name ends with one of the words:
// ParserTest, but not Latest or contest.
func camelSuffix(name string, words ...string) bool {
	for _, w := range words {
		if rest, ok := strings.CutSuffix(name, w); ok {
			if rest == "" {
				return true
			}
			c := rest[len(rest)-1]
			if w == "IT" && (c < 'a' || c > 'z') {
				continue // AUDIT is a word
			}
			return true
		}
	}
	return false
}
