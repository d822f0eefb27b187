package program

import (
	"encoding/json"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/budget"
	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/finding"
	"github.com/satchel-dev/satchel/internal/assist/ask"
	"github.com/satchel-dev/satchel/internal/front/schema"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/world/llm"
	"github.com/satchel-dev/satchel/style"
	"github.com/satchel-dev/satchel/trim"
)

// DocumentTypes are the schemas of enumerations, and of types that marshal themselves, in
// the documents of several families. A new word in an enumeration needs a new version, so
// growing sets, such as the kinds of items and the names of agents, are plain texts.
func DocumentTypes() schema.Types {
	text, object := &jsonschema.Schema{Type: "string"}, &jsonschema.Schema{Type: "object"}
	return schema.Types{
		reflect.TypeFor[clean.Text]():      text,
		reflect.TypeFor[json.RawMessage](): object, // requests to models
		reflect.TypeFor[llm.Chunk]():       {Type: "array", Description: "milliseconds since the request, and the text, or its bytes in base64 if they are not UTF-8"},

		reflect.TypeFor[satchel.Detail]():   schema.Enum(satchel.Omitted, satchel.Mention, satchel.Outline, satchel.Trimmed, satchel.Full),
		reflect.TypeFor[satchel.Match]():    schema.Enum(satchel.MatchStrong, satchel.MatchWeak, satchel.MatchNone),
		reflect.TypeFor[budget.Level]():     schema.Enum(budget.Hidden, budget.Shown, budget.Noted, budget.Warned),
		reflect.TypeFor[change.Status]():    schema.Enum(change.Added, change.Modified, change.Deleted, change.Renamed, change.Copied, change.TypeChanged, change.Unmerged),
		reflect.TypeFor[finding.Side]():     schema.Enum(finding.New, finding.Old),
		reflect.TypeFor[finding.Anchor]():   schema.Enum(finding.Exact, finding.Moved, finding.Context, finding.File, finding.Unverified),
		reflect.TypeFor[finding.Severity](): schema.Enum(finding.Critical, finding.High, finding.Medium, finding.Low),
		reflect.TypeFor[finding.Verdict]():  schema.Enum(finding.Confirmed, finding.Refuted, finding.Unsure, finding.None),
		reflect.TypeFor[finding.State]():    schema.Enum(finding.Visible, finding.TooLow, finding.Disproved, finding.Unfounded, finding.Dismissed, finding.Duplicate, finding.AlreadyKnew),
		reflect.TypeFor[ask.How]():          schema.Enum(ask.Full, ask.Part, ask.Folded, ask.Listed, ask.Unread),
		reflect.TypeFor[style.Kind]():       schema.Enum(style.Plain, style.Conventional, style.Gitmoji, style.Ticket, style.Package),
		reflect.TypeFor[trim.Fate]():        schema.Enum(trim.Kept, trim.Elided, trim.Digested, trim.Dropped),
		reflect.TypeFor[trim.TurnType]():    schema.Enum(trim.Instruction, trim.ToolUse, trim.Response, trim.Reminder, trim.Digest),
	}
}
