package ask

import (
	"encoding/json"

	"github.com/satchel-dev/satchel/finding"
)

// A shape describes a JSON value. A schema is written of it with sorted keys.
type shape map[string]any

// schemaOf returns the bytes of a shape.
func schemaOf(s shape) json.RawMessage {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // a shape holds strings, numbers and lists of them
	}
	return b
}

// object describes an object with these fields, all of which are needed but those
// whose names end in a question mark.
func object(fields ...any) shape {
	properties, required := shape{}, []string{}
	for i := 0; i < len(fields); i += 2 {
		name := fields[i].(string)
		if last := len(name) - 1; name[last] == '?' {
			name = name[:last]
		} else {
			required = append(required, name)
		}
		properties[name] = fields[i+1]
	}
	return shape{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
}

func list(of shape) shape { return shape{"type": "array", "items": of} }

func oneOf(words ...string) shape { return shape{"type": "string", "enum": words} }

var (
	text   = shape{"type": "string"}
	number = shape{"type": "integer"}
	truth  = shape{"type": "boolean"}
)

// What submit takes for the message of a commit. Type, scope and breaking are fields
// so that the program puts the subject together.
var commitSchema = object(
	"type?", text,
	"scope?", text,
	"breaking?", truth,
	"subject", text,
	"body", text,
	"names", list(text),
)

var evidenceSchema = object("path", text, "line", number, "quote", text)

// What a finding is.
var findingSchema = object(
	"path", text,
	"side", oneOf("new", "old"),
	"line", number,
	"end_line", number,
	"quote", text,
	"severity", oneOf("critical", "high", "medium", "low"),
	"confidence", shape{"type": "integer", "minimum": 0, "maximum": 100},
	"category", oneOf(finding.Categories...),
	"title", text,
	"trigger", text,
	"consequence", text,
	"body", text,
	"fix?", text,
	"evidence", list(evidenceSchema),
)

// What submit takes for a review.
var reviewSchema = object(
	"summary", text,
	"findings", list(findingSchema),
	"open", list(object("question", text, "path", text)),
	"looked_at", list(text),
)
