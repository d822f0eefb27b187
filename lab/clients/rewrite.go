// Rewrite stands in for a trim in resume.sh: it reads a session, puts a summary
// in the place of all but the last messages, shrinks what the kept tools
// answered and writes the session back.
//
//	rewrite [-shrink] IN OUT
//
// With -shrink the kept results are shortened, so that their records cannot be
// copied as they are.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"slices"

	"github.com/satchel-dev/satchel/transcript"
)

func main() {
	shrink := flag.Bool("shrink", false, "shorten the kept results")
	flag.Parse()
	if flag.NArg() != 2 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(flag.Arg(0), flag.Arg(1), *shrink); err != nil {
		fmt.Fprintln(os.Stderr, "rewrite:", err)
		os.Exit(1)
	}
}

func run(in, out string, shrink bool) error {
	data, err := os.ReadFile(in)
	if err != nil {
		return err
	}
	r := bytes.NewReader(data)
	s, err := transcript.Read(r, r.Size())
	if err != nil {
		return err
	}
	// The tail begins with the last prompt but one.
	from, prompts := len(s.Messages), 0
	for i := range slices.Backward(s.Messages) {
		if s.Messages[i].Kind == transcript.Prompt {
			if from, prompts = i, prompts+1; prompts == 2 {
				break
			}
		}
	}
	kept := slices.Clone(s.Messages[from:])
	for i := range kept {
		if !shrink || kept[i].Kind != transcript.Results {
			continue
		}
		kept[i].Blocks = slices.Clone(kept[i].Blocks)
		for j := range kept[i].Blocks {
			b := &kept[i].Blocks[j]
			b.Text, b.Raw, b.Images = "SHRUNK-RESULT", nil, 0
		}
	}
	summary := transcript.Message{Role: transcript.User, Kind: transcript.Summary,
		Blocks: []transcript.Block{{Type: transcript.Text, Text: "SATCHEL-SUMMARY of the earlier messages."}}}
	var b bytes.Buffer
	rw := &transcript.Rewrite{Messages: append([]transcript.Message{summary}, kept...), TokensBefore: 1000}
	if err := transcript.Write(&b, r, r.Size(), rw); err != nil {
		return err
	}
	return os.WriteFile(out, b.Bytes(), 0o600)
}
