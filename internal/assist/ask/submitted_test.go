package ask

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestRead: what is complete and right is read, and what is not is named.
func TestRead(t *testing.T) {
	a := &Ask{Schema: schemaOf(reviewSchema)}
	one := `{"path":"a.go","side":"new","line":3,"end_line":3,"quote":"x","severity":"high","confidence":90,"category":"concurrency","title":"t","trigger":"t","consequence":"c","body":"b","evidence":[]}`
	doc := func(findings string) string {
		return `{"summary":"s","findings":[` + findings + `],"open":[],"looked_at":["a.go"]}`
	}
	str := func(text string) string { b, _ := json.Marshal(text); return string(b) }
	for _, tt := range []struct {
		name, input string
		findings    int
		fault       string // "" if there is none
	}{
		{"right", doc(one + "," + one), 2, ""},
		{"none", doc(""), 0, ""},
		{"extra keys", strings.Replace(doc(one), `"summary"`, `"mood":"good","summary"`, 1), 1, ""},
		{"other case", doc(strings.Replace(one, `"high"`, `"HIGH"`, 1)), 1, ""},
		{"3.0 for 3", doc(strings.Replace(one, `"line":3`, `"line":3.0`, 1)), 1, ""},
		{"wrong enum", doc(one + "," + strings.Replace(one, `"high"`, `"huge"`, 1) + "," + one), 2, `findings[1].severity: "huge"`},
		{"out of range", doc(strings.Replace(one, `90`, `900`, 1)), 0, "findings[0].confidence: 900: want 0 to 100"},
		{"missing field", doc(strings.Replace(one, `"quote":"x",`, ``, 1)), 0, "findings[0].quote: it is missing"},
		{"wrong type", doc(strings.Replace(one, `"line":3`, `"line":"three"`, 1)), 0, "findings[0].line: want a whole number, got string"},
		{"empty object", `{}`, 0, "findings: it is missing"},
		{"a list", `[]`, 0, "want an object"},
		{"not JSON", `nonsense`, 0, "not a JSON"},
		{"braces in the prose", str("I {think} so: " + doc(one) + " {ok}"), 1, "text around"},
		{"an object of thoughts", str(`<think>{"summary":"x","findings":[]}</think>` + doc(one)), 1, "text around"},
		{"cut, as it came", doc(one + "," + one)[:len(doc(one))+40], 1, "cut"},
		{"very deep", strings.Repeat(`{"findings":[`, 20_000), 0, "cut"},
		{"a fence", str("```json\n" + doc(one) + "\n```"), 1, "text around"},
		{"thoughts and prose", str("<think>hm</think>Here: " + doc(one)), 1, "text around"},
		{"cut in the second", str(doc(one + "," + one)[:len(doc(one))+40]), 1, "cut"},
		{"cut in a key", str(`{"summary":"s","fin`), 0, "cut"},
		{"cut at the start", str(`{`), 0, "cut"},
		{"no brace", str(`sorry`), 0, "not a JSON object"},
	} {
		var v ReviewAnswer
		err := a.Read(json.RawMessage(tt.input), &v)
		if (err != nil) != (tt.fault != "") || err != nil && !strings.Contains(err.Error(), tt.fault) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.fault)
		}
		if len(v.Findings) != tt.findings {
			t.Errorf("%s: %d findings, want %d", tt.name, len(v.Findings), tt.findings)
		}
	}
}

// Whatever is cut off an answer, every element before the cut is kept.
func FuzzCut(f *testing.F) {
	f.Add(10, 3)
	f.Add(400, 5)
	f.Fuzz(func(t *testing.T, at, n int) {
		if n < 0 || n > 20 || at < 0 {
			return
		}
		var v ReviewAnswer
		for range n {
			v.Findings = append(v.Findings, FindingAnswer{Path: "a\"}],{", Side: "new", Severity: "low", Category: "testing", Title: "\\", Evidence: []Citation{{Path: "x"}}})
		}
		v.Open, v.LookedAt = []Open{}, []string{}
		b, err := json.Marshal(&v)
		if err != nil {
			t.Fatal(err)
		}
		at %= len(b) + 1
		complete := 0
		for i := range v.Findings {
			prefix, _ := json.Marshal(v.Findings[:i+1])
			if strings.Index(string(b), string(prefix[1:len(prefix)-1]))+len(prefix)-2 <= at {
				complete = i + 1
			}
		}
		quoted, _ := json.Marshal(string(b[:at]))
		var got ReviewAnswer
		err = (&Ask{Schema: schemaOf(reviewSchema)}).Read(quoted, &got)
		if err == nil && at < len(b) {
			t.Errorf("cut at %d: no fault", at)
		}
		if len(got.Findings) < complete {
			t.Errorf("cut at %d of %d: %d findings, want %d", at, len(b), len(got.Findings), complete)
		}
	})
}
