package jsontext

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestStringEnd(t *testing.T) {
	for _, tt := range []struct {
		text string
		want int
	}{
		{`""`, 2}, {`"a"b`, 3}, {`"a\"b"`, 6}, {`"\\"`, 4}, {`"\\\""`, 6}, {`"`, -1}, {`"a\"`, -1}, {`"\"\"\""x`, 8},
	} {
		if got := StringEnd([]byte(tt.text), 0); got != tt.want {
			t.Errorf("StringEnd(%s) = %d, want %d", tt.text, got, tt.want)
		}
	}
}

// What encoding/json wrote ends where it ends, whatever follows.
func FuzzStringEnd(f *testing.F) {
	for _, s := range []string{"", "a", `\`, `"`, `\"`, strings.Repeat(`\`, 99) + `"`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if got := StringEnd(append(text, `"\`...), 0); got != len(text) {
			t.Errorf("StringEnd(%s) = %d, want %d", text, got, len(text))
		}
	})
}
