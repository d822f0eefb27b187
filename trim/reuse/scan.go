package reuse

import "strings"

// maxName is the longest name that is looked at; longer ones are data.
const maxName = 120

// Names calls fn with each name in a line, from left to right: URLs, paths,
// file names, flags, dotted and compound identifiers, hashes and numbers. Words
// of plain language are none, because any text would repeat them.
func Names(line string, fn func(name string)) {
	for i := 0; i < len(line); {
		c := line[i]
		if class[c] == 0 {
			i++
			continue
		}
		j := nameAt(line, i)
		if j <= i {
			i++
			continue
		}
		name := strings.TrimRight(line[i:j], ".,:;")
		if len(name) > 0 && len(name) <= maxName && distinctive(name) {
			fn(name)
		}
		i = j
	}
}

// Classes of bytes. A byte of several classes has several bits.
const (
	letter = 1 << iota // of an identifier: letters, _ and what is not ASCII
	digit
	dollar // $
	joiner // . @ ~ - which paths may hold
	slash
	plus
)

var class = func() (t [256]uint8) {
	for c := range t {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_', c >= 0x80:
			t[c] = letter
		case c >= '0' && c <= '9':
			t[c] = digit
		}
	}
	t['$'], t['/'], t['+'] = dollar, slash, plus
	for _, c := range ".@~-" {
		t[c] = joiner
	}
	return t
}()

const (
	word    = letter | digit
	inPath  = word | joiner // before the first slash
	segment = inPath | plus // after a slash
)

// run returns the end of the run of bytes of the classes that begins at i.
func run(s string, i int, classes uint8) int {
	for i < len(s) && class[s[i]]&classes != 0 {
		i++
	}
	return i
}

// nameAt returns the end of the name that begins at i, or i.
func nameAt(s string, i int) int {
	if s[i] == 'h' && (strings.HasPrefix(s[i:], "https://") || strings.HasPrefix(s[i:], "http://")) {
		if j := strings.IndexAny(s[i:], " \t\"'<>)]}`"); j >= 0 {
			return i + j
		}
		return len(s)
	}
	j := run(s, i, inPath)
	if j < len(s) && s[j] == '/' {
		if k := path(s, j); k > j {
			return k
		}
	}
	switch c := s[i]; {
	case c == '-':
		if strings.HasPrefix(s[i:], "--") && i+2 < len(s) && class[s[i+2]] == letter {
			return run(s, i+2, word|joiner)
		}
		return run(s, i, joiner)
	case class[c] == joiner || class[c] == slash || class[c] == plus:
		return i + 1
	case class[c] == digit:
		return number(s, i)
	}
	return identifier(s, i)
}

// path returns the end of the segments of a path that begin at the slash at i,
// or i if none follows.
func path(s string, i int) int {
	for i < len(s) && s[i] == '/' {
		j := run(s, i+1, segment)
		if j == i+1 {
			return i
		}
		i = j
	}
	return i
}

// number returns the end of a number, of a hash that begins with a digit, or of
// a file name such as 2024-05-plan.md.
func number(s string, i int) int {
	j := run(s, i, word)
	if k := run(s, i, word|joiner); k > j && extension(s[i:k]) {
		return k
	}
	return j
}

// identifier returns the end of an identifier with what is joined to it by
// dots, or of a file name.
func identifier(s string, i int) int {
	if k := run(s, i, word|joiner); extension(s[i:k]) {
		return k
	}
	j := run(s, i, word|dollar)
	for j+1 < len(s) && s[j] == '.' && class[s[j+1]]&(letter|dollar) != 0 {
		j = run(s, j+1, word|dollar)
	}
	return j
}

// extensions are the endings that make a word a file name.
var extensions = func() map[string]bool {
	m := make(map[string]bool)
	for _, e := range strings.Fields(`go py pyi ts tsx js jsx mjs cjs rs java kt scala swift c h cc cpp hpp cs rb php ex exs erl lua pl r
		md mdx rst txt json jsonl toml yaml yml xml csv ini cfg conf env lock mod sum proto graphql sh bash zsh ps1 bat
		sql css scss less html htm vue svelte tf gradle ipynb svg png log`) {
		m[e] = true
	}
	return m
}()

func extension(name string) bool {
	name = strings.TrimRight(name, ".")
	dot := strings.LastIndexByte(name, '.')
	return dot > 0 && len(name)-dot <= 8 && extensions[name[dot+1:]]
}

// distinctive reports whether a name would hardly stand in a text by chance.
func distinctive(t string) bool {
	c := t[0]
	if strings.IndexByte(t, '/') >= 0 {
		return len(t) >= 5 && strings.ContainsFunc(t, isLetter)
	}
	if strings.HasPrefix(t, "--") || strings.IndexByte(t, '.') >= 0 {
		return len(t) >= 4
	}
	if class[c] == digit {
		return len(t) >= 3
	}
	if len(t) < 4 {
		return false
	}
	upper := 0 // letters of the run that ends here
	for i := 0; i < len(t); i++ {
		switch c := t[i]; {
		case c >= 'a' && c <= 'z':
			if upper >= 2 { // HTTPServer
				return true
			}
			upper = 0
		case c >= 'A' && c <= 'Z':
			if i > 0 && t[i-1] >= 'a' && t[i-1] <= 'z' { // fooBar
				return true
			}
			upper++
		case class[c] == digit, c == '$':
			return true
		case c == '_' && i > 0 && i < len(t)-1:
			return true
		}
	}
	return false
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= 0x80 }
