package transcript

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// seeds adds every golden session, and parts of each.
func seeds(f *testing.F) {
	f.Helper()
	files, err := filepath.Glob("testdata/read/*.txtar")
	if err != nil || len(files) == 0 {
		f.Fatalf("no golden files: %v", err)
	}
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		data := ar.Files[0].Data
		f.Add(data)
		f.Add(data[:len(data)*2/3])
		f.Add(bytes.ReplaceAll(data, []byte(`"t1"`), []byte(`"REDACTED"`)))
	}
}

// FuzzRead reads anything: no panic, spans within the file, every call has its
// result and every result its call, Scan gives what Read returns.
func FuzzRead(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, data []byte) { laws(t, data) })
}

// FuzzWrite rewrites anything that can be read: what was written reads back to
// what was given.
func FuzzWrite(f *testing.F) {
	if testing.Short() {
		f.Skip("takes about a second")
	}
	seeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		if s, err := Read(bytes.NewReader(data), int64(len(data))); err == nil {
			writeLaws(t, data, s)
		}
	})
}

// FuzzWalk compares the walk with encoding/json.
func FuzzWalk(f *testing.F) {
	for _, s := range []string{`{"a":1,"b":[true,null,"x\\\"y"],"c":{"d":"\u00e9\ud83d\ude00"}}`, `[]`, `{}`, ` [ 1 , -2.5e3 , {} ] `, `"x"`, `{"a\u0062":"\/"}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		i := space(data, 0)
		end := skip(data, i)
		var v scanner
		at := v.feed(data[i:])
		if !json.Valid(data) {
			return // no panic is all that is asked
		}
		if end < 0 || space(data, end) != len(data) {
			t.Fatalf("skip(%q) = %d", data, end)
		}
		if c := data[i]; (c == '{' || c == '[' || c == '"') && i+at != end {
			t.Fatalf("scanner.feed(%q) = %d, skip says %d", data, i+at, end)
		}
		for cut := range data[i:] { // in two pieces
			var v scanner
			at := v.feed(data[i : i+cut])
			if at < 0 {
				if at = v.feed(data[i+cut:]); at >= 0 {
					at += cut
				}
			}
			if c := data[i]; (c == '{' || c == '[' || c == '"') && i+at != end {
				t.Fatalf("scanner.feed(%q | %q) = %d, want %d", data[i:i+cut], data[i+cut:], at, end-i)
			}
		}
		switch data[i] {
		case '"':
			var want string
			if err := json.Unmarshal(data, &want); err != nil {
				return
			}
			if got := str(data[i:end]); got != strings.ToValidUTF8(want, "\uFFFD") && !strings.Contains(want, "\uFFFD") {
				t.Errorf("str(%q) = %q, want %q", data, got, want)
			}
		case '{':
			var want map[string]json.RawMessage
			if err := json.Unmarshal(data, &want); err != nil {
				return
			}
			got := map[string]string{}
			it := walk(data)
			for it.next() {
				got[strings.ToValidUTF8(string(it.key), "\uFFFD")] = string(it.val)
			}
			if it.bad {
				t.Errorf("walk(%q) ends early", data)
			}
			for k, v := range want {
				if got[k] != string(v) && !strings.Contains(k, "\uFFFD") {
					t.Errorf("walk(%q)[%q] = %q, want %q", data, k, got[k], v)
				}
			}
		}
	})
}

// FuzzCutter cuts strings of valid JSON: it stays valid.
func FuzzCutter(f *testing.F) {
	f.Add([]byte(`{"a":"é\\u00e9\\\\"}`), uint16(3))
	f.Fuzz(func(t *testing.T, piece []byte, n uint16) {
		body, err := json.Marshal(strings.Repeat(string(piece), int(n)))
		if err != nil {
			t.Skip()
		}
		in := append(append([]byte(`{"k":`), body...), '}')
		var c cutter
		c.write(in[:len(in)/2])
		c.write(in[len(in)/2:])
		if !json.Valid(c.out) {
			t.Errorf("cut of %d bytes is no JSON: %.80q … %.80q", len(in), c.out, c.out[max(0, len(c.out)-80):])
		}
		if got := str(field(c.out, "k")); len(body) <= cutString && got != str(body) {
			t.Errorf("a short string was cut: %q", got)
		}
	})
}
