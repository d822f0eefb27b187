package cli

import (
	"bytes"
	"context"
	"io"
	"runtime"
	"sync"

	"github.com/satchel-dev/satchel/internal/world/sessions"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/tokens"
	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim/reuse"
)

// mostListed is the largest file that a list counts as a whole; stats counts any.
const mostListed = 64 << 20

// quickSizes measures sessions, a few at a time.
func (a *app) quickSizes(ctx context.Context, list []listedSession) {
	var window windowFlags
	_, err := window.readPlan(a) // once for all
	next := make(chan int)
	var at sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), mostMeasured) {
		at.Go(func() {
			for i := range next {
				if err != nil {
					list[i].Error = err.Error()
					continue
				}
				a.quickSize(ctx, &list[i], &window)
			}
		})
	}
	for i := range list {
		a.bar.step("counting", i, len(list))
		next <- i
	}
	close(next)
	at.Wait()
}

// mostMeasured is how many sessions are read at once, each with a buffer of its
// own.
const mostMeasured = 4

// quickSize finds the last usage of a session, and estimates what came after
// without tokenising it. The end of a file of lines tells as much as the whole, if
// it reaches back to an answer that reports its usage.
func (a *app) quickSize(ctx context.Context, l *listedSession, w *windowFlags) {
	f, err := sessions.Open(l.Path)
	if err != nil {
		l.Error = err.Error()
		return
	}
	defer f.Close()
	for _, end := range ends[l.Format] {
		r, size, ok := endOf(f, f.Size, end)
		if !ok {
			break
		}
		if s, m, z, err := a.quickly(ctx, r, size); err == nil && z.Anchor >= 0 && s.Model != "" {
			a.sized(l, s, m, z, w)
			return
		}
	}
	if l.Bytes > mostListed {
		l.Error = "too large to be counted here; satchel session stats counts it"
		return
	}
	s, m, z, err := a.quickly(ctx, f, f.Size)
	if err != nil {
		l.Error = errText(err)
		return
	}
	a.sized(l, s, m, z, w)
}

// ends are how many bytes at the end of a file are tried, of the formats that
// append lines, each with all that its reader has to know.
var ends = map[transcript.Format][]int64{
	transcript.ClaudeCode: {64 << 10, 512 << 10},
	transcript.Codex:      {64 << 10, 512 << 10},
	transcript.Pi:         {64 << 10, 512 << 10},
}

// quickly measures a session without tokenising it.
func (a *app) quickly(ctx context.Context, r io.ReaderAt, size int64) (s *transcript.Session, m tokens.Model, z *transcript.Sizes, err error) {
	meter := transcript.Meter{Count: func(text string) int { return int(reuse.Size(text)) }}
	s, err = transcript.Scan(r, size, func(m *transcript.Message) error {
		if m.Sent {
			meter.Add(m)
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, m, nil, err
	}
	m = transcript.ModelOf(s, a.settings.Models...)
	return s, m, meter.Sizes(m, s.System), nil
}

// sized says what a session takes in tokens of its model, and of which window.
func (a *app) sized(l *listedSession, s *transcript.Session, m tokens.Model, z *transcript.Sizes, f *windowFlags) {
	l.Model, l.Used, l.Source = s.Model, z.Context, render.CountSource(z.Context)
	if w, err := f.find(a, m, s.Largest); err == nil {
		l.Window = w.Tokens
		l.Percent = (200*l.Used.Tokens + w.Tokens) / (2 * w.Tokens)
	}
}

// endOf returns the first line of a file and its last n bytes, from a line's
// beginning on, as one; not ok if that is no less than the file.
func endOf(r io.ReaderAt, size, n int64) (io.ReaderAt, int64, bool) {
	const longestLine = 64 << 10
	if size < 2*(n+longestLine) {
		return nil, 0, false
	}
	head := make([]byte, longestLine)
	if _, err := r.ReadAt(head, 0); err != nil {
		return nil, 0, false
	}
	end := make([]byte, n)
	if _, err := r.ReadAt(end, size-n); err != nil {
		return nil, 0, false
	}
	first, from := bytes.IndexByte(head, '\n'), bytes.IndexByte(end, '\n')
	if first < 0 || from < 0 {
		return nil, 0, false
	}
	both := append(head[:first+1:first+1], end[from+1:]...)
	return bytes.NewReader(both), int64(len(both)), true
}
