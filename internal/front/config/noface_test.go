package config

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel/dialect/noface"
)

func TestNoface(t *testing.T) {
	for _, test := range []struct {
		why, user, noface string
		docs, depth       int
		links, search     bool
		bytes             int64
		notes             []string
	}{
		{"it lowers what the user has on", "docs = 5", "[monowiki]\nmax_context_docs = 2\nneighbor_depth = 0\nmax_file_size_kb = 100", 2, 0, true, true, 102400, nil},
		{"its defaults change nothing", "docs = 3", "[monowiki]\nmax_context_docs = 5\nexpand_neighbors = true\nneighbor_depth = 4\nresolve_wikilinks = true\nproactive_search = true", 3, 1, true, true, 0, nil},
		{"it turns nothing on", "", "[monowiki]\nmax_context_docs = 5", 0, 1, true, true, 0, nil},
		{"it turns off", "docs = 5", "[monowiki]\nresolve_wikilinks = false\nproactive_search = false\nexpand_neighbors = false", 5, 0, false, false, 0, nil},
		{"what is no limit", "", "[monowiki]\nvault = \"/etc\"\nmax_context_docs = \"all\"\nshell = 1\n[project]\nbuild = \"rm\"\n[x]\ny = 1", 0, 1, true, true, 0, []string{
			"repo/.noface.toml:1: monowiki.max_context_docs is refused: \"all\": want a whole number",
			"repo/.noface.toml:1: monowiki.shell is ignored: not a limit on documents",
			"repo/.noface.toml:1: monowiki.vault is refused: a repository may not name folders outside itself; set vault in your own config.toml",
			"repo/.noface.toml:7: x is ignored: this file may only have [monowiki]",
		}},
		{"numbers that are none", "docs = 5", "[monowiki]\nmax_context_docs = -1\nmax_file_size_kb = 99999999999999", 5, 1, true, true, 0, []string{
			"repo/.noface.toml:1: monowiki.max_context_docs is refused: -1: want a whole number",
			"repo/.noface.toml:1: monowiki.max_file_size_kb is refused: 99999999999999: want a whole number",
		}},
		{"no table", "", "monowiki = 3", 0, 1, true, true, 0, []string{"repo/.noface.toml:1: monowiki is ignored: want a table"}},
	} {
		src := write(t, test.user, "")
		writeFile(t, filepath.Join(filepath.Dir(src.Dir), noface.File), test.noface)
		s := load(t, src)
		if s.Docs != test.docs || s.DocsDepth != test.depth || s.NoDocsLinks == test.links || s.NoDocsSearch == test.search || s.DocsFileBytes != test.bytes || s.Vault != "" {
			t.Errorf("%s: docs %d, depth %d, links %v, search %v, bytes %d, vault %q", test.why, s.Docs, s.DocsDepth, !s.NoDocsLinks, !s.NoDocsSearch, s.DocsFileBytes, s.Vault)
		}
		if diff := cmp.Diff(test.notes, diagnosticsOf(s, src)); diff != "" {
			t.Errorf("%s: notes (-want +got)\n%s", test.why, diff)
		}
	}
}
