package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFacts(t *testing.T) {
	message := "Retry in `fetch` and http.Get()\n\nFixes #12: retry_after of 429 was ignored by --max-time; see src/lib/retry.c,\n" +
		"curl_easy_perform and notThere. Port 8080, https://example.org/x_y.\n\nSigned-off-by: A_B <a@b.c>\n"
	changed := changedText("--- a/src/lib/retry.c\n+++ b/src/lib/retry.c\n@@ -1 +1 @@\n-fetch(429)\n+http.Get(retry_after, --max-time)\n+curl_easy_performance A_B x_y 12\n")
	want := []string{"fetch", "http.Get", "retry_after", "429", "--max-time", "src/lib/retry.c"}
	if d := cmp.Diff(want, factsOf(message, changed)); d != "" {
		t.Error(d)
	}
}

func TestRemovals(t *testing.T) {
	got := removals("--- a/x.go\n+++ b/x.go\n@@ -7,4 +7 @@ func f\n-	// a comment of some length\n-	return somethingWrong()\n-	}\n-	x := another(line)\n+	ok()\n" +
		"--- a/x_test.go\n+++ b/x_test.go\n@@ -1 +0,0 @@\n-	return somethingWrong()\n--- a/y.md\n+++ b/y.md\n@@ -1 +0,0 @@\n-	return somethingWrong()\n")
	if len(got) != 1 || got[0].path != "x.go" || got[0].from != 7 || got[0].to != 10 || !cmp.Equal(got[0].said, map[int]bool{8: true, 10: true}) {
		t.Errorf("removals %+v", got)
	}
}

// A line is found with its number and its mark, and without them.
func TestLinesOf(t *testing.T) {
	has := linesOf("412 +	return x\n-	gone\n	plain\n")
	for _, l := range []string{"return x", "gone", "plain"} {
		if !has[l] {
			t.Errorf("%q is not found", l)
		}
	}
	if has["turn x"] {
		t.Error("a part of a line is found")
	}
}

func TestShows(t *testing.T) {
	patch := "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old line\n+new line\n"
	for prompt, want := range map[string]bool{"3 +new line\n": true, "-old line\n": true, "x +1 -1\n+++ b/x": false} {
		if got := shows(prompt, patch); got != want {
			t.Errorf("shows(%q) = %v, want %v", prompt, got, want)
		}
	}
}
