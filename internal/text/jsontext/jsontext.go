// Package jsontext finds where strings of JSON end, for readers that walk the bytes
// of records instead of decoding them.
package jsontext

import "bytes"

// StringEnd returns the index after the string whose opening quote is b[i], or -1
// if it does not end.
func StringEnd(b []byte, i int) int {
	i++
	for {
		q := bytes.IndexByte(b[i:], '"')
		if q < 0 {
			return -1
		}
		end := i + q
		slashes := 0
		for end-slashes-1 >= i && b[end-slashes-1] == '\\' {
			slashes++
		}
		i = end + 1
		if slashes%2 == 0 {
			return i
		}
		// The quote is escaped. The bytes before it are done with: the next
		// count of backslashes stops at i.
	}
}
