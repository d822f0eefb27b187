package ask

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/text/lazy"
)

// A FaultError says what is wrong with an answer, in words that help a model to mend
// it.
type FaultError struct {
	Faults []string // at least one; each names a field
}

func (f *FaultError) Error() string {
	if n := len(f.Faults); n > mostFaults {
		return fmt.Sprintf("%s; and %d more", strings.Join(f.Faults[:mostFaults], "; "), n-mostFaults)
	}
	return strings.Join(f.Faults, "; ")
}

// mostFaults is how many faults one message names.
const mostFaults = 8

// fault adds one to an error of [Ask.Read].
func fault(err error, format string, args ...any) error {
	f, ok := err.(*FaultError)
	if !ok {
		if err != nil {
			return err
		}
		f = &FaultError{}
	}
	f.add("", format, args...)
	return f
}

// Read decodes what a model submitted into v, by the Schema of the Ask. The error is
// a [*FaultError]; v then holds what is complete and right: of a list every element
// that is, even if the answer was cut in the middle of the next one. Keys that the
// schema does not have are passed over.
func (a *Ask) Read(input json.RawMessage, v any) error {
	var s spec
	if err := json.Unmarshal(a.Schema, &s); err != nil {
		return err // a test reads them all
	}
	var f FaultError
	tree := f.parse(&s, input)
	if object, ok := tree.(map[string]any); ok {
		tree = f.conform(&s, object, "")
	} else if tree != nil {
		f.add("", "want an object, got %s", kindOf(tree))
		tree = nil
	}
	if tree != nil {
		b, err := json.Marshal(tree)
		if err == nil {
			err = json.Unmarshal(b, v)
		}
		if err != nil {
			f.add("", "%.200v", err)
		}
	}
	if len(f.Faults) > 0 {
		return &f
	}
	return nil
}

// A spec is what our schemas say.
type spec struct {
	Type       string           `json:"type"`
	Properties map[string]*spec `json:"properties"`
	Required   []string         `json:"required"`
	Items      *spec            `json:"items"`
	Enum       []string         `json:"enum"`
	Minimum    *float64         `json:"minimum"`
	Maximum    *float64         `json:"maximum"`
}

func (f *FaultError) add(at, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if at != "" {
		text = at + ": " + text
	}
	f.Faults = append(f.Faults, text)
}

// parse reads JSON, or the text of what should have been JSON: without what stands
// around it, and up to where it is cut. Braces of the prose around it are passed
// over, as is what a model thought before.
func (f *FaultError) parse(s *spec, input json.RawMessage) any {
	v, err := decodeTree(input)
	if err != nil {
		v = string(input)
	}
	text, ok := v.(string)
	if !ok {
		return v
	}
	text = thoughts().ReplaceAllString(text, "")
	var torn any
	for n := 0; n < mostStarts; n++ {
		start := strings.IndexByte(text, '{')
		if start < 0 {
			break
		}
		text = text[start:]
		if v, err := decodeTree([]byte(text)); err == nil && s.knows(v) {
			f.add("", "text around the JSON object")
			return v
		}
		if torn == nil {
			if v, err := decodeTree([]byte(closed(text))); err == nil && (s.knows(v) || n == 0) {
				torn = v
			}
		}
		text = text[1:]
	}
	if torn == nil {
		f.add("", "the input of submit is not a JSON object")
		return nil
	}
	f.add("", "the JSON is cut, or malformed")
	return torn
}

// thoughts are what some models write before they answer.
var thoughts = lazy.Regexp(`(?s)<think(ing)?>.*?</think(ing)?>`)

// mostStarts is how many braces of a text are tried as the beginning of an answer.
const mostStarts = 64

// knows reports whether a value is an object with a field of the schema.
func (s *spec) knows(v any) bool {
	object, ok := v.(map[string]any)
	for name := range s.Properties {
		if _, has := object[name]; has {
			return ok
		}
	}
	return false
}

func decodeTree(b []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}

// deepest is how many brackets of an answer may be open; no schema of ours comes near.
const deepest = 32

