package main

import (
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/transcript"
)

// TestLabels: the committed labels can be read, and are fifty.
func TestLabels(t *testing.T) {
	ls, err := parseLabels(labels)
	if err != nil {
		t.Fatal(err)
	}
	sessions := map[string]bool{}
	for _, l := range ls {
		sessions[l.session] = true
	}
	if len(ls) != 50 || len(sessions) != 10 {
		t.Errorf("%d labels of %d sessions, want 50 of 10", len(ls), len(sessions))
	}
}

// TestAgreement: a label agrees if the rules find it, or do not find what is none.
func TestAgreement(t *testing.T) {
	s := &session{File: "dev/agent__owner__repo__0123456789.jsonl", Messages: []transcript.Message{
		{Role: transcript.User, Kind: transcript.Prompt, Blocks: []transcript.Block{{Type: transcript.Text, Text: "hello"}}},
		{Role: transcript.Assistant, Kind: transcript.Answer, Blocks: []transcript.Block{{Type: transcript.Call, ID: "a", Name: "Write", Input: []byte(`{"file_path":"/src/a.go","content":"package a"}`)}}},
		{Role: transcript.User, Kind: transcript.Results, Blocks: []transcript.Block{{Type: transcript.Result, ID: "a", Text: "written"}}},
	}}
	const text = `
0123456789 3 files src/a.go
0123456789 3 edit src/a.go@1
0123456789 3 plan none
0123456789 3 files -src/b.go
0123456789 3 error 00000000
0123456789 1 files src/a.go
9999999999 1 files src/a.go
`
	var b strings.Builder
	if err := printAgreement(&b, []*session{s}, text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"all     4 of  6; 1 sessions are not here", "error   0 of  1", "files   2 of  3"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, b.String())
		}
	}
	if _, err := parseLabels("0123456789 3 nothing x"); err == nil {
		t.Error("a label of no kind is read")
	}
}
