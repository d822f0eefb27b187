package recordings

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime"
	"sync"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/world/sessions"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/tokens"
	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim/reuse"
)

// A List is what agents recorded; it is the JSON form of satchel session list.
type List struct {
	Version     int                  `json:"version"`
	Sessions    []Listed             `json:"sessions"`
	Diagnostics []satchel.Diagnostic `json:"diagnostics"`
}

// A Listed session has its size, as far as that can be told quickly.
type Listed struct {
	sessions.Session
	Model   string       `json:"model,omitempty"`
	Used    tokens.Count `json:"used"`    // 0 tokens if the file was not counted
	Source  string       `json:"source"`  // of Used: provider or estimated
	Window  int          `json:"window"`  // 0 if it is not known
	Percent int          `json:"percent"` // of the window; 0 if it is not known
	Error   string       `json:"error,omitempty"`
}

// ListOf lists sessions and measures them, a few at a time. Models are the user's;
// window says how large that of a model is that took largest tokens once, 0 if that
// is not known; step is told how far the work is.
func ListOf(ctx context.Context, sought sessions.Query, models []tokens.Model, window func(m tokens.Model, largest int) (int, error), step func(stage string, done, total int)) (*List, error) {
	out := &List{Version: 2, Sessions: []Listed{}, Diagnostics: []satchel.Diagnostic{}}
	found, diags := sessions.List(sought)
	out.Diagnostics = append(out.Diagnostics, diags...)
	for _, s := range found {
		s.ID, s.Title, s.Dir = redact(s.ID), redact(s.Title), redact(s.Dir)
		out.Sessions = append(out.Sessions, Listed{Session: s})
	}

	q := &quick{models, window}
	next := make(chan *Listed)
	var at sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), mostMeasured) {
		at.Go(func() {
			for l := range next {
				q.measure(ctx, l)
			}
		})
	}
	for i := range out.Sessions {
		step("counting", i, len(out.Sessions))
		next <- &out.Sessions[i]
	}
	close(next)
	at.Wait()
	return out, ctx.Err()
}

// quick measures sessions without tokenising them.
type quick struct {
	models []tokens.Model
	window func(m tokens.Model, largest int) (int, error)
}

// mostListed is the largest file that a list counts as a whole; stats counts any.
const mostListed = 64 << 20

// mostMeasured is how many sessions are read at once, each with a buffer of its
// own.
const mostMeasured = 4

// measure finds the last usage of a session, and estimates what came after
// without tokenising it. The end of a file of lines tells as much as the whole, if
// it reaches back to an answer that reports its usage.
func (q *quick) measure(ctx context.Context, l *Listed) {
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
		if s, m, z, err := q.scan(ctx, r, size); err == nil && z.Anchor >= 0 && s.Model != "" {
			q.told(l, s, m, z)
			return
		}
	}
	if l.Bytes > mostListed {
		l.Error = "too large to be counted here; satchel session stats counts it"
		return
	}
	s, m, z, err := q.scan(ctx, f, f.Size)
	if err != nil {
		l.Error = errText(err)
		return
	}
	q.told(l, s, m, z)
}

// ends are how many bytes at the end of a file are tried, of the formats that
// append lines, each with all that its reader has to know.
var ends = map[transcript.Format][]int64{
	transcript.ClaudeCode: {64 << 10, 512 << 10},
	transcript.Codex:      {64 << 10, 512 << 10},
	transcript.Pi:         {64 << 10, 512 << 10},
}

// scan measures a session without tokenising it.
func (q *quick) scan(ctx context.Context, r io.ReaderAt, size int64) (s *transcript.Session, m tokens.Model, z *transcript.Sizes, err error) {
	meter := transcript.Meter{Count: func(text string) int { return int(reuse.Size(text)) }}
	s, err = transcript.Scan(r, size, func(m *transcript.Message) error {
		if m.Sent {
			meter.Add(m)
		} else {
			meter.Before(m)
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, m, nil, err
	}
	m = transcript.ModelOf(s, q.models...)
	return s, m, meter.Sizes(m, s.System), nil
}

// told says what a session takes in tokens of its model, and of which window.
func (q *quick) told(l *Listed, s *transcript.Session, m tokens.Model, z *transcript.Sizes) {
	window, err := q.window(m, s.Largest)
	if err != nil {
		l.Error = err.Error()
		return
	}
	l.Model, l.Used, l.Source = redact(s.Model), z.Context, render.CountSource(z.Context)
	if l.Window = window; window > 0 {
		l.Percent = (200*l.Used.Tokens + window) / (2 * window)
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
func errText(err error) string {
	if errors.Is(err, transcript.ErrFormat) {
		return transcript.ErrFormat.Error()
	}
	return err.Error()
}
