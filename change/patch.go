package change

import "strconv"

// AppendPatch appends the text of the file's patch: its Header, then each hunk
// with its heading. For a patch that git wrote this is git's text, byte for byte.
// If f.Elided is not 0, the hunks are not there to be written, and git apply
// would refuse what is.
func (f *File) AppendPatch(b []byte) []byte {
	b = append(b, f.Header...)
	for i := range f.Hunks {
		b = f.Hunks[i].appendHeading(b)
		b = append(b, '\n')
		b = append(b, f.Hunks[i].Body...)
	}
	return b
}

// appendHeading appends the line before a hunk's Body, without its end, such as
// "@@ -1,2 +1,3 @@ func main()". As git does, it leaves out a count of one.
func (h *Hunk) appendHeading(b []byte) []byte {
	b = appendRange(append(b, "@@ -"...), h.OldFrom, h.OldLines)
	b = appendRange(append(b, " +"...), h.NewFrom, h.NewLines)
	b = append(b, " @@"...)
	if h.Section != "" {
		b = append(append(b, ' '), h.Section...)
	}
	return b
}

func appendRange(b []byte, from, lines int) []byte {
	b = strconv.AppendInt(b, int64(from), 10)
	if lines != 1 {
		b = strconv.AppendInt(append(b, ','), int64(lines), 10)
	}
	return b
}
