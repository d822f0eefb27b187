package tokens

// Where the windows of the table come from. None was read from a page when the
// table was written: a config entry of the same name overrides what has changed.
const (
	anthropicDocs = "Anthropic's model overview, from memory"
	openaiDocs    = "OpenAI's model pages, from memory"
	googleDocs    = "Google's Gemini API model page, from memory"
	xaiDocs       = "xAI's model page, from memory"
	deepseekDocs  = "DeepSeek's API pricing page, from memory"
	qwenCards     = "Qwen's model cards, from memory"
	llamaCards    = "Meta's model cards, from memory"
	mistralDocs   = "Mistral's model overview, from memory"
	familyGuess   = "assumption for models of the family that are not listed"
	encodingOnly  = "an encoding, not a model"
)

// models is the built-in table. A family's own name stands for its members
// that are not listed. Larger windows that need a beta header or another price
// (1M for some Claude models) are not the default, so they are not here.
var models = []Model{
	{Name: "o200k_base", Family: "openai", Source: encodingOnly},
	{Name: "cl100k_base", Family: "openai-cl100k", Source: encodingOnly},

	{Name: "claude-opus-4-8", Family: "claude", Window: 200_000, Source: familyGuess, Method: newerClaude()},
	{Name: "claude-opus-4-7", Family: "claude", Window: 200_000, Source: familyGuess, Method: newerClaude()},
	{Name: "claude-opus-4-6", Family: "claude", Window: 200_000, Output: 128_000, Source: anthropicDocs},
	{Name: "claude-opus-4-5", Family: "claude", Window: 200_000, Output: 64_000, Source: anthropicDocs},
	{Name: "claude-opus-4-1", Family: "claude", Window: 200_000, Output: 32_000, Source: anthropicDocs},
	{Name: "claude-opus-4", Family: "claude", Window: 200_000, Output: 32_000, Source: anthropicDocs},
	{Name: "claude-sonnet-4-6", Family: "claude", Window: 200_000, Output: 64_000, Source: anthropicDocs},
	{Name: "claude-sonnet-4-5", Family: "claude", Window: 200_000, Output: 64_000, Source: anthropicDocs},
	{Name: "claude-sonnet-4", Family: "claude", Window: 200_000, Output: 64_000, Source: anthropicDocs},
	{Name: "claude-haiku-4-5", Family: "claude", Window: 200_000, Output: 64_000, Source: anthropicDocs},
	{Name: "claude-haiku-4", Family: "claude", Window: 200_000, Output: 64_000, Source: familyGuess},
	{Name: "claude-3-7-sonnet", Family: "claude", Window: 200_000, Output: 64_000, Source: anthropicDocs},
	{Name: "claude-3-5-sonnet", Family: "claude", Window: 200_000, Output: 8_192, Source: anthropicDocs},
	{Name: "claude-3-5-haiku", Family: "claude", Window: 200_000, Output: 8_192, Source: anthropicDocs},
	{Name: "claude-3", Family: "claude", Window: 200_000, Output: 4_096, Source: anthropicDocs},
	{Name: "claude", Family: "claude", Window: 200_000, Source: familyGuess},

	{Name: "gpt-5", Family: "openai", Window: 400_000, Output: 128_000, Source: openaiDocs},
	{Name: "gpt-5-mini", Family: "openai", Window: 400_000, Output: 128_000, Source: openaiDocs},
	{Name: "gpt-5-nano", Family: "openai", Window: 400_000, Output: 128_000, Source: openaiDocs},
	{Name: "gpt-5-codex", Family: "openai", Window: 400_000, Output: 128_000, Source: openaiDocs},
	{Name: "gpt-5-chat", Family: "openai", Window: 128_000, Output: 16_384, Source: openaiDocs},
	{Name: "gpt-5.1", Family: "openai", Window: 400_000, Output: 128_000, Source: openaiDocs},
	{Name: "gpt-5.2", Family: "openai", Window: 400_000, Output: 128_000, Source: openaiDocs},
	{Name: "gpt-4.1", Family: "openai", Window: 1_047_576, Output: 32_768, Source: openaiDocs},
	{Name: "gpt-4.5", Family: "openai", Window: 128_000, Output: 16_384, Source: openaiDocs},
	{Name: "gpt-4o", Family: "openai", Window: 128_000, Output: 16_384, Source: openaiDocs},
	{Name: "gpt-4o-mini", Family: "openai", Window: 128_000, Output: 16_384, Source: openaiDocs},
	{Name: "chatgpt-4o", Family: "openai", Window: 128_000, Output: 16_384, Source: openaiDocs},
	{Name: "gpt-oss", Family: "openai", Window: 131_072, Output: 131_072, Source: openaiDocs},
	{Name: "o1", Family: "openai", Window: 200_000, Output: 100_000, Source: openaiDocs},
	{Name: "o1-mini", Family: "openai", Window: 128_000, Output: 65_536, Source: openaiDocs},
	{Name: "o1-preview", Family: "openai", Window: 128_000, Output: 32_768, Source: openaiDocs},
	{Name: "o3", Family: "openai", Window: 200_000, Output: 100_000, Source: openaiDocs},
	{Name: "o3-mini", Family: "openai", Window: 200_000, Output: 100_000, Source: openaiDocs},
	{Name: "o4-mini", Family: "openai", Window: 200_000, Output: 100_000, Source: openaiDocs},
	{Name: "gpt-4", Family: "openai-cl100k", Window: 8_192, Output: 8_192, Source: openaiDocs},
	{Name: "gpt-4-32k", Family: "openai-cl100k", Window: 32_768, Output: 32_768, Source: openaiDocs},
	{Name: "gpt-4-1106", Family: "openai-cl100k", Window: 128_000, Output: 4_096, Source: openaiDocs},
	{Name: "gpt-4-0125", Family: "openai-cl100k", Window: 128_000, Output: 4_096, Source: openaiDocs},
	{Name: "gpt-4-turbo", Family: "openai-cl100k", Window: 128_000, Output: 4_096, Source: openaiDocs},
	{Name: "gpt-3.5-turbo", Family: "openai-cl100k", Window: 16_385, Output: 4_096, Source: openaiDocs},

	{Name: "gemini-3", Family: "gemini", Window: 1_048_576, Output: 65_536, Source: googleDocs},
	{Name: "gemini-3-pro", Family: "gemini", Window: 1_048_576, Output: 65_536, Source: googleDocs},
	{Name: "gemini-2.5-pro", Family: "gemini", Window: 1_048_576, Output: 65_536, Source: googleDocs},
	{Name: "gemini-2.5-flash", Family: "gemini", Window: 1_048_576, Output: 65_536, Source: googleDocs},
	{Name: "gemini-2.0-flash", Family: "gemini", Window: 1_048_576, Output: 8_192, Source: googleDocs},
	{Name: "gemini", Family: "gemini", Window: 1_048_576, Source: familyGuess},

	{Name: "grok-4", Family: "grok", Window: 256_000, Source: xaiDocs},
	{Name: "grok-4-fast", Family: "grok", Window: 2_000_000, Source: xaiDocs},
	{Name: "grok-code-fast-1", Family: "grok", Window: 256_000, Source: xaiDocs},
	{Name: "grok-3", Family: "grok", Window: 131_072, Source: xaiDocs},
	{Name: "grok", Family: "grok", Window: 131_072, Source: familyGuess},

	{Name: "deepseek-chat", Family: "deepseek", Window: 128_000, Output: 8_192, Source: deepseekDocs},
	{Name: "deepseek-reasoner", Family: "deepseek", Window: 128_000, Output: 65_536, Source: deepseekDocs},
	{Name: "deepseek", Family: "deepseek", Window: 128_000, Source: familyGuess},

	{Name: "qwen3-coder", Family: "qwen", Window: 262_144, Output: 65_536, Source: qwenCards},
	{Name: "qwen3", Family: "qwen", Window: 131_072, Source: qwenCards},
	{Name: "qwen2.5", Family: "qwen", Window: 131_072, Output: 8_192, Source: qwenCards},
	{Name: "qwen", Family: "qwen", Window: 131_072, Source: familyGuess},

	{Name: "llama-4-scout", Family: "llama", Window: 10_485_760, Source: llamaCards},
	{Name: "llama-4-maverick", Family: "llama", Window: 1_048_576, Source: llamaCards},
	{Name: "llama-3.3", Family: "llama", Window: 131_072, Source: llamaCards},
	{Name: "llama-3.1", Family: "llama", Window: 131_072, Source: llamaCards},
	{Name: "llama-3", Family: "llama", Window: 8_192, Source: llamaCards},
	{Name: "llama3.3", Family: "llama", Window: 131_072, Source: llamaCards},
	{Name: "llama3.1", Family: "llama", Window: 131_072, Source: llamaCards},
	{Name: "llama3", Family: "llama", Window: 8_192, Source: llamaCards},
	{Name: "llama", Family: "llama", Window: 131_072, Source: familyGuess},

	{Name: "mistral-large", Family: "mistral", Window: 131_072, Source: mistralDocs},
	{Name: "mistral-medium", Family: "mistral", Window: 131_072, Source: mistralDocs},
	{Name: "mistral-small", Family: "mistral", Window: 131_072, Source: mistralDocs},
	{Name: "devstral", Family: "mistral", Window: 131_072, Source: mistralDocs},
	{Name: "codestral", Family: "mistral", Window: 262_144, Source: mistralDocs},
	{Name: "mixtral", Family: "mistral", Window: 32_768, Source: mistralDocs},
	{Name: "mistral", Family: "mistral", Window: 32_768, Source: familyGuess},
}

// newerClaude counts for Claude models from Opus 4.7 on, which take a quarter
// more tokens for the same text than those before.
func newerClaude() *Method {
	return &Method{
		Encoding: "o200k_base",
		Code:     1.5,
		Prose:    1.54,
		Input:    1.5,
		Call:     70,
		// Opus 4.8 in one session came to 1.64, Opus 4.7 in two to 1.49 and 1.50.
		Error:  0.12,
		Source: "fitted to the usage that the API reported for 245 calls of 3 sessions in Claude Code; the tokeniser is not published",
	}
}
