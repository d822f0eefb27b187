package answers

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/code/outline"
	"github.com/satchel-dev/satchel/internal/measure/ranking"
	"github.com/satchel-dev/satchel/internal/text/secrets"
	"github.com/satchel-dev/satchel/need"
	"github.com/satchel-dev/satchel/render"
)

// document answers with a document: by its path, by its name as [[wikilinks]] have it, or
// one section, by the heading after #. A path that begins with "vault:" is that of
// a document of the vault, and a name that none of the repository has may be.
func (a *answerRun) document(ctx context.Context, n need.Need) ([]render.Answer, error) {
	name := strings.TrimSuffix(strings.TrimPrefix(n.Locator, "[["), "]]")
	name, _, _ = strings.Cut(name, "|") // [[page|as it is called]]
	name, heading, _ := strings.Cut(name, "#")
	if heading != "" && n.From > 0 {
		return nil, refusef("want a section or lines, not both")
	}
	i, err := a.file(name)
	if err != nil {
		var called []int32
		if !a.ofVault(name) {
			called = a.pages(name)
		}
		switch {
		case len(called) == 0:
			d, notThere := a.vaultDocument(ctx, name)
			if notThere == errNotInVault && !a.ofVault(name) {
				return nil, err
			}
			if notThere != nil {
				return nil, notThere
			}
			return a.vaultSection(n, d, heading)
		case len(called) > 1:
			return nil, refusef("%d documents have this name: %s; ask for one by its path", len(called), a.firsts(called))
		}
		i = called[0]
	}
	if heading == "" {
		return a.lines(ctx, n, i, n.From, n.To, "")
	}
	s, err := section(a.view.Files()[i].Path, a.view.Symbols(a.view.Files()[i].Doc), heading)
	if err != nil {
		return nil, err
	}
	return a.lines(ctx, n, i, s.From, s.To, "")
}

// section finds the heading of a document.
func section(name string, symbols []satchel.Symbol, heading string) (satchel.Symbol, error) {
	for _, s := range symbols {
		if s.Kind == "heading" && slug(s.Name) == slug(heading) {
			return s, nil
		}
	}
	return satchel.Symbol{}, refusef("%s has no heading %q", name, heading)
}

// ofVault reports whether a locator is written as a path in the vault.
func (a *answerRun) ofVault(locator string) bool {
	return strings.HasPrefix(locator, ranking.VaultPrefix)
}

// errNotInVault refuses a name that no document of the vault has.
var errNotInVault = refusef("no such document in the vault")

// vaultDocument returns the document of the vault with a path, or failing that
// the one that is called so. It is looked for among those that were found there,
// so that none can be reached that a pack would not show.
func (a *answerRun) vaultDocument(ctx context.Context, locator string) (d ranking.VaultDoc, err error) {
	given := strings.TrimPrefix(locator, ranking.VaultPrefix)
	name, err := jail(given)
	switch {
	case err != nil && a.ofVault(locator):
		return d, err
	case err != nil:
		return d, errNotInVault
	case a.project.Vault == "" && a.ofVault(locator):
		return d, refusef("no vault is configured")
	}
	if a.vault == nil {
		if a.vault, err = a.project.ReadVault(ctx, 0); err != nil {
			return d, err
		}
	}
	var called []ranking.VaultDoc
	for _, d := range a.vault.Documents() {
		file := strings.TrimPrefix(d.Path(), ranking.VaultPrefix)
		switch base := path.Base(file); {
		case secrets.Sealed(file):
		case file == name:
			return d, nil
		case slug(name) != "" && slug(strings.TrimSuffix(base, path.Ext(base))) == slug(path.Base(name)):
			called = append(called, d)
		}
	}
	switch len(called) {
	case 0:
	case 1:
		return called[0], nil
	default:
		var names []string
		for _, d := range called[:min(len(called), mostNamed)] {
			names = append(names, d.Path())
		}
		return d, refusef("%d documents have this name: %s; ask for one by its path", len(called), andMore(names, len(called)))
	}
	if a.vault != nil && a.ofVault(locator) {
		for _, n := range a.vault.Diagnostics {
			if n.Path == ranking.VaultPrefix+name || n.Path == "" {
				return d, refusef("%s", n.Text)
			}
		}
	}
	return d, errNotInVault
}

// vaultSection answers with a section of a document of the vault; without a heading,
// with the lines that are asked for.
func (a *answerRun) vaultSection(n need.Need, d ranking.VaultDoc, heading string) ([]render.Answer, error) {
	if heading == "" {
		return a.vaultLines(n, d, n.From, n.To)
	}
	s, err := section(d.Path(), d.Symbols(), heading)
	if err != nil {
		return nil, err
	}
	return a.vaultLines(n, d, s.From, s.To)
}

// vaultLines answers with lines of a document of the vault, as lines does.
func (a *answerRun) vaultLines(n need.Need, d ranking.VaultDoc, from, to int) ([]render.Answer, error) {
	x := render.Answer{Ask: n.String(), Path: d.Path(), From: from, To: to, Lang: d.Lang()}
	x.Text, x.Lines, x.Redacted = d.Lines(from, to)
	fits, err := a.give(&x)
	if err == nil && !fits {
		err = a.tooLong(x.Tokens)
	}
	if err != nil {
		return nil, err
	}
	return []render.Answer{x}, nil
}

// pages returns the documents that are called so, whatever folder they are in and
// whatever ending they have.
func (a *answerRun) pages(name string) (files []int32) {
	want := slug(path.Base(name))
	if want == "" || strings.Contains(name, "..") {
		return nil
	}
	for i := range a.view.Files() {
		f := &a.view.Files()[i]
		base := path.Base(f.Path)
		if f.Class == outline.Docs && slug(strings.TrimSuffix(base, path.Ext(base))) == want {
			files = append(files, int32(i))
		}
	}
	return files
}

// firsts names the first of some files.
func (a *answerRun) firsts(files []int32) string {
	var names []string
	for _, i := range files[:min(len(files), mostNamed)] {
		names = append(names, a.view.Files()[i].Path)
	}
	return andMore(names, len(files))
}

// andMore joins names, the first of so many.
func andMore(names []string, all int) string {
	s := strings.Join(names, ", ")
	if n := all - len(names); n > 0 {
		s += fmt.Sprintf(" and %d more", n)
	}
	return s
}

// slug returns the letters and digits of a heading, in lower case.
func slug(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r >= 0x80:
			return r
		}
		return -1
	}, s)
}
