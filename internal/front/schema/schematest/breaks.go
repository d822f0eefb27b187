package schematest

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

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
