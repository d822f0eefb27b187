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

// What submit takes, as Go has it; see the schemas for what the fields mean.

// A CommitAnswer is the message of a commit, in pieces.
type CommitAnswer struct {
	Type     string   `json:"type"`
	Scope    string   `json:"scope"`
	Breaking bool     `json:"breaking"`
	Subject  string   `json:"subject"`
	Body     string   `json:"body"`
	Names    []string `json:"names"`
}

// A ReviewAnswer is what a reviewer says of a change.
type ReviewAnswer struct {
	Summary  string          `json:"summary"`
	Findings []FindingAnswer `json:"findings"`
	Open     []Open          `json:"open"`
	LookedAt []string        `json:"looked_at"`
}

// A FindingAnswer is one finding, as the model has it.
type FindingAnswer struct {
	Path        string     `json:"path"`
	Side        string     `json:"side"`
	Line        int        `json:"line"`
	EndLine     int        `json:"end_line"`
	Quote       string     `json:"quote"`
	Severity    string     `json:"severity"`
	Confidence  int        `json:"confidence"`
	Category    string     `json:"category"`
	Title       string     `json:"title"`
	Trigger     string     `json:"trigger"`
	Consequence string     `json:"consequence"`
	Body        string     `json:"body"`
	Fix         string     `json:"fix"`
	Evidence    []Citation `json:"evidence"`
}

// A Citation is a line that something rests on.
type Citation struct {
	Path  string `json:"path"`
	Line  int    `json:"line"`
	Quote string `json:"quote"`
}

// An Open is a question that could not be settled.
type Open struct {
	Question string `json:"question"`
	Path     string `json:"path"`
}
