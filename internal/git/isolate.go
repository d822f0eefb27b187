package git

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// tempPattern names the temporary folders of this package, which hold a few
// small files and live as long as one git process.
const tempPattern = "satchel-git-"

// objectRunner returns a runner for commands that read objects by id, and a
// function to call when the command has ended.
//
// In a partial clone, git before 2.45 tries to fetch every object that is
// missing, one child process each, and dies when that is forbidden. There the
// commands see a fresh, empty repository that borrows the objects: it has no
// remote, so that a missing object is just missing.
func (r *Repo) objectRunner() (*runner, func(), error) {
	if !r.partial || r.version.atLeast(2, 45) {
		return &r.run, func() {}, nil
	}
	dir, err := os.MkdirTemp("", tempPattern)
	if err != nil {
		return nil, nil, err
	}
	done := func() { os.RemoveAll(dir) }
	config := "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"
	if r.format != SHA1 {
		config = "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectformat = " + string(r.format) + "\n"
	}
	for _, err := range []error{
		os.Mkdir(filepath.Join(dir, "refs"), 0o700),
		os.Mkdir(filepath.Join(dir, "objects"), 0o700),
		os.WriteFile(filepath.Join(dir, "HEAD"), []byte("ref: refs/heads/none\n"), 0o600),
		os.WriteFile(filepath.Join(dir, "config"), []byte(config), 0o600),
	} {
		if err != nil {
			done()
			return nil, nil, err
		}
	}
	run := r.run
	run.dir = dir
	run.env = slices.DeleteFunc(slices.Clone(run.env), func(kv string) bool {
		return strings.HasPrefix(kv, "GIT_DIR=") || strings.HasPrefix(kv, "GIT_WORK_TREE=")
	})
	run.env = append(run.env, "GIT_DIR="+dir, "GIT_OBJECT_DIRECTORY="+filepath.Join(r.common, "objects"))
	return &run, done, nil
}
