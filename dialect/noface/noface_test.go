package noface

import "testing"

func TestRead(t *testing.T) {
	for _, test := range []struct {
		key  string
		v    any
		want Limit
	}{
		{"max_context_docs", int64(3), Limit{Setting: Most, Most: 3}},
		{"neighbor_depth", int64(-1), Limit{Setting: Depth, Want: "a whole number"}},
		{"neighbor_depth", 1.5, Limit{Setting: Depth, Want: "a whole number"}},
		{"max_file_size_kb", int64(100), Limit{Setting: FileBytes, Most: 102_400}},
		{"max_file_size_kb", int64(1<<40 + 1), Limit{Setting: FileBytes, Want: "a whole number"}},
		{"expand_neighbors", false, Limit{Setting: Linked, Off: true}},
		{"resolve_wikilinks", true, Limit{Setting: Links}},
		{"proactive_search", "no", Limit{Setting: Search, Want: "true or false"}},
		{"vault", "/etc", Limit{Setting: Vault}},
		{"sync_api_docs", true, Limit{Setting: ignored}},
		{"shell", int64(1), Limit{}},
	} {
		if got := Read(test.key, test.v); got != test.want {
			t.Errorf("Read(%s, %v) = %+v, want %+v", test.key, test.v, got, test.want)
		}
	}
}
