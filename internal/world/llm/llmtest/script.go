package llmtest

import (
	"bytes"
	"os"
	"strconv"
)

// A TestScript is what of testscript's the commands need.
type TestScript interface {
	ReadFile(name string) string
	MkAbs(name string) string
	Setenv(key, value string)
	Getenv(key string) string
	Defer(f func())
	Check(err error)
	Fatalf(format string, args ...any)
}

// Command starts a server that plays the script of a file, and returns it: llm
// FILE [no-tools] [new-names]. It sets LLM_URL and LLM_KEY.
func Command(ts TestScript, args []string) *Server {
	if len(args) == 0 {
		ts.Fatalf("usage: llm FILE [no-tools] [new-names]")
	}
	script, err := ParseScript(ts.ReadFile(args[0]))
	ts.Check(err)
	s := Serve(script...)
	ts.Defer(s.Close)
	for _, word := range args[1:] {
		switch word {
		case "no-tools":
			s.NoTools = true
		case "new-names":
			s.NewNames = true
		default:
			ts.Fatalf("llm: unknown word %s", word)
		}
	}
	ts.Setenv("LLM_URL", s.URL)
	ts.Setenv("LLM_KEY", Key)
	return s
}

// CheckRequests fails unless a server got so many requests, none of which it
// refused, and writes their bodies to a file, a line each: llm-requests NUMBER
// [FILE].
func CheckRequests(ts TestScript, s *Server, args []string) {
	if len(args) == 0 || len(args) > 2 {
		ts.Fatalf("usage: llm-requests NUMBER [FILE]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	var bodies bytes.Buffer
	all := s.Requests()
	for i, r := range all {
		if r.Fault != "" {
			ts.Fatalf("request %d was refused: %s\n%s", i, r.Fault, r.Body)
		}
		bodies.Write(r.Body)
		bodies.WriteByte('\n')
	}
	if len(all) != want {
		ts.Fatalf("%d requests, want %d", len(all), want)
	}
	if len(args) == 2 {
		ts.Check(os.WriteFile(ts.MkAbs(args[1]), bodies.Bytes(), 0o600))
	}
}
