// Package sessions finds and opens the session files that coding agents keep
// on this machine.
package sessions