// closed is JSON that was cut, up to the last value that is complete, and closed
// there.
func closed(text string) string {
	var open []byte    // the brackets that are open
	end, ends := 0, "" // where the longest complete beginning ends, and what closes it
	inString := false
	mark := func(at int) {
		end = at
		b := slices.Clone(open)
		slices.Reverse(b)
		ends = string(b)
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		if inString {
			switch c {
			case '\\':
				i++
			case '"':
				inString = false
			}
			continue
		}
		if len(open) > deepest {
			break
		}
		switch c {
		case '"':
			inString = true
		case '{':
			open = append(open, '}')
			mark(i + 1)
		case '[':
			open = append(open, ']')
			mark(i + 1)
		case '}', ']':
			if len(open) == 0 || open[len(open)-1] != c {
				return text[:end] + ends
			}
			open = open[:len(open)-1]
			mark(i + 1)
			if len(open) == 0 {
				return text[:end]
			}
		case ',':
			mark(i) // what stands before it is complete
		}
	}
	return text[:end] + ends
}

// conform returns a value as its schema has it. What is not as it should be is left
// out and noted.
func (f *FaultError) conform(s *spec, v map[string]any, at string) map[string]any {
	out := make(map[string]any, len(v))
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		got, there := v[name]
		where := strings.TrimPrefix(at+"."+name, ".")
		if !there || got == nil {
			if slices.Contains(s.Required, name) {
				f.add(where, "it is missing")
			}
			continue
		}
		if value, ok := f.value(s.Properties[name], got, where); ok {
			out[name] = value
		}
	}
	return out
}

// value returns one value as its schema has it; false if it is not.
func (f *FaultError) value(s *spec, v any, at string) (any, bool) {
	if kind := kindOf(v); kind != s.Type && !(s.Type == "integer" && kind == "number") {
		f.add(at, "want %s, got %s", article(s.Type), kind)
		return nil, false
	}
	switch v := v.(type) {
	case string:
		if len(s.Enum) > 0 && !slices.Contains(s.Enum, v) {
			if i := slices.IndexFunc(s.Enum, func(e string) bool { return strings.EqualFold(e, strings.TrimSpace(v)) }); i >= 0 {
				return s.Enum[i], true
			}
			f.add(at, "%.40q: want one of %s", v, strings.Join(s.Enum, ", "))
			return nil, false
		}
	case json.Number:
		return f.number(s, v, at)
	case []any:
		return f.list(s, v, at), true
	case map[string]any:
		return f.conform(s, v, at), true
	}
	return v, true
}

func (f *FaultError) number(s *spec, v json.Number, at string) (any, bool) {
	n, err := v.Float64()
	switch {
	case err != nil, s.Type == "integer" && n != float64(int64(n)):
		f.add(at, "%.40s: want a whole number", v)
	case s.Minimum != nil && n < *s.Minimum, s.Maximum != nil && n > *s.Maximum:
		f.add(at, "%s: want %g to %g", v, *s.Minimum, *s.Maximum)
	case s.Type == "integer":
		return int64(n), true
	default:
		return n, true
	}
	return nil, false
}

// list keeps the elements that are all right.
func (f *FaultError) list(s *spec, v []any, at string) []any {
	out := []any{}
	for i, e := range v {
		before := len(f.Faults)
		got, ok := f.value(s.Items, e, fmt.Sprintf("%s[%d]", at, i))
		if ok && len(f.Faults) == before {
			out = append(out, got)
		}
	}
	return out
}

func kindOf(v any) string {
	switch v := v.(type) {
	case string:
		return "string"
	case bool:
		return "boolean"
	case json.Number:
		if strings.ContainsAny(v.String(), ".eE") {
			return "number"
		}
		return "integer"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return "null"
}

func article(kind string) string {
	switch kind {
	case "integer":
		return "a whole number"
	case "array":
		return "a list"
	case "object":
		return "an object"
	case "boolean":
		return "true or false"
	}
	return "a " + kind
}
