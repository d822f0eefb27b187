package tools

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/pack"
)

var more = regexp.MustCompile(`with cursor "([^"]+)"\.\n$`)

func (a *shared) common() shared { return *a }

// Whatever is decoded, it is an answer or an error, and what is taken is within
// its limits.
func FuzzArguments(f *testing.F) {
	for _, s := range []string{
		`{}`, `null`, `[]`, `{"task":"x","budget":500}`, `{"budget":1e99}`, `{"budget":-1}`, `{"budget":"auto"}`, `{"paths":["a",null]}`, `{"a":1}{"b":2}`,
		`{"path":"a:1-2,3-","rev":"HEAD"}`, "{\"query\":\"\xff\"}", `{"query":"x","symbols":"yes"}`, `{"TASK":"x"}`, `{"cursor":"2.0123456789abcdef"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, a := range []interface {
			check(int) error
			common() shared
		}{new(packArgs), new(searchArgs), new(readArgs), new(diffArgs), new(sessionArgs)} {
			err := decode(raw, a)
			if err != nil {
				if s := err.Error(); s == "" || len(s) > 400 {
					t.Errorf("decode(%q): %q", raw, s)
				}
				continue
			}
			if !json.Valid(raw) && len(strings.TrimSpace(string(raw))) > 0 && string(raw) == strings.ToValidUTF8(string(raw), "") {
				t.Errorf("decode(%q) takes what is not JSON", raw)
			}
			if err := a.check(DefaultBudget); err != nil {
				continue
			}
			s := a.common()
			if s.Budget < leastBudget || s.Budget > MostBudget {
				t.Errorf("decode(%q) = %+v", raw, s)
			}
		}
	})
}

// A page fits its budget, and the pages are the text.
func FuzzPages(f *testing.F) {
	f.Add("one\ntwo\nthree\n", 40)
	f.Add(strings.Repeat("word ", 1000), 60)
	f.Add("\xff\xfe\x1b```\n````\n", 50)
	f.Add(strings.Repeat("é\u202e", 300), 45)
	f.Fuzz(func(t *testing.T, text string, budget int) {
		if budget < 40 || budget > 500 || len(text) > 1<<14 {
			return
		}
		text = strings.ToValidUTF8(text, "?")
		joined, at := "", 0
		for range len(text) + 1 {
			var last page
			got, err := cutPage(text, at, budget, func(p page) string {
				s := text[p.from:p.to]
				if p.next != "" {
					s += goesOn(p.next)
				}
				return s
			})
			if err != nil {
				return // not even a character beside the cursor
			}
			if n := Count(got); n > budget {
				t.Fatalf("%d tokens, budget %d: %q", n, budget, got)
			}
			m := more.FindStringSubmatchIndex(got)
			cursor := pack.Cursor{}
			if m != nil {
				cursor, err = pack.ParseCursor(got[m[2]:m[3]])
			}
			if m == nil || err != nil {
				joined += got
				if joined != text {
					t.Fatalf("pages = %q, want %q", joined, text)
				}
				return
			}
			joined += strings.TrimSuffix(got, goesOn(got[m[2]:m[3]]))
			if last.to, err = resume(text, cursor.String()); err != nil || last.to <= at {
				t.Fatalf("cursor after %d: %d, %v", at, last.to, err)
			}
			at = last.to
		}
		t.Fatal("the pages have no end")
	})
}
