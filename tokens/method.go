package tokens

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
)

// A Count is a number of tokens, how it was found, and how far off it may be.
type Count struct {
	Tokens int     `json:"tokens"`
	Method string  `json:"method"` // such as "o200k_base exact" or "claude: o200k_base x 1.24 estimate"
	Error  float64 `json:"error"`  // relative half-width of the band around Tokens; 0 means exact
}

// A Kind is what a text is to the model. Tokenisers that are not published
// differ from the published ones by kind of text.
type Kind int

const (
	Code  Kind = iota // source code, tool results, anything dense; what a Pack is made of
	Prose             // what people write: prompts, answers, documents
	Input             // the arguments of a tool call, as JSON
)

func (k Kind) String() string {
	switch k {
	case Code:
		return "code"
	case Prose:
		return "prose"
	case Input:
		return "input"
	}
	return fmt.Sprintf("Kind(%d)", int(k))
}

// A Method says how to count for a model: with one of the exact encodings,
// times a factor for the kind of text.
type Method struct {
	Encoding string  `json:"encoding"`        // "o200k_base" or "cl100k_base"; empty means o200k_base
	Code     float64 `json:"code,omitempty"`  // factor for Code; 0 means 1
	Prose    float64 `json:"prose,omitempty"` // factor for Prose; 0 means as Code
	Input    float64 `json:"input,omitempty"` // factor for Input; 0 means as Code

	// Call is how many tokens the model's API adds for each tool call and its
	// result. No Count includes it.
	Call int `json:"call,omitempty"`

	Error  float64 `json:"error"`  // relative half-width of the band; 0 means exact
	Source string  `json:"source"` // where the factors come from
}

// The methods of the families, by name. Errors that were measured are medians
// over real sessions, so about half of all texts lie further off.
var methods = map[string]Method{
	"openai": {
		Encoding: "o200k_base",
		Call:     25,
		Source:   "vocabulary published by OpenAI; 2,015 calls of gpt-5 models agreed with factor 1.00 and 24-25 tokens a tool call (median error of a call 0.4-0.6 %)",
	},
	"openai-cl100k": {
		Encoding: "cl100k_base",
		Source:   "vocabulary published by OpenAI",
	},
	"claude": {
		Encoding: "o200k_base",
		Code:     1.24,
		Prose:    1.27,
		Input:    1.07,
		Call:     70,
		// The worst of four medians: by call 7.5 % in Claude Code and 4.0 % in
		// pi, by session 10.4 % and 3.1 %.
		Error:  0.104,
		Source: "fitted to the usage that the API reported for 1,570 calls of 27 sessions in Claude Code and pi; the tokeniser is not published",
	},
	"gemini":   assumed("SentencePiece, 256k tokens"),
	"grok":     assumed("not published since grok-1"),
	"deepseek": assumed("byte-level BPE, 128k tokens"),
	"qwen":     assumed("byte-level BPE, 151k tokens, digits apart"),
	"llama":    assumed("byte-level BPE, 128k tokens, 100k of them from cl100k_base"),
	"mistral":  assumed("Tekken, 131k tokens, or SentencePiece, 32k"),
	"":         assumed("unknown"),
}

// assumed is the method of a family that nobody measured for this table: the
// vocabularies are smaller than o200k_base, so the same text takes more tokens.
func assumed(tokeniser string) Method {
	return Method{
		Encoding: "o200k_base",
		Code:     1.1,
		Error:    0.25,
		Source:   "assumption, not measured; tokeniser, from memory: " + tokeniser,
	}
}

// factor returns the tokens of the model for each token of the encoding.
func (m Method) factor(k Kind) float64 {
	f := m.Code
	switch {
	case k == Prose && m.Prose != 0:
		f = m.Prose
	case k == Input && m.Input != 0:
		f = m.Input
	}
	if f == 0 {
		return 1
	}
	return f
}

func (m Method) encodingName() string { return cmp.Or(m.Encoding, "o200k_base") }

func (m Method) encoding() *Encoding {
	if m.encodingName() == "cl100k_base" {
		return Cl100k()
	}
	return O200k()
}

// estimate turns n tokens of the encoding into tokens of the model, rounded up.
func (m Method) estimate(family string, k Kind, n int) Count {
	name, f := m.encodingName(), m.factor(k)
	if f == 1 && m.Error == 0 {
		return Count{Tokens: n, Method: name + " exact"}
	}
	method := name + " x " + strconv.FormatFloat(f, 'f', -1, 64) + " estimate"
	if family != "" {
		method = family + ": " + method
	}
	return Count{Tokens: int(math.Ceil(float64(n) * f)), Method: method, Error: m.Error}
}

// check returns an error if the method makes no sense.
func (m Method) check() error {
	if m.Encoding != "" && m.Encoding != "o200k_base" && m.Encoding != "cl100k_base" {
		return fmt.Errorf("encoding %q: want o200k_base or cl100k_base", m.Encoding)
	}
	for _, v := range []struct {
		name  string
		value float64
	}{{"code", m.Code}, {"prose", m.Prose}, {"input", m.Input}} {
		if !(0 <= v.value && v.value <= maxFactor) {
			return fmt.Errorf("factor %s is %v: want 0 to %v", v.name, v.value, maxFactor)
		}
	}
	if !(0 <= m.Error && m.Error < 1) {
		return fmt.Errorf("error is %v: want a part of 1", m.Error)
	}
	return nil
}

// maxFactor keeps a slip of the decimal point in a config from passing.
const maxFactor = 10
