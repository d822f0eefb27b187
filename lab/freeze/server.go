package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strings"
)

// A server is a running satchel mcp, which is asked one thing after the other.
type server struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr bytes.Buffer
	asked  int
}

// startServer starts the command and introduces us.
func startServer(cmd *exec.Cmd) (*server, error) {
	s := &server{cmd: cmd}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s.in, s.out = in, bufio.NewReader(out)
	cmd.Stderr = &s.stderr
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	if _, err := s.ask(`initialize {"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"freeze","version":"1"}}`); err != nil {
		s.close()
		return nil, err
	}
	_, err = io.WriteString(s.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	return s, err
}

// ask sends a method with its parameters, and returns the lines up to the one
// that answers it.
func (s *server) ask(text string) ([]byte, error) {
	method, params, _ := strings.Cut(text, " ")
	if params == "" {
		params = "{}"
	}
	s.asked++
	if _, err := fmt.Fprintf(s.in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", s.asked, method, params); err != nil {
		return nil, fmt.Errorf("%s: %v: %s", method, err, s.stderr.Bytes())
	}
	var answer []byte
	for {
		line, err := s.out.ReadBytes('\n')
		answer = append(answer, line...)
		if err != nil {
			return nil, fmt.Errorf("%s: %v after %s: %s", method, err, answer, s.stderr.Bytes())
		}
		var about struct {
			ID     *int
			Method string
		}
		if json.Unmarshal(line, &about) == nil && about.Method == "" && about.ID != nil && *about.ID == s.asked {
			return answer, nil
		}
	}
}

// close ends the input, and waits for the end of the server.
func (s *server) close() {
	s.in.Close()
	_, _ = io.Copy(io.Discard, s.out)
	_ = s.cmd.Wait()
}
