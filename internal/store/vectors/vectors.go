// Package vectors keeps the embeddings of texts, and compares texts by them.
//
// A SQLite database keeps a vector of small integers for each text, model and length,
// found by the hash of the text. So a text is sent once, whichever repository it is in,
// and vectors of different models are never compared. A [Finder] asks a model for
// missing vectors and says how similar texts are.
package vectors

import (
	"crypto/sha256"
	"math"
)

// A textKey is the first half of the SHA-256 of a text.
type textKey [16]byte

// keyOf returns the key of a text.
func keyOf(text string) textKey {
	sum := sha256.Sum256([]byte(text))
	return textKey(sum[:16])
}

// A vector is one of length 1, divided by a factor and rounded to int8. It takes a quarter
// of the memory of float32, and cosines differ by less than 0.01.
type vector struct {
	factor  float32
	numbers []byte
}

func quantise(v []float32) vector {
	const most = math.MaxInt8
	var peak float32
	for _, x := range v {
		peak = max(peak, x, -x)
	}
	q := vector{peak / most, make([]byte, len(v))}
	if peak == 0 {
		return q
	}
	for i, x := range v {
		q.numbers[i] = byte(int8(math.RoundToEven(float64(x / q.factor))))
	}
	return q
}

// cosine returns the cosine of two vectors of the same number of dimensions.
func (q vector) cosine(v []float32) float64 {
	numbers := q.numbers[:len(v)]
	var a, b, c, d float32 // four sums run in parallel
	i := 0
	for ; i+4 <= len(v); i += 4 {
		a += v[i] * float32(int8(numbers[i]))
		b += v[i+1] * float32(int8(numbers[i+1]))
		c += v[i+2] * float32(int8(numbers[i+2]))
		d += v[i+3] * float32(int8(numbers[i+3]))
	}
	for ; i < len(v); i++ {
		a += v[i] * float32(int8(numbers[i]))
	}
	return min(max(float64((a+b+c+d)*q.factor), -1), 1)
}
