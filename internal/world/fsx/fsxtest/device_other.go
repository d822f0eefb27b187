//go:build !linux

package fsxtest

import "errors"

func nullDevice(string) error { return errors.ErrUnsupported } // its number differs by system
