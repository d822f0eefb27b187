package snapshot

import (
	"crypto/sha1"
	"crypto/sha256"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel"
)

func hash(data []byte) string {
	return fmt.Sprintf("%x", sha1.Sum(append(fmt.Appendf(nil, "blob %d\x00", len(data)), data...)))
}

// sample is a record with a bit of everything.
func sample(t testing.TB) *Draft {
	t.Helper()
	d := New(Heuristic, hash)
	d.SetPack(&satchel.Pack{
		Rev: strings.Repeat("c", 40), Budget: 8000, Used: 7900, Method: "o200k_base exact",
		Sections: []satchel.Section{{Name: "code", Tokens: 7000}},
		Omitted: []satchel.Omission{
			{Ref: satchel.Ref{Kind: satchel.KindFile, Path: "go.sum"}, Why: satchel.WhyLock},
			{Ref: satchel.Ref{Kind: satchel.KindFile, Path: "vendor/"}, Why: satchel.WhyVendored},
			{Ref: satchel.Ref{Kind: "symbol", Path: "b.go", From: 40, To: 60}, Why: satchel.WhyNoRoom, Score: 1.5, Tokens: 200},
		},
		Diagnostics: []satchel.Diagnostic{{Path: "b.go", Text: "a secret was redacted"}},
	}, Request{Task: "mend <login> & \"proxy\"\u2028 \\u2028\nmore", Pinned: []string{"a.go"}})
	d.SetOutput("md", []byte("# text\n"))
	d.Add(Item{Kind: KindFile, Path: "b.go", From: 3, To: 20, Role: Context, Detail: satchel.Full,
		Lines: []satchel.Range{{From: 3, To: 20}}, Tokens: 120, Score: satchel.Score{{Why: "words", Add: 1.25}, {Why: "test", Add: -0.5}}},
		Bytes{Data: []byte("package b\n"), Redacted: 1})
	d.Add(Item{Kind: KindFile, Path: "a.go", Role: Pinned, Detail: satchel.Full}, Bytes{Data: []byte("package a\n"), Stored: hash([]byte("package a\n"))})
	d.Add(Item{Kind: KindOther, Other: "mcp_resource", Path: "x", Role: Context, Detail: satchel.Full}, Bytes{Data: []byte{0, 1}})
	return d
}

func TestRecord(t *testing.T) {
	d := sample(t)
	r, err := d.Finish()
	if err != nil {
		t.Fatal(err)
	}
	text, err := r.Canonical()
	if err != nil {
		t.Fatal(err)
	}
	back, err := Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r, back); diff != "" {
		t.Errorf("Decode(Canonical) differs (-want +got):\n%s", diff)
	}
	id, _ := r.id()
	if again, _ := back.id(); again != id || len(id) != 64 {
		t.Errorf("ids %q and %q", id, again)
	}
	if len(d.Blobs) != 3 { // the output, b.go and x; a.go is stored already
		t.Errorf("%d blobs to write, want 3", len(d.Blobs))
	}
	if got := r.Blobs(); len(got) != 4 {
		t.Errorf("Blobs = %v, want 4", got)
	}
	if r.Items[0].Path != "a.go" || r.Items[1].Preview != "package b\n" || r.Items[2].Preview != "" || r.Items[2].Mime != "application/octet-stream" {
		t.Errorf("items %+v", r.Items)
	}
	if want := "3 items of 3 paths, 7900 tokens, 3 left out: mend <login> & \"proxy\"\u2028 \\u2028"; r.Summary != want {
		t.Errorf("Summary = %q, want %q", r.Summary, want)
	}
	if strings.Contains(string(text), `\u003c`) {
		t.Error("canonical JSON escapes <")
	}
}

// File names, tasks and labels need not be UTF-8. Such a record reads back as it
// was named, and answers to the name of the file as it is on the disk.
func TestNotUTF8(t *testing.T) {
	for _, bad := range []string{"caf\xe9.txt", "\xff", "a\xf0\x9fb", "\xff\xfe\\ufffd", "\uFFFD", "\xff\u2028"} {
		d := sample(t)
		d.Record.Request.Task += bad
		d.Add(Item{Kind: KindFile, Path: bad, Role: Context, Detail: satchel.Full}, Bytes{Data: []byte("x")})
		d.Record.Omitted = append(d.Record.Omitted, satchel.Omission{Ref: satchel.Ref{Path: "left/" + bad}})
		r, err := d.Finish()
		if err != nil {
			t.Fatal(err)
		}
		text, err := r.Canonical()
		if err != nil {
			t.Fatal(err)
		}
		back, err := Decode(text)
		if err != nil {
			t.Errorf("%q: %v", bad, err)
			continue
		}
		id, _ := r.id()
		if again, _ := back.id(); again != id {
			t.Errorf("%q: id %s became %s", bad, id, again)
		}
		if got := len(back.Why(bad).Items); got != 1 {
			t.Errorf("Why(%q) has %d items, want 1", bad, got)
		}
		if got := len(back.Why("left/" + bad).Omitted); got != 1 {
			t.Errorf("Why(left/%q) has %d omissions, want 1", bad, got)
		}
	}
}

