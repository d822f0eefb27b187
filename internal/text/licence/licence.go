// Package licence finds the licence at the top of a source file, which says nothing of
// what the file does and takes the room of code.
package licence

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/satchel-dev/satchel/internal/text/lazy"
)

// Longest is how many lines a licence at the top of a file may have: those of three
// clauses have some thirty. [Lines] looks at no more.
const Longest = 60

// Meant reports whether a text speaks of licences itself, so that those of files matter
// to it.
func Meant(text string) bool {
	text = strings.ToLower(text)
	return strings.Contains(text, "licen") || strings.Contains(text, "copyright") || strings.Contains(text, "spdx")
}

// Lines returns how many lines at the top of a text are its licence, the blank ones
// behind it included; 0 if there is none. What else is said in the same comment stays,
// and in a comment between two signs the licence with it.
func Lines(text string) int {
	lines := strings.SplitN(text, "\n", Longest+1)
	lines = lines[:min(len(lines), Longest)]
	i := 0
	if strings.HasPrefix(lines[0], "#!") || strings.TrimSpace(lines[0]) == "<?php" {
		i = skipBlank(lines, 1)
	}
	end := 0
	for i < len(lines) {
		to, n := comment(lines, i)
		if n == 0 && end == 0 && to == i+1 && keyword().MatchString(lines[i]) {
			i = skipBlank(lines, to)
			continue
		}
		if n == 0 {
			break
		}
		end = skipBlank(lines, i+n)
		if i += n; i < to { // more is said
			break
		}
		i = end
	}
	if end >= len(lines) {
		return 0 // it is all there is, or does not end
	}
	return end
}

func skipBlank(lines []string, i int) int {
	for i < len(lines) && strings.TrimSpace(lines[i]) == "" {
		i++
	}
	return i
}

// comment returns where the comment that begins at a line ends, and how many of its
// lines are a licence.
func comment(lines []string, from int) (to, n int) {
	first := strings.TrimSpace(lines[from])
	for _, b := range blocks {
		if !strings.HasPrefix(first, b.open) {
			continue
		}
		for to = from; to < len(lines); to++ {
			if at := strings.Index(lines[to], b.close); at >= 0 && (to > from || at >= len(b.open)) {
				n = said(lines[from : to+1])
				if n < to+1-from || strings.TrimSpace(lines[to][at+len(b.close):]) != "" {
					n = 0 // a comment cannot be taken apart, and code stays
				}
				return to + 1, n
			}
		}
		return to, 0
	}
	for _, sign := range signs {
		for to = from; to < len(lines) && isComment(lines[to], sign); to++ {
		}
		if to > from {
			return to, said(lines[from:to])
		}
	}
	return from, 0
}

var (
	blocks = []struct{ open, close string }{{"/*", "*/"}, {"<!--", "-->"}, {"(*", "*)"}, {"{-", "-}"}}
	signs  = []string{"//", "#", "--", ";", "%"}
)

// isComment reports whether a line is a comment by its first sign. All but two slashes
// begin other things, too, such as #include, if a word follows at once.
func isComment(line, sign string) bool {
	rest, ok := strings.CutPrefix(strings.TrimSpace(line), sign)
	first, _ := utf8.DecodeRuneInString(rest)
	return ok && (sign == "//" || !wordy(first) && !strings.ContainsRune("[!", first))
}

// said returns how many lines at the beginning of a comment are a licence: its
// paragraphs up to the last one that speaks of rights, if the first does that says
// anything.
func said(lines []string) (n int) {
	licensed, legal := false, false
	for i := 0; i < len(lines); {
		to := i
		for to < len(lines) && strings.IndexFunc(lines[to], wordy) >= 0 {
			to++
		}
		end, grants, text := rights(lines[i:to], legal)
		switch {
		case end > 0:
			n, licensed, legal = i+end, licensed || grants, legal || text
		case n == 0 && words(lines[i:to]) > mostOfBanner:
			return 0
		}
		if end > 0 && i+end < to {
			break // more is said
		}
		for i = to; i < len(lines) && strings.IndexFunc(lines[i], wordy) < 0; i++ {
		}
		if end > 0 {
			n = i // with the rule or the sign that ends it
		}
	}
	if !licensed {
		return 0
	}
	return n
}

// rights returns how many lines at the beginning of a paragraph are of rights, whether
// they grant any or name who holds them, and whether there is more than such notices.
// What follows the last line with a word of rights belongs to it if the licence has
// begun above, or if it ends its sentence.
func rights(lines []string, begun bool) (n int, granted, text bool) {
	for i, line := range lines {
		line = strings.ToLower(line)
		if holds(line, terms) {
			n, granted, text = i+1, granted || holds(line, grants), text || !isNotice(line)
		}
	}
	switch {
	case n == 0 || n == len(lines):
	case begun:
		n = len(lines)
	case !isNotice(strings.ToLower(lines[n-1])):
		for i := n; i < len(lines) && !endsSentence(lines[i-1]) && goesOn(lines[i]); i++ {
			if endsSentence(lines[i]) {
				n = i + 1
			}
		}
	}
	return n, granted, text
}

// isNotice reports whether a line, in lower case, only says who holds the rights.
func isNotice(line string) bool {
	line = strings.TrimLeftFunc(line, func(r rune) bool { return !wordy(r) && r != '(' && r != '©' })
	return slices.ContainsFunc([]string{"copyright", "(c)", "©", "spdx-", "all rights reserved"}, func(s string) bool { return strings.HasPrefix(line, s) })
}

func endsSentence(line string) bool {
	line = strings.TrimRight(line, " \t\r*")
	return strings.HasSuffix(line, ".") || strings.HasSuffix(line, ":")
}

// goesOn reports whether a line may go on with a sentence: it does not begin with a
// capital letter and a small one.
func goesOn(line string) bool {
	line = strings.TrimLeftFunc(line, func(r rune) bool { return !wordy(r) })
	first, size := utf8.DecodeRuneInString(line)
	second, _ := utf8.DecodeRuneInString(line[size:])
	return !unicode.IsUpper(first) || !unicode.IsLower(second)
}

// mostOfBanner is how many words may stand above a licence, as the name of a project in
// large letters.
const mostOfBanner = 4

func words(lines []string) (n int) {
	for _, line := range lines {
		n += len(strings.FieldsFunc(line, func(r rune) bool { return !wordy(r) }))
	}
	return n
}

func wordy(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// keyword is what version control writes above a licence: $Id$, $OpenBSD: x.c,v … $.
var keyword = lazy.Regexp(`\$[A-Z]\w*(:[^$]*)?\$`)

var (
	// grants are what only a licence says, and a line that names its holder.
	grants = []string{"copyright", "(c) ", "©", "spdx-license-identifier", "licensed under", "under the terms of", "permission is hereby granted", "public domain", "all rights reserved"}
	// terms are what its paragraphs speak of.
	terms = append([]string{"licen", "warrant", "redistribut", "liab", "this file is part of"}, grants...)
)

func holds(line string, any []string) bool {
	return slices.ContainsFunc(any, func(s string) bool { return strings.Contains(line, s) })
}
