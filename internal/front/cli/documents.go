package cli

import (
	"maps"

	"github.com/satchel-dev/satchel/internal/front/cli/assist"
	"github.com/satchel-dev/satchel/internal/front/cli/config"
	"github.com/satchel-dev/satchel/internal/front/cli/contextfiles"
	"github.com/satchel-dev/satchel/internal/front/cli/diff"
	"github.com/satchel-dev/satchel/internal/front/cli/embed"
	"github.com/satchel-dev/satchel/internal/front/cli/index"
	"github.com/satchel-dev/satchel/internal/front/cli/install"
	"github.com/satchel-dev/satchel/internal/front/cli/last"
	"github.com/satchel-dev/satchel/internal/front/cli/note"
	"github.com/satchel-dev/satchel/internal/front/cli/pack"
	"github.com/satchel-dev/satchel/internal/front/cli/search"
	"github.com/satchel-dev/satchel/internal/front/cli/session"
	"github.com/satchel-dev/satchel/internal/front/cli/show"
	"github.com/satchel-dev/satchel/internal/front/cli/snapshot"
	"github.com/satchel-dev/satchel/internal/front/cli/tokens"

	_ "embed"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

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

// Documents returns all JSON documents that commands write on standard output, sorted
// by name. A test fails if a command writes a document that no family lists.
func Documents() []schema.Document {
	all := slices.Concat(
		assist.Documents(), config.Documents(), contextfiles.Documents(), diff.Documents(), embed.Documents(), index.Documents(), install.Documents(), last.Documents(), note.Documents(), pack.Documents(), schemaDocuments(), search.Documents(), session.Documents(), show.Documents(), snapshot.Documents(), tokens.Documents(), versionDocuments(),
	)
	slices.SortFunc(all, func(a, b schema.Document) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// DocumentTypes are the types that marshal themselves, and the enumerations. A new
// word in an enumeration needs a new version, so growing sets, such as the kinds of
// items and the names of agents, are plain texts.
func DocumentTypes() schema.Types {
	text, object := &jsonschema.Schema{Type: "string"}, &jsonschema.Schema{Type: "object"}
	types := schema.Types{
		reflect.TypeFor[clean.Text]():          text,
		reflect.TypeFor[json.RawMessage]():     object, // requests to models
		reflect.TypeFor[config.SettingValue](): {Types: []string{"string", "number", "boolean", "array", "object"}},
		reflect.TypeFor[llm.Chunk]():           {Type: "array", Description: "milliseconds since the request, and the text, or its bytes in base64 if they are not UTF-8"},

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
	maps.Copy(types, install.Types())
	return types
}

//go:embed descriptions.txt
var descriptions string

// DocumentKeys say what the keys of all documents mean. They are the comments of the
// fields behind them, and where those say nothing what testdata/keys.tsv says.
func DocumentKeys() schema.Keys { return schema.ParseKeys(descriptions) }
