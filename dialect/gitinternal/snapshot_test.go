package gitinternal

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/snapshot"
)

func TestGolden(t *testing.T) {
	want, err := os.ReadFile("testdata/git-internal-0.8.json")
	if err != nil {
		t.Fatal(err)
	}
	golden := strings.TrimSuffix(string(want), "\n")
	s, err := Decode(want)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Items) != 2 || s.Items[0].Blob != "8ab686eafeb1f44702738c8b0f24f2567c36da6d" || s.Items[1].Kind != snapshot.KindOther || s.Items[1].Other != "mcp_resource" {
		t.Errorf("read %+v", s.Items)
	}
	if got, err := s.Encode(); string(got) != golden || err != nil {
		t.Errorf("Encode = %v\n%s\nwant\n%s", err, got, golden)
	}
	// The same from values, so that reading cannot hide what writing does.
	s = &ContextSnapshot{
		ObjectID:  "01900000-0000-7000-8000-000000000001",
		CreatedAt: time.Date(2026, 1, 1, 1, 0, 0, 123456789, time.FixedZone("", 3600)),
		CreatedBy: actor{Kind: "agent", ID: "satchel"}, Strategy: snapshot.Heuristic, Summary: "1 file",
		Items: []contextItem{
			{Kind: snapshot.KindFile, Path: "src/main.rs", Preview: s.Items[0].Preview, Blob: "8ab686eafeb1f44702738c8b0f24f2567c36da6d"},
			{Kind: snapshot.KindOther, Other: "mcp_resource", Path: "x"},
		},
	}
	if got, err := s.Encode(); string(got) != golden || err != nil {
		t.Errorf("Encode = %v\n%s\nwant\n%s", err, got, golden)
	}
}

func TestOlder(t *testing.T) {
	for name, want := range map[string]ContextSnapshot{
		"0.4": {
			ObjectID: "01900000-0000-7000-8000-000000000004", CreatedAt: time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC),
			CreatedBy: actor{Kind: "agent", ID: "x"}, Strategy: snapshot.Explicit, BaseCommit: "8ab686eafeb1f44702738c8b0f24f2567c36da6d",
			Items: []contextItem{{Kind: snapshot.KindFile, Path: "src/main.rs", ContentID: "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"}},
		},
		"0.6": {
			ObjectID: "01900000-0000-7000-8000-000000000006", CreatedAt: time.Date(2025, 6, 1, 12, 0, 0, 5e8, time.UTC),
			CreatedBy: actor{Kind: "human", ID: "ann", DisplayName: "Ann"}, Strategy: snapshot.Heuristic, Summary: "s",
			Items: []contextItem{
				{Kind: snapshot.KindCommand, Path: "cargo test", Preview: "ok", Blob: "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1eff"},
				{Kind: snapshot.KindOther, Other: "mcp_resource", Path: "x"},
				{Kind: snapshot.KindURL, Path: "https://example.com"},
			},
		},
	} {
		text, err := os.ReadFile("testdata/git-internal-" + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		got, err := Decode(text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(&want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	for _, bad := range []string{
		"", "[]", `{"object_type":"plan"}`, `{"items":[{"kind":"file"}]}`, `{"items":[{"path":"x","kind":7}]}`,
		`{"items":[{"path":"x","kind":"file","blob":{"Sha1":[1]}}]}`, `{"items":[{"path":"x","kind":"file","blob":{"Sha1":[300,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]}}]}`,
		`{"items":[{"path":"x","kind":"file","blob":"12"}]}`, `{"created_at":"yesterday"}`,
	} {
		if _, err := Decode([]byte(bad)); err == nil {
			t.Errorf("Decode takes %s", bad)
		}
	}
}

func TestFromRecord(t *testing.T) {
	r := &snapshot.Record{Version: 1, Strategy: snapshot.Heuristic, Summary: "2 files", Items: []snapshot.Item{
		{Kind: snapshot.KindFile, Path: "b.go", Role: snapshot.Context, Detail: satchel.Full, Preview: "package b\n", Blob: strings.Repeat("ab", 20)},
		{Kind: snapshot.KindOther, Other: "mcp_resource", Path: "x", Role: snapshot.Context, Detail: satchel.Full, Blob: strings.Repeat("0", 40)},
	}}
	taken := time.Date(2026, 3, 4, 5, 6, 7, 89e6, time.UTC)
	s, err := FromRecord(r, taken)
	if err != nil {
		t.Fatal(err)
	}
	text, err := s.Encode()
	if err != nil {
		t.Fatal(err)
	}
	back, err := Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(s, back); diff != "" {
		t.Errorf("written and read back (-want +got):\n%s", diff)
	}
	if got := s.ObjectID; !strings.HasPrefix(got, "019cb73d-3271-") || got[14] != '7' || !strings.Contains("89ab", got[19:20]) {
		t.Errorf("object id %s is no UUID of version 7 with that time", got)
	}
}

func TestSerdeTime(t *testing.T) {
	for ns, want := range map[int]string{0: "00Z", 5e8: "00.500Z", 1000: "00.000001Z", 1: "00.000000001Z"} {
		if got := serdeTime(time.Date(2026, 1, 1, 0, 0, 0, ns, time.UTC)); !strings.HasSuffix(got, ":"+want) {
			t.Errorf("serdeTime(%d ns) = %s, want …%s", ns, got, want)
		}
	}
}

// What is read from git-internal's JSON can be written, and reads the same.
func FuzzDecode(f *testing.F) {
	for _, v := range []string{"0.4", "0.6", "0.8"} {
		text, err := os.ReadFile("testdata/git-internal-" + v + ".json")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := Decode(text)
		if err != nil {
			return
		}
		s.CreatedBy.ID = "x" + s.CreatedBy.ID
		first, err := s.Encode()
		if err != nil {
			return
		}
		back, err := Decode(first)
		if err != nil {
			t.Fatalf("%s: %v", first, err)
		}
		if second, err := back.Encode(); string(second) != string(first) || err != nil {
			t.Errorf("%s became %s, %v", first, second, err)
		}
	})
}
