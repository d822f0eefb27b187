package base

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/front/config"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/text/clean"
)

// FilterFlags are the flags that limit a command to some of the files. None includes an
// excluded file: --pin, --edit and the setting unignore do.
type FilterFlags struct {
	Paths     []string
	include   []string
	FilesFrom string
}

// Add declares the flags.
func (f *FilterFlags) Add(fs *pflag.FlagSet) {
	fs.StringArrayVar(&f.Paths, "path", nil, "limit to this `folder`, file or pattern (repeatable)")
	fs.StringArrayVar(&f.include, "include", nil, "limit to paths that match a `pattern` (repeatable, or a,b)")
	fs.StringVar(&f.FilesFrom, "files-from", "", "limit to the files listed in this `file`; - is standard input")
}

// ErrTwoReaders refuses two flags with the name -.
var ErrTwoReaders = Usagef("two flags read standard input")

// A FileFilter has the paths and patterns of FilterFlags, relative to the root.
type FileFilter struct {
	Paths, Include []string
	Diags          []satchel.Diagnostic
}

// Filter reads the flags. A list without files is an error, since no paths would mean
// all.
func (a *App) Filter(ctx context.Context, f *FilterFlags) (x FileFilter, err error) {
	if x.Paths, err = a.ScopePaths(f.Paths); err != nil {
		return x, err
	}
	if x.Include, err = a.scopePatterns("--include", f.include); err != nil {
		return x, err
	}
	if f.FilesFrom == "" {
		return x, nil
	}
	text, err := a.ReadText(ctx, f.FilesFrom)
	if err != nil {
		return x, fmt.Errorf("--files-from: %w", err)
	}
	names := listedNames(text)
	if len(names) == 0 {
		return x, fmt.Errorf("--files-from %s lists no files", f.FilesFrom)
	}
	unknown := 0
	var first error
	for _, name := range names {
		p, err := a.listedPath(name)
		if err == nil {
			x.Paths = append(x.Paths, index.Literal(p))
			continue
		}
		if first == nil {
			first = err
		}
		if unknown++; unknown <= maxNotes/2 {
			x.Diags = append(x.Diags, satchel.Diagnostic{Text: "--files-from: " + err.Error()})
		}
	}
	if unknown > maxNotes/2 {
		x.Diags = append(x.Diags, satchel.Diagnostic{Text: fmt.Sprintf("--files-from: %d more lines are not paths of the repository", unknown-maxNotes/2)})
	}
	if unknown == len(names) {
		return x, fmt.Errorf("--files-from %s lists no path of the repository: %w", f.FilesFrom, first)
	}
	return x, nil
}

// listedNames splits a list at its NUL bytes, or else at its lines, with Unix or
// Windows line ends.
func listedNames(text []byte) (names []string) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	end := byte(0)
	if bytes.IndexByte(text, 0) < 0 {
		end = '\n'
	}
	for name := range bytes.SplitSeq(text, []byte{end}) {
		if end == '\n' {
			name = bytes.TrimSuffix(name, []byte{'\r'})
		}
		if len(name) > 0 {
			names = append(names, string(name))
		}
	}
	return names
}

// maxPath is the longest path in a list, as on Linux.
const maxPath = 4096

// listedPath returns a path of a list relative to the root. Most programs list files
// relative to the current folder, and git relative to the root. If both exist, the one
// below the current folder wins.
func (a *App) listedPath(name string) (string, error) {
	if len(name) > maxPath {
		return "", fmt.Errorf("%.40s… is not a path: %d bytes", name, len(name))
	}
	if !filepath.IsAbs(name) && !strings.HasPrefix(name, ".") {
		if _, err := os.Lstat(filepath.Join(a.Dir, name)); err == nil {
			name = "./" + name
		}
	}
	return a.RootPath(name)
}

