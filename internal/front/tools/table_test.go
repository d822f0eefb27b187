package tools

import (
	"bytes"
	"encoding/json"
	"testing"
)

// Schemas are written by hand, keys in order, so that they are the same bytes in
// every language's map order.
func TestSchemasAreSorted(t *testing.T) {
	for _, tool := range Table {
		d := json.NewDecoder(bytes.NewReader(tool.Schema()))
		if err := sortedKeys(d); err != "" {
			t.Errorf("schema of %s: %s", tool.Name, err)
		}
	}
}

// sortedKeys walks one JSON value.
func sortedKeys(d *json.Decoder) string {
	t, err := d.Token()
	if err != nil {
		return err.Error()
	}
	last := ""
	for t == json.Delim('{') && d.More() {
		key, err := d.Token()
		if err != nil {
			return err.Error()
		}
		if key.(string) <= last {
			return key.(string) + " stands after " + last
		}
		last = key.(string)
		if why := sortedKeys(d); why != "" {
			return why
		}
	}
	for t == json.Delim('[') && d.More() {
		if why := sortedKeys(d); why != "" {
			return why
		}
	}
	if t == json.Delim('{') || t == json.Delim('[') {
		_, err = d.Token()
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

// The schema and the decoder of a tool know the same arguments, of the same kinds.
func TestSchemasMatchDecoders(t *testing.T) {
	decoders := map[string]func(json.RawMessage) error{
		"blame":   func(b json.RawMessage) error { return decode(b, new(blameArgs)) },
		"docs":    func(b json.RawMessage) error { return decode(b, new(docsArgs)) },
		"log":     func(b json.RawMessage) error { return decode(b, new(logArgs)) },
		"map":     func(b json.RawMessage) error { return decode(b, new(mapArgs)) },
		"diff":    func(b json.RawMessage) error { return decode(b, new(diffArgs)) },
		"pack":    func(b json.RawMessage) error { return decode(b, new(packArgs)) },
		"read":    func(b json.RawMessage) error { return decode(b, new(readArgs)) },
		"search":  func(b json.RawMessage) error { return decode(b, new(searchArgs)) },
		"session": func(b json.RawMessage) error { return decode(b, new(sessionArgs)) },
	}
	samples := map[string]any{"string": "x", "integer": 1, "boolean": true, "array": []string{"x"}}
	for _, tool := range Table {
		var schema struct {
			Properties map[string]struct{ Type string }
		}
		if err := json.Unmarshal(tool.Schema(), &schema); err != nil {
			t.Fatal(err)
		}
		for name, p := range schema.Properties {
			for kind, v := range samples {
				raw, _ := json.Marshal(map[string]any{name: v})
				if err := decoders[tool.Name](raw); (err == nil) != (kind == p.Type) {
					t.Errorf("%s %s: %v; the schema says %s", tool.Name, raw, err, p.Type)
				}
			}
		}
		if err := decoders[tool.Name](json.RawMessage(`{"workspace":"/etc"}`)); err == nil {
			t.Errorf("%s takes an argument that its schema does not have", tool.Name)
		}
	}
}
