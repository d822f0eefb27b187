//go:build !windows

package cli

import "os"

// showsEscapes reports whether a terminal shows colours; TERM says if not.
func showsEscapes(*os.File) bool { return true }
