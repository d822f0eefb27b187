package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim"
	"github.com/satchel-dev/satchel/trim/reuse"
)

// A packer cuts the past of a question to a number of tokens. The number of the
// question is given, too.
type packer struct {
	name string
	pack func(i int, q *question, budget float64) ([]transcript.Message, error)
	full bool // it cuts nothing: its budget is what there is
}

// wholePast is a packer that cuts nothing, to see that the facts are in the past.
var wholePast = packer{"full", func(_ int, q *question, _ float64) ([]transcript.Message, error) { return q.past(), nil }, true}

// parsePackers reads what -packer names, several divided by commas or given one
// by one: full, ours, or [NAME=]cmd:COMMAND.
func parsePackers(specs []string, ours packer) ([]packer, error) {
	var out []packer
	for _, s := range specs {
		if name, command, ok := strings.Cut(s, "cmd:"); ok {
			out = append(out, outside(strings.TrimSuffix(name, "="), command))
			continue
		}
		for one := range strings.SplitSeq(s, ",") {
			switch one {
			case "full":
				out = append(out, wholePast)
			case "ours":
				out = append(out, ours)
			default:
				return nil, fmt.Errorf("-packer %s: want full, ours or cmd:COMMAND", one)
			}
		}
	}
	return out, nil
}

// ours returns the packer of package trim. ts holds what the trims of a question
// share, by the number of the question.
func ours(ts []*trim.Trimmer, models map[string]*reuse.Model, shape *trim.Shape) packer {
	return packer{name: "ours", pack: func(i int, q *question, budget float64) ([]transcript.Message, error) {
		if ts[i] == nil {
			ts[i] = trim.New(q.past(), trim.Options{Model: models[q.s.Repo]})
		}
		res, err := ts[i].Trim(trim.Options{Budget: int(budget), Shape: shape})
		if err != nil {
			return nil, err
		}
		return res.Messages, nil
	}}
}

// outside returns the packer that an outside command is. It gets a document
// {"format":"messages","budget":N,"messages":[…]} on standard input or as {in}, and
// writes messages to standard output or to {out}; {budget} and {format} are put in.
func outside(name, command string) packer {
	if name == "" {
		name = strings.Join(strings.Fields(command), " ")
		name = name[:min(len(name), 10)]
	}
	return packer{name: name, pack: func(_ int, q *question, budget float64) ([]transcript.Message, error) {
		dir, err := os.MkdirTemp("", "sessions")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		doc, err := q.document(int(budget))
		if err != nil {
			return nil, err
		}
		in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
		if err := os.WriteFile(in, doc, 0o600); err != nil {
			return nil, err
		}
		line := strings.NewReplacer("{budget}", strconv.Itoa(int(budget)), "{format}", string(transcript.Messages), "{in}", in, "{out}", out).Replace(command)
		cmd := exec.Command("sh", "-c", line)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if !strings.Contains(command, "{in}") {
			cmd.Stdin = bytes.NewReader(doc)
		}
		text, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("%s: %w: %.400s", command, err, stderr.String())
		}
		if strings.Contains(command, "{out}") {
			if text, err = os.ReadFile(out); err != nil {
				return nil, err
			}
		}
		return decodeMessages(text)
	}}
}

// document returns the past as an outside command gets it.
func (q *question) document(budget int) ([]byte, error) {
	var b bytes.Buffer
	if err := transcript.Encode(&b, transcript.Messages, q.past()); err != nil {
		return nil, err
	}
	var whole struct{ Messages json.RawMessage }
	if err := json.Unmarshal(b.Bytes(), &whole); err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, `{"format":"messages","budget":%d,"messages":%s}`, budget, whole.Messages), nil
}
