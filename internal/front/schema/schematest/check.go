// Package schematest checks JSON documents against schemas more strictly than readers
// should, and schemas against older ones. It is for tests.
//
// [Check] refuses keys that the schema does not know, so that none comes unseen;
// [Breaks] lists what of a schema is no longer so.
package schematest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

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
