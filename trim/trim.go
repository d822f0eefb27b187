// Package trim cuts a session to a token limit so that what the agent needs
// next is still there.
package trim
