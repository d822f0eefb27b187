//go:build !linux

package git

// readsNames says that git lists what is untracked by itself: what kind of thing a
// name is differs by system.
const readsNames = false

func (s *strays) read(int, string, int, []byte) { s.doubt() }

func (r *Repo) plainRules() bool { return false }
