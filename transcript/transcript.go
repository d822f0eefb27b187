// Package transcript reads and writes the sessions that coding agents record.
//
// Every agent has a format of its own; here they all become messages of
// blocks, as the model would be sent them next. What a format holds besides
// (progress, titles, records that a newer version invented) is never lost: a
// writer copies it byte for byte.
//
// It opens no file and reads no clock. Bad input (a torn line, an unknown
// record, a result without its call) becomes a Diagnostic.
package transcript

import (
	"encoding/json"
	"time"

	"github.com/satchel-dev/satchel"
)

// A Format names the layout of a session file.
type Format string

const (
	ClaudeCode Format = "claude-code"
	Codex      Format = "codex"
	Pi         Format = "pi"
	OpenCode   Format = "opencode"
	Copilot    Format = "copilot"
	Gemini     Format = "gemini"
	SWEAgent   Format = "swe-agent"
	OpenHands  Format = "openhands"
	Cline      Format = "cline"     // and Roo: an array of Anthropic messages
	Messages   Format = "messages"  // {format, budget, messages}, Anthropic messages without a file around them
	Anthropic  Format = "anthropic" // a request or array of the Messages API
	Chat       Format = "chat"      // a request or array of OpenAI's Chat Completions API
	Responses  Format = "responses" // a request or array of OpenAI's Responses API
)

// A Session is one conversation as it would go on.
type Session struct {
	Format  Format
	ID      string
	Dir     string // working directory, as recorded
	Branch  string // git branch, as recorded
	Title   string
	Version string // of the agent
	Model   string // of the newest answer
	Window  int    // context window in tokens, if recorded; else 0
	Budget  int    // tokens that a document of messages wants to be cut to; else 0
	Started time.Time
	Ended   time.Time // of the newest record

	// System are the system prompts, where the format records them.
	System []string

	// Messages is what the model would be sent next: from the last compaction
	// on, on the active branch, without sidechains. An answer with calls is
	// followed by one message of Kind Results that answers all of them. Several
	// user messages in a row are one turn to the provider; they stay apart
	// because their Kinds differ.
	Messages []Message

	// Earlier is the number of messages before the last compaction, on other
	// branches or in sidechains: recorded, but not sent.
	Earlier int

	// Largest is the largest context that a provider has accepted from the
	// model of the newest answer, compacted since or not, in tokens as reported;
	// 0 if nothing tells. Subagents' conversations do not count.
	Largest int

	Compactions int   // compaction records on the active branch
	Records     int   // native records in the file
	Skipped     int   // malformed records
	Bytes       int64 // of the file
	Diagnostics []satchel.Diagnostic
}

// A Role is who speaks.
type Role string

const (
	User      Role = "user" // tool results too
	Assistant Role = "assistant"
)

// A Kind says what a message is, beyond its role.
type Kind string

const (
	Prompt  Kind = "prompt"  // a person's words
	Meta    Kind = "meta"    // put in by the client: reminders, environment, command output
	Summary Kind = "summary" // of what a compaction replaced
	Results Kind = "results" // of tool calls
	Answer  Kind = "answer"  // the model's
)

// A Message is one message to or from the model. An answer that the file
// splits over several records is one Message.
type Message struct {
	Role   Role
	Kind   Kind
	Blocks []Block
	ID     string // the file's or the API's id; may be empty
	Parent string // id of the record before it, in formats that are trees
	Model  string
	Time   time.Time
	Usage  *Usage // of the call that gave this answer; nil if not recorded
	Spans  []Span // the native records that it was read from, in file order
	Side   bool   // of a sidechain: a subagent's conversation
	Kept   bool   // it stood before the last compaction and is sent still
	Sent   bool   // the model would be sent it next; false for what a compaction, branch or sidechain holds
}

// A BlockType says what a block holds.
type BlockType string

const (
	Text     BlockType = "text"
	Thinking BlockType = "thinking"
	Call     BlockType = "tool_use"
	Result   BlockType = "tool_result"
	Image    BlockType = "image"
	Other    BlockType = "other" // unknown; Raw holds it
)

// A Block is a part of a message.
type Block struct {
	Type   BlockType
	Text   string          // of text and thinking; of a result, what the model sees
	ID     string          // of a call, unique among those that are sent; of a result, its call's
	Native string          // the recorded id, where it was not unique or was lost; else empty
	Name   string          // of the tool
	Input  json.RawMessage // of a call
	Failed bool            // a result that reports an error
	Opaque int             // bytes of signature, encrypted reasoning or redacted thinking
	Images int             // in a result
	Raw    json.RawMessage // the block as recorded, where a writer needs it; may be nil
}

// A Span is where a native record stands in its file.
type Span struct {
	Offset int64
	Length int64
}

// Usage is what the provider reported for one call, in tokens. Fields that
// the format lacks are 0.
type Usage struct {
	Input      int // not read from the cache and not written to it
	CacheRead  int
	CacheWrite int
	Output     int // reasoning included
	Reasoning  int // part of Output
}

// Context returns the tokens of the context after the call: what was sent and
// what was answered.
func (u *Usage) Context() int { return u.Input + u.CacheRead + u.CacheWrite + u.Output }
