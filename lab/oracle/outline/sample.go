package main

import (
	"cmp"
	"context"
	"slices"

	"github.com/satchel-dev/satchel/internal/code/outline"
	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/lab/train/tasks"
)

// A source is one file of a repository's newest commit.
type source struct {
	path, oid string
	text      []byte
}

// largest is the size of the largest file that is compared, in bytes: what is
// larger is outlined by lines already.
const largest = 1 << 20

// sample returns at most n files of a language, those with the lowest hashes, so
// that the sample changes as little as the repository does. Files that no pack
// shows (generated, vendored, minified) are left out.
func sample(ctx context.Context, mirror, name, lang string, n int) ([]source, error) {
	dir, err := tasks.Repository(mirror, name)
	if err != nil {
		return nil, err
	}
	repo, err := git.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	tree, err := repo.Tree(ctx, "HEAD")
	if err != nil {
		return nil, err
	}
	tree = slices.DeleteFunc(tree, func(f git.TreeFile) bool {
		return f.Size <= 0 || f.Size > largest || !mayBe(f.Path, lang)
	})
	slices.SortFunc(tree, func(a, b git.TreeFile) int { return cmp.Compare(a.OID+a.Path, b.OID+b.Path) })
	tree = slices.CompactFunc(tree, func(a, b git.TreeFile) bool { return a.OID == b.OID })
	objects := repo.Objects(ctx)
	defer objects.Close()
	var out []source
	for _, f := range tree {
		if len(out) == n {
			break
		}
		text, err := objects.Read(f.OID, largest)
		if err != nil {
			return nil, err
		}
		if outline.Language(f.Path, text) != lang {
			continue
		}
		switch outline.Classify(f.Path, lang, text, nil) {
		case outline.Generated, outline.Vendored, outline.Minified, outline.Random, outline.Binary:
			continue
		}
		out = append(out, source{f.Path, f.OID, text})
	}
	return out, nil
}

// mayBe reports whether the name of a file leaves open that it is of a language:
// of many a script only the first line says it.
func mayBe(path, lang string) bool {
	l := outline.Language(path, nil)
	return l == lang || l == "" || l == "c" && lang == "cpp"
}
