package cli

import (
	"bytes"
	"encoding/json"

	"github.com/satchel-dev/satchel/internal/front/schema"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/spf13/pflag"
)

// jsonFlag adds the flag that selects JSON output.
func (a *app) jsonFlag(fs *pflag.FlagSet) {
	fs.BoolVar(&a.json, "json", false, "write one JSON document")
}

// writeJSON writes one indented document on standard output. Characters that
// would control a terminal, the direction of text, or show nothing are escaped,
// so that programs read the same text and people see what is there.
func (a *app) writeJSON(v any) error {
	text, err := jsonText(v)
	if err == nil {
		_, err = a.out.WriteString(text)
	}
	return err
}

// jsonText is what writeJSON writes.
func jsonText(v any) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(schema.WithLists(v)); err != nil {
		return "", err
	}
	return string(clean.JSON(b.Bytes())), nil
}
