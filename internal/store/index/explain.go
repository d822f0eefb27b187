package index

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/code/outline"
	"github.com/satchel-dev/satchel/internal/world/git"
)

// An Exclusion is an excluded path and its rule.
type Exclusion struct {
	Path  string // a directory has a final slash
	Why   string // a Why constant of package satchel
	Rule  string // the pattern, or what the built-in rule says
	From  string // where the rule stands: file:line of the tree, or the name of a setting; "" if it is built in
	Bytes int64  // of all its files; -1 if unknown
	Files int    // -1 if they were too many to count
}

// Names of settings that Exclusion.From may hold.
const (
	SettingExclude  = "exclude"
	SettingMaxBytes = "max-file-bytes"
)

// ignorer is a Tree that knows what git's ignore rules leave out.
type ignorer interface {
	Ignored(ctx context.Context) ([]git.IgnoredPath, []satchel.Diagnostic, error)
}

// Explain returns everything that View leaves out, with the rule, sorted by path.
// What git ignores is listed too, for the work tree.
func (x *Index) Explain(ctx context.Context, tree Tree, rev string) ([]Exclusion, []satchel.Diagnostic, error) {
	m := &viewBuilder{Index: x, source: x.newSource(tree), anew: true}
	made, err := m.make(ctx, rev)
	if err != nil {
		return nil, nil, err
	}
	v := made.body
	attrs, err := m.readAttributes(ctx)
	if err != nil {
		return nil, nil, err
	}
	var out []Exclusion
	at := map[string]int{}
	for _, e := range m.excluded {
		entry := &m.listing.entries[e.entry]
		x := Exclusion{Path: m.leftOut(v, e), Why: e.why, Bytes: max(entry.size, 0), Files: 1}
		if strings.HasSuffix(entry.path, "/") { // a folder that was not entered
			x.Bytes, x.Files = -1, -1
		}
		x.Rule, x.From = m.rule(entry, e.verdict, attrs)
		if k, ok := at[x.Path]; ok && out[k].Why == x.Why {
			out[k].Bytes += x.Bytes
			out[k].Files++
			continue
		}
		at[x.Path] = len(out)
		out = append(out, x)
	}
	diags := slices.Clone(v.diags)
	if t, ok := tree.(ignorer); ok && m.listing.workTree {
		ignored, more, err := t.Ignored(ctx)
		if err != nil {
			return nil, nil, err
		}
		diags = append(diags, more...)
		for _, p := range ignored {
			x := Exclusion{Path: p.Path, Why: satchel.WhyIgnored, Rule: p.Pattern, Bytes: p.Bytes, Files: p.Files}
			switch {
			case p.Pattern == "":
				x.Rule = "everything in it is ignored"
			default:
				x.From = fmt.Sprintf("%s:%d", p.Source, p.Line)
			}
			out = append(out, x)
		}
	}
	slices.SortStableFunc(out, func(a, b Exclusion) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Why, b.Why))
	})
	return out, diags, nil
}

// rule returns the rule behind an entry's verdict, and its position.
func (m *viewBuilder) rule(e *entry, v verdict, attrs *attributes) (rule, from string) {
	attribute := func(name string) bool {
		from = attrs.origin(e.path, name)
		rule = name
		return from != ""
	}
	folder := strings.HasSuffix(v.at, "/")
	class := outline.Class("")
	for i := range m.listing.entries {
		if &m.listing.entries[i] == e {
			class = outline.Class(m.facts[i].class)
		}
	}
	if _, by := m.rules.match(e.path); by != nil && by.why() == v.why {
		return by.text, by.from()
	}
	switch v.why {
	case satchel.WhyIgnored:
		return "folders called .cache", ""
	case satchel.WhyLarge:
		switch {
		case class == outline.Data:
			return fmt.Sprintf("data files over %d bytes", maxData), ""
		case m.opts.MaxFileBytes > 0:
			return fmt.Sprintf("files over %d bytes", m.opts.MaxFileBytes), SettingMaxBytes
		}
	case satchel.WhyVendored:
		switch {
		case folder:
			return "folders called vendor and node_modules", ""
		case attribute("linguist-vendored"):
			return rule, from
		}
		return "folders and scripts that hold other people's code", ""
	case satchel.WhyGenerated:
		switch {
		case folder:
			return "untracked files in folders called dist and build", ""
		case attribute("linguist-generated"):
			return rule, from
		case class == builtOutput:
			return "build output in folders called dist and build, by name and content", ""
		}
		return fmt.Sprintf("generated files over %d bytes, by name or heading", maxGenerated), ""
	case satchel.WhyBinary:
		if attribute("binary") {
			return rule, from
		}
		return "files with a NUL byte, or a binary format's ending", ""
	}
	if r, ok := builtIn[v.why]; ok {
		return r, ""
	}
	return v.why, ""
}

// builtIn says what the rules do that need no more words.
var builtIn = map[string]string{
	satchel.WhyLock:      "lock files of package managers",
	satchel.WhyMinified:  "minified code, by name or by its lines",
	satchel.WhyRandom:    "text that is mostly random, by the entropy of its blocks",
	satchel.WhySealed:    "files that normally hold secrets are never sent to a model",
	satchel.WhySubmodule: "submodules, without --set submodules",
	satchel.WhyNested:    "nested repositories that are not submodules",
	satchel.WhySymlink:   "symbolic links are not followed",
	satchel.WhySpecial:   "only regular files are read",
	satchel.WhyMissing:   "git has no object with its bytes",
	satchel.WhyUnread:    "cannot be read",
}
