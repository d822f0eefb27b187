// Package schema says in JSON Schema what the documents hold that commands write.
//
// A [Document] names the Go type behind a document, and [Document.Schema] derives the
// schema from it, so that neither can change without the other. It writes no document
// and checks none; schematest does that for tests. Start with [Document].
package schema

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
)

// dialect is the version of JSON Schema that is written, and base what the id of each
// schema begins with: the address of its file.
const (
	dialect = "https://json-schema.org/draft/2020-12/schema"
	base    = "https://raw.githubusercontent.com/satchel-dev/satchel/main/docs/schema/"
)

// A Document is one kind of JSON document.
type Document struct {
	Name    string       // of the schema: the command with - for spaces, and what tells it from others of the command
	Version int          // what the document says as its version
	What    string       // it is, in one line
	Writers []string     // the commands that write it, each with the flags that make it do so: "diff --split"
	Type    reflect.Type // a struct with a field "version"
}

// Writes is a Document of the type T.
func Writes[T any](name string, version int, what string, writers ...string) Document {
	return Document{name, version, what, writers, reflect.TypeFor[T]()}
}

// File is the name of the schema's file.
func (d *Document) File() string { return fmt.Sprintf("%s.v%d.json", d.Name, d.Version) }

// Types are the schemas of Go types that write themselves, and of those with few
// values.
type Types map[reflect.Type]*jsonschema.Schema

// Enum returns the schema of a type whose values are these words.
func Enum[T any](values ...T) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	for _, v := range values {
		switch v := any(v).(type) {
		case encoding.TextMarshaler:
			text, err := v.MarshalText()
			if err != nil {
				panic(fmt.Sprintf("a value of %T has no name: %v", v, err))
			}
			s.Enum = append(s.Enum, string(text))
		default:
			s.Enum = append(s.Enum, reflect.ValueOf(v).String())
		}
	}
	return s
}

// Schema derives the schema of a document, its keys described as keys say. Keys that no
// type names are allowed, since new ones may come within a version.
func (d *Document) Schema(types Types, keys Keys) (*jsonschema.Schema, error) {
	if err := writable(d.Type, types, nil); err != nil {
		return nil, fmt.Errorf("schema of %s: %w", d.Name, err)
	}
	known := maps.Clone(types)
	if known == nil {
		known = Types{}
	}
	if known[timeType] == nil {
		known[timeType] = &jsonschema.Schema{Type: "string", Format: "date-time"} // RFC 3339
	}
	s, err := jsonschema.ForType(d.Type, &jsonschema.ForOptions{TypeSchemas: known})
	if err != nil {
		return nil, fmt.Errorf("schema of %s: %w", d.Name, err)
	}
	describe(s, d.Type, types, keys)
	open(s)
	v := s.Properties["version"]
	if v == nil || !slices.Contains(s.Required, "version") {
		return nil, fmt.Errorf("schema of %s: %s has no version", d.Name, d.Type)
	}
	v.Const = jsonschema.Ptr[any](d.Version)
	s.Schema, s.ID = dialect, base+d.File()
	s.Title = "satchel " + d.Name
	s.Description = d.What + ". Written by: " + strings.Join(d.Writers, ", ") + "."
	return s, nil
}

// JSON is a schema as its file holds it: what it is of first.
func (d *Document) JSON(types Types, keys Keys) ([]byte, error) {
	s, err := d.Schema(types, keys)
	if err != nil {
		return nil, err
	}
	head, err := json.MarshalIndent(struct {
		Schema      string `json:"$schema"`
		ID          string `json:"$id"`
		Title       string `json:"title"`
		Description string `json:"description"`
	}{s.Schema, s.ID, s.Title, s.Description}, "", "  ")
	if err != nil {
		return nil, err
	}
	s.Schema, s.ID, s.Title, s.Description = "", "", "", ""
	rest, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return nil, err
	}
	// Two objects become one: {"$schema": …, "description": …, "type": …}.
	return slices.Concat(bytes.TrimSuffix(head, []byte("\n}")), []byte(","), bytes.TrimPrefix(rest, []byte("{")), []byte("\n")), nil
}

