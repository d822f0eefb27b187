package cli

import (
	"github.com/satchel-dev/satchel/internal/front/cli/base"

	_ "embed"
	"encoding/json"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/budget"
	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/finding"
	"github.com/satchel-dev/satchel/internal/assist/ask"
	"github.com/satchel-dev/satchel/internal/front/install"
	"github.com/satchel-dev/satchel/internal/front/schema"
	"github.com/satchel-dev/satchel/internal/scene/readonly"
	"github.com/satchel-dev/satchel/internal/session/recordings"
	"github.com/satchel-dev/satchel/internal/source/search"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/world/llm"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/style"
	"github.com/satchel-dev/satchel/trim"
)

// Documents returns all JSON documents that commands write on standard output, sorted
// by name. A test fails if a command writes a document without a row here.
func Documents() []schema.Document {
	return []schema.Document{
		writes("ask", 2, "A model's answer, with sources for each claim", on("ask"), is[answerDocument]()),
		writes("changelog", 2, "A section of a changelog", on("changelog"), is[changelogDocument]()),
		writes("commit", 2, "A commit message", on("commit"), is[messageDocument]()),
		writes("config", 2, "The settings and their origins", on("config"), is[configResult]()),
		writes("config-change", 1, "A change of the settings file", on("config init"), is[configChange]()),
		writes("context-change", 2, "A change of the context files", on("context add", "context remove", "context refresh"), is[contextChange]()),
		writes("context-check", 2, "The protection of paths", on("context check"), is[checked]()),
		writes("context-list", 2, "The context files", on("context list"), is[readonly.Listing]()),
		writes("context-suggest", 2, "Suggested context files", on("context suggest"), is[contextSuggestions]()),
		writes("diff", 2, "A change, its most relevant files first", on("diff"), render.DiffDocument()),
		writes("diff-split", 2, "A change split into tasks", on("diff --split"), is[engine.Split]()),
		writes("doctor", 1, "The findings of doctor", on("doctor"), is[doctorDocument]()),
		writes(
			"dry-run", 1, "The first request that a command would send to a model",
			on("ask --dry-run", "commit --dry-run", "review --dry-run", "pr --dry-run", "changelog --dry-run"),
			is[dryDocument](),
		),
		writes("embed-build-dry-run", 1, "The documents that would be embedded, and the model", on("embed build --dry-run"), is[embedState]()),
		writes("exclusions", 2, "The paths that packs leave out, and the rules", on("pack --explain-exclusions"), is[exclusionsResult]()),
		writes("index", 2, "The state of the index", on("index"), is[indexDocument]()),
		writes("install", 1, "Changes of the settings of agents", on("install", "uninstall"), is[installDocument]()),
		writes("install-bundle", 1, "The written plugin and extension", on("install --plugin", "install --extension"), is[bundlesWritten]()),
		writes("last", 1, "The context that hooks added to the last prompts", on("last"), is[lastDocument]()),
		writes("log", 2, "The runs that called a model", on("log"), is[runList]()),
		writes("log-cost", 2, "The cost of runs that called a model", on("log cost"), is[costList]()),
		writes("log-raw", 1, "The requests and responses of a run, or of one call", on("log show", "log show --raw"), is[tripList]()),
		writes("log-show", 2, "A run that called a model", on("log show"), is[loggedRun]()),
		writes("note", 1, "Notes", on("note add", "note list", "note pin", "note unpin", "note remove", "note touch"), is[noteList]()),
		writes("pack", satchel.PackVersion, "The context that a task needs", on("pack"), is[satchel.Pack]()),
		writes("pr", 2, "The title and description of a pull request", on("pr"), is[prDocument]()),
		writes("review", 1, "The findings of a review, each verified against the change", on("review"), render.ReviewDocument()),
		writes("review-dismissed", 2, "Dismissed findings", on("review dismissed"), is[dismissedFindings]()),
		writes("review-forgotten", 2, "A withdrawn dismissal", on("review dismissed --forget"), is[forgottenDismissal]()),
		writes("review-said", 2, "Newly dismissed findings", on("review dismiss"), is[knownFindings]()),
		writes("run", base.RunRecordVersion, "The run of an agent", on("run"), is[base.RunRecord]()),
		writes("run-dry-run", 2, "The first prompt of a run", on("run --dry-run"), is[runPrompt]()),
		writes("schema", 1, "The list of documents", on("schema"), is[schemaList]()),
		writes("search", search.SearchVersion, "The best files or definitions for a query", on("search"), is[search.Result]()),
		writes("session-fetch", 1, "The original of a block that a trim removed", on("session fetch"), is[recordings.Block]()),
		writes("session-list", 2, "The sessions that agents recorded", on("session list"), is[recordings.List]()),
		writes("session-show", 3, "The turns of a session", on("session show"), is[recordings.Turns]()),
		writes("session-stats", 2, "Statistics of a session", on("session stats"), is[recordings.Stats]()),
		writes("session-trim", 3, "The result that a trim would have", on("session trim --dry-run"), is[trimResult]()),
		writes("show", 1, "Lines of a file", on("show"), is[showResult]()),
		writes("snapshot", 1, "A new or imported snapshot", on("snapshot take", "snapshot import"), is[takenSnapshot]()),
		writes("snapshot-diff", 1, "The differences of two snapshots", on("snapshot diff"), is[snapshotDifferences]()),
		writes("snapshot-gc", 2, "The removed snapshots", on("snapshot gc"), is[snapshotsDropped]()),
		writes("snapshot-list", 2, "The snapshots, newest first", on("snapshot list"), is[snapshotList]()),
		writes("snapshot-show", 1, "A snapshot, with its record", on("snapshot show"), is[shownSnapshot]()),
		writes("snapshot-verify", 2, "The verification of snapshots", on("snapshot verify"), is[snapshotProofs]()),
		writes("snapshot-why", 1, "The reasons for an item in a snapshot", on("snapshot why"), is[snapshotAnswer]()),
		writes("status", 2, "The contents of a session's window; with --watch, a stream of documents", on("status"), is[recordings.Status]()),
		writes("statusline", 2, "The fill level of a session's window", on("statusline"), is[statuslineDocument]()),
		writes("tokens", 1, "The token counts of files", on("tokens"), is[tokensResult]()),
		writes("tokens-models", 1, "The known models", on("tokens --models"), is[modelList]()),
		writes("uninstall-all", 1, "The data of satchel that was removed, and the data that was kept", on("uninstall --all"), is[uninstallDocument]()),
		writes("version", 1, "The version and build", on("version"), is[versionDocument]()),
	}
}

