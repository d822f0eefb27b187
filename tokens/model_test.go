package tokens

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestModelByName(t *testing.T) {
	extra := []Model{
		{Name: "House-LLM", Family: "house", Window: 32_000, Source: "config"},
		{Name: "claude-sonnet-4-5", Family: "claude", Window: 1_000_000, Source: "config"},
		{Name: "gpt-5-exact", Family: "openai", Window: 7, Method: &Method{Encoding: "cl100k_base"}},
	}
	for _, c := range []struct {
		name, want string // want is the name in the table, or the error
		family     string
		window     int
	}{
		{"claude-opus-4-1", "claude-opus-4-1", "claude", 200_000},
		{"claude-opus-4-1-20250805", "claude-opus-4-1-20250805", "claude", 200_000},
		{"claude-opus-9", "claude-opus-9", "claude", 200_000},
		{"Claude-Haiku-4-5 ", "claude-haiku-4-5", "claude", 200_000},
		{"claude-sonnet-4-5", "claude-sonnet-4-5", "claude", 1_000_000},
		{"claude-sonnet-4-5@20250929", "claude-sonnet-4-5@20250929", "claude", 1_000_000},
		{"anthropic/claude-haiku-4.5", "claude-haiku-4.5", "claude", 200_000},
		{"openrouter/anthropic/claude-haiku-4-5:beta", "claude-haiku-4-5:beta", "claude", 200_000},
		{"gpt-5", "gpt-5", "openai", 400_000},
		{"gpt-5-2025-08-07", "gpt-5-2025-08-07", "openai", 400_000},
		{"gpt-5.3-codex", "gpt-5.3-codex", "openai", 400_000},
		{"gpt-5-chat-latest", "gpt-5-chat-latest", "openai", 128_000},
		{"gpt-5-exact", "gpt-5-exact", "openai", 7},
		{"gpt-4.1-mini", "gpt-4.1-mini", "openai", 1_047_576},
		{"gpt-4o-2024-08-06", "gpt-4o-2024-08-06", "openai", 128_000},
		{"gpt-4", "gpt-4", "openai-cl100k", 8_192},
		{"gpt-4-0613", "gpt-4-0613", "openai-cl100k", 8_192},
		{"gpt-4-turbo-2024-04-09", "gpt-4-turbo-2024-04-09", "openai-cl100k", 128_000},
		{"o3-2025-04-16", "o3-2025-04-16", "openai", 200_000},
		{"gemini-2.5-flash-lite", "gemini-2.5-flash-lite", "gemini", 1_048_576},
		{"models/gemini-3-pro-preview", "gemini-3-pro-preview", "gemini", 1_048_576},
		{"llama3.1:8b", "llama3.1:8b", "llama", 131_072},
		{"meta-llama/Llama-3.3-70B-Instruct", "llama-3.3-70b-instruct", "llama", 131_072},
		{"llama4", "llama4", "llama", 131_072},
		{"qwen2.5-coder:32b", "qwen2.5-coder:32b", "qwen", 131_072},
		{"house-llm", "house-llm", "house", 32_000},
		{"o200k_base", "o200k_base", "openai", 0},
		{"cl100k_base", "cl100k_base", "openai-cl100k", 0},

		{"", `model name is empty`, "", 0},
		{"gpt-4x", `unknown model "gpt-4x"; did you mean gpt-4o, gpt-4 or gpt-5?`, "", 0},
		{"cluade-sonnet-4-5", `unknown model "cluade-sonnet-4-5"; did you mean claude-sonnet-4-5, claude-sonnet-4-6 or claude-sonnet-4?`, "", 0},
		{"hous-llm", `unknown model "hous-llm"; did you mean House-LLM?`, "", 0},
		{"sonet", `unknown model "sonet"; did you mean claude-sonnet-4-5, claude-sonnet-4-6 or claude-sonnet-4?`, "", 0},
		{"openai/flash", `unknown model "openai/flash"; did you mean gemini-2.5-flash or gemini-2.0-flash?`, "", 0},
		{"a/b/zzzzzzzzzzzzzzzzzzzzzzzzzz", `unknown model "a/b/zzzzzzzzzzzzzzzzzzzzzzzzzz"`, "", 0},
		{strings.Repeat("x", 1<<20), `unknown model "` + strings.Repeat("x", 100) + `"`, "", 0},
	} {
		m, err := ModelByName(c.name, extra...)
		if err != nil {
			if _, ok := errors.AsType[*UnknownModelError](err); ok != (c.name != "") {
				t.Errorf("ModelByName(%.40q): an UnknownModelError: %v", c.name, ok)
			}
			if err.Error() != c.want {
				t.Errorf("ModelByName(%.40q): %.200v, want %.200s", c.name, err, c.want)
			}
			continue
		}
		if m.Name != c.want || m.Family != c.family || m.Window != c.window {
			t.Errorf("ModelByName(%q) = %s, family %s, window %d, want %s, %s, %d", c.name, m.Name, m.Family, m.Window, c.want, c.family, c.window)
		}
	}
}

