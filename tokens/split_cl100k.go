package tokens

// nextCl100k returns where the piece ends that begins at i:
//
//	(?i:'s|'t|'re|'ve|'m|'ll|'d)
//	[^\r\n\p{L}\p{N}]?\p{L}+
//	\p{N}{1,3}
//	 ?[^\s\p{L}\p{N}]+[\r\n]*
//	\s*[\r\n]+
//	\s+(?!\S)
//	\s+
func nextCl100k(text []byte, i int) int {
	if text[i] == '\'' {
		if k := contraction(text, i); k > i {
			return k
		}
	}
	c, n := classAt(text, i)
	j := i + n
	switch c {
	case upper, lower, caseless:
		return endLetters(text, j)
	case number:
		return endNumber(text, j)
	case newline:
		return endSpace(text, i)
	}
	if k := endLetters(text, j); k > j {
		return k
	}
	if c == space {
		if text[i] != ' ' || j == len(text) {
			return endSpace(text, i)
		}
		if c, _ := classAt(text, j); c != other && c != mark {
			return endSpace(text, i)
		}
	}
	k := endOther(text, j)
	for k < len(text) && (text[k] == '\r' || text[k] == '\n') {
		k++
	}
	return k
}
