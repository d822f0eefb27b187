package main

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

//go:embed count.mjs
var countScript string

// A node is a Node process that counts with a npm package. It ends when this
// process does, since then its standard input ends.
type node struct {
	version string
	in      io.Writer
	out     *bufio.Reader
}

func startNode(modules, name, encoding string, chunks []string) (*node, error) {
	script, err := os.CreateTemp("", "count-*.mjs")
	if err != nil {
		return nil, err
	}
	defer os.Remove(script.Name()) // node has read it once it is ready
	if _, err := script.WriteString(countScript); err != nil {
		return nil, err
	}
	if err := script.Close(); err != nil {
		return nil, err
	}
	cmd := exec.Command("node", script.Name(), modules, name, encoding)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	n := &node{in: in, out: bufio.NewReader(out)}
	if err := json.NewEncoder(in).Encode(chunks); err != nil {
		return nil, err
	}
	var ready struct{ Version string }
	if err := n.read(&ready); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	n.version = ready.Version
	return n, nil
}

func (n *node) count(least time.Duration) (tokens, times int, cpu time.Duration, err error) {
	if _, err := fmt.Fprintf(n.in, "%d\n", least.Microseconds()); err != nil {
		return 0, 0, 0, err
	}
	var done struct {
		Tokens, Times int
		Micros        int64
	}
	if err := n.read(&done); err != nil {
		return 0, 0, 0, err
	}
	return done.Tokens, done.Times, time.Duration(done.Micros) * time.Microsecond, nil
}

func (n *node) read(v any) error {
	line, err := n.out.ReadBytes('\n')
	if err != nil {
		return err
	}
	return json.Unmarshal(line, v)
}
