package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/schema"
	"github.com/spf13/cobra"
)

// schemaList is the JSON form of the list of schemas.
type schemaList struct {
	Version int            `json:"version"`
	Schemas []listedSchema `json:"schemas"`
}

type listedSchema struct {
	Name     string   `json:"name"`
	Version  int      `json:"document_version"`
	What     string   `json:"what"`
	Commands []string `json:"commands"` // that write it, with the flags that make them
}

func schemaCommand(b *base.App) *cobra.Command {
	a := &app{b}
	cmd := &cobra.Command{
		Use:   "schema [COMMAND]",
		Short: "Print the JSON schema of what a command writes with --json",
		Long: `Print the JSON schema of the document that a command writes with --json. Without
COMMAND, list the documents. COMMAND is a command, or one of its documents. A
document has a version, which rises when a change would break a reader. New keys
may appear within a version.`,
		Example: `  satchel schema
  satchel schema session trim
  satchel schema diff-split`,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.listSchemas()
			}
			return a.schema(args)
		},
	}
	for _, d := range Documents() {
		cmd.ValidArgs = append(cmd.ValidArgs, d.Name)
	}
	cmd.Flags().BoolVar(&a.JSON, "json", false, "write the list as one JSON document")
	return cmd
}

func (a *app) listSchemas() error {
	docs := Documents()
	if a.JSON {
		list := schemaList{Version: 1}
		for _, d := range docs {
			list.Schemas = append(list.Schemas, listedSchema{d.Name, d.Version, d.What, d.Writers})
		}
		return a.WriteJSON(list)
	}
	t := a.Table()
	width := 0
	for _, d := range docs {
		width = max(width, len(strings.TrimSuffix(d.File(), ".json")))
	}
	t.Header(fmt.Sprintf("%-*s  %s", width, "schema", "document"))
	for _, d := range docs {
		fmt.Fprintf(t, "%-*s  %s\n", width, strings.TrimSuffix(d.File(), ".json"), d.What)
	}
	return a.Page(t.Bytes())
}

// schema prints the schema of the document that words name.
func (a *app) schema(words []string) error {
	name := strings.TrimPrefix(strings.Join(words, " "), "satchel ")
	found := documentsNamed(name)
	if len(found) == 0 {
		return noSchema(name)
	}
	text, err := found[0].JSON(DocumentTypes(), DocumentKeys())
	if err != nil {
		return err
	}
	for _, d := range found[1:] {
		a.Remark("note: for the document of %[2]s, see satchel schema %[1]s", d.Name, strings.Join(d.Writers, ", "))
	}
	_, err = a.Out.Write(text)
	return err
}

// documentsNamed returns the document of a name or a command, then the others that the
// command writes.
func documentsNamed(name string) (found []schema.Document) {
	file := strings.ReplaceAll(name, " ", "-")
	for _, d := range Documents() {
		if d.Name == file || d.File() == file+".json" {
			found = append(found, d)
		}
	}
	for _, d := range Documents() {
		writes := slices.ContainsFunc(d.Writers, func(w string) bool {
			command, _, _ := strings.Cut(w, " --")
			return command == name || strings.ReplaceAll(command, " ", "-") == name
		})
		if writes && !slices.ContainsFunc(found, func(f schema.Document) bool { return f.Name == d.Name }) {
			found = append(found, d)
		}
	}
	return found
}

// noSchema returns the error for an unknown document or command, with the documents
// of its group.
func noSchema(name string) error {
	why := fmt.Errorf("unknown schema %q", name)
	if c, rest, err := Root().Find(strings.Fields(name)); err == nil && len(rest) == 0 && c.HasParent() {
		why = fmt.Errorf("%s writes no JSON document", c.CommandPath())
	}
	var group []string
	for _, d := range Documents() {
		if strings.HasPrefix(d.Name, strings.ReplaceAll(name, " ", "-")+"-") {
			group = append(group, d.Name)
		}
	}
	if group == nil {
		return base.Hint(why, "satchel schema lists all documents")
	}
	return base.Hint(why, "want "+strings.Join(group, ", "))
}

func schemaDocuments() []schema.Document {
	return []schema.Document{
		schema.Writes[schemaList]("schema", 1, "The list of documents", "schema"),
	}
}
