package cli

import (
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

// Documents are all JSON documents that commands write on standard output, by the order
// of their names. A command that writes a new one has a row here; a test that runs it
// fails otherwise.
func Documents() []schema.Document {
	return []schema.Document{
		writes("ask", 2, "An answer of a model, each claim with its sources", on("ask"), is[answerDocument]()),
		writes("changelog", 2, "A section of a change log", on("changelog"), is[changelogDocument]()),
		writes("commit", 2, "A commit message", on("commit"), is[messageDocument]()),
		writes("config", 2, "The settings and where each comes from", on("config"), is[configResult]()),
		writes("config-change", 1, "What became of a file of settings", on("config init"), is[configChange]()),
		writes("context-change", 2, "What a change of the context files did", on("context add", "context remove", "context refresh"), is[contextChange]()),
		writes("context-check", 2, "Which paths are protected", on("context check"), is[checked]()),
		writes("context-list", 2, "The context files", on("context list"), is[readonly.Listing]()),
		writes("context-suggest", 2, "Files that might be context files", on("context suggest"), is[contextSuggestions]()),
		writes("diff", 2, "A change, its files in the order of their relevance", on("diff"), render.DiffDocument()),
		writes("diff-split", 2, "A change split into tasks", on("diff --split"), is[engine.Split]()),
		writes("doctor", 1, "What is well and what is not", on("doctor"), is[doctorDocument]()),
		writes(
			"dry-run", 1, "What a command would send a model first, and to whom",
			on("ask --dry-run", "commit --dry-run", "review --dry-run", "pr --dry-run", "changelog --dry-run"),
			is[dryDocument](),
		),
		writes("embed-build-dry-run", 1, "What would be embedded, and with which model", on("embed build --dry-run"), is[embedState]()),
		writes("exclusions", 2, "What packs leave out, and by which rule", on("pack --explain-exclusions"), is[exclusionsResult]()),
		writes("index", 2, "The state of the index", on("index"), is[indexDocument]()),
		writes("install", 1, "What was done to the settings of agents", on("install", "uninstall"), is[installDocument]()),
		writes("install-bundle", 1, "The plugin and the extension that were written", on("install --plugin", "install --extension"), is[bundlesWritten]()),
		writes("last", 1, "What hooks put beside the last prompts", on("last"), is[lastDocument]()),
		writes("log", 2, "The runs that asked a model", on("log"), is[runList]()),
		writes("log-cost", 2, "What runs that asked a model took", on("log cost"), is[costList]()),
		writes("log-raw", 1, "The requests of a run, or of one of its calls, and what came back", on("log show", "log show --raw"), is[tripList]()),
		writes("log-show", 2, "A run that asked a model", on("log show"), is[loggedRun]()),
		writes("note", 1, "Notes", on("note add", "note list", "note pin", "note unpin", "note remove", "note touch"), is[noteList]()),
		writes("pack", satchel.PackVersion, "The context that a task needs", on("pack"), is[satchel.Pack]()),
		writes("pr", 2, "The title and the description of a pull request", on("pr"), is[prDocument]()),
		writes("review", 1, "What a review found, each finding verified against the change", on("review"), render.ReviewDocument()),
		writes("review-dismissed", 2, "Findings that were dismissed", on("review dismissed"), is[dismissedFindings]()),
		writes("review-forgotten", 2, "A dismissal that was taken back", on("review dismissed --forget"), is[forgottenDismissal]()),
		writes("review-said", 2, "Findings that were just dismissed", on("review dismiss"), is[knownFindings]()),
		writes("run", runRecordVersion, "What happened in the run of an agent", on("run"), is[runRecord]()),
		writes("run-dry-run", 2, "What a run would begin with", on("run --dry-run"), is[runPrompt]()),
		writes("schema", 1, "The documents that there are", on("schema"), is[schemaList]()),
		writes("search", search.SearchVersion, "The best files, or definitions, for a question", on("search"), is[search.Result]()),
		writes("session-fetch", 1, "What a trim left out, from the original", on("session fetch"), is[recordings.Block]()),
		writes("session-list", 2, "The sessions that agents recorded", on("session list"), is[recordings.List]()),
		writes("session-show", 3, "The turns of a session", on("session show"), is[recordings.Turns]()),
		writes("session-stats", 2, "Numbers about a session", on("session stats"), is[recordings.Stats]()),
		writes("session-trim", 3, "What a trim would make of a session", on("session trim --dry-run"), is[trimResult]()),
		writes("show", 1, "Lines of a file", on("show"), is[showResult]()),
		writes("snapshot", 1, "A snapshot that was taken, or found", on("snapshot take", "snapshot import"), is[takenSnapshot]()),
		writes("snapshot-diff", 1, "How two snapshots differ", on("snapshot diff"), is[snapshotDifferences]()),
		writes("snapshot-gc", 2, "The snapshots that were dropped", on("snapshot gc"), is[snapshotsDropped]()),
		writes("snapshot-list", 2, "The snapshots, newest first", on("snapshot list"), is[snapshotList]()),
		writes("snapshot-show", 1, "A snapshot, with its record", on("snapshot show"), is[shownSnapshot]()),
		writes("snapshot-verify", 2, "Whether snapshots are what they were", on("snapshot verify"), is[snapshotProofs]()),
		writes("snapshot-why", 1, "What a snapshot says of an item", on("snapshot why"), is[snapshotAnswer]()),
		writes("status", 2, "What fills the window of a session; with --watch one document behind the other", on("status"), is[recordings.Status]()),
		writes("statusline", 1, "How full the window of a session is, in one line", on("statusline"), is[statuslineDocument]()),
		writes("tokens", 1, "How many tokens files take", on("tokens"), is[tokensResult]()),
		writes("tokens-models", 1, "The models that are known", on("tokens --models"), is[modelList]()),
		writes("uninstall-all", 1, "What of satchel was removed from this machine, and what stays", on("uninstall --all"), is[uninstallDocument]()),
		writes("version", 1, "The build", on("version"), is[versionDocument]()),
	}
}

func writes(name string, version int, what string, writers []string, of reflect.Type) schema.Document {
	return schema.Document{Name: name, Version: version, What: what, Writers: writers, Type: of}
}

func on(writers ...string) []string { return writers }

func is[T any]() reflect.Type { return reflect.TypeFor[T]() }

// DocumentTypes are the types in documents that write themselves, and those of few
// words. A word more or less is another version, so that sets that grow, such as
// kinds of items and names of agents, are none of them.
func DocumentTypes() schema.Types {
	text, object := &jsonschema.Schema{Type: "string"}, &jsonschema.Schema{Type: "object"}
	return schema.Types{
		is[clean.Text]():      text,
		is[json.RawMessage](): object, // requests to models
		is[settingValue]():    {Types: []string{"string", "number", "boolean", "array", "object"}},
		is[llm.Chunk]():       {Type: "array", Description: "milliseconds since the request, the text, and in its place, if it is no UTF-8, its bytes in base64"},

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