// ScopePaths returns paths, folders and patterns relative to the root.
func (a *App) ScopePaths(names []string) (out []string, err error) {
	for _, name := range names {
		p, err := a.scopePath(name)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// scopePath is RootPath for a path that may be a pattern. A pattern that begins with
// ./ or ../ is anchored at the current folder. The exact name of an existing path is
// not a pattern.
func (a *App) scopePath(name string) (string, error) {
	if !index.IsPattern(name) {
		return a.RootPath(name)
	}
	if rel := a.existing(name); rel != "" {
		return index.Literal(rel), nil
	}
	if strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../") {
		here, err := a.RootPath("./")
		if err != nil {
			return "", err
		}
		p := path.Join(index.Literal(strings.TrimSuffix(here, "/")), name)
		if p == ".." || strings.HasPrefix(p, "../") {
			return "", fmt.Errorf("%s: outside the repository", clean.Inline(name))
		}
		return "/" + keepSlash(p, name), nil
	}
	if rel, ok := strings.CutPrefix(name, filepath.ToSlash(config.Root(a.Dir))+"/"); ok && filepath.IsAbs(name) {
		return "/" + rel, nil
	}
	if p := path.Clean(name); p == ".." || strings.HasPrefix(p, "../") {
		return "", fmt.Errorf("%s: outside the repository", clean.Inline(name))
	}
	return name, nil
}

// scopePatterns reads the lists of patterns of a flag, relative to the root.
func (a *App) scopePatterns(flag string, lists []string) ([]string, error) {
	out, err := a.splitPatterns(lists)
	if err == nil {
		err = a.anchor(out)
	}
	if err == nil {
		err = index.CheckPatterns(out)
	}
	if err != nil {
		return nil, Usagef("%s: %w", flag, err)
	}
	return out, nil
}

// anchor makes patterns begin at the root if they begin at the current folder, or are
// the exact name of an existing path.
func (a *App) anchor(patterns []string) error {
	for i, p := range patterns {
		if rel := a.existing(p); rel != "" && strings.ContainsAny(p, "*?[{,") {
			patterns[i] = "/" + index.Literal(rel)
			if strings.ContainsAny(p, "*?") {
				a.Remark("note: %s is read as the name of a file, not as a pattern", clean.Inline(p))
			}
			continue
		}
		if p != "." && !strings.HasPrefix(p, "./") && !strings.HasPrefix(p, "../") {
			continue
		}
		rel, err := a.scopePath(p)
		if err != nil {
			return err
		}
		if patterns[i] = "/" + strings.TrimPrefix(rel, "/"); rel == "." {
			patterns[i] = "**"
		}
	}
	return nil
}

// existing returns the path of an existing file or folder, relative to the root, or "".
func (a *App) existing(name string) string {
	p, err := a.RootPath(name)
	if err != nil {
		return ""
	}
	if _, err := os.Lstat(filepath.Join(config.Root(a.Dir), filepath.FromSlash(p))); err != nil {
		return ""
	}
	return p
}

// ExistingHere is existing for a name that may also begin at the current folder.
func (a *App) ExistingHere(name string) string {
	return cmp.Or(a.existing(name), a.existing("./"+name))
}

// maxPatterns limits the patterns that the braces of one flag expand to.
const maxPatterns = 1000

var errPatterns = fmt.Errorf("braces expand to more than %d patterns", maxPatterns)

// mostCommas is how many commas the name of an existing path may have in a list.
const mostCommas = 20

// splitPatterns cuts lists at their commas, except in braces, after a backslash, and in
// the name of an existing path. It also expands braces: *.{ts,tsx} is *.ts and *.tsx.
// Braces without a comma, as in {{name}}, and braces in the name of an existing path are
// plain characters.
func (a *App) splitPatterns(lists []string) (out []string, err error) {
	for _, list := range lists {
		for parts := commas(list); len(parts) > 0; {
			n := min(len(parts), mostCommas+1)
			for n > 1 && a.existing(strings.Join(parts[:n], ",")) == "" {
				n--
			}
			p := strings.Join(parts[:n], ",")
			parts = parts[n:]
			if a.existing(p) != "" {
				out = append(out, p)
				continue
			}
			if p = strings.TrimSpace(p); p == "" {
				return nil, fmt.Errorf("%q: a pattern is empty", list)
			}
			all, err := braces(p, maxPatterns)
			if err != nil {
				return nil, fmt.Errorf("%.60q: %w", p, err)
			}
			for _, q := range all {
				out = append(out, strings.ReplaceAll(q, `\,`, ","))
			}
			if len(out) > maxPatterns {
				return nil, fmt.Errorf("%.60q: %w", list, errPatterns)
			}
		}
	}
	return out, nil
}

// commas cuts a text at its commas outside of braces.
func commas(text string) (parts []string) {
	start := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '{':
			i = max(i, closing(text, i))
		case ',':
			parts = append(parts, text[start:i])
			start = i + 1
		}
	}
	return append(parts, text[start:])
}

// closing returns where the brace that opens at i is closed, or -1.
func closing(text string, i int) int {
	depth := 0
	for ; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// braces writes out the braces of a pattern, the first ones first.
func braces(p string, most int) ([]string, error) {
	for i := 0; i < len(p); i++ {
		if p[i] == '\\' {
			i++
			continue
		}
		end := -1
		if p[i] == '{' {
			end = closing(p, i)
		}
		if end < 0 {
			continue
		}
		parts := commas(p[i+1 : end])
		if len(parts) < 2 {
			continue
		}
		var out []string
		for _, part := range parts {
			all, err := braces(p[:i]+part+p[end+1:], most-len(out))
			if err != nil {
				return nil, err
			}
			if out = append(out, all...); len(out) > most {
				return nil, errPatterns
			}
		}
		return out, nil
	}
	return []string{p}, nil
}

// ScopeError names the flag that leaves no file.
func (a *App) ScopeError(err error, f *FilterFlags) error {
	e, ok := errors.AsType[*engine.ScopeError](err)
	if !ok {
		return err
	}
	full := filepath.Join(config.Root(a.Dir), filepath.FromSlash(e.Name))
	if info, err := os.Stat(full); err == nil && info.IsDir() && e.Unlisted && !e.Include {
		return a.nothingAt(e.Name)
	}
	flag := "--path"
	switch {
	case e.Include:
		flag = "--include"
	case f.FilesFrom != "" && len(f.Paths) == 0:
		flag = "--files-from " + f.FilesFrom + ":"
	}
	err = fmt.Errorf("%s %w", flag, err)
	if e.LeftOut {
		return Hint(err, "include it with --pin PATH or --set unignore=PATTERN; --explain-exclusions names the rule")
	}
	return err
}
