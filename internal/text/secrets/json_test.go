package secrets

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// A key that nobody was issued, with the form of one.
var token = "ghp_" + "R8s2LqT5vX9mKd3JfW7nYb4HcZ6pGa1uEo0i"

func TestRedactJSON(t *testing.T) {
	key := "-----BEGIN RSA " + "PRIVATE KEY-----\n" + strings.Repeat("MIIEowIBAAKCAQEA7bq3Zk9vXq2LmNcR5tYwUoPzS8dFgHjK1aQeWrTyUiOpAsDf\n", 4) + "-----END RSA PRIVATE KEY-----"
	quote := func(s string) string { b, _ := json.Marshal(s); return string(b) }
	for _, c := range []struct {
		name, in string
		gone     string // what may not be left
		found    int
	}{
		{"a string", `{"a": "x ` + token + ` y", "b":1}`, token, 1},
		{"nothing", `{"a" :  "x", "signature":"` + strings.Repeat("QUJD", 40) + `"}`, "\x00", 0},
		{"a key with escaped newlines", `{"text":` + quote(key) + `}`, "MIIEow", 4},
		{"json in a string", `{"arguments":` + quote(`{"cmd":"echo `+token+`"}`) + `}`, token, 1},
		{"a key in json in a string", `{"arguments":` + quote(`{"text":`+quote(key)+`}`) + `}`, "MIIEow", 4},
		{"two lines", `{"a":"` + token + `"}` + "\n" + `{"b":["` + token + `"]}` + "\n", token, 2},
		{"an escape before it", `{"a":"\u0041\n` + token + `\t"}`, token, 1},
		{"a torn line", `{"a":"` + token, token, 1},
		{"no json at all", token + "\n", token, 1},
	} {
		got, found := RedactJSON([]byte(c.in))
		if len(found) != c.found {
			t.Errorf("%s: found %v, want %d", c.name, found, c.found)
		}
		if bytes.Contains(got, []byte(c.gone)) {
			t.Errorf("%s: %s is left in %s", c.name, c.gone, got)
		}
		if c.found == 0 && string(got) != c.in {
			t.Errorf("%s: %s became %s", c.name, c.in, got)
		}
		for i, l := range strings.Split(c.in, "\n") {
			if out := strings.Split(string(got), "\n")[i]; json.Valid([]byte(l)) && !json.Valid([]byte(out)) {
				t.Errorf("%s: %s became %s", c.name, l, out)
			}
		}
	}
}

// What is around a secret stays as it was, to the byte, odd escapes included.
func TestRedactJSONKeepsTheRest(t *testing.T) {
	in := "{ \"a\\u0062\":\"\\u0041\\/\", \"t\" : \"" + token + "\" ,\"n\":1.0e5 }  \r\n[ ]\n"
	got, found := RedactJSON([]byte(in))
	if len(found) != 1 || found[0].Line != 1 {
		t.Fatalf("found %v", found)
	}
	before, after, _ := strings.Cut(in, token)
	if !strings.HasPrefix(string(got), before) || !strings.HasSuffix(string(got), after) {
		t.Errorf("%s became %s", in, got)
	}
}

func FuzzRedactJSON(f *testing.F) {
	f.Add(`{"a":"` + token + `","b":["\u00e9",{"c":"{\"d\":\"` + token + `\"}"}]}`)
	f.Add("{\"a\":\"\\\\\\\"" + token + "\"}\n{\"b")
	f.Add("\"\\ud800 " + token + "\"")
	f.Fuzz(func(t *testing.T, in string) {
		got, found := RedactJSON([]byte(in))
		if (len(found) == 0) != (string(got) == in) {
			t.Fatalf("%d found, and %q became %q", len(found), in, got)
		}
		was, is := strings.Split(in, "\n"), strings.Split(string(got), "\n")
		if len(was) != len(is) {
			t.Fatalf("%d lines became %d", len(was), len(is))
		}
		for i := range was {
			if json.Valid([]byte(was[i])) && !json.Valid([]byte(is[i])) {
				t.Fatalf("line %d is no JSON any more: %q", i, is[i])
			}
		}
		if again, more := RedactJSON(got); len(more) > 0 {
			t.Fatalf("found %v the second time, in %q: %q", more, got, again)
		}
	})
}
