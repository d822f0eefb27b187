package config

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/satchel-dev/satchel/budget"
	"github.com/satchel-dev/satchel/internal/session"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/text/terms"
	"github.com/satchel-dev/satchel/tokens"
)

// A Key is one setting.
type Key struct {
	Name       string
	Use        string // one line for people, as in the help of the flag
	Repository power  // what the repository's file may do with it
	Why        string // why that file may not set it

	field func(*Config) any   // pointer to the value
	check func(*Config) error // run after each change
	lower func(old, next *Config) error
}

// A power is what the repository's file may do with a key.
type power string

const (
	refuses power = "may not set it"
	sets    power = "sets it"
	adds    power = "adds to it"
	lowers  power = "may only lower it"
)

// Reasons why the repository's file may not set a key.
const (
	whyTaste  = "how satchel talks to you is your choice"
	whyKept   = "a repository may not decide what is kept"
	whyModel  = "which model is used is your choice"
	whyWidens = "it would widen what satchel reads"
	whyFolder = "a repository may not name folders outside itself"
	whyRuns   = "a repository may not name commands that run on your machine"
	whyCost   = "how much work satchel does is your choice"
	whySends  = "a repository may not decide where data is sent"
)

// Defaults returns the default value of every setting.
func Defaults() Config {
	return Config{
		Budget:         strconv.Itoa(budget.Default/1000) + "k",
		Format:         "md",
		Detail:         "full",
		DiffProfile:    "default",
		DocsDepth:      1,       // the default of the reference design's neighbor_depth
		MaxFileBytes:   1 << 20, // larger text files are data or generated
		MaxFiles:       index.DefaultMaxFiles,
		HistoryCommits: 5000, // older commits no longer predict which files change together
		Retention:      "chain",

		PromptCharacters: session.DefaultCharacters,
		LastPrompts:      20,

		Color: "auto",
	}
}

// KeyByName returns the key of that name. Its error names what is like it.
func KeyByName(name string) (*Key, error) {
	for _, k := range Keys {
		if k.Name == name {
			return k, nil
		}
	}
	if instead := Removed[name]; instead != "" {
		return nil, fmt.Errorf("%s was removed: %s", name, instead)
	}
	signs := strings.NewReplacer("-", "", "_", "", ".", "")
	plain := func(s string) string { return signs.Replace(strings.ToLower(s)) }
	p := plain(name)
	for _, k := range Keys {
		if q := plain(k.Name); p == q || p+"s" == q || p == q+"s" {
			return nil, fmt.Errorf("unknown setting %s; did you mean %s?", name, k.Name)
		}
	}
	near, least := "", len(name)/2
	for _, k := range Keys {
		if d := terms.Distance(name, k.Name); d < least && len(name) <= maxName { // longer ones are far from any
			near, least = k.Name, d
		}
	}
	if near != "" {
		return nil, fmt.Errorf("unknown setting %.*s; did you mean %s?", maxName, name, near)
	}
	if len(name) > maxName {
		name = strings.ToValidUTF8(name[:maxName], "") + "…"
	}
	return nil, fmt.Errorf("unknown setting %s", name)
}

// maxName is how much of an unknown key's name is repeated in the message.
const maxName = 60

// Variable returns the name of the variable that sets the key.
func (k *Key) Variable() string {
	return "SATCHEL_" + strings.ToUpper(strings.ReplaceAll(k.Name, "-", "_"))
}

// valueType returns the type of the value.
func (k *Key) valueType() reflect.Type { return reflect.TypeOf(k.field(new(Config))).Elem() }

// Text reports whether the value can be given as text, in a flag or a variable.
func (k *Key) Text() bool {
	t := k.valueType()
	return t.Kind() != reflect.Slice || t.Elem().Kind() == reflect.String
}

// adds reports whether the values of several sources add up.
func (k *Key) adds() bool {
	kind := k.valueType().Kind()
	return kind == reflect.Slice || kind == reflect.Map
}

