package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteSample writes [Sample] to a user's file that does not exist yet. The error is
// an fs.ErrExist if it does.
func WriteSample(file string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s: %w", file, fs.ErrExist)
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString(Sample())
	return errors.Join(err, f.Close())
}
