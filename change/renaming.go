package change

import (
	"slices"
	"strings"
)

// A place is an enclosing definition: its file, and its name with those of what
// encloses it.
type place struct {
	file int
	name string
}

// A renaming says what enclosing definitions of the old side are called on the
// new one. What has two names there, or is the name of two, has none.
type renaming struct {
	to, from map[place][]place
	anyFile  bool // places have no file, and what they enclose stays in its own
}

func newRenaming(anyFile bool) *renaming {
	return &renaming{to: map[place][]place{}, from: map[place][]place{}, anyFile: anyFile}
}

func (r *renaming) add(old, now place) {
	if !slices.Contains(r.to[old], now) {
		r.to[old] = append(r.to[old], now)
		r.from[now] = append(r.from[now], old)
	}
}

// move returns the key on the other side of what a renamed definition encloses,
// by the innermost one that has a name there.
func (r *renaming) move(k key, to, from map[place][]place) (key, bool) {
	rest := ""
	for parent := k.parent; parent != ""; {
		p := place{k.file, parent}
		if r.anyFile {
			p.file = 0
		}
		if there := to[p]; len(there) == 1 && len(from[there[0]]) == 1 {
			moved := key{there[0].file, k.group, there[0].name + rest, k.name}
			if r.anyFile {
				moved.file = k.file
			}
			return moved, true
		}
		i := strings.LastIndexByte(parent, '.')
		if i < 0 {
			break
		}
		rest = parent[i:] + rest
		parent = parent[:i]
	}
	return k, false
}
