package finding

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/satchel-dev/satchel/internal/text/clean"
)

// identify sets the fingerprint: what stays the same as long as somebody would say
// that it is the same finding, whatever its lines and its words are.
func (c *Change) identify(f *Finding) {
	f.Definition, f.Hash = c.around(f)
	f.Fingerprint = Fingerprint(f.Category, f.Path, f.Definition, f.Quote)
	f.ID = f.Fingerprint[:shortID]
}

// Fingerprint returns what tells a finding from others: a SHA-256 of its category, its
// path, the name of what it stands in, and the line that it quotes without outer space.
func Fingerprint(category, path, definition, quote string) string {
	return digest(category, path, definition, strings.TrimSpace(quote))
}

func digest(list ...string) string {
	h := sha256.New()
	for _, s := range list {
		h.Write([]byte(s))
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil))
}

// around returns the name of the definition that a finding stands in, and the hash of
// its text. Without one it is the hash of the lines around, as far as the next blank
// ones.
func (c *Change) around(f *Finding) (definition, hash string) {
	if f.From == 0 || f.Anchor == Unverified {
		return "", ""
	}
	path := c.pathOn(f.Path, f.Side)
	lines := c.text(path, f.Side)
	if file := c.byPath[f.Path]; lines == nil && file != nil {
		lines = file.lines(f.Side)
	}
	from, to := 0, 0
	if c.code.Symbols != nil {
		one := true // the best so far stands on one line
		for _, s := range c.code.Symbols(path, f.Side) {
			if f.From < s.From || f.From > s.To {
				continue
			}
			if single := s.From == s.To; from == 0 || one && !single || one == single && s.To-s.From <= to-from {
				from, to, one = s.From, s.To, single
				definition = s.Name
				if s.Parent != "" {
					definition = s.Parent + "." + s.Name
				}
			}
		}
	}
	if from == 0 {
		from, to = paragraph(lines, f.From)
	}
	var text []string
	for _, l := range lines {
		if from <= l.number && l.number <= to {
			text = append(text, strings.TrimRight(l.text, " \t"))
		}
	}
	return clean.Inline(definition), digest(text...)
}

// paragraph returns the numbers of the lines around one without a blank one between.
func paragraph(lines []line, number int) (from, to int) {
	from, to = number, number
	for i := range lines {
		if lines[i].number != number {
			continue
		}
		for k := i; k >= 0 && lines[k].shown != "" && lines[k].hunk == lines[i].hunk; k-- {
			from = lines[k].number
		}
		for k := i; k < len(lines) && lines[k].shown != "" && lines[k].hunk == lines[i].hunk; k++ {
			to = lines[k].number
		}
	}
	return from, to
}