func writes(name string, version int, what string, writers []string, of reflect.Type) schema.Document {
	return schema.Document{Name: name, Version: version, What: what, Writers: writers, Type: of}
}

func on(writers ...string) []string { return writers }

func is[T any]() reflect.Type { return reflect.TypeFor[T]() }

// DocumentTypes are the types that marshal themselves, and the enumerations. A new
// word in an enumeration needs a new version, so growing sets, such as the kinds of
// items and the names of agents, are plain texts.
func DocumentTypes() schema.Types {
	text, object := &jsonschema.Schema{Type: "string"}, &jsonschema.Schema{Type: "object"}
	return schema.Types{
		is[clean.Text]():      text,
		is[json.RawMessage](): object, // requests to models
		is[settingValue]():    {Types: []string{"string", "number", "boolean", "array", "object"}},
		is[llm.Chunk]():       {Type: "array", Description: "milliseconds since the request, and the text, or its bytes in base64 if they are not UTF-8"},

		is[satchel.Detail]():   schema.Enum(satchel.Omitted, satchel.Mention, satchel.Outline, satchel.Trimmed, satchel.Full),
		is[satchel.Match]():    schema.Enum(satchel.MatchStrong, satchel.MatchWeak, satchel.MatchNone),
		is[budget.Level]():     schema.Enum(budget.Hidden, budget.Shown, budget.Noted, budget.Warned),
		is[change.Status]():    schema.Enum(change.Added, change.Modified, change.Deleted, change.Renamed, change.Copied, change.TypeChanged, change.Unmerged),
		is[finding.Side]():     schema.Enum(finding.New, finding.Old),
		is[finding.Anchor]():   schema.Enum(finding.Exact, finding.Moved, finding.Context, finding.File, finding.Unverified),
		is[finding.Severity](): schema.Enum(finding.Critical, finding.High, finding.Medium, finding.Low),
		is[finding.Verdict]():  schema.Enum(finding.Confirmed, finding.Refuted, finding.Unsure, finding.None),
		is[finding.State]():    schema.Enum(finding.Visible, finding.TooLow, finding.Disproved, finding.Unfounded, finding.Dismissed, finding.Duplicate, finding.AlreadyKnew),
		is[ask.How]():          schema.Enum(ask.Full, ask.Part, ask.Folded, ask.Listed, ask.Unread),
		is[keptKind]():         schema.Enum(keptKinds...),
		is[install.Level]():    schema.Enum(install.OK, install.Note, install.Problem),
		is[style.Kind]():       schema.Enum(style.Plain, style.Conventional, style.Gitmoji, style.Ticket, style.Package),
		is[trim.Fate]():        schema.Enum(trim.Kept, trim.Elided, trim.Digested, trim.Dropped),
		is[trim.TurnType]():    schema.Enum(trim.Instruction, trim.ToolUse, trim.Response, trim.Reminder, trim.Digest),
	}
}

//go:embed descriptions.txt
var descriptions string

// DocumentKeys say what the keys of all documents mean. They are the comments of the
// fields behind them, and where those say nothing what testdata/keys.tsv says.
func DocumentKeys() schema.Keys { return schema.ParseKeys(descriptions) }
