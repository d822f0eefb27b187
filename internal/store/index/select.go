package index

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/code/outline"
	"github.com/satchel-dev/satchel/internal/text/secrets"
)

// An entry is one path of the listing that a view is made of.
type entry struct {
	path      string
	kind      entryKind
	blob      string // "" until the bytes of an unclean file have been read
	size      int64
	stat      stat // of an unclean file
	dirty     bool // the bytes differ from the tracked blob
	untracked bool
}

type entryKind uint8

const (
	regular entryKind = iota
	symlink
	submodule
	special
)

// Limits of what is read although it is asked for by name, and of generated
// text that is still worth ranking.
const (
	maxIncluded  = 16 << 20
	maxGenerated = 64 << 10

	// maxData is the size of the largest data file (JSON, CSV and the like): larger
	// ones are dumps. It is the max_file_size_kb of noface.
	maxData = 100 << 10
)

// A verdict says why a path is left out. The zero verdict keeps it.
type verdict struct {
	why string // a Why constant of package satchel
	at  string // the path or directory (with a final slash) that is left out
}

// byPath judges an entry by its listing alone.
func (m *viewBuilder) byPath(e *entry) verdict {
	switch e.kind {
	case submodule:
		if e.untracked {
			return verdict{satchel.WhyNested, e.path}
		}
		return verdict{satchel.WhySubmodule, e.path}
	case symlink:
		return verdict{satchel.WhySymlink, e.path}
	case special:
		return verdict{satchel.WhySpecial, e.path}
	}
	if m.Sealed(e.path) {
		return verdict{satchel.WhySealed, e.path}
	}
	if m.asked(e.path) {
		if e.size > m.limit(e.path) {
			return verdict{satchel.WhyLarge, e.path}
		}
		m.allow(e, m.byRule(e).why)
		return verdict{}
	}
	return m.byRule(e)
}

// byRule judges an entry that was not requested, by its listing alone.
func (m *viewBuilder) byRule(e *entry) verdict {
	if at, by := m.rules.match(e.path); by != nil {
		return verdict{by.why(), at}
	}
	if v := byDirectory(e); v.why != "" {
		return v
	}
	if e.size > m.opts.MaxFileBytes {
		return verdict{satchel.WhyLarge, e.path}
	}
	return verdict{}
}

// allow remembers that an entry is taken in although a rule leaves it out. Files
// are looked at by several goroutines.
func (m *viewBuilder) allow(e *entry, why string) {
	if why == "" {
		return
	}
	m.allowing.Lock()
	defer m.allowing.Unlock()
	if m.despite == nil {
		m.despite = map[string]string{}
	}
	m.despite[e.path] = why
}

// overridden returns the Diagnostics about what was asked for and a rule leaves out:
// each path that was named, and how many a pattern takes in.
func (m *viewBuilder) overridden(v *body) []satchel.Diagnostic {
	var diags []satchel.Diagnostic
	byPattern := 0
	for name, why := range m.despite { // the diagnostics are sorted in the end
		if _, ok := v.File(name); !ok {
			continue // another rule leaves it out after all
		}
		if !slices.Contains(m.pinned, name) {
			byPattern++
			continue
		}
		diags = append(diags, satchel.Diagnostic{Path: name, Text: "a rule excludes it (" + why + "), but it was named, so it is included"})
	}
	switch byPattern {
	case 0:
	case 1:
		diags = append(diags, satchel.Diagnostic{Text: "1 excluded file is included, because it was requested"})
	default:
		diags = append(diags, satchel.Diagnostic{Text: fmt.Sprintf("%d excluded files are included, because they were requested", byPattern)})
	}
	return diags
}

// asked reports whether the user asked for the path by name.
func (m *viewBuilder) asked(name string) bool {
	if m.Never(name) {
		return false
	}
	if slices.ContainsFunc(m.pinned, func(p string) bool { return p == name || strings.HasSuffix(p, "/") && strings.HasPrefix(name, p) }) {
		return true
	}
	return len(m.unignore) > 0 && matchAny(m.unignore, name) != ""
}

// Never reports whether a path is left out even if it is asked for by name.
func (x *Index) Never(name string) bool { return len(x.never) > 0 && matchAny(x.never, name) != "" }

// Sealed reports whether a path is left out because it holds secrets by its nature.
func (x *Index) Sealed(name string) bool { return x.opts.Sealed && secrets.Sealed(name) }

// limit returns how many bytes of a file are read.
func (m *viewBuilder) limit(name string) int64 {
	if m.asked(name) {
		return max(m.opts.MaxFileBytes, maxIncluded)
	}
	return m.opts.MaxFileBytes
}

// byDirectory knows the directories that hold what somebody else wrote, or
// what a build made.
func byDirectory(e *entry) verdict {
	rest := e.path
	for at := 0; ; {
		i := strings.IndexByte(rest, '/')
		if i < 0 {
			return verdict{}
		}
		dir := rest[:i]
		at += i + 1
		rest = rest[i+1:]
		switch dir {
		case "vendor", "node_modules":
			return verdict{satchel.WhyVendored, e.path[:at]}
		case ".cache":
			return verdict{satchel.WhyIgnored, e.path[:at]}
		case "dist", "build":
			if e.untracked {
				return verdict{satchel.WhyGenerated, e.path[:at]}
			}
		}
	}
}

// byContent judges an entry by what was found out about its bytes.
func (m *viewBuilder) byContent(e *entry, f fact) verdict {
	why := ""
	switch outline.Class(f.class) {
	case outline.Binary:
		return verdict{satchel.WhyBinary, e.path} // even if requested: it has no text
	case outline.Lock:
		why = satchel.WhyLock
	case outline.Minified:
		why = satchel.WhyMinified
	case outline.Vendored:
		why = satchel.WhyVendored
	case outline.Random:
		why = satchel.WhyRandom
	case outline.Data:
		if e.size > maxData {
			why = satchel.WhyLarge
		}
	case builtOutput:
		if !slices.Contains(m.outputs, e.path) {
			why = satchel.WhyGenerated
		}
	case outline.Generated:
		if e.size > maxGenerated {
			why = satchel.WhyGenerated
		}
	}
	switch {
	case why == "":
		return verdict{}
	case m.asked(e.path):
		m.allow(e, why)
		return verdict{}
	}
	return verdict{why, e.path}
}

// builtOutput is kept as the class of what a build left in a folder called dist
// or build. Outside this package it is generated.
const builtOutput outline.Class = "built output"

// told returns the class of a fact for a File.
func told(class string) outline.Class {
	if outline.Class(class) == builtOutput {
		return outline.Generated
	}
	return outline.Class(class)
}

// factKeyOf names what the class and language of a file depend on: its path,
// its bytes, and what all .gitattributes files say.
func factKeyOf(attrs [32]byte, name, blob string) (k factKey) {
	b := make([]byte, 0, 256)
	b = append(b, attrs[:]...)
	b = binary.AppendUvarint(b, uint64(len(name)))
	b = append(b, name...)
	b = append(b, blob...)
	sum := sha256.Sum256(b)
	copy(k[:], sum[:])
	return k
}
