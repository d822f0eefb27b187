package git

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/satchel-dev/satchel/internal/world/fsx"
)

// tempPattern names the temporary folders of this package, which hold a few
// small files and live as long as one git process.
const tempPattern = "satchel-git-"

// objectRunner returns a runner for commands that take objects by id, and a function
// to call at the end.
//
// In a partial clone git tries to fetch every missing object, with one child process
// each, and dies if that is forbidden. There the commands use a new, empty repository
// that borrows the objects: it has no remote, so a missing object is just missing.
func (r *Repo) objectRunner() (*runner, func(), error) {
	if !r.partial {
		return &r.run, func() {}, nil
	}
	return r.isolated()
}

// isolated returns a runner for commands that read the repository's objects and
// nothing of its configuration, and what ends it.
func (r *Repo) isolated() (*runner, func(), error) {
	dir, err := emptyRepository(r.format, true)
	if err != nil {
		return nil, nil, err
	}
	done := func() { _ = fsx.RemoveAll(dir) }
	if r.shallow { // where the history ends is kept beside the objects
		if err := copyFile(filepath.Join(dir, "shallow"), filepath.Join(r.common, "shallow")); err != nil {
			done()
			return nil, nil, err
		}
	}
	run := r.run
	run.dir = dir
	run.env = append(run.without("GIT_DIR=", "GIT_WORK_TREE="), "GIT_DIR="+dir, "GIT_OBJECT_DIRECTORY="+filepath.Join(r.common, "objects"))
	return &run, done, nil
}

// emptyRepository makes a repository without a configuration in a temporary
// folder, which the caller removes.
func emptyRepository(format Format, bare bool) (dir string, err error) {
	if dir, err = os.MkdirTemp("", tempPattern); err != nil {
		return "", err
	}
	version, extensions := 0, ""
	if format != SHA1 {
		version, extensions = 1, "[extensions]\n\tobjectformat = "+string(format)+"\n"
	}
	config := fmt.Sprintf("[core]\n\trepositoryformatversion = %d\n\tbare = %v\n%s", version, bare, extensions)
	for _, err := range []error{
		os.Mkdir(filepath.Join(dir, "refs"), 0o700),
		os.Mkdir(filepath.Join(dir, "objects"), 0o700),
		os.WriteFile(filepath.Join(dir, "HEAD"), []byte("ref: refs/heads/none\n"), 0o600),
		os.WriteFile(filepath.Join(dir, "config"), []byte(config), 0o600),
	} {
		if err != nil {
			os.RemoveAll(dir)
			return "", err
		}
	}
	return dir, nil
}

// maxShallow bounds the list of commits at which a shallow history ends.
const maxShallow = 64 << 20

func copyFile(to, from string) error {
	text, err := readRegular(from, maxShallow)
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(from), err)
	}
	return os.WriteFile(to, []byte(text), 0o600)
}
