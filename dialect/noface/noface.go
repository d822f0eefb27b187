// Package noface knows which keys of noface's configuration file limit the
// documents that an agent is shown, and what each asks of ours.
//
// It reads no file and changes no setting: package config reads the file, hands
// each key to [Read], and only ever lowers its own settings by the answer.
package noface

// File is the name of the configuration file, in the root of a repository.
const File = ".noface.toml"

// Table is the table of it that holds the keys about context.
const Table = "monowiki"

// Tables are those that have nothing to do with context.
var Tables = []string{"project", "agents", "passes", "tracker", "sync"}

// Docs is how many documents noface shows if nobody says how many.
const Docs = 5

// A setting is what a key limits.
type setting int

const (
	Unknown   setting = iota // no key that limits documents
	ignored                  // a key about what noface writes, not about what is read
	Vault                    // the folder of the documents
	Most                     // documents shown at most
	Depth                    // how many links are followed
	FileBytes                // the size of the largest document that is read
	Linked                   // whether links are followed at all
	Links                    // whether links in a task mean documents
	Search                   // whether documents are searched by words
)

// A Limit is what one key asks for.
type Limit struct {
	Setting setting
	Most    int64  // for Most, Depth and FileBytes
	Off     bool   // for Linked, Links and Search: it is switched off
	Want    string // the kind of value that the key takes, if this is not of it; else empty
}

// Read returns what a key of [Table] asks for. v is its value, as a decoder of
// TOML returns it.
func Read(key string, v any) Limit {
	switch key {
	case "max_context_docs":
		return number(Most, v, 0)
	case "neighbor_depth":
		return number(Depth, v, 0)
	case "max_file_size_kb":
		return number(FileBytes, v, 10)
	case "expand_neighbors":
		return toggle(Linked, v)
	case "resolve_wikilinks":
		return toggle(Links, v)
	case "proactive_search":
		return toggle(Search, v)
	case "vault":
		return Limit{Setting: Vault}
	case "api_docs_slug", "sync_api_docs":
		return Limit{Setting: ignored}
	}
	return Limit{}
}

// most is the largest number that is no mistake.
const most = 1 << 40

func number(s setting, v any, shift int) Limit {
	n, ok := v.(int64)
	if !ok || n < 0 || n > most {
		return Limit{Setting: s, Want: "a whole number"}
	}
	return Limit{Setting: s, Most: n << shift}
}

func toggle(s setting, v any) Limit {
	on, ok := v.(bool)
	if !ok {
		return Limit{Setting: s, Want: "true or false"}
	}
	return Limit{Setting: s, Off: !on}
}
