// Package vectors keeps what a model of embeddings said of texts, and compares
// texts by it.
//
// A store is a flat file for one model: a vector of small whole numbers for
// each text, found by the hash of the text. So a text is sent once, in whichever
// repository it stands, and a model's vectors never meet another's. A [Finder]
// asks for what a Store lacks and says how alike texts are.
//
// A file grows at its end only, by one process at a time; readers take no lock. A
// torn end and records with a wrong checksum count as absent: their texts are
// asked for again.
package vectors

import (
	"crypto/sha256"
	"math"
	"sync"
)

// A textKey is a text: the first half of its SHA-256.
type textKey [16]byte

// keyOf returns the key of a text.
func keyOf(text string) textKey {
	sum := sha256.Sum256([]byte(text))
	return textKey(sum[:16])
}

// A vector of length 1 is kept as whole numbers from -127 to 127 and the factor
// that makes its numbers of them: a quarter of the room of float32, and cosines
// that differ by less than 0.01.
const most = 127

func quantise(v []float32) (factor float32, q []int8) {
	var peak float32
	for _, x := range v {
		peak = max(peak, x, -x)
	}
	q = make([]int8, len(v))
	if peak == 0 {
		return 0, q
	}
	factor = peak / most
	for i, x := range v {
		q[i] = int8(math.RoundToEven(float64(x / factor)))
	}
	return factor, q
}

// similar returns the cosine of v, of length 1, with the vector of each key, and
// whether there is one. It looks at every vector, with two goroutines.
func (s *store) similar(v []float32, keys []textKey) ([]float64, []bool) {
	alike, known := make([]float64, len(keys)), make([]bool, len(keys))
	if len(v) != s.dimensions {
		return alike, known
	}
	half := (len(keys) + 1) / 2
	var wg sync.WaitGroup
	for _, part := range [][2]int{{0, half}, {half, len(keys)}} {
		wg.Go(func() {
			for i := part[0]; i < part[1]; i++ {
				at, ok := s.at[keys[i]]
				if ok {
					alike[i], known[i] = s.cosine(v, at), true
				}
			}
		})
	}
	wg.Wait()
	return alike, known
}

func (s *store) cosine(v []float32, at int32) float64 {
	q := s.numbers[int(at)*s.dimensions:][:len(v)]
	var a, b, c, d float32
	i := 0
	for ; i+4 <= len(v); i += 4 {
		a += v[i] * float32(q[i])
		b += v[i+1] * float32(q[i+1])
		c += v[i+2] * float32(q[i+2])
		d += v[i+3] * float32(q[i+3])
	}
	for ; i < len(v); i++ {
		a += v[i] * float32(q[i])
	}
	return min(max(float64((a+b+c+d)*s.factors[at]), -1), 1)
}
