package base

import (
	"bytes"
	"encoding/json"

	"github.com/satchel-dev/satchel/internal/front/schema"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/spf13/pflag"
)

// JSONFlag adds the flag that selects JSON output.
func (a *App) JSONFlag(fs *pflag.FlagSet) {
	fs.BoolVar(&a.JSON, "json", false, "write one JSON document")
}

// WriteJSON writes one indented document on standard output. Characters that
// would control a terminal, the direction of text, or show nothing are escaped,
// so that programs read the same text and people see what is there.
func (a *App) WriteJSON(v any) error {
	text, err := JSONText(v)
	if err == nil {
		_, err = a.Out.WriteString(text)
	}
	return err
}

// JSONText returns what WriteJSON writes.
func JSONText(v any) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(schema.WithLists(v)); err != nil {
		return "", err
	}
	return string(clean.JSON(b.Bytes())), nil
}
