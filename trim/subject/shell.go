package subject

import "strings"

// A step is one simple command of a command line.
type step struct {
	words  []string // without quotes
	folder string   // in which it runs, as far as the line says; "" if it does not
	to     []string // files that its output goes to
	piped  bool     // it is given what the one before prints
}

// Bounds of what is read of a command line.
const (
	maxScript = 1 << 16 // bytes
	maxSteps  = 400
	maxNested = 2 // of shells that are told what to run in quotes
)

// steps takes a command line of a POSIX shell apart into what it runs one after the
// other. It knows quotes, redirects, here-documents, cd and bash -c; what it does not
// know are words like others.
func steps(script string) []step {
	var out []step
	appendSteps(&out, script, "", 0)
	return out
}

func appendSteps(out *[]step, script, folder string, depth int) {
	s := shell{text: script[:min(len(script), maxScript)]}
	begun, piped := step{}, false
	end := func() {
		if len(begun.words)+len(begun.to) > 0 && len(*out) < maxSteps {
			begun.folder, begun.piped = folder, piped
			w := begun.words
			inner := len(w) > 2 && (w[0] == "bash" || w[0] == "sh" || w[0] == "zsh") && strings.HasPrefix(w[1], "-") && strings.HasSuffix(w[1], "c")
			switch {
			case len(w) > 1 && w[0] == "cd":
				folder = joined(folder, w[1])
			case inner && depth < maxNested:
				appendSteps(out, w[2], folder, depth+1)
			default:
				*out = append(*out, begun)
			}
		}
		begun, piped = step{}, false
	}
	for {
		word, kind := s.next()
		switch kind {
		case aWord:
			begun.words = append(begun.words, word)
		case aTarget:
			if word != "/dev/null" {
				begun.to = append(begun.to, word)
			}
		case aBreak:
			end()
			piped = word == "|"
		case theEnd:
			end()
			return
		}
	}
}

// joined returns the path of a name that is written from a folder.
func joined(folder, name string) string {
	if folder == "" || strings.HasPrefix(name, "/") || strings.HasPrefix(name, "~") {
		return name
	}
	return strings.TrimSuffix(folder, "/") + "/" + strings.TrimPrefix(name, "./")
}

// A token is what a shell reads next.
type token uint8

const (
	aWord   token = iota
	aTarget       // the file that a redirect writes
	aBreak        // between two commands
	theEnd
)

// A shell reads the words of a script.
type shell struct {
	text string
	at   int
	ends []string // of here-documents that begin at the next newline
}

func (s *shell) peek(n int) byte {
	if s.at+n < len(s.text) {
		return s.text[s.at+n]
	}
	return 0
}

// next returns the next word, or what stands between two commands.
func (s *shell) next() (string, token) {
	for s.at < len(s.text) {
		switch c := s.text[s.at]; c {
		case ' ', '\t', '\r':
			s.at++
		case '\\':
			if s.peek(1) != '\n' {
				return s.word(), aWord
			}
			s.at += 2
		case '\n':
			s.at++
			s.skipDocuments()
			return "", aBreak
		case '|':
			if s.at++; s.peek(0) != '|' {
				return "|", aBreak
			}
			s.at++
			return "", aBreak
		case ';', '(', ')':
			s.at++
			return "", aBreak
		case '&':
			if s.peek(1) != '>' {
				s.at++
				return "", aBreak
			}
			s.at++
		case '<':
			s.input()
		case '>':
			for s.at++; s.peek(0) == '>' || s.peek(0) == '|'; s.at++ {
			}
			if s.peek(0) == '&' { // to another stream
				s.at++
				s.word()
				continue
			}
			if w := s.wordAfterSpace(); w != "" {
				return w, aTarget
			}
		case '#':
			for s.at < len(s.text) && s.text[s.at] != '\n' {
				s.at++
			}
		default:
			w := s.word()
			if (w == "1" || w == "2") && s.peek(0) == '>' {
				continue // the number of a stream
			}
			return w, aWord
		}
	}
	return "", theEnd
}

// input reads what a command is given: a file, or the mark at which a here-document
// ends.
func (s *shell) input() {
	s.at++
	if s.peek(0) != '<' {
		s.wordAfterSpace()
		return
	}
	s.at++
	if s.peek(0) == '<' { // a word
		s.at++
		s.wordAfterSpace()
		return
	}
	if s.peek(0) == '-' {
		s.at++
	}
	if end := s.wordAfterSpace(); end != "" {
		s.ends = append(s.ends, end)
	}
}

// skipDocuments skips the here-documents that begin on this line.
func (s *shell) skipDocuments() {
	for _, end := range s.ends {
		for s.at < len(s.text) {
			line, _, _ := strings.Cut(s.text[s.at:], "\n")
			s.at = min(s.at+len(line)+1, len(s.text))
			if strings.TrimSpace(line) == end {
				break
			}
		}
	}
	s.ends = nil
}

func (s *shell) wordAfterSpace() string {
	for s.peek(0) == ' ' || s.peek(0) == '\t' {
		s.at++
	}
	return s.word()
}

// word reads a word, without its quotes.
func (s *shell) word() string {
	var b strings.Builder
	for s.at < len(s.text) {
		switch c := s.text[s.at]; c {
		case ' ', '\t', '\r', '\n', ';', '|', '&', '(', ')', '<', '>':
			return b.String()
		case '\'':
			body, _, _ := strings.Cut(s.text[s.at+1:], "'")
			b.WriteString(body)
			s.at = min(s.at+len(body)+2, len(s.text))
		case '"':
			for s.at++; s.at < len(s.text) && s.text[s.at] != '"'; s.at++ {
				if s.text[s.at] == '\\' && s.at+1 < len(s.text) {
					s.at++
				}
				b.WriteByte(s.text[s.at])
			}
			s.at = min(s.at+1, len(s.text))
		case '\\':
			if s.at++; s.at < len(s.text) {
				b.WriteByte(s.text[s.at])
				s.at++
			}
		default:
			b.WriteByte(c)
			s.at++
		}
	}
	return b.String()
}
