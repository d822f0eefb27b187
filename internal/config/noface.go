package config

import (
	"fmt"
	"maps"
	"slices"
)

// NofaceFile is the name of a file in the root of a repository whose limits on
// documents are heeded. It is another program's: only its context keys say
// anything here, and like a repository's own file it may only tighten.
const NofaceFile = ".noface.toml"

// ownDocs is Settings.OwnDocs unless something lowers it: as many as noface shows.
const ownDocs = 5

// nofaceTables are the tables of that file that have nothing to do with context.
var nofaceTables = []string{"project", "agents", "passes", "tracker", "sync"}

// nofaceTable is the table that holds the context keys.
const nofaceTable = "monowiki"

// noface takes what the repository's .noface.toml says about context.
func (s *Settings) noface(dir string) {
	file, text, err := readIn(Root(dir), NofaceFile)
	if err != nil {
		s.note(file, err.Error()+"; the file is left out")
		return
	}
	values, err := parse(file, text)
	if err != nil {
		s.note("", err.Error()+"; the file is left out")
		return
	}
	refused := 0
	refuse := func(at, why string) {
		if refused++; refused <= maxRefused {
			s.note(at, why)
		}
	}
	for _, v := range values {
		if slices.Contains(nofaceTables, v.key) {
			continue
		}
		table, ok := v.value.(map[string]any)
		if v.key != nofaceTable {
			refuse(v.at(file), short(v.key)+" is left out: of this file only ["+nofaceTable+"] is read")
			continue
		}
		if !ok {
			refuse(v.at(file), nofaceTable+" is left out: want a table")
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(table)) {
			if why := s.nofaceKey(name, table[name], Origin{Repository, file, v.line}); why != "" {
				refuse(v.at(file), nofaceTable+"."+short(name)+why)
			}
		}
	}
	if refused > maxRefused {
		s.note(file, fmt.Sprintf("%d more keys are refused", refused-maxRefused))
	}
}

// nofaceKey takes one context key, as far as it lowers a setting, or says why not.
// A limit that is higher than the setting is no mistake: it is the other
// program's default, and changes nothing.
func (s *Settings) nofaceKey(name string, v any, o Origin) (why string) {
	number := func(set func(n int64) (key string)) string {
		n, ok := v.(int64)
		if !ok || n < 0 || n > 1<<40 {
			return fmt.Sprintf(" is refused: %s: want a whole number", quote(v))
		}
		if key := set(n); key != "" {
			s.Origins[key] = []Origin{o}
		}
		return ""
	}
	off := func(key string, p *bool) string {
		on, ok := v.(bool)
		if !ok {
			return fmt.Sprintf(" is refused: %s: want true or false", quote(v))
		}
		if !on && *p {
			*p = false
			s.Origins[key] = []Origin{o}
		}
		return ""
	}
	lower := func(key string, p *int, n int64) string {
		if n >= int64(*p) {
			return ""
		}
		*p = int(n)
		return key
	}
	switch name {
	case "max_context_docs":
		return number(func(n int64) string {
			s.OwnDocs = min(s.OwnDocs, int(n))
			return lower("docs", &s.Docs, n)
		})
	case "neighbor_depth":
		return number(func(n int64) string { return lower("docs-depth", &s.DocsDepth, n) })
	case "max_file_size_kb":
		return number(func(n int64) string {
			if bytes := n << 10; bytes > 0 && (s.DocsFileBytes == 0 || bytes < s.DocsFileBytes) {
				s.DocsFileBytes = bytes
				return "docs-file-bytes"
			}
			return ""
		})
	case "expand_neighbors":
		on := s.DocsDepth > 0
		if why := off("docs-depth", &on); why != "" || on {
			return why
		}
		s.DocsDepth = 0
		return ""
	case "resolve_wikilinks":
		return off("docs-links", &s.DocsLinks)
	case "proactive_search":
		return off("docs-search", &s.DocsSearch)
	case "vault":
		return " is refused: " + whyFolder + "; put vault into your own config.toml"
	case "api_docs_slug", "sync_api_docs":
		return "" // what that program writes, not what is read
	}
	return " is left out: there is no such limit on documents"
}

// short is a name from a stranger's file, for a message.
func short(name string) string {
	if len(name) > maxName {
		return name[:maxName] + "…"
	}
	return name
}
