package llmtest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// An event is one of a stream, or with an empty name a document or a bare one.
type event struct {
	name string
	data []byte
}

// play sends the answer of a step.
func play(w http.ResponseWriter, r *http.Request, st *Step, q *asked, p protocol) {
	if !wait(r.Context(), st.DelayMS) {
		return
	}
	status, kind, parts := st.parts(q, p)
	if st.Type != "" {
		kind = st.Type
	}
	w.Header().Set("Content-Type", kind)
	for k, v := range st.Header {
		w.Header().Set(k, v)
	}
	w.WriteHeader(status)
	sent := 0
	for i, part := range parts {
		if i > 0 && !wait(r.Context(), st.PauseMS) {
			return
		}
		for len(part) > 0 {
			n := len(part)
			if st.Chunk > 0 {
				n = min(n, st.Chunk)
			}
			if st.Cut > 0 || st.Hang {
				n = min(n, st.Cut-sent)
			}
			if n > 0 {
				if _, err := w.Write(part[:n]); err != nil {
					return
				}
				if http.NewResponseController(w).Flush() != nil {
					return
				}
			}
			sent += max(n, 0)
			part = part[max(n, 0):]
			if st.Hang && sent >= st.Cut {
				<-r.Context().Done()
				return
			}
			if st.Cut > 0 && sent >= st.Cut {
				panic(http.ErrAbortHandler) // breaks the connection
			}
		}
	}
}

// parts are the bytes of an answer, one write each.
func (s *Step) parts(q *asked, p protocol) (status int, kind string, list [][]byte) {
	switch {
	case s.Status != 0:
		f := &fault{status: s.Status, kind: s.Kind, message: s.Message}
		f.kind = cmp.Or(f.kind, kindOf(s.Status))
		f.message = cmp.Or(f.message, http.StatusText(s.Status))
		return s.Status, "application/json", [][]byte{p.refuse(f)}
	case s.Body != "":
		return http.StatusOK, "text/event-stream", [][]byte{[]byte(s.Body)}
	}
	events := p.answer(s, q, q.stream)
	if !q.stream {
		return http.StatusOK, "application/json", [][]byte{events[0].data}
	}
	if s.BOM {
		list = append(list, []byte("\xEF\xBB\xBF"))
	}
	for _, e := range events {
		if s.Comments {
			list = append(list, s.line(": a comment\n\nevent: novelty\ndata: {\"type\":\"novelty\"}\n\n"))
		}
		text := "data: " + string(e.data) + "\n\n"
		if e.name != "" {
			text = "event: " + e.name + "\n" + text
		}
		list = append(list, s.line(text))
	}
	return http.StatusOK, "text/event-stream; charset=utf-8", list
}

func (s *Step) line(text string) []byte {
	if s.CRLF {
		return bytes.ReplaceAll([]byte(text), []byte("\n"), []byte("\r\n"))
	}
	return []byte(text)
}

// wait reports whether the request is still there after a time.
func wait(ctx context.Context, ms int) bool {
	if ms <= 0 {
		return true
	}
	select {
	case <-ctx.Done():
		return false
	case <-time.After(time.Duration(ms) * time.Millisecond):
		return true
	}
}

// kindOf is what Anthropic calls an error of a status; OpenAI's words differ, but
// only the status counts.
func kindOf(status int) string {
	switch status {
	case 401:
		return "authentication_error"
	case 403:
		return "permission_error"
	case 404:
		return "not_found_error"
	case 413:
		return "request_too_large"
	case 429:
		return "rate_limit_error"
	case 529:
		return "overloaded_error"
	}
	if status >= 500 {
		return "api_error"
	}
	return "invalid_request_error"
}

// doc encodes what the answers are made of.
func doc(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // strings and numbers
	}
	return b
}

type object = map[string]any
