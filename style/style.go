// Package style learns how a repository's people write the messages of their
// commits, and holds a new message to it.
//
// It reads no repository and asks no model. Start with [Learn].
package style

// A Kind is a way to write the subject of a commit.
type Kind string

// The kinds.
const (
	Plain        Kind = "plain"
	Conventional Kind = "conventional" // fix(scope): subject
	Gitmoji      Kind = "gitmoji"      // an emoji or its :code: first
	Ticket       Kind = "ticket"       // ABC-123 or #123 first
	Package      Kind = "package"      // internal/git: subject
)
