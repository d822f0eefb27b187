//go:build !unix

package index

import "errors"

func limitFiles(string) error { return errors.New("file limits are not supported") }
