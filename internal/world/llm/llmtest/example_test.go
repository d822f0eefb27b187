package llmtest_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/satchel-dev/satchel/internal/world/llm"
	"github.com/satchel-dev/satchel/internal/world/llm/llmtest"
	"github.com/satchel-dev/satchel/transcript"
)

func Example() {
	script, err := llmtest.ParseScript(`
{"status": 529}
{"match": "why?", "calls": [{"name": "submit", "input": {"text":"because"}}], "usage": {"input": 90, "output": 12}}
`)
	if err != nil {
		fmt.Println(err)
		return
	}
	s := llmtest.Serve(script...)
	defer s.Close()
	client, err := llm.New(llm.Endpoint{URL: s.URL, Kind: llm.Anthropic, Model: "m-1", Key: llmtest.Key}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	answer, err := client.Ask(context.Background(), &llm.Call{
		System: "Be brief.",
		Tools:  []llm.Tool{{Name: "submit", Use: "Answer.", Schema: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}}}`)}},
		Tool:   "submit",
		Messages: []transcript.Message{{
			Role: transcript.User, Kind: transcript.Prompt, Blocks: []transcript.Block{{Type: transcript.Text, Text: "why?"}},
		}},
	}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, try := range answer.Tries {
		fmt.Println(try.Status)
	}
	fmt.Printf("%s %s, %d tokens\n", answer.Message.Blocks[0].Name, answer.Message.Blocks[0].Input, answer.Usage.Context())
	// Output:
	// 529
	// 200
	// submit {"text":"because"}, 102 tokens
}
