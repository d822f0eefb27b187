package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// embedder serves OpenAI's embeddings as the documents say: the vector of a text
// tells its length and whether it holds the word cat.
func embedder(t *testing.T, faults ...http.HandlerFunc) (*httptest.Server, *atomic.Int32) {
	t.Helper()
	asked := new(atomic.Int32)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := int(asked.Add(1)) - 1
		var q struct {
			Model string   `json:"model"`
			Input []string `json:"input"`
			Form  string   `json:"encoding_format"`
		}
		err := json.NewDecoder(r.Body).Decode(&q)
		switch {
		case r.URL.Path != "/v1/embeddings" || r.Method != http.MethodPost:
			http.NotFound(w, r)
		case r.Header.Get("Authorization") != "Bearer "+key:
			refuse(w, http.StatusUnauthorized, "no such key")
		case err != nil || q.Model != "e-1" || q.Form != "float" || len(q.Input) == 0:
			refuse(w, http.StatusBadRequest, "malformed")
		case n < len(faults) && faults[n] != nil:
			faults[n](w, r)
		default:
			var data []any
			for i := len(q.Input) - 1; i >= 0; i-- { // in any order
				data = append(data, map[string]any{"object": "embedding", "index": i, "embedding": vectorOf(q.Input[i])})
			}
			_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "data": data, "model": q.Model})
		}
	}))
	t.Cleanup(s.Close)
	return s, asked
}

func vectorOf(text string) []float64 {
	return []float64{float64(len(text)), float64(strings.Count(text, "cat")) * 3, 1}
}

func embedClient(t *testing.T, url string) *Client {
	t.Helper()
	c, err := New(Endpoint{URL: url, Model: "e-1", Kind: Embeddings, Key: key, Timeout: time.Minute}, &Options{
		Pause: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func embed(c *Client, texts []string, batch int) ([][]float32, error) {
	var all [][]float32
	err := c.Embed(context.Background(), texts, batch, func(from int, vectors [][]float32) error {
		if from != len(all) {
			return fmt.Errorf("batch from %d after %d vectors", from, len(all))
		}
		all = append(all, vectors...)
		return nil
	})
	return all, err
}

func TestEmbed(t *testing.T) {
	s, asked := embedder(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "0")
		refuse(w, http.StatusTooManyRequests, "slow down")
	}, func(w http.ResponseWriter, _ *http.Request) { refuse(w, http.StatusInternalServerError, "oops") })
	texts := []string{"a cat", "b", "two cat cat", "dddd", "e"}
	got, err := embed(embedClient(t, s.URL), texts, 2)
	if err != nil || len(got) != len(texts) {
		t.Fatalf("%d vectors, %v", len(got), err)
	}
	if n := asked.Load(); n != 3+2 {
		t.Errorf("asked %d times, want three batches and two new tries", n)
	}
	for i, v := range got {
		want := vectorOf(texts[i])
		var sum, dot, length float64
		for k, x := range v {
			sum += float64(x) * float64(x)
			dot += float64(x) * want[k]
			length += want[k] * want[k]
		}
		if math.Abs(sum-1) > 1e-5 || dot < math.Sqrt(length)*0.99999 {
			t.Errorf("%q: length² %v, %v", texts[i], sum, v)
		}
	}
}

func TestEmbedKeepsWhatCameBeforeAnError(t *testing.T) {
	s, _ := embedder(t, nil, func(w http.ResponseWriter, _ *http.Request) { refuse(w, http.StatusBadRequest, "too long") })
	got, err := embed(embedClient(t, s.URL), []string{"a", "b", "c"}, 2)
	var status *Error
	if len(got) != 2 || !errors.As(err, &status) || status.Text != "too long" {
		t.Errorf("%d vectors, %v", len(got), err)
	}
}

func TestEmbedMalformed(t *testing.T) {
	say := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, text) }
	}
	for _, tt := range []struct{ answer, want string }{
		{"", "not embeddings in JSON"},
		{"<html>", "not embeddings in JSON"},
		{`{"data":[]}`, "0 embeddings for 2 texts"},
		{`{"data":[{"index":0,"embedding":[1]}]}`, "1 embeddings for 2 texts"},
		{`{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}`, "index 0 twice"},
		{`{"data":[{"index":0,"embedding":[1]},{"index":7,"embedding":[1]}]}`, "index 7 twice or out of range"},
		{`{"data":[{"index":-1,"embedding":[1]},{"index":1,"embedding":[1]}]}`, "index -1"},
		{`{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1,2]}]}`, "vectors of 1 and 2 numbers"},
		{`{"data":[{"index":0,"embedding":[]},{"index":1,"embedding":[]}]}`, "a vector of 0 numbers"},
		{`{"data":[{"index":0,"embedding":[0,0]},{"index":1,"embedding":[1,2]}]}`, "without a direction"},
		{`{"data":[{"index":0,"embedding":[1e999]},{"index":1,"embedding":[1]}]}`, "not embeddings in JSON"},
		{`{"data":[{"embedding":"AAAA"},{"embedding":"AAAA"}]}`, "not embeddings in JSON"},
		{`{"data":[{"embedding":[` + strings.Repeat("1,", maxDimensions) + `1]},{"embedding":[1]}]}`, "want 1 to"},
	} {
		s, asked := embedder(t, say(tt.answer), say(tt.answer))
		_, err := embed(embedClient(t, s.URL), []string{"a", "b"}, 0)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.60s: %v, want %q", tt.answer, err, tt.want)
		}
		if asked.Load() != 1 {
			t.Errorf("%.60s: asked %d times; a malformed answer is not asked for again", tt.answer, asked.Load())
		}
	}
}

