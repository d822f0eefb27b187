package fsxtest

import (
	"errors"
	"testing"
)

func check(tb testing.TB, err error) {
	tb.Helper()
	tb.Skip("folders hold regular files and links alone: ", err)
}

func fifo(string) error { return errors.ErrUnsupported }

func socket(string) error { return errors.ErrUnsupported }
