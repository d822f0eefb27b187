package schema

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Keys say what the keys of documents mean: by the Go type that has the field, as
// reflect names it, then by key. A struct without a name is called TYPE.key, by the
// field that holds it.
type Keys map[string]map[string]string

// ParseKeys reads what [Keys.String] wrote. Lines of any other form are skipped.
func ParseKeys(text string) Keys {
	keys, of := Keys{}, ""
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		key, words, ok := strings.Cut(strings.TrimPrefix(line, "\t"), "\t")
		switch {
		case !strings.HasPrefix(line, "\t"):
			of = line
		case ok && of != "":
			keys.Add(of, key, words)
		}
	}
	return keys
}

// Add says what a key of a type means.
func (k Keys) Add(of, key, words string) {
	if k[of] == nil {
		k[of] = map[string]string{}
	}
	k[of][key] = words
}

// String is a line for each type, and below it one for each key, sorted.
func (k Keys) String() string {
	var b strings.Builder
	for _, of := range slices.Sorted(maps.Keys(k)) {
		fmt.Fprintln(&b, of)
		for _, key := range slices.Sorted(maps.Keys(k[of])) {
			fmt.Fprintf(&b, "\t%s\t%s\n", key, k[of][key])
		}
	}
	return b.String()
}

// A Field is a field that is written as a key of a document.
type Field struct {
	Of   string       // what [Keys] call the type that has the field
	Type reflect.Type // which may have no name
	Key  string
	Go   reflect.StructField
}

// Fields calls visit for each field that a type is written with, in the types that it
// holds, too. Types that the schemas name themselves are not looked into.
func Fields(t reflect.Type, types Types, visit func(Field)) {
	walk(nil, t, "", types, func(_ *jsonschema.Schema, f Field) { visit(f) })
}

// describe writes into a schema of a type what its keys mean.
func describe(s *jsonschema.Schema, t reflect.Type, types Types, keys Keys) {
	walk(s, t, "", types, func(p *jsonschema.Schema, f Field) {
		if words := keys[f.Of][f.Key]; words != "" && p != nil {
			p.Description = words
		}
	})
}

// walk visits the fields of a type, each with its part of the schema, which may be nil.
// called is what a type without a name is called.
func walk(s *jsonschema.Schema, t reflect.Type, called string, types Types, visit func(*jsonschema.Schema, Field)) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if types[t] != nil || t == timeType {
		return
	}
	part := func(of func(*jsonschema.Schema) *jsonschema.Schema) *jsonschema.Schema {
		if s == nil {
			return nil
		}
		return of(s)
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		walk(part(func(s *jsonschema.Schema) *jsonschema.Schema { return s.Items }), t.Elem(), called, types, visit)
	case reflect.Map:
		walk(part(func(s *jsonschema.Schema) *jsonschema.Schema { return s.AdditionalProperties }), t.Elem(), called, types, visit)
	case reflect.Struct:
		for _, f := range reflect.VisibleFields(t) {
			tag := f.Tag.Get("json")
			if f.Anonymous || !f.IsExported() || tag == "-" {
				continue
			}
			key, _, _ := strings.Cut(tag, ",")
			key = cmp.Or(key, f.Name)
			in := t
			if len(f.Index) > 1 { // promoted
				in = t.FieldByIndex(f.Index[:len(f.Index)-1]).Type
			}
			for in.Kind() == reflect.Pointer {
				in = in.Elem()
			}
			of := called
			if in.Name() != "" {
				of = in.String()
			}
			p := part(func(s *jsonschema.Schema) *jsonschema.Schema { return s.Properties[key] })
			visit(p, Field{Of: of, Type: in, Key: key, Go: f})
			walk(p, f.Type, of+"."+key, types, visit)
		}
	}
}