// Kind says what a value looks like: text, count, share, switch or list.
func (k *Key) Kind() string {
	switch k.valueType().Kind() {
	case reflect.String:
		return "text"
	case reflect.Int, reflect.Int64:
		return "count"
	case reflect.Float64:
		return "share"
	case reflect.Bool:
		return "switch"
	}
	return "list"
}

// Value returns the key's value in c.
func (k *Key) Value(c *Config) any { return reflect.ValueOf(k.field(c)).Elem().Interface() }

// setText sets the value from a flag or a variable. Lists take one pattern from
// each text; a table takes NAME=NUMBER pairs between commas.
func (k *Key) setText(c *Config, texts []string) error {
	text := texts[len(texts)-1] // of a plain flag given twice, the last counts
	var v any = text
	switch k.field(c).(type) {
	case *string, *float64:
	case *int, *int64:
		n, err := count(text)
		if err != nil {
			return err
		}
		v = n
	case *bool:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return fmt.Errorf("%q: want true or false", text)
		}
		v = b
	case *[]string:
		list := make([]any, len(texts))
		for i, text := range texts {
			list[i] = text
		}
		v = list
	case *map[string]float64:
		m := make(map[string]any)
		for pair := range strings.SplitSeq(strings.Join(texts, ","), ",") {
			name, number, ok := strings.Cut(strings.TrimSpace(pair), "=")
			n, err := strconv.ParseFloat(number, 64)
			if !ok || err != nil || name == "" {
				return fmt.Errorf("%q: want NAME=NUMBER", pair)
			}
			m[name] = n
		}
		v = m
	default:
		return fmt.Errorf("%s is a table: write it in config.toml", k.Name)
	}
	return k.setTOML(c, v)
}

// setTOML sets the value from a file. After an error, the value in c is undefined.
func (k *Key) setTOML(c *Config, v any) (err error) {
	switch p := k.field(c).(type) {
	case *string:
		if n, ok := v.(int64); ok && k.Name == "budget" { // budget = 16000 reads as well as "16k"
			v = strconv.FormatInt(n, 10)
		}
		*p, err = typed[string]("a text", v)
	case *int:
		var n int64
		n, err = typed[int64]("a whole number", v)
		*p = int(n)
	case *int64:
		*p, err = typed[int64]("a whole number", v)
	case *float64:
		*p, err = shareOf(v)
	case *bool:
		*p, err = typed[bool]("true or false", v)
	case *[]string:
		var texts []string
		texts, err = textList(v)
		*p = union(*p, texts)
	case *map[string]float64:
		var m map[string]float64
		m, err = numberTable(v)
		*p = merged(*p, m)
	case *[]tokens.Model:
		*p, err = modelTables(v)
	case *[]Price:
		*p, err = priceTables(v)
	case *[]LLM:
		*p, err = llmTables(v)
	}
	if err != nil || k.check == nil {
		return err
	}
	return k.check(c)
}

// typed returns v as a T. Its error says what is wanted.
func typed[T any](what string, v any) (T, error) {
	t, ok := v.(T)
	if !ok {
		return t, want(what, v)
	}
	return t, nil
}

// number returns the number that a file gives, with or without a fraction.
func number(what string, v any) (float64, error) {
	if n, ok := v.(int64); ok {
		return float64(n), nil
	}
	return typed[float64](what, v)
}

// shareOf reads a number, or a text such as 40%.
func shareOf(v any) (float64, error) {
	if text, ok := v.(string); ok {
		return percentage(text)
	}
	return number(`a share such as 0.4 or "40%"`, v)
}

func textList(v any) (texts []string, err error) {
	const what = "a list of texts"
	list, err := typed[[]any](what, v)
	for _, e := range list {
		s, err := typed[string](what, e)
		if err != nil {
			return nil, err
		}
		texts = append(texts, s)
	}
	return texts, err
}

func numberTable(v any) (map[string]float64, error) {
	table, err := typed[map[string]any]("a table of numbers", v)
	m := make(map[string]float64)
	for _, name := range slices.Sorted(maps.Keys(table)) {
		if m[name], err = number("a number", table[name]); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return m, err
}
