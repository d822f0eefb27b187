package sessions

import (
	"os"
	"path/filepath"
	"strings"
)

// roots returns the folders of the project that dir is in: the work trees of
// its repository, as written and with links resolved. Outside a repository it
// is the folder alone. The repository's configuration is not read.
func roots(dir string) []string {
	if dir == "" {
		return nil
	}
	dir = absolute(dir)
	var out []string
	add := func(p string) {
		p = filepath.Clean(p)
		for _, q := range []string{p, resolved(p)} {
			seen := q == ""
			for _, o := range out {
				seen = seen || o == q
			}
			if !seen {
				out = append(out, q)
			}
		}
	}
	top, common := repository(dir)
	if top == "" {
		add(dir)
		return out
	}
	add(top)
	if common == "" {
		return out
	}
	if filepath.Base(common) == ".git" {
		add(filepath.Dir(common))
	}
	trees, err := os.ReadDir(filepath.Join(common, "worktrees"))
	if err != nil {
		return out
	}
	for _, t := range trees {
		// <common>/worktrees/NAME/gitdir holds the path of that tree's .git file.
		if p := firstLine(filepath.Join(common, "worktrees", t.Name(), "gitdir")); p != "" {
			if !filepath.IsAbs(p) {
				p = filepath.Join(common, "worktrees", t.Name(), p)
			}
			add(filepath.Dir(p))
		}
	}
	return out
}

// repository finds the work tree around dir and the folder that its repository
// shares between work trees.
func repository(dir string) (top, common string) {
	for d := dir; ; d = filepath.Dir(d) {
		git := filepath.Join(d, ".git")
		st, err := os.Lstat(git)
		switch {
		case err != nil:
		case st.IsDir():
			return d, git
		case st.Mode().IsRegular():
			to, ok := strings.CutPrefix(firstLine(git), "gitdir: ")
			if !ok {
				return d, ""
			}
			if !filepath.IsAbs(to) {
				to = filepath.Join(d, to)
			}
			if c := firstLine(filepath.Join(to, "commondir")); c != "" {
				if !filepath.IsAbs(c) {
					c = filepath.Join(to, c)
				}
				return d, filepath.Clean(c)
			}
			return d, ""
		}
		if filepath.Dir(d) == d {
			return "", ""
		}
	}
}

// firstLine returns the first line of a small regular file, or "".
func firstLine(name string) string {
	st, err := os.Stat(name)
	if err != nil || !st.Mode().IsRegular() || st.Size() > 64<<10 {
		return ""
	}
	b, err := os.ReadFile(name)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(b), "\n")
	return strings.TrimSpace(line)
}

// under reports whether a clean path is a folder or lies below it.
func under(p, folder, goos string) bool {
	slash := "/"
	if goos == "windows" {
		slash = `\`
	}
	p, folder = folded(p, goos), folded(folder, goos)
	return p == folder || strings.HasPrefix(p, strings.TrimSuffix(folder, slash)+slash)
}

// folded is a path in which letters that name the same files are the same: on
// Windows one program records C:\Users and another one c:\users.
func folded(p, goos string) string {
	if goos == "windows" {
		return strings.ToLower(p)
	}
	return p
}

func absolute(p string) string {
	if a, err := filepath.Abs(p); err == nil {
		return a
	}
	return filepath.Clean(p)
}

func resolved(p string) string {
	if r, err := filepath.EvalSymlinks(p); err == nil {
		return r
	}
	return p
}