// Every field of a record is part of its name: a change anywhere changes the id.
func TestIDCoversEverything(t *testing.T) {
	r, err := sample(t).Finish()
	if err != nil {
		t.Fatal(err)
	}
	id, _ := r.id()
	var walk func(path string, v reflect.Value)
	changed := 0
	walk = func(path string, v reflect.Value) {
		try := func(set func()) {
			old := reflect.New(v.Type()).Elem()
			old.Set(v)
			set()
			if now, err := r.id(); err != nil || now == id {
				t.Errorf("a change of %s does not change the id (%v)", path, err)
			}
			v.Set(old)
			changed++
		}
		switch v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				if f := v.Type().Field(i); f.Tag.Get("json") != "-" { // which no record holds
					walk(path+"."+f.Name, v.Field(i))
				}
			}
		case reflect.Pointer:
			walk(path, v.Elem())
		case reflect.Slice:
			for i := range v.Len() {
				walk(fmt.Sprintf("%s[%d]", path, i), v.Index(i))
			}
		case reflect.String:
			try(func() { v.SetString(v.String() + "x") })
		case reflect.Int, reflect.Int64:
			if v.Type() == reflect.TypeFor[satchel.Detail]() {
				try(func() { v.Set(reflect.ValueOf(satchel.Mention)) })
				return
			}
			try(func() { v.SetInt(v.Int() + 1) })
		case reflect.Float64:
			try(func() { v.SetFloat(v.Float() + 0.125) })
		case reflect.Bool:
			try(func() { v.SetBool(!v.Bool()) })
		default:
			t.Fatalf("%s is a %s", path, v.Kind())
		}
	}
	walk("record", reflect.ValueOf(r).Elem())
	if changed < 60 {
		t.Errorf("only %d fields were tried", changed)
	}
}

func TestCheck(t *testing.T) {
	good := func() *Record {
		r, err := sample(t).Finish()
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for name, spoil := range map[string]func(*Record){
		"has no blob":           func(r *Record) { r.Items[1].Blob = "" },
		"not valid":             func(r *Record) { r.Items[1].Blob = "12" },
		"no path":               func(r *Record) { r.Items[0].Path = " " },
		"version":               func(r *Record) { r.Version = 9 },
		"strategy":              func(r *Record) { r.Strategy = "guess" },
		"needs a name in other": func(r *Record) { r.Items[0].Kind = KindOther },
		"unknown kind":          func(r *Record) { r.Items[0].Kind = "film" },
		"lines":                 func(r *Record) { r.Items[1].To = 1 },
		"output has no blob":    func(r *Record) { r.Output.Blob = "" },
	} {
		r := good()
		spoil(r)
		if err := r.check(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("Check = %v, want an error about %q", err, name)
		}
	}
	r := good()
	r.Items[1].Blob = ""
	var draft *DraftError
	if err := r.check(); !errors.As(err, &draft) || draft.Item != 1 || draft.Path != "b.go" {
		t.Errorf("Check = %v, want a DraftError for item 1", err)
	}
	text, _ := good().Canonical()
	for _, bad := range []string{"", "{}", "null", "[]", string(text) + " ", strings.Replace(string(text), `{"version":2`, `{ "version":2`, 1), strings.Replace(string(text), `"items"`, `"more":1,"items"`, 1)} {
		if _, err := Decode([]byte(bad)); err == nil {
			t.Errorf("Decode takes %.60q", bad)
		}
	}
}

func TestCompare(t *testing.T) {
	a, err := sample(t).Finish()
	if err != nil {
		t.Fatal(err)
	}
	if got := Compare(a, a); len(got) != 0 {
		t.Errorf("a record differs from itself: %+v", got)
	}
	d := sample(t)
	d.Record.Budget = 4000
	d.Record.Items[0].Blob = hash([]byte("new"))
	d.Record.Items[0].Detail = satchel.Outline
	d.Record.Items[0].Lines = nil
	d.Record.Items[1].Path = "c.go"
	b, err := d.Finish()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, x := range Compare(a, b) {
		got = append(got, fmt.Sprintf("%s %s %s", x.What, x.Ref, strings.Join(x.How, "; ")))
	}
	want := []string{
		"request  budget: 8000 → 4000",
		"removed a.go ",
		"changed b.go:3-20 its bytes; detail full → outline; lines shown 3-20 → none",
		"added c.go ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Compare (-want +got):\n%s", diff)
	}
}

