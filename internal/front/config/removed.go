package config

// Removed lists what earlier versions had, and what to use instead. A name is a
// setting ("pressure-show"), a command ("satchel budget"), a flag of one command
// ("satchel session show --explain") or a flag of all commands ("--explain").
var Removed = map[string]string{
	"satchel diff feedback":              "use the setting weights",
	"satchel pack --rerank":              "leave it out: no measurement showed that it improves the order",
	"satchel review useful":              "leave it out: a finding that is not dismissed is shown again; use satchel review dismiss for the others",
	"satchel pack --llm":                 "leave it out: no part of a pack is sent to a model",
	"satchel pack --max-spend":           "leave it out: no part of a pack is sent to a model",
	"satchel pack --dry-run":             "leave it out: satchel pack writes standard output only",
	"satchel pack --record":              "leave it out: no part of a pack is sent to a model",
	"satchel pack --replay":              "leave it out: no part of a pack is sent to a model",
	"satchel run --llm":                  "run satchel commit --llm after it",
	"satchel run --commit":               "run satchel commit after it",
	"satchel run --yes":                  "run satchel commit --yes after it",
	"satchel mcp --http":                 "start satchel mcp as a command: satchel install does it for every agent",
	"satchel mcp --token-file":           "leave it out: satchel mcp serves standard input",
	"satchel embed status":               "use satchel embed build --dry-run",
	"satchel embed gc":                   "delete the folder that satchel embed build --dry-run names; embed build fills it again",
	"satchel note prune":                 "use satchel note list and satchel note remove",
	"satchel note stats":                 "use satchel note list",
	"satchel budget":                     "use satchel status, which measures a session, or ctxmgr.NewBudgetManager in a program",
	"satchel session report":             "use satchel status or satchel session stats",
	"satchel status --thresholds":        "use the settings pressure-note and pressure-warn",
	"satchel changelog --update":         "redirect standard output, and put the section into your file",
	"--remote":                           "give the URL of the repository",
	"--force":                            "use --set any-folder",
	"--max-cost":                         "use --max-spend, as in --max-spend 0.50usd",
	"satchel snapshot import --claude":   "hooks keep a snapshot of each compaction; satchel snapshot list names them",
	"satchel snapshot take --ref-prefix": "use the setting retention = chain, which keeps the same bytes",
	"satchel config set":                 "edit your config.toml; satchel config init writes one with every setting as a comment",
	"satchel docs":                       "read the warnings of a pack, which say what a document may be wrong about",
	"satchel session show --explain":     "use satchel session trim --dry-run --explain, which prints why each turn is kept or cut",
	"satchel session show --profile":     "use satchel session trim --profile gitclaw --dry-run --explain, which prints GITCLAW's priorities",
}