// open allows further keys, and takes away the null of lists and of what is left out
// when it is nothing.
func open(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if s.Properties != nil {
		s.AdditionalProperties = nil
	}
	for name, p := range s.Properties {
		if !slices.Contains(s.Required, name) {
			notNull(p)
		}
		open(p)
	}
	if slices.Contains(s.Types, "array") {
		notNull(s)
	}
	if slices.Contains(s.Types, "null") && s.Enum != nil {
		s.Enum = append(s.Enum, nil)
	}
	if s.Items != nil {
		notNull(s.Items)
		open(s.Items)
	}
	open(s.AdditionalProperties)
}

func notNull(s *jsonschema.Schema) {
	if i := slices.Index(s.Types, "null"); i >= 0 && len(s.Types) == 2 {
		s.Type, s.Types = s.Types[1-i], nil
	}
}

var (
	marshalsJSON = reflect.TypeFor[json.Marshaler]()
	marshalsText = reflect.TypeFor[encoding.TextMarshaler]()
	timeType     = reflect.TypeFor[time.Time]()
)

// writable reports what of a type the library would describe wrongly: what writes
// itself in a way of its own, bytes, numbers that are written as strings, and embedded
// structs with a name.
func writable(t reflect.Type, types Types, seen []reflect.Type) error {
	if types[t] != nil || t == timeType || slices.Contains(seen, t) {
		return nil
	}
	seen = append(seen, t)
	switch t.Kind() {
	case reflect.Pointer:
		return writable(t.Elem(), types, seen)
	case reflect.Interface:
		return fmt.Errorf("%s may be anything", t)
	}
	if p := reflect.PointerTo(t); p.Implements(marshalsJSON) || p.Implements(marshalsText) {
		return fmt.Errorf("%s writes itself, and nothing says what", t)
	}
	switch t.Kind() {
	case reflect.Map, reflect.Array:
		return writable(t.Elem(), types, seen)
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return fmt.Errorf("%s is bytes", t)
		}
		return writable(t.Elem(), types, seen)
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			tag, _ := f.Tag.Lookup("json")
			if tag == "-" || !f.IsExported() && !f.Anonymous {
				continue
			}
			if _, options, _ := strings.Cut(tag, ","); slices.Contains(strings.Split(options, ","), "string") {
				return fmt.Errorf("%s.%s is written as a string, which the schema would not say", t, f.Name)
			}
			if f.Anonymous && tag != "" {
				return fmt.Errorf("%s.%s is embedded under a name", t, f.Name)
			}
			if err := writable(f.Type, types, seen); err != nil {
				return fmt.Errorf("%s: %w", f.Name, err)
			}
		}
	}
	return nil
}

// WithLists returns v, or a pointer to a copy of it, in which lists are empty that are
// nil, so that JSON has [] of them and never null: what a schema says is a list is one.
func WithLists(v any) any {
	p := reflect.ValueOf(v)
	if p.Kind() != reflect.Pointer {
		p = reflect.New(p.Type())
		p.Elem().Set(reflect.ValueOf(v))
	}
	fillLists(p)
	return p.Interface()
}

func fillLists(v reflect.Value) {
	if v.Type().Implements(marshalsJSON) || v.Type() == reflect.TypeFor[json.RawMessage]() {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			fillLists(v.Elem())
		}
	case reflect.Slice:
		if v.CanSet() { // a list of its own: the caller's stays as it is
			v.Set(reflect.AppendSlice(reflect.MakeSlice(v.Type(), 0, v.Len()), v))
		}
		for i := range v.Len() {
			fillLists(v.Index(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			fillLists(v.Index(i))
		}
	case reflect.Map: // its values cannot be set in place
		if v.IsNil() || !v.CanSet() {
			return
		}
		filled := reflect.MakeMapWithSize(v.Type(), v.Len())
		for key, value := range v.Seq2() {
			p := reflect.New(v.Type().Elem())
			p.Elem().Set(value)
			fillLists(p)
			filled.SetMapIndex(key, p.Elem())
		}
		v.Set(filled)
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			tag := f.Tag.Get("json")
			if tag == "-" || strings.Contains(tag, ",omit") && v.Field(i).IsZero() || !f.IsExported() && !f.Anonymous {
				continue
			}
			fillLists(v.Field(i))
		}
	}
}
