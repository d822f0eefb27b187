package cli

import (
	_ "embed"
	"maps"
	"slices"
	"strings"

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
	"github.com/satchel-dev/satchel/internal/front/cli/program"
	"github.com/satchel-dev/satchel/internal/front/cli/search"
	"github.com/satchel-dev/satchel/internal/front/cli/session"
	"github.com/satchel-dev/satchel/internal/front/cli/show"
	"github.com/satchel-dev/satchel/internal/front/cli/snapshot"
	"github.com/satchel-dev/satchel/internal/front/cli/tokens"
	"github.com/satchel-dev/satchel/internal/front/schema"
)

// Documents returns all JSON documents that commands write on standard output, sorted
// by name. A test fails if a command writes a document that no family lists.
func Documents() []schema.Document {
	all := slices.Concat(
		assist.Documents(),
		config.Documents(),
		contextfiles.Documents(),
		diff.Documents(),
		embed.Documents(),
		index.Documents(),
		install.Documents(),
		last.Documents(),
		note.Documents(),
		pack.Documents(),
		schemaDocuments(),
		search.Documents(),
		session.Documents(),
		show.Documents(),
		snapshot.Documents(),
		tokens.Documents(),
		versionDocuments(),
	)
	slices.SortFunc(all, func(a, b schema.Document) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// DocumentTypes are the schemas of all types that marshal themselves, and of enumerations.
func DocumentTypes() schema.Types {
	types := program.DocumentTypes()
	maps.Copy(types, config.Types())
	maps.Copy(types, install.Types())
	return types
}

//go:embed descriptions.txt
var descriptions string

// DocumentKeys say what the keys of all documents mean. They are the comments of the
// fields behind them, or, for fields without one, lines of testdata/keys.tsv.
func DocumentKeys() schema.Keys { return schema.ParseKeys(descriptions) }