func TestModelByNameChecksExtra(t *testing.T) {
	for _, c := range []struct {
		m    Model
		want string
	}{
		{Model{Window: -1}, `model "m": window -1, output 0: want no negative number`},
		{Model{Method: &Method{Encoding: "p50k_base"}}, `model "m": encoding "p50k_base": want o200k_base or cl100k_base`},
		{Model{Method: &Method{Code: 124}}, `model "m": factor code is 124: want 0 to 10`},
		{Model{Method: &Method{Prose: math.NaN()}}, `model "m": factor prose is NaN: want 0 to 10`},
		{Model{Method: &Method{Error: 10}}, `model "m": error is 10: want a part of 1`},
	} {
		c.m.Name = "m"
		if _, err := ModelByName("m", c.m); err == nil || err.Error() != c.want {
			t.Errorf("ModelByName with %+v: %v, want %s", c.m, err, c.want)
		}
	}
}

// countText has 9 tokens in o200k_base.
const countText = "func main() { println(\"x\") }"

func TestCount(t *testing.T) {
	if n := O200k().Count(countText); n != 9 {
		t.Fatalf("O200k().Count = %d, want 9", n)
	}
	house := Model{Name: "house", Family: "house", Method: &Method{Code: 1.5, Error: 0.2}}
	for _, c := range []struct {
		model string
		kind  Kind
		want  Count
	}{
		{"o200k_base", Code, Count{9, "o200k_base exact", 0}},
		{"cl100k_base", Prose, Count{9, "cl100k_base exact", 0}},
		{"gpt-5", Code, Count{9, "o200k_base exact", 0}},
		{"gpt-3.5-turbo", Code, Count{9, "cl100k_base exact", 0}},
		{"claude-sonnet-4-5", Code, Count{12, "claude: o200k_base x 1.24 estimate", 0.104}},
		{"claude-sonnet-4-5", Prose, Count{12, "claude: o200k_base x 1.27 estimate", 0.104}},
		{"claude-sonnet-4-5", Input, Count{10, "claude: o200k_base x 1.07 estimate", 0.104}},
		{"gemini-2.5-pro", Code, Count{10, "gemini: o200k_base x 1.1 estimate", 0.25}},
		{"mistral-large", Input, Count{10, "mistral: o200k_base x 1.1 estimate", 0.25}},
		{"house", Prose, Count{14, "house: o200k_base x 1.5 estimate", 0.2}},
	} {
		m, err := ModelByName(c.model, house)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, m.CountAs(c.kind, countText)); diff != "" {
			t.Errorf("%s, %v (-want +got):\n%s", c.model, c.kind, diff)
		}
	}
	unknown := Model{Name: "x"}
	if got, want := unknown.Count(countText), (Count{10, "o200k_base x 1.1 estimate", 0.25}); got != want {
		t.Errorf("Count of a model without family = %v, want %v", got, want)
	}
	claude, _ := ModelByName("claude")
	if got := claude.estimate(Code, 0); got.Tokens != 0 {
		t.Errorf("Estimate(0) = %v", got)
	}
}

// TestModels holds what every entry of the table has to say.
func TestModels(t *testing.T) {
	all := Models()
	for i, m := range all {
		if m.Name != strings.ToLower(m.Name) || m.Name == "" {
			t.Errorf("%q: want a name in lower case", m.Name)
		}
		if _, ok := methods[m.Family]; !ok || m.Family == "" {
			t.Errorf("%s: no method for family %q", m.Name, m.Family)
		}
		if m.Source == "" || m.Window == 0 && m.Source != encodingOnly || m.Output > m.Window {
			t.Errorf("%s: source %q, window %d, output %d", m.Name, m.Source, m.Window, m.Output)
		}
		for _, n := range all[:i] {
			if n.Name == m.Name {
				t.Errorf("%s: stands in the table twice", m.Name)
			}
		}
		got, err := ModelByName(m.Name)
		if err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(m, got); diff != "" {
			t.Errorf("ModelByName(%s) (-want +got):\n%s", m.Name, diff)
		}
	}
	for name, m := range methods {
		if m.Source == "" || m.check() != nil {
			t.Errorf("family %q: source %q, %v", name, m.Source, m.check())
		}
	}
	all[0].Name = "changed"
	if Models()[0].Name == "changed" {
		t.Error("Models returns the table itself")
	}
}
