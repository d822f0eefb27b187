package config

import (
	"fmt"
	"strings"
	"time"

	"github.com/satchel-dev/satchel/internal/text/lazy"
)

// A field is a key of a table and where its value goes: a *string, a
// *time.Duration, an *int, a *float64, a *[]string or a *[]float64.
type field struct {
	name string
	into any
}

// keyEnv names the variable that holds a key.
const keyEnv = "key-env"

// variableName is what a variable may be called. A key that stands in its place
// by mistake hardly ever looks like it.
var variableName = lazy.Regexp(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)

// readTable reads a table of the user's file, which has these fields and no
// others. It returns false for an empty one, as satchel config shows that there is
// none.
func readTable(name string, v any, fields []field) (bool, error) {
	table, ok := v.(map[string]any)
	if !ok {
		return false, want("a table ["+name+"]", v)
	}
	read := 0
	for _, f := range fields {
		v, ok := table[f.name]
		if !ok {
			continue
		}
		read++
		if err := f.set(v); err != nil {
			return false, err
		}
	}
	if read == len(table) {
		return read > 0, nil
	}
	var names []string
	known := make(map[string]bool)
	for _, f := range fields {
		names = append(names, f.name)
		known[f.name] = true
	}
	strange := ""
	for k := range table {
		if !known[k] && (strange == "" || k < strange) {
			strange = k
		}
	}
	return false, fmt.Errorf("%.60s: a table [%s] has %s", strange, name, strings.Join(names, ", "))
}

func (f field) set(v any) error {
	switch p := f.into.(type) {
	case *string:
		text, ok := v.(string)
		if !ok {
			return fmt.Errorf("%s: %w", f.name, want("a text", v))
		}
		if f.name == keyEnv && !variableName().MatchString(text) {
			return fmt.Errorf("%s is no name of a variable; a key itself never stands in a file", keyEnv)
		}
		*p = text
	case *time.Duration:
		text, ok := v.(string)
		d, err := time.ParseDuration(text)
		if !ok || err != nil || d <= 0 {
			return fmt.Errorf("%s: %w", f.name, want("a time such as \"60s\"", v))
		}
		*p = d
	case *int:
		n, ok := v.(int64)
		if !ok || n <= 0 {
			return fmt.Errorf("%s: %w", f.name, want("a number above 0", v))
		}
		*p = int(min(n, 1<<30))
	case *float64:
		n, whole := v.(int64)
		x, ok := v.(float64)
		if whole {
			x, ok = float64(n), true
		}
		if !ok || !(x >= 0 && x <= 1000) {
			return fmt.Errorf("%s: %w", f.name, want("a number from 0 to 1000", v))
		}
		*p = x
	case *[]string:
		list, err := textList(v)
		if err != nil || len(list) == 0 || list[0] == "" {
			return fmt.Errorf("%s: %w", f.name, want("a list of words, the first of which is a program", v))
		}
		*p = list
	case *[]float64:
		list, ok := v.([]any)
		if !ok {
			return fmt.Errorf("%s: %w", f.name, want("a list of numbers", v))
		}
		*p = nil
		for _, e := range list {
			var x float64
			if err := (field{f.name, &x}).set(e); err != nil {
				return err
			}
			*p = append(*p, x)
		}
	default:
		panic("config: field " + f.name + " of an unknown type")
	}
	return nil
}
