package tools

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func tenth(string) (int, int, error) { return 12800, 12800, nil }

// TestArgumentsAsMeant: a text counts as the number or the switch that it can only
// be, and what is refused is named as the schema names it.
func TestArgumentsasMeant(t *testing.T) {
	unknown := func(string) (int, int, error) { return 0, 0, errors.New("no window") }
	much := func(string) (int, int, error) { return 80000, 80000, nil }
	for _, tt := range []struct {
		tool, args string
		share      func(string) (int, int, error)
		want       string // JSON, or an error after "!"
	}{
		{"pack", `{"task":"x","budget":"2k"}`, tenth, `{"budget":2000,"task":"x"}`},
		{"pack", `{"budget":" 1.5K "}`, tenth, `{"budget":1500}`},
		{"pack", `{"budget":"3000"}`, tenth, `{"budget":3000}`},
		{"pack", `{"budget":"10%"}`, tenth, `{"budget":12800}`},
		{"pack", `{"budget":"40%"}`, much, `{"budget":20000}`},
		{"pack", `{"budget":"40%"}`, unknown, `!argument budget: 40% of what? no window; want 200 to 20000 tokens`},
		{"pack", `{"budget":"auto"}`, tenth, `{"budget":"auto"}`},
		{"search", `{"query":"x","budget":"auto"}`, tenth, `!argument budget: want 200 to 20000 tokens, such as 2000, 2k or 40%, got "auto"`},
		{"pack", `{"budget":""}`, tenth, `!argument budget: want 200 to 20000 tokens, such as 2000, 2k or 40%, got ""`},
		{"pack", `{"budget":"0"}`, tenth, `!argument budget: want 200`},
		{"pack", `{"budget":"-5"}`, tenth, `!argument budget: want 200`},
		{"pack", `{"budget":2000.0}`, tenth, `{"budget":2000}`},
		{"pack", `{"budget":2e3}`, tenth, `{"budget":2000}`},
		{"pack", `{"budget":2000.5}`, tenth, `!argument budget: want a whole number, got number 2000.5`},
		{"pack", `{"budget":1e99}`, tenth, `!argument budget: want a whole number, got number 1e99`},
		{"pack", `{"budget":[5]}`, tenth, `!argument budget: want a whole number, got array`},
		{"pack", `{"budget":100}`, tenth, `!budget 100: want 200 to 20000 tokens`},
		{"search", `{"query":"x","limit":"5","symbols":"true"}`, tenth, `{"limit":5,"query":"x","symbols":true}`},
		{"search", `{"query":"x","limit":"5k"}`, tenth, `!argument limit: want a whole number, got "5k"`},
		{"search", `{"query":"x","symbols":"yes"}`, tenth, `!argument symbols: want true or false, got "yes"`},
		{"search", `{"query":7}`, tenth, `!argument query: want a string, got number`},
		{"search", `{"query":"x","paths":"a"}`, tenth, `!argument paths: want a list, got string`},
		{"search", `{"query":"true","rev":"5"}`, tenth, `{"query":"true","rev":"5"}`},
		{"pack", `{"max_tokens":500}`, tenth, `!argument "max_tokens": pack takes budget, cursor, detail, diff, edit, names, paths, pins, rev, task`},
		{"pack", `{"\u001b[31m":1}`, tenth, `!argument "\x1b[31m": pack takes`},
		{"pack", `{"Budget":"2k"}`, tenth, `{"Budget":2000}`},
		{"pack", `[]`, tenth, `!arguments: want an object, got array`},
	} {
		var tool *Tool
		for i := range Table {
			if Table[i].Name == tt.tool {
				tool = &Table[i]
			}
		}
		got, err := tool.asMeant(json.RawMessage(tt.args), tt.share)
		if err == nil {
			a := map[string]interface{ check(int) error }{"pack": new(packArgs), "search": new(searchArgs)}[tt.tool]
			if err = decode(got, a); err == nil {
				err = a.check(DefaultBudget)
			}
		}
		if want, bad := strings.CutPrefix(tt.want, "!"); bad {
			if err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%s %s: %s, %v, want %s", tt.tool, tt.args, got, err, want)
			}
		} else if err != nil || string(got) != tt.want {
			t.Errorf("%s %s: %s, %v, want %s", tt.tool, tt.args, got, err, tt.want)
		}
	}
}

// What decode takes as it is, it takes as it was meant, and it is the same.
func FuzzAsMeant(f *testing.F) {
	for _, s := range []string{`{}`, `null`, `[]`, `{"budget":"auto"}`, `{"task":"x","budget":500}`, `{"budget":"2k"}`, `{"budget":1e99}`, `{"BUDGET":"40%","budget":7}`, `{"task":"5","paths":["1"]}`, "{\"task\":\"\xff\"}", `{"a":1}{"b":2}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		for i := range Table {
			if Table[i].Name != "pack" {
				continue
			}
			got, err := Table[i].asMeant(raw, tenth)
			var before, after packArgs
			errBefore := decode(raw, &before)
			if err != nil {
				if errBefore == nil || len(err.Error()) > 400 {
					t.Errorf("asMeant(%q): %v; decode: %v", raw, err, errBefore)
				}
				continue
			}
			errAfter := decode(got, &after)
			if errBefore == nil && (errAfter != nil || cmp.Diff(before, after, cmp.AllowUnexported(packArgs{}, packBudget{}, shared{})) != "") {
				t.Errorf("asMeant(%q) = %q: %+v, %v, want %+v", raw, got, after, errAfter, before)
			}
			if again, err := Table[i].asMeant(got, tenth); err != nil || string(again) != string(got) {
				t.Errorf("asMeant(%q) = %q, %v", got, again, err)
			}
		}
	})
}
