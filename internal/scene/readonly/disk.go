package readonly

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/world/git"
)

// A disk is where the files of a Set are: everything below one folder.
type disk interface {
	// Root is the absolute path of the folder.
	Root() string

	// List returns the paths of the regular files below a folder that patterns
	// may bring in, sorted; "" is the root.
	List(ctx context.Context, under string) ([]string, []satchel.Diagnostic, error)

	// ReadTracked returns the bytes of a regular file that is reached without a
	// symbolic link, or that a sparse checkout leaves out.
	ReadTracked(path string, limit int64) (data []byte, sparse bool, err error)

	// Format is the format of the ids of files.
	Format() git.Format
}

// diskOf returns the disk of a tree, nil if it has none.
func diskOf(tree index.Tree) disk {
	switch t := tree.(type) {
	case *git.Repo:
		return repositoryDisk(t)
	case *git.Folder:
		return folderDisk(t)
	}
	return nil
}

// Behind returns the paths that paths of a tree lead to, after all symbolic links.
func Behind(tree index.Tree, paths []string) []string {
	real := slices.Clone(paths)
	if d := diskOf(tree); d != nil {
		for i, p := range paths {
			if to, ok := realPath(d.Root(), p); ok {
				real[i] = to
			}
		}
	}
	return real
}

// repositoryDisk is the Disk of a repository's work tree: patterns bring in tracked
// files, and untracked ones that are not ignored.
func repositoryDisk(r *git.Repo) disk { return repository{r} }

type repository struct{ *git.Repo }

func (d repository) Root() string { return d.Dir() }

func (d repository) List(ctx context.Context, under string) ([]string, []satchel.Diagnostic, error) {
	files, diags, err := d.WorkTree(ctx)
	return regular(files, under), diags, err
}

// folderDisk is the Disk of a plain folder.
func folderDisk(f *git.Folder) disk { return folder{f} }

type folder struct{ *git.Folder }

func (d folder) Root() string { return d.Dir() }

func (d folder) Format() git.Format { return git.SHA1 }

func (d folder) List(_ context.Context, under string) ([]string, []satchel.Diagnostic, error) {
	files, diags, err := d.Files()
	return regular(files, under), diags, err
}

// regular returns the paths of the regular files below a folder.
func regular(files []git.WorkFile, under string) []string {
	var out []string
	for i := range files {
		if f := &files[i]; f.Mode.IsRegular() && isBelow(f.Path, under) {
			out = append(out, f.Path)
		}
	}
	return out
}

// isBelow reports whether a path is a folder or lies below it.
func isBelow(p, folder string) bool {
	return folder == "" || p == folder || len(p) > len(folder) && p[len(folder)] == '/' && p[:len(folder)] == folder
}

// OpenAnywhere returns the Disk of the whole machine, for a program whose context
// files lie where it likes: paths are absolute ones without their first slash (or
// volume). Patterns bring in what they match, ignored or not. The caller closes it.
func OpenAnywhere() (*Anywhere, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	f, err := git.OpenFolder(filepath.VolumeName(dir) + string(filepath.Separator))
	if err != nil {
		return nil, err
	}
	return &Anywhere{folder{f}}, nil
}

// Anywhere is the Disk of the whole machine; see [OpenAnywhere].
type Anywhere struct{ folder }

// Name returns the path of a file or a pattern below the Disk's root. The name may be
// absolute or relative to the current folder. On Windows it must be on the drive that
// was current when the Disk was opened.
func (d *Anywhere) Name(name string) (string, error) {
	abs, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	if filepath.VolumeName(abs) != filepath.VolumeName(d.Root()) {
		return "", fmt.Errorf("not on drive %s, where the current folder is", filepath.VolumeName(d.Root()))
	}
	rel, err := filepath.Rel(d.Root(), abs)
	if err != nil {
		return "", err
	}
	return filepath.ToSlash(rel), nil
}

// Pattern is Name for a pattern. The path of the current folder is not part of the
// pattern, whatever characters it has.
func (d *Anywhere) Pattern(pattern string) (string, error) {
	if filepath.IsAbs(pattern) {
		return d.Name(pattern)
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(d.Root(), dir)
	if err != nil {
		return "", err
	}
	escape := strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`)
	return path.Clean(path.Join(escape.Replace(filepath.ToSlash(rel)), filepath.ToSlash(pattern))), nil
}

// maxListed bounds how much of a machine one pattern makes us look at.
const maxListed = 500_000

// List walks the folder, without following links.
func (d *Anywhere) List(ctx context.Context, under string) ([]string, []satchel.Diagnostic, error) {
	root := filepath.Join(d.Root(), filepath.FromSlash(under))
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil, nil
		}
		return nil, nil, err
	}
	r, err := os.OpenRoot(real)
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	var out []string
	var diags []satchel.Diagnostic
	seen := 0
	err = fs.WalkDir(r.FS(), ".", func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			diags = append(diags, satchel.Diagnostic{Path: path.Join(under, p), Text: satchel.WhyUnread})
			return nil
		}
		if seen++; seen > maxListed {
			return fmt.Errorf("%s: more than %d files and folders", root, maxListed)
		}
		if seen%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if e.IsDir() && strings.EqualFold(e.Name(), ".git") {
			return fs.SkipDir
		}
		if e.Type().IsRegular() {
			out = append(out, path.Join(under, p))
		}
		return nil
	})
	slices.Sort(out)
	return out, diags, err
}