func TestWhy(t *testing.T) {
	r, err := sample(t).Finish()
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string][3]int{ // items, omissions, notes
		"b.go":         {1, 1, 1},
		"b.go:3-20":    {1, 0, 0},
		"b.go:40-60":   {0, 1, 0},
		"a.go":         {1, 0, 0},
		"go.sum":       {0, 1, 0},
		"vendor/x/y.c": {0, 1, 0},
		"none.go":      {},
	} {
		a := r.Why(path)
		if got := [3]int{len(a.Items), len(a.Omitted), len(a.Diagnostics)}; got != want {
			t.Errorf("Why(%s) has %v items, omissions and notes, want %v", path, got, want)
		}
	}
}

func TestPreview(t *testing.T) {
	long := strings.Repeat("é", 600)
	if got := Preview([]byte(long)); utf8.RuneCountInString(got) != 499 || !utf8.ValidString(got) {
		t.Errorf("a preview of %d characters", utf8.RuneCountInString(got))
	}
	// A character that the 8 KiB cut in two does not show as damage.
	text := strings.Repeat("x", 400) + strings.Repeat("\n", 8<<10-401) + "é"
	if got := Preview([]byte(text)); strings.ContainsRune(got, '\uFFFD') {
		t.Error("the preview shows a character that was cut in two")
	}
	if got := Preview([]byte("a\xffb")); got != "a\uFFFDb" {
		t.Errorf("Preview = %q", got)
	}
}

func TestMime(t *testing.T) {
	for data, want := range map[string]string{
		"": "text/plain; charset=utf-8", "BMW is a car": "text/plain; charset=utf-8", "BM\x00\x01\xff": "image/bmp",
		"\x89PNG\r\n\x1a\n..": "image/png", "RIFF1234WEBPVP8 ": "image/webp", "a\x00b": "application/octet-stream", "\xff\xfe": "application/octet-stream",
	} {
		if got := Mime([]byte(data)); got != want {
			t.Errorf("Mime(%q) = %s, want %s", data, got, want)
		}
	}
}

// TestVersion1: records of version 1, whose Diagnostics are notes, keep their texts
// and so their ids.
func TestVersion1(t *testing.T) {
	const text = `{"version":1,"strategy":"explicit","items":[],"notes":[{"path":"a.go","text":"it was cut"}],"summary":"old"}`
	r, err := Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if again, err := r.Canonical(); err != nil || string(again) != text {
		t.Errorf("Canonical = %s, %v, want %s", again, err, text)
	}
	if id, err := r.id(); err != nil || id != fmt.Sprintf("%x", sha256.Sum256([]byte(text))) {
		t.Errorf("id = %s, %v", id, err)
	}
	if why := r.Why("a.go"); len(r.Said()) != 1 || len(why.Diagnostics) != 1 {
		t.Errorf("Said = %v, Why = %+v", r.Said(), why)
	}
}

// Whatever Decode takes, it gives back byte for byte.
func FuzzDecode(f *testing.F) {
	r, err := sample(f).Finish()
	if err != nil {
		f.Fatal(err)
	}
	text, _ := r.Canonical()
	f.Add(text)
	f.Add([]byte(`{"version":1,"strategy":"explicit","items":[]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := Decode(text)
		if err != nil {
			return
		}
		if again, err := r.Canonical(); string(again) != string(text) || err != nil {
			t.Errorf("%q became %q, %v", text, again, err)
		}
		for _, d := range Compare(r, r) {
			t.Errorf("a record differs from itself: %+v", d)
		}
	})
}

// id returns the record's name: the SHA-256 of its canonical JSON.
func (r *Record) id() (string, error) {
	text, err := r.Canonical()
	if err != nil {
		return "", err
	}
	return IDOf(text), nil
}
