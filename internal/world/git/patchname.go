package git

import (
	"strings"
	"time"
)

// quoteName writes a path as git does in patches: in double quotes and with the
// escapes of C if it holds a control character, a quote or a backslash.
func quoteName(name string) string {
	plain := true
	for i := 0; i < len(name) && plain; i++ {
		plain = name[i] >= 0x20 && name[i] != 0x7f && name[i] != '"' && name[i] != '\\'
	}
	if plain {
		return name
	}
	b := append(make([]byte, 0, len(name)+8), '"')
	for i := range len(name) {
		c := name[i]
		switch at := strings.IndexByte(escaped, c); {
		case at >= 0:
			b = append(b, '\\', escapes[at])
		case c < 0x20 || c == 0x7f:
			b = append(b, '\\', '0'+c>>6, '0'+c>>3&7, '0'+c&7)
		default:
			b = append(b, c)
		}
	}
	return string(append(b, '"'))
}

// The characters with an escape of one letter, and the letters.
const (
	escaped = "\a\b\t\n\v\f\r\"\\"
	escapes = "abtnvfr\"\\"
)

// unquoteName reads a name in double quotes from the start of s and returns what
// follows it.
func unquoteName(s string) (name, rest string, ok bool) {
	if s == "" || s[0] != '"' {
		return "", s, false
	}
	var b []byte
	for i := 1; i < len(s); i++ {
		switch c := s[i]; c {
		case '"':
			return string(b), s[i+1:], true
		case '\\':
			i++
			if i == len(s) {
				return "", s, false
			}
			if at := strings.IndexByte(escapes, s[i]); at >= 0 {
				b = append(b, escaped[at])
				continue
			}
			if i+2 >= len(s) || s[i] < '0' || s[i] > '3' || s[i+1] < '0' || s[i+1] > '7' || s[i+2] < '0' || s[i+2] > '7' {
				return "", s, false
			}
			b = append(b, (s[i]-'0')<<6|(s[i+1]-'0')<<3|(s[i+2]-'0'))
			i += 2
		default:
			b = append(b, c)
		}
	}
	return "", s, false
}

// devNull is the name of the side of a patch that has no file.
const devNull = "/dev/null" // git on Windows knows it, too

// sideName reads the name of a line that began with "--- " or "+++ ". Without quotes
// it ends at a tab, after which some programs write the file's time; the first second
// of 1970 means that the file does not exist.
func sideName(s string) (name string, ok bool) {
	if strings.HasPrefix(s, `"`) {
		name, _, ok = unquoteName(s)
		return name, ok && name != ""
	}
	name, stamp, _ := strings.Cut(s, "\t")
	name = strings.TrimSuffix(name, "\r")
	if stamp != "" && epoch(strings.TrimSpace(stamp)) {
		name = devNull
	}
	return name, name != ""
}

func epoch(stamp string) bool {
	for _, layout := range []string{"2006-01-02 15:04:05.999999999 -0700", "2006-01-02 15:04:05 -0700"} {
		if t, err := time.Parse(layout, stamp); err == nil {
			return t.Unix() == 0
		}
	}
	return false
}

// stripPrefixes removes what diff programs put before the two names of a file:
// a/ and b/, the letters of diff.mnemonicPrefix, or two folders that differ
// while the rest agrees. Two equal names, as from --no-prefix, stay as they are.
func stripPrefixes(from, to string) (string, string) {
	switch {
	case from == devNull && to == devNull:
		return from, to
	case from == devNull:
		return from, stripLetter(to)
	case to == devNull:
		return stripLetter(from), to
	case from == to:
		return from, to
	}
	if f, t := stripLetter(from), stripLetter(to); f != from && t != to && from[0] != to[0] {
		return f, t
	}
	_, f, ok1 := strings.Cut(from, "/")
	_, t, ok2 := strings.Cut(to, "/")
	if ok1 && ok2 && f == t && f != "" {
		return f, t
	}
	return from, to
}

// prefixLetters are what git puts before a slash: a and b, and for
// diff.mnemonicPrefix commit, index, object, work tree, and 1 and 2.
const prefixLetters = "abciow12"

func stripLetter(name string) string {
	if len(name) > 2 && name[1] == '/' && strings.IndexByte(prefixLetters, name[0]) >= 0 {
		return name[2:]
	}
	return name
}

// maxGuess is the longest line that is tried at each of its spaces: two of the
// longest paths that Linux knows.
const maxGuess = 2 * 4096

// headerNames reads the two names of a line that began with "diff --git ". Unquoted
// names may contain spaces; they can be separated only if they are equal except for
// their prefixes, as they are unless lines about a rename follow.
func headerNames(s string) (from, to string, ok bool) {
	s = strings.TrimSuffix(s, "\r")
	if strings.HasPrefix(s, `"`) {
		from, rest, ok := unquoteName(s)
		if !ok || !strings.HasPrefix(rest, " ") {
			return "", "", false
		}
		to = rest[1:]
		if strings.HasPrefix(to, `"`) {
			if to, rest, ok = unquoteName(to); !ok || rest != "" {
				return "", "", false
			}
		}
		return from, to, to != ""
	}
	if strings.HasSuffix(s, `"`) {
		if at := strings.Index(s, ` "`); at > 0 {
			to, rest, ok := unquoteName(s[at+1:])
			return s[:at], to, ok && rest == ""
		}
	}
	if mid := len(s) / 2; len(s)%2 == 1 && s[mid] == ' ' && samePath(s[:mid], s[mid+1:]) {
		return s[:mid], s[mid+1:], true
	}
	found := 0
	for i := 1; i+1 < len(s) && len(s) <= maxGuess; i++ {
		if s[i] == ' ' && samePath(s[:i], s[i+1:]) {
			from, to = s[:i], s[i+1:]
			found++
		}
	}
	if found == 0 && strings.Count(s, " ") == 1 {
		from, to, _ = strings.Cut(s, " ")
		return from, to, from != "" && to != ""
	}
	if found != 1 {
		return "", "", false
	}
	return from, to, true
}

// samePath reports whether two names are the same but for their prefixes.
func samePath(from, to string) bool {
	f, t := stripPrefixes(from, to)
	return f == t && f != ""
}
