// Package schematest checks JSON documents against schemas more strictly than readers
// should, and schemas against older ones. It is for tests.
//
// [Check] refuses keys that the schema does not know, so that none comes unseen;
// [Breaks] lists what of a schema is no longer so.
package schematest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Check reports what of the documents in text, one or more behind one another, does
// not fit the schema: also keys that it does not name.
func Check(s *jsonschema.Schema, text []byte) error {
	strict := s.CloneSchemas()
	closed(strict)
	r, err := strict.Resolve(nil)
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	for n := 0; ; n++ {
		var v any
		switch err := d.Decode(&v); {
		case errors.Is(err, io.EOF) && n > 0:
			return nil
		case err != nil:
			return fmt.Errorf("document %d: %w", n+1, err)
		}
		if err := r.Validate(v); err != nil {
			return fmt.Errorf("document %d: %w", n+1, err)
		}
	}
}

// closed forbids the keys that a schema does not name, wherever it names any.
func closed(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if s.Properties != nil && s.AdditionalProperties == nil {
		s.AdditionalProperties = &jsonschema.Schema{Not: &jsonschema.Schema{}}
	}
	for _, p := range s.Properties {
		closed(p)
	}
	closed(s.Items)
	closed(s.AdditionalProperties)
}

// Breaks lists in which ways a reader of documents of the old schema would fail with
// those of the new one: keys that are gone or may be missing, other types and formats,
// and other words where there were few. Keys that are new break nothing.
func Breaks(old, new *jsonschema.Schema) []string { return breaks("", old, new) }

func breaks(at string, old, new *jsonschema.Schema) (list []string) {
	say := func(format string, args ...any) {
		where := cmp.Or(at, "the document")
		list = append(list, where+": "+fmt.Sprintf(format, args...))
	}
	if (old == nil) != (new == nil) {
		say("only one version describes what it may hold")
		return list
	}
	if old == nil {
		return nil
	}
	was, is := kinds(old), kinds(new)
	if !slices.Equal(was, is) {
		say("type was %q, is %q", was, is)
		return list
	}
	// A format that is said for the first time narrows nothing that was written before.
	if old.Format != "" && old.Format != new.Format {
		say("format was %q, is %q", old.Format, new.Format)
	}
	if !reflect.DeepEqual(words(old), words(new)) {
		say("values were %q, are %q", words(old), words(new))
	}
	if !reflect.DeepEqual(constant(old), constant(new)) {
		say("value was %v, is %v", constant(old), constant(new))
	}
	for _, name := range slices.Sorted(maps.Keys(old.Properties)) {
		key := name
		if at != "" {
			key = at + "." + name
		}
		p := new.Properties[name]
		if p == nil {
			list = append(list, key+": the key is gone")
			continue
		}
		if slices.Contains(old.Required, name) && !slices.Contains(new.Required, name) {
			list = append(list, key+": it was always there, and may be missing")
		}
		list = append(list, breaks(key, old.Properties[name], p)...)
	}
	list = append(list, breaks(at+"[]", old.Items, new.Items)...)
	return append(list, breaks(at+"{}", old.AdditionalProperties, new.AdditionalProperties)...)
}

// kinds are the types that a schema allows, sorted; none for all.
func kinds(s *jsonschema.Schema) []string {
	list := slices.Clone(s.Types)
	if s.Type != "" {
		list = append(list, s.Type)
	}
	slices.Sort(list)
	return list
}

// words are the values of an enumeration, sorted.
func words(s *jsonschema.Schema) (list []string) {
	for _, v := range s.Enum {
		list = append(list, fmt.Sprint(v))
	}
	slices.Sort(list)
	return list
}

func constant(s *jsonschema.Schema) string {
	if s.Const == nil {
		return ""
	}
	return fmt.Sprint(*s.Const)
}

// unknown is what git says where no release can be known: the folder is no repository,
// one without a commit, without a tag, or without one that HEAD comes from.
var unknown = []string{"not a git repository", "malformed object name 'HEAD'", "No names found", "No tags can describe"}

// Release returns the tag of the last released version before what is checked out in
// the folder root, which may be a release itself, or "" and why none is known there:
// nothing is released yet, the folder is no repository, or a clone without tags. That
// git fails for any other reason is an error.
func Release(root string) (tag, why string, err error) {
	args := []string{"describe", "--tags", "--abbrev=0", "--match", "v[0-9]*"}
	out, err := Git(root, "tag", "--points-at", "HEAD")
	if err == nil {
		for own := range strings.Lines(out) {
			args = append(args, "--exclude", strings.TrimSpace(own))
		}
		out, err = Git(root, args...)
	}
	if err != nil {
		if slices.ContainsFunc(unknown, func(s string) bool { return strings.Contains(err.Error(), s) }) {
			return "", err.Error(), nil
		}
		return "", "", err
	}
	return strings.TrimSpace(out), "", nil
}

// ReleasedNames lists the files of a released version that a path names: itself, or with
// a slash at the end those in the folder.
func ReleasedNames(root, tag, path string) ([]string, error) {
	out, err := Git(root, "ls-tree", "--name-only", "-z", tag, "--", path)
	if out == "" || err != nil {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(out, "\x00"), "\x00"), nil
}

// Released returns a file as it was in a released version; ok is false if it was not
// there.
func Released(root, tag, path string) (text string, ok bool, err error) {
	names, err := ReleasedNames(root, tag, path)
	if err != nil || len(names) != 1 || names[0] != path {
		return "", false, err
	}
	text, err = Git(root, "show", tag+":"+path)
	return text, err == nil, err
}

// kept are the variables for git that say nothing of a repository: where it stops to
// look for one, where its programs are, and that it takes every folder for another's.
var kept = []string{"GIT_CEILING_DIRECTORIES", "GIT_EXEC_PATH", "GIT_TEST_ASSUME_DIFFERENT_OWNER"}

// Git runs git in the folder root, and returns what it prints. The configuration of the
// host does not count, nor do the variables that a hook hands on, which would name
// another repository, nor who owns the folder.
func Git(root string, args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-C", root, "-c", "safe.directory=*"}, args...)...)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return strings.HasPrefix(name, "GIT_") && !slices.Contains(kept, name)
	})
	cmd.Env = append(cmd.Env, "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C")
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(said.String()))
	}
	return string(out), nil
}
