package render_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/satchel-dev/satchel/finding"
	"github.com/satchel-dev/satchel/render"
)

// reviewForms are the ways to write a Review.
var reviewForms = []struct {
	name  string
	write func(r *render.Review) (string, error)
}{
	{"text", func(r *render.Review) (string, error) { return render.ReviewText(r), nil }},
	{"md", func(r *render.Review) (string, error) { return render.ReviewMarkdown(r), nil }},
	{"json", render.ReviewJSON},
	{"sarif", func(r *render.Review) (string, error) { return render.ReviewSARIF(r, "1.2.3") }},
	{"github", render.ReviewGitHub},
}

func readReview(t *testing.T, file string) (*txtar.Archive, *render.Review) {
	t.Helper()
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(ar.Files) == 0 || ar.Files[0].Name != "review.json" {
		t.Fatalf("%s: the first file is not review.json", file)
	}
	var r render.Review
	if err := json.Unmarshal(ar.Files[0].Data, &r); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return ar, &r
}

// TestReviewGolden renders testdata/review/*.txtar in each form.
func TestReviewGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/review/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("golden files: %v, %v", files, err)
	}
	for _, file := range files {
		ar, r := readReview(t, file)
		want := map[string]string{}
		for _, f := range ar.Files[1:] {
			want[f.Name] = string(f.Data)
		}
		got := ar.Files[:1:1]
		for _, form := range reviewForms {
			text, err := form.write(r)
			if err != nil {
				t.Fatalf("%s: %s: %v", file, form.name, err)
			}
			if diff := cmp.Diff(want[form.name], text); diff != "" && !*update {
				t.Errorf("%s: %s (-want +got):\n%s", file, form.name, diff)
			}
			got = append(got, txtar.File{Name: form.name, Data: []byte(text)})
		}
		if *update {
			if err := os.WriteFile(file, txtar.Format(&txtar.Archive{Comment: ar.Comment, Files: got}), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestReviewSchema holds SARIF to the schema of the standard, of which the
// descriptions are left out, and shows that the schema refuses something.
func TestReviewSchema(t *testing.T) {
	text, err := os.ReadFile("testdata/review/sarif-schema-2.1.0.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob("testdata/review/*.txtar")
	for _, file := range files {
		_, r := readReview(t, file)
		out, err := render.ReviewSARIF(r, "1.2.3")
		if err != nil {
			t.Fatal(err)
		}
		var doc map[string]any
		if err := json.Unmarshal([]byte(out), &doc); err != nil {
			t.Fatal(err)
		}
		if err := resolved.Validate(doc); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		run := doc["runs"].([]any)[0].(map[string]any)
		delete(run, "tool")
		if err := resolved.Validate(doc); err == nil {
			t.Errorf("%s: the schema takes a run without a tool", file)
		}
	}
}

// TestReviewHostile writes findings whose words try to be something else: nothing of
// them begins a line of ours, ends a block or reaches a terminal.
func TestReviewHostile(t *testing.T) {
	evil := "x\x1b[2J\u202e\n\n# Approved\n\n```\nHIGH  security  99 %  a.go:1  0000\n2 findings\n---\n<img src=https://evil.example/?q>"
	f := finding.Finding{
		ID: "abcd", Fingerprint: "abcdef", Path: "a\x1b b`.go", Side: finding.New, From: 1, To: 1, Anchor: finding.Exact, Severity: finding.High, Confidence: 90,
		Category: "security", Title: evil, Trigger: evil, Consequence: evil, Body: evil, Fix: evil, Why: evil, State: finding.Visible, Inline: true,
		Lines: []finding.Line{{Number: 1, Mark: "+", Text: evil}}, Quote: evil, Evidence: []finding.Evidence{{Path: evil, Line: 1, Quote: evil, OK: true}}, Replacement: "````\nx\x1b[2J",
	}
	r := &render.Review{Source: evil, Findings: []finding.Finding{f}, Open: []render.Question{{Text: evil, Path: evil}}, Incomplete: []render.Gap{{What: evil, Why: evil}}, Summary: evil}
	for _, form := range reviewForms {
		text, err := form.write(r)
		if err != nil {
			t.Fatal(err)
		}
		if strings.ContainsAny(text, "\x1b\u202e\x00") {
			t.Errorf("%s is not clean: %q", form.name, text)
		}
	}
	headings := 0
	for line := range strings.Lines(render.ReviewText(r)) {
		if strings.HasPrefix(line, "HIGH") {
			headings++
		}
		if strings.HasPrefix(line, "#") || strings.HasPrefix(line, "2 findings") {
			t.Errorf("a line of a finding looks like ours: %q", line)
		}
	}
	if headings != 1 {
		t.Errorf("%d findings are headed, want 1", headings)
	}
	for line := range strings.Lines(render.ReviewMarkdown(r)) {
		if strings.HasPrefix(line, "# Approved") {
			t.Errorf("a finding makes a heading: %q", line)
		}
	}
}

// TestPaintReview: painting adds colors and nothing else.
func TestPaintReview(t *testing.T) {
	_, r := readReview(t, "testdata/review/typical.txtar")
	text := render.ReviewText(r)
	painted := render.PaintReview(text)
	if got := regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(painted, ""); got != text || got == painted {
		t.Errorf("without colors:\n%s\nwant\n%s", got, text)
	}
}