func TestEmbedSizesMustAgree(t *testing.T) {
	s, _ := embedder(t, nil, func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"data":[{"index":0,"embedding":[1,2,3,4]}]}`)
	})
	_, err := embed(embedClient(t, s.URL), []string{"a", "b"}, 1)
	if err == nil || !strings.Contains(err.Error(), "a vector of 4 numbers after others of 3") {
		t.Error(err)
	}
}

func TestEmbedHangs(t *testing.T) {
	release := make(chan bool)
	s, _ := embedder(t, func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	t.Cleanup(func() { close(release) })
	c := embedClient(t, s.URL)
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(20*time.Millisecond, cancel)
	err := c.Embed(ctx, []string{"a"}, 0, func(int, [][]float32) error { return nil })
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	c.endpoint.Timeout = 20 * time.Millisecond
	s2, _ := embedder(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	c.url = s2.URL + "/v1/embeddings"
	if err := c.Embed(context.Background(), []string{"a"}, 0, nil); err == nil || !strings.Contains(err.Error(), "no answer within") {
		t.Error(err)
	}
}

func TestEmbedNeedsItsKind(t *testing.T) {
	c, err := New(Endpoint{URL: "http://127.0.0.1:1", Model: "m", Kind: OpenAI}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Embed(context.Background(), []string{"a"}, 0, nil); err == nil {
		t.Error("no error")
	}
}

func FuzzUnitVectors(f *testing.F) {
	f.Add(`{"data":[{"index":0,"embedding":[1,-2e300,3]}]}`, 1)
	f.Add(`{"data":[{"index":1,"embedding":[1e-300]},{"embedding":[2]}]}`, 2)
	f.Fuzz(func(t *testing.T, answer string, n int) {
		if n < 1 || n > 100 {
			return
		}
		got, err := unitVectors([]byte(answer), n)
		if err != nil {
			return
		}
		for _, v := range got {
			sum := 0.0
			for _, x := range v {
				sum += float64(x) * float64(x)
			}
			if len(v) != len(got[0]) || math.Abs(sum-1) > 1e-3 {
				t.Fatalf("%v: length² %v", v, sum)
			}
		}
	})
}
