package ranking

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/code/document"
	"github.com/satchel-dev/satchel/internal/code/outline"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/world/fsx"
	"github.com/satchel-dev/satchel/internal/world/git"
)

// VaultPrefix begins the path of a document of the vault, which is no path of the
// repository.
const VaultPrefix = "vault:"

// Limits on a vault. A folder of notes that somebody wrote stays far below.
const (
	maxVaultFiles = 5_000
	maxVaultBytes = 64 << 20
	maxVaultSeen  = 100_000 // files of any kind
)

// A Vault is a folder of documents outside the repository, read once.
type Vault struct {
	Diagnostics []satchel.Diagnostic
	docs        []*docFile
}

// ReadVault reads the documents below a folder: never through a symbolic link,
// nothing that is hidden, and no file larger than most bytes. That the folder is
// not there is a Diagnostic, and so is what is left out of it.
func ReadVault(ctx context.Context, dir string, most int64) (*Vault, error) {
	v := new(Vault)
	note := func(name, text string) {
		v.Diagnostics = append(v.Diagnostics, satchel.Diagnostic{Path: name, Text: text})
	}
	folder, err := git.OpenFolder(dir)
	if err != nil {
		note("", "the vault is left out: "+reason(err))
		return v, nil
	}
	defer folder.Close()
	files, diags, more, err := folder.FilesIn(func(dir string) bool { return !hidden(dir) }, maxVaultSeen)
	if err != nil {
		note("", "the vault is left out: "+reason(err))
		return v, nil
	}
	if more {
		note("", fmt.Sprintf("the vault has more than %d files: the rest is left out", maxVaultSeen))
	}
	for _, n := range diags {
		note(VaultPrefix+n.Path, n.Text)
	}
	var total int64
	taken := 0
	for i := range files {
		f := &files[i]
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		lang := outline.Language(f.Path, nil)
		if !f.Mode.IsRegular() || !slices.Contains(document.Languages, lang) || hidden(f.Path) {
			continue
		}
		if taken++; taken > maxVaultFiles {
			note("", fmt.Sprintf("the vault has more than %d documents: the rest is left out", maxVaultFiles))
			break
		}
		text, err := folder.ReadFile(f.Path, most)
		if err != nil {
			note(VaultPrefix+f.Path, reason(err))
			continue
		}
		if total += int64(len(text)); total > maxVaultBytes {
			note("", fmt.Sprintf("the vault has more than %d MiB of documents: the rest is left out", maxVaultBytes>>20))
			break
		}
		text = git.Decode(text)
		if outline.Classify(f.Path, lang, text, nil) == outline.Binary {
			continue
		}
		t := newFileText(f.Path, text)
		shown := bytesOf(t.Text())
		o := outline.Parse(lang, shown)
		v.docs = append(v.docs, &docFile{
			path: VaultPrefix + f.Path, lang: lang, dirty: true, file: -1,
			text: t, doc: document.Parse(f.Path, lang, shown, o.Symbols), symbols: o.Symbols,
		})
	}
	return v, nil
}

// A VaultDoc is a document of a vault.
type VaultDoc struct{ d *docFile }

// Documents returns the documents of a vault, by path. A nil Vault has none.
func (v *Vault) Documents() []VaultDoc {
	if v == nil {
		return nil
	}
	docs := make([]VaultDoc, len(v.docs))
	for i, d := range v.docs {
		docs[i] = VaultDoc{d}
	}
	return docs
}

// Path is that of a document, with [VaultPrefix].
func (d VaultDoc) Path() string { return d.d.path }

// Lang is what a document is written in.
func (d VaultDoc) Lang() string { return d.d.lang }

// Symbols are the headings of a document, in order.
func (d VaultDoc) Symbols() []satchel.Symbol { return d.d.symbols }

// Lines is as the function [Lines], of this document.
func (d VaultDoc) Lines(from, to int) (part clean.Text, lines, redacted int) {
	return d.d.text.part(from, to)
}

// ReadVaultFile returns one document of a vault, by its path without the prefix.
func ReadVaultFile(dir, name string, most int64) (index.Content, error) {
	folder, err := git.OpenFolder(dir)
	if err != nil {
		return index.Content{}, fmt.Errorf("the vault: %s", reason(err))
	}
	defer folder.Close()
	text, err := folder.ReadFile(name, most)
	if err != nil {
		return index.Content{}, err
	}
	return index.Content{Text: git.Decode(text), Blob: git.BlobID(git.SHA1, text), Lang: outline.Language(name, text)}, nil
}

// hidden reports whether any part of a path begins with a dot.
func hidden(p string) bool {
	return slices.ContainsFunc(strings.Split(p, "/"), func(s string) bool { return strings.HasPrefix(s, ".") })
}

// reason is an error without the folder's own path, which packs do not name.
func reason(err error) string {
	return fsx.Cause(err).Error()
}
