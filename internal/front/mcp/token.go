package mcp

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/satchel-dev/satchel/internal/world/fsx"
)

// tokenForm is what a bearer token may hold (RFC 6750), at a length that cannot be
// guessed. It is a large program, which is made when a server needs it.
var tokenForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9._~+/-]{20,256}=*$`) })

// Token reads the bearer token from a file that nobody but its owner may read, and
// makes both if there is no file. Made says so. A file that others can read is an
// error: what it holds is no secret any more.
func Token(name string) (token string, made bool, err error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	switch {
	case err == nil:
		token = rand.Text() // 130 bits
		if _, err = f.WriteString(token + "\n"); err == nil {
			err = f.Sync()
		}
		if err = errors.Join(err, f.Close()); err != nil {
			_ = os.Remove(name) // half a token is none
			return "", false, fmt.Errorf("make token file %s: %w", name, fsx.Cause(err))
		}
		return token, true, nil
	case !errors.Is(err, fs.ErrExist):
		return "", false, fmt.Errorf("make token file %s: %w", name, fsx.Cause(err))
	}
	token, err = readToken(name)
	if err != nil {
		return "", false, fmt.Errorf("token file %s: %w", name, fsx.Cause(err))
	}
	return token, false, nil
}

func readToken(name string) (string, error) {
	f, err := fsx.Open(name) // a FIFO in its place hangs nobody
	if err != nil {
		return "", err
	}
	defer f.Close()
	fi, err := f.Stat()
	switch {
	case err != nil:
		return "", err
	case !fi.Mode().IsRegular():
		return "", errors.New("it is not a regular file")
	case !fsx.Private(fi):
		return "", fmt.Errorf("others may use it (%04o): chmod 600 %s, after a new token is in it", fi.Mode().Perm(), filepath.Base(name))
	}
	text, err := io.ReadAll(io.LimitReader(f, 1024))
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(text))
	if !tokenForm().MatchString(token) {
		return "", errors.New("it does not hold one token of 20 to 256 letters, digits and -._~+/")
	}
	return token, nil
}
