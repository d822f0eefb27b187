// Package tokens has the command tokens: the token counts of files, and the known models.
package tokens

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/schema"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/tokens"
	"github.com/spf13/cobra"
)

// An app is one run of a command.
type app struct{ *base.App }

// defaultModel is what counts when no model is named: the same encoding that
// budgets are counted with.
const defaultModel = "o200k_base"

// tokensResult is the JSON form of the command's result.
type tokensResult struct {
	Version int         `json:"version"`
	Model   string      `json:"model"`
	Tokens  int         `json:"tokens"`
	Method  string      `json:"method"`
	Error   float64     `json:"error"`
	Files   []fileCount `json:"files"`

	Folders []folderCount `json:"folders,omitempty"` // of a folder: itself and all below it
}

type fileCount struct {
	Path    string  `json:"path"`
	Tokens  int     `json:"tokens"`
	Method  string  `json:"method"`
	Error   float64 `json:"error"`
	Bytes   int     `json:"bytes"`
	Invalid int     `json:"invalid,omitempty"` // bytes that are not UTF-8
}

func New(b *base.App) *cobra.Command {
	a := &app{b}
	var models, tree bool
	cmd := &cobra.Command{
		Use:   "tokens [FILE|FOLDER|-]...",
		Short: "Count the tokens of files, folders or standard input",
		Long: `Count the tokens that files take in a model's window. Without an argument, or
for -, standard input is counted. A FOLDER counts the files that packs show, with
totals by folder. Models that use o200k_base or cl100k_base are counted exactly.
Other models are estimated; the output names the method and its accuracy.`,
		Example: `  satchel tokens README.md
  satchel tokens --tree
  git diff HEAD~1 | satchel tokens - --model gpt-5`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if models {
				if len(args) > 0 || a.Given["model"] != nil {
					return base.Usagef("--models counts nothing: omit FILE and --model")
				}
				return a.models()
			}
			if tree && len(args) == 0 {
				args = []string{a.Dir} // this folder, or the one of --dir
				if a.Dir == a.Env.Dir {
					args[0] = "."
				}
			}
			if tree && (len(args) > 1 || !a.isFolder(args[0])) {
				return base.Usagef("--tree takes one folder")
			}
			return a.tokens(cmd.Context(), args, tree)
		},
	}
	a.SettingFlags(cmd.Flags(), []string{"model"})
	cmd.Flags().Lookup("model").Usage = "count for this model or encoding (default " + defaultModel + ")"
	cmd.Flags().BoolVar(&tree, "tree", false, "list all files and folders below a folder (default this)")
	cmd.Flags().BoolVar(&models, "models", false, "list known models, their windows and the counting accuracy")
	cmd.Flags().BoolVar(&a.JSON, "json", false, "write one JSON document")
	a.SettingFlags(cmd.Flags(), base.ReadSettings)
	return cmd
}

func (a *app) tokens(ctx context.Context, names []string, tree bool) error {
	if len(names) == 0 {
		if a.Env.StdinTTY {
			return base.Usagef("name a file or a folder, or - for standard input")
		}
		names = []string{"-"}
	}
	name := a.Settings.Model
	name = cmp.Or(name, defaultModel)
	model, err := tokens.ModelByName(name, a.Settings.Models...)
	if err != nil {
		return err
	}
	if len(names) == 1 && names[0] != "-" && a.isFolder(names[0]) {
		return a.tokensOfFolder(ctx, names[0], model, tree)
	}
	result := tokensResult{Version: 1, Model: model.Name}
	stdin := false
	for _, name := range names {
		if name == "-" {
			if stdin {
				return base.Usagef("standard input can be counted only once")
			}
			stdin = true
		}
		text, err := a.ReadText(ctx, name)
		if err != nil {
			return err
		}
		c := model.Count(string(text))
		f := fileCount{Path: name, Tokens: c.Tokens, Method: c.Method, Error: c.Error, Bytes: len(text), Invalid: invalidBytes(text)}
		result.Files = append(result.Files, f)
		result.Tokens += f.Tokens
		result.Method, result.Error = f.Method, max(result.Error, f.Error)
	}
	if a.JSON {
		return a.WriteJSON(&result)
	}
	return a.printTokens(&result)
}

