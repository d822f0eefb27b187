package hook

import (
	"bytes"
	"encoding/json"
	"io"
	"math"

	"github.com/satchel-dev/satchel/internal/world/fsx"
)

// A Status is what Claude Code says about a session to its status line.
type Status struct {
	Used        int   // tokens of the context, as the provider counted them; 0 before the first answer
	Window      int   // tokens; 0 if unknown
	Sizes       []int // of the context after the last answers, oldest first; none if the transcript cannot be read
	Compactions int   // in the part of the transcript that was read

	Model string // its id
	Last  Usage  // of the last request
}

// A Usage is what a provider counted of one request, in tokens.
type Usage struct {
	Input, Output, CacheRead, CacheWrite int // Input is what was neither read from the cache nor written to it
}

// ReadStatus reads the input of a status line, and the end of the transcript that
// it names. What cannot be read is left out.
func ReadStatus(in []byte) (s Status) {
	var v struct {
		Transcript loose `json:"transcript_path"`
		Model      struct {
			ID loose `json:"id"`
		} `json:"model"`
		Window struct {
			Input   float64  `json:"total_input_tokens"`
			Size    float64  `json:"context_window_size"`
			Percent *float64 `json:"used_percentage"`
			Current *usage   `json:"current_usage"`
		} `json:"context_window"`
	}
	if json.Unmarshal(in, &v) != nil {
		return s
	}
	w := &v.Window
	s.Window, s.Model = tokensOf(w.Size), string(v.Model.ID)
	if u := w.Current; u != nil {
		s.Last = Usage{tokensOf(u.Input), tokensOf(u.Output), tokensOf(u.Read), tokensOf(u.Write)}
	}
	switch {
	case w.Current != nil && w.Current.context() > 0:
		s.Used = w.Current.context()
	case w.Percent != nil && *w.Percent > 0:
		s.Used = tokensOf(*w.Percent / 100 * w.Size)
	default:
		s.Used = tokensOf(w.Input)
	}
	s.Sizes, s.Compactions = recentSizes(string(v.Transcript))
	return s
}

// usage is what a provider counted of a request.
type usage struct {
	Input  float64 `json:"input_tokens"`
	Output float64 `json:"output_tokens"`
	Write  float64 `json:"cache_creation_input_tokens"`
	Read   float64 `json:"cache_read_input_tokens"`
}

// context is the size of what was sent: what Claude Code takes its percentage of.
func (u *usage) context() int { return tokensOf(u.Input + u.Write + u.Read) }

// tokensOf is a number from outside as tokens: nonsense is 0.
func tokensOf(v float64) int {
	if !(v > 0) || v > 1e12 {
		return 0
	}
	return int(math.Round(v))
}

// tailBytes is how much of the end of a transcript is read: some dozens of turns,
// in a millisecond.
const tailBytes = 512 << 10

// tail returns the last lines of a file; nil if it cannot be read or is not a regular
// file.
func tail(name string) []byte {
	if name == "" {
		return nil
	}
	f, err := fsx.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() {
		return nil
	}
	from := max(0, st.Size()-tailBytes)
	b, err := io.ReadAll(io.NewSectionReader(f, from, tailBytes))
	if err != nil {
		return nil
	}
	if from > 0 {
		_, b, _ = bytes.Cut(b, []byte("\n"))
	}
	return b
}

// recentSizes returns the sizes of the context after the last answers that a
// transcript of Claude Code records.
func recentSizes(name string) (sizes []int, compactions int) {
	b := tail(name)
	last := ""
	for line := range bytes.Lines(b) {
		if !bytes.Contains(line, []byte(`"usage"`)) && !bytes.Contains(line, []byte(`"compact_boundary"`)) {
			continue
		}
		var r struct {
			Type, Subtype loose
			Side          bool `json:"isSidechain"`
			Message       struct {
				ID    loose
				Usage *usage
			}
		}
		if json.Unmarshal(line, &r) != nil || r.Side {
			continue
		}
		switch {
		case r.Type == "system" && r.Subtype == "compact_boundary":
			compactions++
		case r.Type == "assistant" && r.Message.Usage != nil && r.Message.Usage.context() > 0:
			// One answer is a line for each of its blocks.
			n := r.Message.Usage.context()
			if last != "" && last == string(r.Message.ID) {
				sizes[len(sizes)-1] = n
				continue
			}
			last = string(r.Message.ID)
			sizes = append(sizes, n)
		}
	}
	return sizes, compactions
}
