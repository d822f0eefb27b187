package satchel

import "testing"

func TestKinds(t *testing.T) {
	if got := Kind("from the future"); got.Section() != "code" || got.List() || !got.OfFile() || got.FileText() {
		t.Errorf("a kind without a row is %+v", *got.row())
	}
	if c, f, s := KindContext.SectionOrder(), KindFile.SectionOrder(), KindSnippet.SectionOrder(); c >= f || f != s {
		t.Errorf("SectionOrder of context %d, file %d, snippet %d: want context first, the others as one", c, f, s)
	}
	seen := map[Kind]bool{}
	for _, r := range kinds {
		if r.section == "" || seen[r.kind] {
			t.Errorf("row %+v has no section, or is the second of its kind", r)
		}
		seen[r.kind] = true
	}
}
