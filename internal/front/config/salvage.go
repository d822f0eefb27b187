package config

import (
	"bytes"
	"errors"
	"slices"

	"github.com/satchel-dev/satchel/dialect/noface"
	"github.com/satchel-dev/satchel/tokens"
)

// A Fault is something that the user set and that cannot be understood, or that a
// repository did and that may have kept something from agents.
type Fault struct {
	// Err says where and what. It is a [*UsageError] if it is about a flag or a
	// variable.
	Err error

	// HoldsBack says that what is lost may have kept something from agents: an
	// exclusion, or the wish that nothing is put beside prompts.
	HoldsBack bool

	File string // to be mended; "" if it is about a flag or a variable
}

// holdingBack are the settings that keep something from agents.
var holdingBack = []string{"exclude", "prompt-characters"}

func (k *Key) holdsBack() bool { return slices.Contains(holdingBack, k.Name) }

// Salvage returns the valid settings and the faults, for callers that must continue.
// A lost value comes from a weaker source, in the end the default; a user's file that
// is not TOML is lost as a whole.
//
// Of the settings that protect data, only the user's exclusions can get lost here:
// secrets are always redacted, and the built-in rules about paths always hold.
// Fault.HoldsBack reports whether exclusions may be lost.
func Salvage(src Sources) (*Settings, []Fault) {
	s := &Settings{Config: Defaults(), OwnDocs: noface.Docs, DocsDepth: 1, Origins: make(map[string][]Origin)}
	getenv := Getenv(src.Environ)
	var faults []Fault

	if file := UserFile(getenv); file != "" {
		text, err := readUser(file)
		if err != nil {
			faults = append(faults, Fault{err, true, file})
		} else if values, err := parse(file, text); err != nil {
			var at *parseError
			faults = append(faults, Fault{err, !errors.As(err, &at) || mayHoldBack(text, at.line), file})
		} else {
			faults = append(faults, s.user(file, values)...)
		}
	}
	if src.Dir != "" {
		s.limitDocuments(src.Dir)
		faults = append(faults, s.repository(src.Dir)...)
	}
	faults = append(faults, s.environment(src.Environ)...)
	faults = append(faults, s.flags(src.Flags, src.Written)...)
	for _, k := range Keys {
		if len(s.Origins[k.Name]) == 0 {
			s.Origins[k.Name] = []Origin{{Source: Default}}
		}
	}
	if s.Model != "" { // now that all models are known
		if _, err := tokens.ModelByName(s.Model, s.Models...); err != nil {
			faults = append(faults, Fault{&UsageError{s.Origins["model"][0].String(), err}, false, ""})
			s.Model = Defaults().Model
		}
	}
	return s, faults
}

// mayHoldBack reports whether a text that is not TOML may have held a setting that
// keeps something from agents. That is so if it contains the name of such a setting,
// or an escape, which may be part of one, or if the mistake is in its last line, so
// that the text may be cut off.
func mayHoldBack(text []byte, mistake int) bool {
	for _, name := range holdingBack {
		if bytes.Contains(bytes.ToLower(text), []byte(name)) {
			return true
		}
	}
	last := 1 + bytes.Count(bytes.TrimRight(text, "\n"), []byte{'\n'})
	return bytes.ContainsRune(text, '\\') || mistake >= last || mistake == 0
}
