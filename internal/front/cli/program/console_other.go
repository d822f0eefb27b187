//go:build !windows

package program

import "os"

// showsEscapes reports whether a terminal shows colours; TERM says if not.
func showsEscapes(*os.File) bool { return true }
