package config

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/satchel-dev/satchel/internal/world/fsx"
)

// Rewrite makes new bytes of the old ones of the user's file, which need not
// exist. Links are followed, and the mode stays. Other programs see the old bytes
// or the new ones.
func Rewrite(file string, update func(old []byte) ([]byte, error)) error {
	if real, err := filepath.EvalSymlinks(file); err == nil {
		file = real
	} else if _, there := os.Lstat(file); there == nil {
		return fmt.Errorf("%s: a symbolic link that leads nowhere", file)
	}
	old, err := readUser(file)
	if err != nil {
		return err
	}
	text, err := update(old)
	if err != nil || bytes.Equal(text, old) && old != nil {
		return err
	}
	if len(text) > maxFile {
		return fmt.Errorf("%s: %w", file, errTooLong)
	}
	mode := fs.FileMode(0o600)
	if fi, err := os.Stat(file); err == nil {
		mode = fi.Mode().Perm()
		if mode&0o200 == 0 {
			return fmt.Errorf("%s: it is read-only", file)
		}
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	if now, err := readUser(file); err != nil || !bytes.Equal(now, old) {
		return fmt.Errorf("%s: another program changed it meanwhile; run the command again", file)
	}
	dir, err := os.OpenRoot(filepath.Dir(file))
	if err != nil {
		return err
	}
	defer dir.Close()
	name := filepath.Base(file)
	return fsx.Write(dir, "."+name+"."+rand.Text(), name, mode, text)
}
