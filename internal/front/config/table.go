package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-dev/satchel/internal/world/llm"
	"github.com/satchel-dev/satchel/tokens"
)

// A field is a key of a table and a pointer to its value. Tables are read and
// written by the same fields.
type field struct {
	name string
	into any
}

// readTable reads a table of the user's file, which has only these fields. It returns
// false for an empty table, which satchel config prints for a missing one.
func readTable(title string, v any, fields []field) (some bool, err error) {
	table, ok := v.(map[string]any)
	if !ok {
		group, name, _ := strings.Cut(title, ".")
		return false, fmt.Errorf("%s: want a table in [%s], such as [%[2]s.NAME]", cmp.Or(name, group), group)
	}
	var names []string
	for _, f := range fields {
		names = append(names, f.name)
		if v, ok := table[f.name]; ok {
			if err := f.set(v); err != nil {
				return false, fmt.Errorf("%s: %w", f.name, err)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(table)) {
		if !slices.Contains(names, name) {
			return false, fmt.Errorf("%.60s: a table [%s] has %s", name, title, strings.Join(names, ", "))
		}
	}
	return len(table) > 0, nil
}

// set reads the value of a field.
func (f field) set(v any) (err error) {
	switch p := f.into.(type) {
	case *string:
		if *p, err = typed[string]("a text", v); err == nil && f.name == keyEnv && !variableName().MatchString(*p) {
			err = errors.New("want the name of a variable that holds the key, not the key")
		}
	case *llm.Kind:
		var text string
		text, err = typed[string]("a text", v)
		*p = llm.Kind(text)
	case *time.Duration:
		text, _ := v.(string)
		if *p, err = time.ParseDuration(text); err != nil || *p <= 0 {
			return want("a time such as \"60s\"", v)
		}
	case *int:
		n, ok := v.(int64)
		switch {
		case f.name == "output" && n == 0 && ok: // of a model whose output has no limit of its own
		case !ok || n <= 0:
			return want("a number above 0", v)
		case n > mostNumber:
			return want(fmt.Sprintf("a number up to %d", mostNumber), v)
		}
		*p = int(n)
	case *float64:
		const what = "a number from 0 to 1000"
		if *p, err = number(what, v); err == nil && !(*p >= 0 && *p <= 1000) { // NaN too
			return want(what, v)
		}
	case **float64:
		*p = new(float64)
		return field{into: *p}.set(v)
	case *[]string:
		*p, err = textList(v)
		if err != nil || len(*p) == 0 || (*p)[0] == "" {
			return want("a list of words that begins with a program", v)
		}
	case *[]float64:
		list, err := typed[[]any]("a list of numbers", v)
		*p = make([]float64, len(list))
		for i, e := range list {
			if err := (field{into: &(*p)[i]}).set(e); err != nil {
				return err
			}
		}
		return err
	default:
		panic("config: field " + f.name + " of an unknown type")
	}
	return err
}

// mostNumber bounds whole numbers, such as tokens.
const mostNumber = 1 << 30

// tableText writes a table on one line. Of its empty fields, it shows only the named ones.
func tableText(fields []field, always ...string) string {
	var parts []string
	for _, f := range fields {
		if v := reflect.ValueOf(f.into).Elem(); !v.IsZero() || slices.Contains(always, f.name) {
			parts = append(parts, f.name+" = "+valueText(reflect.Indirect(v).Interface()))
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// TOML returns the value of a setting as a config.toml writes it.
func (k *Key) TOML(c *Config) string { return valueText(k.Value(c)) }

// valueText writes a value as a config.toml has it.
func valueText(v any) string {
	switch v := v.(type) {
	case string:
		return strconv.Quote(v)
	case llm.Kind:
		return strconv.Quote(string(v))
	case time.Duration:
		return strconv.Quote(v.String())
	case []string:
		return listText(v, strconv.Quote)
	case []float64:
		return listText(v, func(x float64) string { return fmt.Sprint(x) })
	case map[string]float64:
		var fields []field
		for _, name := range slices.Sorted(maps.Keys(v)) {
			fields = append(fields, field{name, new(v[name])})
		}
		return tableText(fields, slices.Collect(maps.Keys(v))...)
	case []tokens.Model:
		return listText(v, func(m tokens.Model) string { return tableText(modelFields(&m)) })
	case []Price:
		return listText(v, func(p Price) string { return tableText(p.fields(), "input", "output") })
	case []LLM:
		return listText(v, func(l LLM) string { return tableText(l.fields()) })
	}
	return fmt.Sprint(v)
}

// listText writes a list.
func listText[T any](list []T, text func(T) string) string {
	parts := make([]string, len(list))
	for i, v := range list {
		parts[i] = text(v)
	}
	return "[" + strings.Join(parts, ", ") + "]"
}
