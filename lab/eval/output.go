package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"sync"

	"github.com/satchel-dev/satchel/lab/train/tasks"
)

// A prediction is one line of the output.
type prediction struct {
	ID       string        `json:"id"`
	Files    []string      `json:"files"`
	Shown    []string      `json:"included_files"`
	Ranges   []tasks.Range `json:"included_ranges"`
	Outlined []string      `json:"outlined_files"`
	Named    []string      `json:"named_files"`
	Tokens   int           `json:"context_tokens"`
	Millis   float64       `json:"ms"`
}

// A failure is the line of a task that failed.
type failure struct {
	ID    string `json:"id"`
	Error string `json:"error"`
}

// An output is the file of predictions. Each line is written whole, at once, so
// that a run that is ended leaves all that it had.
type output struct {
	before map[string]bool // tasks whose predictions were there

	mu                 sync.Mutex
	file               *os.File
	err                error // of the first write that failed
	done, failed, kept int   // tasks
}

// openOutput makes the file. To resume it keeps the predictions that are there,
// but no failures and no line that was cut off.
func openOutput(name string, resume bool) (*output, error) {
	out := &output{before: map[string]bool{}}
	var kept []byte
	if resume {
		old, err := os.ReadFile(name)
		if err != nil && !os.IsNotExist(err) {
			return nil, err
		}
		if kept, err = out.keep(old); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if err := os.WriteFile(name+".new", kept, 0o644); err != nil {
			return nil, err
		}
		if err := os.Rename(name+".new", name); err != nil {
			return nil, err
		}
	}

	mode := os.O_WRONLY | os.O_CREATE | os.O_APPEND
	if !resume {
		mode |= os.O_TRUNC
	}
	var err error
	out.file, err = os.OpenFile(name, mode, 0o644)
	return out, err
}

// keep returns the lines of the predictions in what an earlier run wrote.
func (o *output) keep(old []byte) ([]byte, error) {
	var kept []byte
	for n, line := range bytes.SplitAfter(old, []byte("\n")) {
		if !bytes.HasSuffix(line, []byte("\n")) {
			break // cut off, or nothing behind the last line
		}
		var f failure
		if err := json.Unmarshal(line, &f); err != nil || f.ID == "" {
			return nil, fmt.Errorf("line %d is no prediction", n+1)
		}
		if f.Error == "" && !o.before[f.ID] {
			o.before[f.ID] = true
			kept = append(kept, line...)
		}
	}
	return kept, nil
}

// missing returns the tasks whose predictions are not there yet, and counts the
// others.
func (o *output) missing(list []tasks.Task) []tasks.Task {
	var out []tasks.Task
	for _, t := range list {
		if !o.before[t.ID] {
			out = append(out, t)
		}
	}
	o.kept = len(list) - len(out)
	return out
}

// add writes a prediction.
func (o *output) add(p prediction) { o.write(p, &o.done) }

// fail writes why there is no prediction of a task, for people too.
func (o *output) fail(id string, why error) {
	fmt.Fprintf(os.Stderr, "task %s: %v\n", id, why)
	o.write(failure{id, why.Error()}, &o.failed)
}

func (o *output) write(line any, count *int) {
	var b bytes.Buffer
	err := json.NewEncoder(&b).Encode(line)
	o.mu.Lock()
	defer o.mu.Unlock()
	if err == nil {
		_, err = o.file.Write(b.Bytes())
	}
	if err != nil && o.err == nil {
		o.err = err
	}
	*count++
}

// Close ends the file, and returns what could not be written.
func (o *output) Close() error {
	if err := o.file.Close(); o.err == nil {
		o.err = err
	}
	return o.err
}
