package removal

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

// The names in the folder of a repository, and in that of a plain folder's cache.
const (
	indexName = "index"
	lastName  = "last"
	lockName  = "lock" // of files that are replaced; it is made again
	stateName = "state.db"
)

// The names in the cache folder that are not hashes.
const (
	clonesName  = "clones"
	vectorsName = "vectors"
)

// told are the names of what satchel was told. SQLite's files beside a database that is
// open, or was when its process ended, belong to it.
var told = []string{stateName, stateName + "-wal", stateName + "-shm", stateName + "-journal", "feedback", "review.json"}

// inClone are the names in the folder of a clone; the last one is of a clone that was
// not fetched to its end.
var inClone = []string{"url", lockName, "clone", "clone.new"}

var (
	hashed = regexp.MustCompile(`^[0-9a-f]{32}$`) // a folder of the cache
	built  = regexp.MustCompile(`^(manifest|lock|satchel-tmp-[0-9A-Za-z]+|[a-z]-[0-9a-f]+\.seg|t-[0-9a-f-]+\.ids|w-[0-9a-f]+\.stat|n-[0-9a-z_]+\.counts|[0-9a-f]{16}-[0-9]+\.vectors)$`)
)

func isTold(name string) bool { return slices.Contains(told, name) }

// isBuilt reports whether an entry of an index, or of the folder of vectors, has a name
// of satchel's.
func isBuilt(e fs.DirEntry) bool { return !e.IsDir() && built.MatchString(e.Name()) }

// foreign returns what in the folder of a clone is not satchel's, as paths below it: what
// somebody works on there, or a newer version keeps.
func foreign(clone string) (names []string) {
	for _, e := range entries(clone) {
		if n := e.Name(); !slices.Contains(inClone, n) && !isBuilt(e) {
			names = append(names, n)
		}
	}
	for _, e := range entries(filepath.Join(clone, "clone")) {
		if n := e.Name(); n != ".git" {
			names = append(names, filepath.Join("clone", n))
		}
	}
	items, _ := Repository(filepath.Join(clone, "clone", ".git"))
	for _, it := range items {
		if it.Kind == Unknown {
			names = append(names, it.below(clone)...)
		}
	}
	return names
}

// entries returns what is in a folder; nothing of a link to one, or of what cannot be
// read.
func entries(dir string) []fs.DirEntry {
	if fi, err := os.Lstat(dir); err != nil || !fi.IsDir() {
		return nil
	}
	list, _ := os.ReadDir(dir)
	return list
}
