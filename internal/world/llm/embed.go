package llm

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
)

// Bounds of embeddings.
const (
	// MaxBatch is how many texts one request holds. OpenAI's servers take 2,048,
	// smaller ones answer a few dozen in good time.
	MaxBatch = 256

	// maxDimensions is how many numbers a vector may have; the largest models in
	// use give 4,096.
	maxDimensions = 8192

	// maxNumber is the room of one number in an answer, comma and blanks included.
	maxNumber = 24

	// maxVectors is the room of what stands around the vectors.
	maxVectors = 1 << 20
)

// Embed returns one vector of length 1 for each text, in their order, all with
// as many numbers. It sends them in requests of at most batch texts (0 means
// MaxBatch), one after the other, and gives each answer to got as it comes, so
// that an error later loses nothing. Texts must not be empty. The endpoint's
// Timeout holds for each request. Errors are those of [Client.Ask].
func (c *Client) Embed(ctx context.Context, texts []string, batch int, got func(from int, vectors [][]float32) error) error {
	if c.endpoint.Kind != Embeddings {
		return fmt.Errorf("an endpoint of kind %s cannot make embeddings", c.endpoint.Kind)
	}
	if batch <= 0 || batch > MaxBatch {
		batch = MaxBatch
	}
	dimensions := 0
	for from := 0; from < len(texts); from += batch {
		part := texts[from:min(from+batch, len(texts))]
		vectors, err := c.embed(ctx, part)
		if err != nil {
			return err
		}
		dimensions = cmp.Or(dimensions, len(vectors[0]))
		if len(vectors[0]) != dimensions {
			return malformed("a vector of %d numbers after others of %d", len(vectors[0]), dimensions)
		}
		if err := got(from, vectors); err != nil {
			return err
		}
	}
	return nil
}

func (c *Client) embed(ctx context.Context, texts []string) (vectors [][]float32, err error) {
	body, err := json.Marshal(struct {
		Model string   `json:"model"`
		Input []string `json:"input"`
		Form  string   `json:"encoding_format"`
	}{c.endpoint.Model, texts, "float"})
	if err != nil {
		return nil, err
	}
	_, err = c.ask(ctx, &exchange{
		body: func() ([]byte, error) { return body, nil },
		read: func(res *http.Response, _ *Try) (err error) {
			most := maxVectors + int64(len(texts))*maxDimensions*maxNumber
			answer, err := io.ReadAll(io.LimitReader(res.Body, most+1))
			if err != nil {
				return brokenOff(err)
			}
			if int64(len(answer)) > most {
				return malformed("more than %d bytes", most)
			}
			if vectors, err = unitVectors(answer, len(texts)); err != nil {
				return malformed("%v", err)
			}
			return nil
		},
	})
	return vectors, err
}

// unitVectors reads n vectors and scales them to length 1. Their index in the
// answer counts, not their place.
func unitVectors(answer []byte, n int) ([][]float32, error) {
	var r struct {
		Data []struct {
			Index     *int      `json:"index"`
			Embedding []float64 `json:"embedding"`
		} `json:"data"`
	}
	if json.Unmarshal(answer, &r) != nil {
		return nil, errors.New("not embeddings in JSON")
	}
	if len(r.Data) != n {
		return nil, fmt.Errorf("%d embeddings for %d texts", len(r.Data), n)
	}
	vectors := make([][]float32, n)
	for place, d := range r.Data {
		at := place
		if d.Index != nil {
			at = *d.Index
		}
		if at < 0 || at >= n || vectors[at] != nil {
			return nil, fmt.Errorf("index %d twice or out of range", at)
		}
		if len(d.Embedding) == 0 || len(d.Embedding) > maxDimensions {
			return nil, fmt.Errorf("a vector of %d numbers: want 1 to %d", len(d.Embedding), maxDimensions)
		}
		if len(d.Embedding) != len(r.Data[0].Embedding) {
			return nil, fmt.Errorf("vectors of %d and %d numbers", len(r.Data[0].Embedding), len(d.Embedding))
		}
		v, err := unit(d.Embedding)
		if err != nil {
			return nil, err
		}
		vectors[at] = v
	}
	return vectors, nil
}

// unit scales a vector to length 1.
func unit(v []float64) ([]float32, error) {
	most := 0.0 // scaled by it first, since squares overflow
	for _, x := range v {
		most = max(most, math.Abs(x))
	}
	if most == 0 || math.IsNaN(most) || math.IsInf(most, 0) {
		return nil, errors.New("a vector without a direction")
	}
	sum := 0.0
	for _, x := range v {
		sum += x / most * (x / most)
	}
	length := most * math.Sqrt(sum)
	out := make([]float32, len(v))
	for i, x := range v {
		out[i] = float32(x / length)
	}
	return out, nil
}
