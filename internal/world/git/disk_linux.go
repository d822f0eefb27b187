package git

import "golang.org/x/sys/unix"

// dirFlags open a folder only to look up names in it, for which the right to
// list it is not needed.
const dirFlags = unix.O_PATH | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC
