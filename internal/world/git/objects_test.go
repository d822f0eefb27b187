package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
)

// store writes blobs and returns their ids.
func (s *sandbox) store(dir string, format Format, texts []string) []string {
	s.t.Helper()
	var in strings.Builder
	ids := make([]string, len(texts))
	for i, text := range texts {
		ids[i] = BlobID(format, []byte(text))
		fmt.Fprintf(&in, "blob\ndata %d\n%s\n", len(text), text)
	}
	s.gitIn(dir, in.String(), "fast-import", "--quiet", "--force")
	return ids
}

func TestReadAll(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	t.Parallel()
	s := newSandbox(t)
	s.init("r")
	var texts []string
	for i := range 3000 {
		// Some of the answers are larger than a pipe, and all the questions are.
		texts = append(texts, fmt.Sprintf("%d\n", i)+strings.Repeat("x", i%7*i))
	}
	texts = append(texts, "", "\n", "\x00\n\x00", strings.Repeat("y", 300<<10))
	ids := s.store("r", SHA1, texts)
	large := s.store("r", SHA1, []string{strings.Repeat("z", 3<<20), strings.Repeat("w", 5<<20)})
	ask := append(append([]string{large[0]}, ids...), large[1], "nonsense", strings.Repeat("0", 40), "HEAD", ids[0])

	o := s.open("r").Objects(t.Context())
	defer o.Close()
	o.Limit = 1 << 20
	next := 0
	check := func(i int, data []byte, err error) {
		if i != next {
			t.Fatalf("ReadAll called for %d, want %d", i, next)
		}
		next++
		var tooLarge *TooLargeError
		switch n := i - 1; {
		case n == -1, n == len(ids):
			if !errors.As(err, &tooLarge) || tooLarge.Size < 3<<20 || tooLarge.Limit != 1<<20 {
				t.Errorf("object %d: %v, want a TooLargeError", i, err)
			}
		case n < len(ids):
			if string(data) != texts[n] || err != nil {
				t.Errorf("object %d: %d bytes, %v, want %d bytes", i, len(data), err, len(texts[n]))
			}
		case ask[i] == ids[0]:
			if string(data) != texts[0] || err != nil {
				t.Errorf("object %d: %d bytes, %v", i, len(data), err)
			}
		default:
			if err == nil {
				t.Errorf("object %q: %q, want an error", ask[i], data)
			}
			if missing := ask[i][0] == '0'; errors.Is(err, ErrMissing) != missing {
				t.Errorf("object %q: %v", ask[i], err)
			}
		}
	}
	if err := o.ReadAll(ask, check); err != nil || next != len(ask) {
		t.Errorf("ReadAll: %v after %d of %d objects", err, next, len(ask))
	}
	next = 0
	err := o.Sizes(ids, func(i int, size int64, err error) {
		if i != next || size != int64(len(texts[i])) || err != nil {
			t.Errorf("Sizes: %d: %d, %v, want %d: %d", i, size, err, next, len(texts[i]))
		}
		next++
	})
	if err != nil || next != len(ids) {
		t.Errorf("Sizes: %v after %d", err, next)
	}
	if err := o.ReadAll(nil, check); err != nil {
		t.Errorf("ReadAll of nothing: %v", err)
	}
	if size, err := o.Size(large[1]); size != 5<<20 || err != nil {
		t.Errorf("Size = %d, %v", size, err)
	}
	if data, err := o.Read(large[1], 6<<20); len(data) != 5<<20 || err != nil {
		t.Errorf("Read of a large object: %d bytes, %v", len(data), err)
	}
}

func TestObjectsConcurrently(t *testing.T) {
	s := newSandbox(t)
	s.init("r")
	var texts []string
	for i := range 200 {
		texts = append(texts, strings.Repeat(fmt.Sprintln(i), i*20))
	}
	ids := s.store("r", SHA1, texts)
	o := s.open("r").Objects(t.Context())
	defer o.Close()
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			if g%2 == 0 {
				o.ReadAll(ids, func(i int, data []byte, err error) {
					if string(data) != texts[i] || err != nil {
						t.Errorf("ReadAll: object %d: %d bytes, %v", i, len(data), err)
					}
				})
				return
			}
			for i := range ids {
				data, err := o.Read(ids[i], 1<<20)
				if string(data) != texts[i] || err != nil {
					t.Errorf("Read: object %d: %d bytes, %v", i, len(data), err)
				}
				if i%10 == g {
					o.Read(ids[i], 0) // too large
					o.Read(strings.Repeat("0", 40), 10)
				}
			}
		})
	}
	wg.Wait()
}

func TestObjectsEnd(t *testing.T) {
	s := newSandbox(t)
	s.init("r")
	var texts []string
	for i := range 2000 {
		texts = append(texts, strings.Repeat(fmt.Sprintln(i), 500))
	}
	ids := s.store("r", SHA1, texts)
	r := s.open("r")

	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	o := r.Objects(ctx)
	calls := 0
	err := o.ReadAll(ids, func(i int, data []byte, err error) {
		if calls++; calls == 10 {
			cancel(why)
		}
		if err != nil {
			t.Errorf("object %d: %v", i, err)
		}
	})
	if !errors.Is(err, why) || calls == len(ids) {
		t.Errorf("ReadAll after the context ended: %v after %d calls, want its cause", err, calls)
	}
	if _, err := o.Read(ids[0], 10); !errors.Is(err, why) {
		t.Errorf("Read after the context ended: %v, want its cause", err)
	}
	o.Close()

	o = r.Objects(t.Context())
	if data, err := o.Read(ids[0], 1<<20); !bytes.Equal(data, []byte(texts[0])) || err != nil {
		t.Errorf("Read: %d bytes, %v", len(data), err)
	}
	o.Close()
	o.Close()
	if _, err := o.Read(ids[0], 10); !errors.Is(err, errClosed) {
		t.Errorf("Read after Close: %v, want errClosed", err)
	}
}

// A child that something else has killed is replaced, and no object is blamed.
func TestObjectsSurviveAKilledChild(t *testing.T) {
	s := newSandbox(t)
	s.init("r")
	ids := s.store("r", SHA1, []string{"a", "b", "c"})
	r := s.open("r")
	o := r.Objects(t.Context())
	defer o.Close()
	kill := func() {
		t.Helper()
		if len(r.batches.idle) == 0 {
			t.Fatal("no child")
		}
		for _, b := range r.batches.idle {
			b.kill()
			b.reap()
		}
	}
	for range 2 {
		if data, err := o.Read(ids[0], 10); string(data) != "a" || err != nil {
			t.Fatalf("Read = %q, %v", data, err)
		}
		kill()
	}
	n := 0
	err := o.ReadAll(ids, func(i int, data []byte, err error) {
		if string(data) != string("abc"[i]) || err != nil {
			t.Errorf("ReadAll: object %d: %q, %v", i, data, err)
		}
		n++
	})
	if n != len(ids) || err != nil {
		t.Errorf("ReadAll: %d objects, %v", n, err)
	}
}

// Readers of one repository share its children, which outlive the context of each.
func TestObjectsShareChildren(t *testing.T) {
	s := newSandbox(t)
	s.init("r")
	ids := s.store("r", SHA1, []string{"a", "b"})
	r := s.open("r")
	ctx, cancel := context.WithCancel(t.Context())
	first := r.Objects(ctx)
	if _, err := first.Read(ids[0], 10); err != nil {
		t.Fatal(err)
	}
	first.Close()
	cancel()
	child := r.batches.idle[0]

	second := r.Objects(t.Context())
	if data, err := second.Read(ids[1], 10); string(data) != "b" || err != nil {
		t.Errorf("Read = %q, %v", data, err)
	}
	if lines, err := second.lookUp(ids[0], "nothing"); err != nil || lines[0] != ids[0]+" blob 1" || lines[1] != "nothing missing" {
		t.Errorf("lookUp = %q, %v", lines, err)
	}
	if len(r.batches.idle) != 1 || r.batches.idle[0] != child {
		t.Errorf("%d children, want the first one", len(r.batches.idle))
	}

	child.kill()
	child.reap()
	if lines, err := second.lookUp(ids[0]); err != nil || lines[0] != ids[0]+" blob 1" {
		t.Errorf("lookUp after the child was killed = %q, %v", lines, err)
	}
	child = r.batches.idle[0]
	r.Close()
	if !child.reaped || len(r.batches.idle) != 0 {
		t.Error("Close left a child")
	}
}
