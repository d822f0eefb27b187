package outline

import (
	"bytes"
	"path"
	"strings"

	"github.com/satchel-dev/satchel/internal/text/lazy"
)

// readme is how much of a README [DeclaresVendored] reads: who keeps other
// people's code in a folder says so at its top.
const readme = 1 << 10

var vendoredHere = lazy.Regexp(`(?i)\bvendored (copy|copies|fork|from|here|into|subset|version)\b|\b(we|which|that) vendor (in|into|here|from)\b|\bwe vendor (these|this)\b`)

// DeclaresVendored reports whether a file is the README of a folder, the root
// aside, and says in its first lines that what lies there was vendored. Some
// projects keep other people's code in a folder that no rule knows by its name,
// such as packages/, and mark it only so. content is the text or its beginning.
func DeclaresVendored(name string, content []byte) bool {
	dir, base := path.Split(name)
	stem, _, _ := strings.Cut(base, ".")
	if dir == "" || !strings.EqualFold(stem, "readme") {
		return false
	}
	return vendoredHere().Match(bytes.Join(bytes.Fields(content[:min(len(content), readme)]), []byte(" ")))
}
