package config

import (
	"bytes"
	"errors"
	"fmt"
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

// Salvage returns the settings as far as they can be understood, for who must go
// on, and what could not be. What is lost has its value from a weaker source, in
// the end the default; of a user's file that is no TOML all is lost.
//
// Nobody's protection is a setting that could be lost here, but for the
// exclusions that the user added: secrets are always redacted, and the built-in
// rules about paths always hold. Fault.HoldsBack tells whether there may have been
// any.
func Salvage(src Sources) (*Settings, []Fault) {
	s := &Settings{Config: Defaults(), OwnDocs: noface.Docs, Origins: make(map[string][]Origin)}
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
	if floor := s.Origins["auto-floor"][0]; s.AutoFloor > s.AutoCeiling && floor.Source != Default && s.Origins["auto-ceiling"][0].Source != repository {
		err := fmt.Errorf("auto-floor %g is above auto-ceiling %g", s.AutoFloor, s.AutoCeiling)
		faults = append(faults, Fault{&UsageError{floor.String(), err}, false, ""})
	}
	return s, faults
}

// mayHoldBack reports whether a text that is no TOML may have held a setting that
// keeps something from agents: it names one, as a key or anywhere else; it has an
// escape, with which a key can be written too; or the mistake is in its last line,
// so that it may have been cut off before one.
func mayHoldBack(text []byte, mistake int) bool {
	for _, name := range holdingBack {
		if bytes.Contains(text, []byte(name)) {
			return true
		}
	}
	last := 1 + bytes.Count(bytes.TrimRight(text, "\n"), []byte{'\n'})
	return bytes.ContainsRune(text, '\\') || mistake >= last || mistake == 0
}
