package config

// Removed lists what earlier versions had, and what to use instead. A name is a
// setting ("pressure-show"), a command ("satchel budget"), a flag of one command
// ("satchel session show --explain") or a flag of all commands ("--explain").
var Removed = map[string]string{
	"satchel diff feedback":          "use --weights, or the setting weights",
	"satchel docs":                   "read the warnings of a pack, which say what a document may be wrong about",
	"satchel session show --explain": "use satchel session trim --dry-run --explain, which prints why each turn is kept or cut",
	"satchel session show --profile": "use satchel session trim --profile gitclaw --dry-run --explain, which prints GITCLAW's priorities",
}
