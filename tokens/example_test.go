package tokens_test

import (
	"fmt"

	"github.com/satchel-dev/satchel/tokens"
)

func Example() {
	text := "if err != nil {\n\treturn fmt.Errorf(\"open index: %w\", err)\n}\n"
	for _, name := range []string{"gpt-5", "claude-sonnet-4-5-20250929"} {
		m, err := tokens.ModelByName(name)
		if err != nil {
			fmt.Println(err)
			return
		}
		c := m.Count(text)
		fmt.Printf("%d tokens of %d (%s, ±%.0f %%)\n", c.Tokens, m.Window, c.Method, 100*c.Error)
	}
	// Output:
	// 18 tokens of 400000 (o200k_base exact, ±0 %)
	// 23 tokens of 200000 (claude: o200k_base x 1.24 estimate, ±10 %)
}

func ExampleEncoding_Count() {
	fmt.Println(tokens.O200k().Count("tokens, not words"))
	// Special tokens are text like any other.
	fmt.Println(tokens.O200k().Count("<|endoftext|>"))
	// Output:
	// 4
	// 7
}

func ExampleEncoding_Encode() {
	e := tokens.Cl100k()
	ids := e.Encode(nil, "naïve café")
	fmt.Println(ids)
	for _, id := range ids {
		text, _ := e.Decode(nil, []uint32{id})
		fmt.Printf("%q ", text)
	}
	fmt.Println()
	// Output:
	// [3458 38672 588 53050]
	// "na" "ï" "ve" " café"
}

func ExampleModelByName() {
	m, err := tokens.ModelByName("our-model", tokens.Model{
		Name:   "our-model",
		Family: "qwen", // counted like qwen models
		Window: 65_536,
		Source: "our server's configuration",
	})
	fmt.Println(m.Window, m.Counting().Error, err)

	_, err = tokens.ModelByName("gpt5")
	fmt.Println(err)
	// Output:
	// 65536 0.25 <nil>
	// unknown model "gpt5"; did you mean gpt-5?
}
