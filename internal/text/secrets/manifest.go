package secrets

import (
	"bytes"
	"slices"
	"strings"
)

// longestManifest bounds the document of Kubernetes around its kind, either way.
const longestManifest = 64 << 10

// manifestKinds are the spellings of a Secret's kind.
var manifestKinds = []string{"kind: Secret", `kind: "Secret"`, `"kind": "Secret"`, `"kind":"Secret"`}

// manifest finds the values of data and stringData in a Secret of Kubernetes, in YAML
// or JSON, before and after its kind.
func manifest(text []byte, i int, spans []span) []span {
	end := i + len("Secret")
	if end > len(text) || end < len(text) && isWord(text[end]) {
		return spans
	}
	spelled := slices.IndexFunc(manifestKinds, func(s string) bool {
		return bytes.HasSuffix(text[:end], []byte(strings.TrimSuffix(s, `"`)))
	})
	if spelled < 0 {
		return spans
	}
	// The document ends at "---", and where another Secret says its kind. That of the
	// same spelling is first, or a text full of them would take the square of its length.
	from, to := max(0, i-longestManifest), min(len(text), i+longestManifest)
	for _, sep := range slices.Concat(manifestKinds[spelled:spelled+1], manifestKinds, []string{"\n---"}) {
		if n := bytes.LastIndex(text[from:i], []byte(sep)); n >= 0 {
			from += n + len(sep)
		}
		if n := bytes.Index(text[end:to], []byte(sep)); n >= 0 {
			to = end + n
		}
	}
	spans = members(text[:to], from, spans, func(parent, name, value []byte) bool {
		return isData(parent) && anyName(name, value) && !isTemplate(value)
	})
	return manifestLines(text, from, to, spans)
}

// manifestLines appends the values below lines that say data or stringData.
func manifestLines(text []byte, from, to int, spans []span) []span {
	take := assignments(func(name, value []byte) bool { return anyName(name, value) && !isTemplate(value) })
	for at := from; at < to; {
		end := min(lineEnd(text, at), to)
		l := text[at:end]
		start := at
		at = end + 1
		if !isData(bytes.Trim(l, " \t\r-:")) || !bytes.HasSuffix(bytes.TrimRight(l, " \t\r"), []byte(":")) {
			continue
		}
		at = min(blockEnd(text, start, end), to)
		if end+1 < at {
			spans = shift(take(text[end+1:at], nil), end+1, spans)
		}
	}
	return spans
}

func isData(name []byte) bool { return string(name) == "data" || string(name) == "stringData" }

// isTemplate reports whether a value is filled in later.
func isTemplate(value []byte) bool {
	return bytes.Contains(value, []byte("{{")) || bytes.Contains(value, []byte("${"))
}

// shift appends spans of a part of a text that starts at from.
func shift(part []span, from int, spans []span) []span {
	for _, s := range part {
		s.start, s.end = s.start+from, s.end+from
		spans = append(spans, s)
	}
	return spans
}