func (a *app) printTokens(r *tokensResult) error {
	if len(r.Files) == 1 && r.Files[0].Path == "-" {
		fmt.Fprintln(a.Out, r.Tokens)
	} else {
		l := a.Table()
		width := len(fmt.Sprint(r.Tokens))
		if l.Titles {
			width = max(width, len("tokens"))
		}
		l.Header(fmt.Sprintf("%*s  file", width, "tokens"))
		for _, f := range r.Files {
			fmt.Fprintf(l, "%*d  %s\n", width, f.Tokens, clean.Inline(f.Path))
		}
		if len(r.Files) > 1 {
			fmt.Fprintf(l, "%*d  total\n", width, r.Tokens)
		}
		if err := a.Page(l.Bytes()); err != nil {
			return err
		}
	}
	a.sayMethod(tokens.Count{Method: r.Method, Error: r.Error})
	for _, f := range r.Files {
		if f.Invalid > 0 {
			a.Remark("note: %s: %d of %d bytes are not UTF-8 and count as U+FFFD", clean.Inline(f.Path), f.Invalid, f.Bytes)
		}
	}
	return nil
}

// sayMethod says how was counted, and how well.
func (a *app) sayMethod(c tokens.Count) {
	if c.Error == 0 {
		a.Remark("%s", c.Method)
	} else {
		a.Remark("%s, ±%.0f %%", c.Method, 100*c.Error)
	}
}

// invalidBytes returns how many bytes of text are not UTF-8.
func invalidBytes(text []byte) int {
	if utf8.Valid(text) {
		return 0
	}
	bad := 0
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		if r == utf8.RuneError && n == 1 {
			bad++
		}
		text = text[n:]
	}
	return bad
}

func Documents() []schema.Document {
	return []schema.Document{
		schema.Writes[tokensResult]("tokens", 1, "The token counts of files", "tokens"),
		schema.Writes[modelList]("tokens-models", 1, "The known models", "tokens --models"),
	}
}

// modelList is the JSON form of tokens --models.
type modelList struct {
	Version int           `json:"version"`
	Models  []listedModel `json:"models"`
}

type listedModel struct {
	Name   string  `json:"name"`
	Family string  `json:"family"`
	Window int     `json:"window"` // 0 if unlimited or unknown
	Output int     `json:"output"` // the same
	Method string  `json:"method"`
	Error  float64 `json:"error"`
	Source string  `json:"source"`
}

// models lists the user's models, then the built-in ones.
func (a *app) models() error {
	list := modelList{Version: 1}
	seen := make(map[string]bool)
	for _, m := range append(a.Settings.Models[:len(a.Settings.Models):len(a.Settings.Models)], tokens.Models()...) {
		if name := strings.ToLower(m.Name); seen[name] {
			continue // the user's own comes first
		} else {
			seen[name] = true
		}
		c := m.Count("")
		list.Models = append(list.Models, listedModel{m.Name, m.Family, m.Window, m.Output, c.Method, c.Error, m.Source})
	}
	if a.JSON {
		return a.WriteJSON(list)
	}
	name, family := len("model"), len("family")
	for _, m := range list.Models {
		name = max(name, render.Width(clean.Inline(m.Name)))
		family = max(family, render.Width(clean.Inline(m.Family)))
	}
	l := a.Table()
	l.Header(fmt.Sprintf("%s  %s  %10s  %9s  %s", render.Pad("model", name), render.Pad("family", family), "window", "answer", "counted"))
	number := func(n int) string {
		if n == 0 {
			return "-"
		}
		return render.Thousands(n)
	}
	for _, m := range list.Models {
		counted := "exactly"
		if m.Error > 0 {
			counted = fmt.Sprintf("±%.0f %%", 100*m.Error)
		}
		fmt.Fprintf(l, "%s  %s  %10s  %9s  %s\n", l.Paint.Path(render.Pad(clean.Inline(m.Name), name)), render.Pad(clean.Inline(m.Family), family), number(m.Window), number(m.Output), counted)
	}
	return a.Page(l.Bytes())
}
