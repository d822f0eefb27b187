//go:build unix && !linux

package git

// readsNames says that git lists what is untracked by itself: what kind of thing a
// name is differs by system.
const readsNames = false

const nameFlags = dirFlags

func (s *strays) read(fd int, dir string, at int, buf []byte) { s.doubt() }
