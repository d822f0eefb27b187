package finding

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// at makes a finding that was resolved.
func at(path string, from, to int, category, title string, confidence int) Finding {
	return Finding{
		Path: path, Side: New, From: from, To: to, Anchor: Exact, Quote: title, Severity: High, Confidence: confidence, Category: category, Title: title,
		Check: None, State: Visible, Fingerprint: Fingerprint(category, path, "", fmt.Sprint(title, from)), Hash: "h1",
	}
}

func TestMerge(t *testing.T) {
	for _, c := range []struct {
		name string
		list []Finding
		want string // title path:from state of the list, duplicates with their best
	}{
		{"apart", []Finding{at("a", 1, 2, "security", "one", 80), at("a", 9, 9, "security", "two", 90)}, "two shown, one shown"},
		{"close, one category", []Finding{at("a", 1, 2, "security", "one", 80), at("a", 5, 9, "security", "two", 90)}, "two shown, one duplicate of two"},
		{"close, other categories", []Finding{at("a", 1, 2, "security", "one", 80), at("a", 3, 3, "style", "two", 90)}, "two shown, one shown"},
		{"close, titles alike", []Finding{at("a", 1, 2, "security", "lock is removed before close", 80), at("a", 3, 3, "concurrency", "the lock is removed before close", 70)},
			"lock is removed before close shown, the lock is removed before close duplicate of lock is removed before close"},
		{"files, titles almost the same", []Finding{at("a", 1, 2, "security", "token is logged here", 80), at("b", 3, 3, "security", "token is logged here", 70)},
			"token is logged here shown + b:3, token is logged here duplicate of token is logged here"},
		{"files, other categories", []Finding{at("a", 1, 2, "security", "token is logged", 80), at("b", 3, 3, "style", "token is logged", 70)}, "token is logged shown, token is logged shown"},
	} {
		var got []string
		list := Merge(c.list)
		for _, f := range list {
			s := f.Title + " " + string(f.State)
			for _, p := range f.Places {
				s += fmt.Sprintf(" + %s:%d", p.Path, p.From)
			}
			for _, o := range list {
				if f.Of != "" && o.ID == f.Of {
					s += " of " + o.Title
				}
			}
			got = append(got, s)
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%s: %s, want %s", c.name, s, c.want)
		}
	}
}

func TestMergePrefers(t *testing.T) {
	low := at("a", 1, 1, "security", "one", 60)
	low.Check = Confirmed
	if list := Merge([]Finding{at("a", 1, 1, "security", "two", 99), low}); list[1].Title != "one" || list[1].State != Visible {
		t.Errorf("not the confirmed one is kept: %+v", list)
	}
	long := at("a", 1, 1, "security", "one", 60)
	long.Evidence = []Evidence{{Quote: "x", OK: true}}
	if list := Merge([]Finding{at("a", 1, 1, "security", "two", 60), long}); list[0].State == list[1].State || list[0].Title == "one" && list[0].State != Visible {
		t.Errorf("not the one with evidence is kept: %+v", list)
	}
	gone := at("a", 1, 1, "security", "one", 99)
	gone.Anchor = Unverified
	for _, f := range Merge([]Finding{gone, at("a", 1, 1, "security", "two", 60)}) {
		if f.State == Duplicate {
			t.Errorf("%s is a duplicate of what stands nowhere", f.Title)
		}
	}
}

// FuzzMerge checks that merging says the same in any order, and the second time
// nothing more, and loses nothing.
func FuzzMerge(f *testing.F) {
	f.Add([]byte("\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x01\x02\x03\x04\x05\x06"), uint8(1))
	f.Add([]byte("abcabdabeabfacgaahaaiaaj"), uint8(7))
	titles := []string{"lock is removed", "lock is removed early", "token is logged", "token was logged", "x"}
	f.Fuzz(func(t *testing.T, b []byte, turn uint8) {
		var list []Finding
		for ; len(b) >= 5 && len(list) < 40; b = b[5:] {
			x := at(string('a'+rune(b[0]%3)), int(b[1]%30), int(b[1]%30)+int(b[2]%4), Categories[b[2]%3], titles[int(b[3])%len(titles)], int(b[4]%101))
			x.Check = []Verdict{None, Confirmed, Refuted, Unsure}[b[4]%4]
			if b[0]%11 == 0 {
				x.Anchor = Unverified
			}
			list = append(list, x)
		}
		once := Merge(list)
		if len(once) != len(list) {
			t.Fatalf("%d findings became %d", len(list), len(once))
		}
		if twice := Merge(once); !reflect.DeepEqual(once, twice) {
			t.Errorf("merging twice:\n%v\n%v", once, twice)
		}
		other := slices.Clone(list)
		slices.Reverse(other)
		if n := len(other); n > 0 {
			k := int(turn) % n
			other = append(other[k:], other[:k]...)
		}
		if turned := Merge(other); !reflect.DeepEqual(once, turned) {
			t.Errorf("in another order:\n%v\n%v", once, turned)
		}
		best := map[string]bool{}
		for _, f := range once {
			best[f.ID] = best[f.ID] || f.State != Duplicate
		}
		for _, f := range once {
			if f.State == Duplicate && !best[f.Of] {
				t.Errorf("%s is a duplicate of %s, which is none to be shown", f.ID, f.Of)
			}
		}
	})
}

func TestJudge(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	base := at("a", 1, 1, "security", "one", 90)
	d := &Dismissals{}
	d.Record([]Finding{base})
	if _, err := d.Dismiss([]string{base.Fingerprint[:8]}, "not here", now); err != nil {
		t.Fatal(err)
	}
	change := func(with func(*Finding)) Finding {
		f := base
		with(&f)
		return f
	}
	for _, c := range []struct {
		name  string
		f     Finding
		rules *Rules
		want  State
		why   string
	}{
		{"shown", base, nil, Visible, ""},
		{"low", change(func(f *Finding) { f.Confidence = 69 }), nil, TooLow, ""},
		{"low for once", base, &Rules{Confidence: 95}, TooLow, ""},
		{"not grave", base, &Rules{Severity: Critical}, TooLow, ""},
		{"refuted", change(func(f *Finding) { f.Check = Refuted }), nil, Disproved, ""},
		{"unverified", change(func(f *Finding) { f.Anchor = Unverified }), nil, Unfounded, ""},
		{"dismissed", base, &Rules{Dismissals: d}, Dismissed, ""},
		{"dismissed, and the definition changed", change(func(f *Finding) { f.Hash = "h2" }), &Rules{Dismissals: d}, Visible, markLapsed},
		{"critical", change(func(f *Finding) { f.Severity = Critical }), &Rules{Dismissals: d}, Visible, markCritical},
		{"known", base, &Rules{Baseline: map[string]bool{base.Fingerprint: true}}, AlreadyKnew, ""},
		{"duplicate", change(func(f *Finding) { f.State = Duplicate }), nil, Duplicate, ""},
	} {
		list := []Finding{c.f}
		Judge(list, c.rules)
		Judge(list, c.rules)
		if list[0].State != c.want || list[0].Why != c.why {
			t.Errorf("%s: %s %q, want %s %q", c.name, list[0].State, list[0].Why, c.want, c.why)
		}
	}
}

func TestDismissals(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	d := &Dismissals{}
	var list []Finding
	for i := range mostKept + 20 {
		list = append(list, at("a", 10*i+1, 10*i+1, "style", fmt.Sprint("finding ", i), 90))
	}
	d.Record(list)
	d.Record(list[:1])
	if len(d.Recent) != mostKept || d.Recent[mostKept-1].Title != "finding 0" || d.Recent[0].Title != "finding 21" {
		t.Fatalf("%d are kept, from %q to %q", len(d.Recent), d.Recent[0].Title, d.Recent[len(d.Recent)-1].Title)
	}
	var unknown *UnknownIDError
	if _, err := d.Dismiss([]string{list[0].Fingerprint, "ffff0000ffff"}, "", now); err == nil || len(d.Dismissed) > 0 {
		t.Errorf("half of it was dismissed: %v, %v", d.Dismissed, err)
	} else if !asUnknown(err, &unknown) {
		t.Errorf("%T %v", err, err)
	}
	if _, err := d.Dismiss([]string{"a"}, "", now); err == nil {
		t.Error("an id of one letter means a finding")
	}
	for range 2 {
		if _, err := d.Dismiss([]string{list[100].Fingerprint}, "why\x1b[0m", now); err != nil {
			t.Fatal(err)
		}
	}
	if len(d.Dismissed) != 1 || strings.Contains(d.Dismissed[0].Reason, "\x1b") {
		t.Errorf("%+v", d.Dismissed)
	}
	if _, err := d.Dismiss([]string{list[100].Fingerprint, list[101].Fingerprint}, "", now); err != nil {
		t.Fatal(err)
	}
	if k, err := d.Forget(list[101].Fingerprint[:12]); err != nil || k.Title != "finding 101" || len(d.Dismissed) != 1 {
		t.Errorf("%+v %+v %v", k, d.Dismissed, err)
	}
	b, err := d.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	again, err := ReadDismissals(b)
	if err != nil {
		t.Fatal(err)
	}
	if b2, _ := again.Bytes(); string(b2) != string(b) {
		t.Error("what is read is not what was written")
	}
}

func asUnknown(err error, to **UnknownIDError) bool {
	e, ok := err.(*UnknownIDError)
	*to = e
	return ok
}

func TestDamaged(t *testing.T) {
	many, _ := json.Marshal(Dismissals{Version: 1, Recent: make([]Known, mostKept+1)})
	for _, s := range []string{"{", `{"version":2}`, string(many)} {
		if d, err := ReadDismissals([]byte(s)); err == nil {
			t.Errorf("%.40s is read as %+v", s, d)
		}
	}
	if d, err := ReadDismissals([]byte(`{"version":1,"recent":[{"fingerprint":"abcd","category":"x","title":"a\u001b[0mb\nc"}]}`)); err != nil || strings.ContainsAny(d.Recent[0].Title, "\x1b\n") || d.Recent[0].Category != "other" {
		t.Errorf("%+v %v", d, err)
	}
}

func TestBaseline(t *testing.T) {
	known, err := ReadBaseline([]byte(`{"version":1,"findings":[{"fingerprint":"ab","id":"a"},{}]}`))
	if err != nil || len(known) != 1 || !known["ab"] {
		t.Errorf("%v %v", known, err)
	}
	for _, s := range []string{"", "[]", `{"version":7}`} {
		if _, err := ReadBaseline([]byte(s)); err == nil {
			t.Errorf("%q is a baseline", s)
		}
	}
}
