package config

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// sampleValues are examples of settings that have no default worth a look.
var sampleValues = map[string]string{
	"model": `"claude-sonnet-4-5"`, "exclude": `["*.snap", "testdata/"]`, "unignore": `["vendor/ours/"]`, "with": `["git", "errors"]`,
	"vault": `"/home/me/notes"`, "cache-dir": `"/var/tmp/satchel"`, "pager": `"less -R"`, "build": `"make"`, "test": `"make test"`, "task-from": `"gh issue view {issue}"`,
}

// tableSamples are the samples of tables, which come last.
var tableSamples = map[string]string{
	"weights": "[weights]\ncommit_sum = 1.5\nsecondary = 0\n",
	"models":  "[[models]]\nname = \"house-7b\"\nfamily = \"llama\"\nwindow = 32768\noutput = 4096\n",
	"prices":  "[prices.\"house-7b\"]\ninput = 0.2\noutput = 0.6\ncache-read = 0.02\ncache-write = 0.25\n",
	"llm": "[llm.default]\nurl = \"https://api.anthropic.com\"\nkind = \"anthropic\"\nmodel = \"claude-sonnet-4-5\"\nkey-env = \"ANTHROPIC_API_KEY\"\nprice = [3.0, 0.30, 3.75, 15.0]\n" +
		"\n[llm.embedder]\nkind = \"embeddings\"\nurl = \"http://localhost:11434\"\nmodel = \"nomic-embed-text\"\n",
}

// Sample is a config.toml that shows every setting and sets none.
func Sample() string {
	var b, tables strings.Builder
	b.WriteString("# Settings of satchel. Remove \"# \" from a line to set it. satchel config --explain shows the current values.\n")
	defaults := Defaults()
	for _, k := range Keys {
		about := "\n# " + strings.TrimSuffix(k.Use, " (repeatable)") + "\n"
		if table, ok := tableSamples[k.Name]; ok {
			tables.WriteString(about)
			for line := range strings.Lines(table) {
				tables.WriteString("# " + line)
			}
			continue
		}
		value, ok := sampleValues[k.Name]
		if !ok {
			value = k.TOML(&defaults)
		}
		fmt.Fprintf(&b, "%s# %s = %s\n", about, k.Name, value)
	}
	return b.String() + tables.String()
}

// TOML returns the value of a setting as a config.toml writes it.
func (k *Key) TOML(c *Config) string { return valueText(k.Value(c)) }

// valueText writes a value as a config.toml has it, on one line.
func valueText(v any) string {
	switch v := v.(type) {
	case Duration:
		return strconv.Quote(time.Duration(v).String())
	case fmt.Stringer: // a date
		return v.String()
	}
	var parts []string
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.String:
		return strconv.Quote(r.String())
	case reflect.Slice:
		name, keyed := tableName(r.Type().Elem())
		for i := range r.Len() {
			text := valueText(r.Index(i).Interface())
			if keyed {
				text = strconv.Quote(r.Index(i).FieldByName(name).String()) + " = " + text
			}
			parts = append(parts, text)
		}
		if keyed {
			break
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case reflect.Map:
		for key, value := range r.Seq2() {
			parts = append(parts, key.String()+" = "+valueText(value.Interface()))
		}
		slices.Sort(parts)
	case reflect.Struct:
		for i := range r.NumField() {
			name, option, _ := strings.Cut(r.Type().Field(i).Tag.Get("json"), ",")
			// A price of 0 is a price. All other zeros are unset.
			if f := r.Field(i); name == "source" || r.Type().Field(i).Tag.Get("toml") == "-" || f.IsZero() && (option != "" || f.Kind() != reflect.Float64) {
				continue
			}
			parts = append(parts, strings.ReplaceAll(name, "_", "-")+" = "+valueText(reflect.Indirect(r.Field(i)).Interface()))
		}
	default:
		return fmt.Sprint(v)
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// tableName returns the field of a table that a config.toml has in the table's heading.
func tableName(t reflect.Type) (field string, ok bool) {
	if t.Kind() != reflect.Struct {
		return "", false
	}
	for i := range t.NumField() {
		if f := t.Field(i); f.Tag.Get("toml") == "-" && f.Type.Kind() == reflect.String {
			return f.Name, true
		}
	}
	return "", false
}
