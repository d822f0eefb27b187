package config

import (
	"fmt"
	"maps"
	"slices"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/dialect/noface"
)

// limitDocuments takes what the repository's file of noface says about context. It
// is another program's: only its context keys say anything here, and like a
// repository's own file it may only tighten.
func (s *Settings) limitDocuments(dir string) {
	file, text, err := readIn(Root(dir), noface.File)
	if err != nil {
		s.diagnose(file, err.Error()+"; the file is ignored")
		return
	}
	sections, err := parse(file, text)
	if err != nil {
		s.diagnose("", err.Error()+"; the file is ignored")
		return
	}
	var refused []satchel.Diagnostic
	for _, part := range sections {
		if slices.Contains(noface.Tables, part.key) {
			continue
		}
		at := position(file, part.line)
		var tables map[string]map[string]any
		switch {
		case part.key != noface.Table:
			refused = append(refused, satchel.Diagnostic{Path: at, Text: short(part.key) + " is ignored: this file may only have [" + noface.Table + "]"})
		case decode(part.text, &tables) != nil:
			refused = append(refused, satchel.Diagnostic{Path: at, Text: noface.Table + " is ignored: want a table"})
		}
		for _, name := range slices.Sorted(maps.Keys(tables[noface.Table])) {
			if why := s.limit(name, tables[noface.Table][name], Origin{repository, file, part.line}); why != "" {
				refused = append(refused, satchel.Diagnostic{Path: at, Text: noface.Table + "." + short(name) + why})
			}
		}
	}
	s.refuse(file, refused)
}

// limit takes one context key if it lowers a setting, or returns the reason against
// it. A limit above the setting is ignored silently: it is the other program's
// default.
func (s *Settings) limit(name string, v any, o Origin) (why string) {
	l := noface.Read(name, v)
	if l.Want != "" {
		return fmt.Sprintf(" is refused: %s: want %s", valueText(v), l.Want)
	}
	lowered := func(key string, is bool) {
		if is {
			s.Origins[key] = []Origin{o}
		}
	}

	switch l.Setting {
	case noface.Most:
		s.OwnDocs = min(s.OwnDocs, int(l.Most))
		lowered("docs", lower(&s.Docs, l.Most))
	case noface.Depth:
		s.DocsDepth = min(s.DocsDepth, int(l.Most))
	case noface.Linked:
		if l.Off {
			s.DocsDepth = 0
		}
	case noface.FileBytes:
		if l.Most > 0 && (s.DocsFileBytes == 0 || l.Most < s.DocsFileBytes) {
			s.DocsFileBytes = l.Most
		}
	case noface.Links:
		s.NoDocsLinks = s.NoDocsLinks || l.Off
	case noface.Search:
		s.NoDocsSearch = s.NoDocsSearch || l.Off
	case noface.Vault:
		return " is refused: " + whyFolder + "; set vault in your own config.toml"
	case noface.Unknown:
		return " is ignored: not a limit on documents"
	}
	return ""
}

// lower lowers a number and reports whether that changed it.
func lower(p *int, n int64) bool {
	if n >= int64(*p) {
		return false
	}
	*p = int(n)
	return true
}

// short is a name from a stranger's file, for a message.
func short(name string) string {
	if len(name) > maxName {
		return name[:maxName] + "…"
	}
	return name
}
