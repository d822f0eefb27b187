//go:build !unix

package state

import "errors"

const errNoLimit = "file limits are not supported"

func limitFiles(string) error { return errors.New(errNoLimit) }
