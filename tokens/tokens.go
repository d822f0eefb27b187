// Package tokens says how many tokens a text takes in a model's context window.
//
// [O200k] and [Cl100k] count exactly, with the two vocabularies that OpenAI has
// published for its models since 2022. For every other model [Model.Count]
// estimates, and says so: each [Count] carries its method and its error.
//
//	m, err := tokens.ModelByName("claude-sonnet-4-5")
//	c := m.Count(text) // c.Tokens, c.Method, c.Error
//
// # What is counted
//
// Text is ordinary text. A special token such as <|endoftext|> that stands in a
// text is counted as the characters it is written with. Bytes that are not valid
// UTF-8 are counted as if each maximal ill-formed sequence had been replaced with
// U+FFFD, as the WHATWG decoder (TextDecoder in JavaScript, errors="replace" in
// Python) does before a tokeniser sees them. What an API adds around a text, such
// as roles, tool schemas and a few tokens for each message, is not in any count.
//
// # Cost
//
// The tables are embedded in the program and used where they lie: nothing is
// unpacked, and a program that counts nothing reads none of them. Time is
// linear in the length of the text, except for a piece (a word, a run of
// spaces) longer than 64 bytes, which takes n log n and 20 bytes of memory for
// each of its own. Otherwise a call allocates nothing: what it needs, half a
// megabyte, comes from a pool.
//
// # Concurrency
//
// Every function and method may be called from several goroutines at once.
//
// The package imports only the standard library and does no I/O.
package tokens

// CodeBytes is the rough length of a token of code.
const CodeBytes = 4
