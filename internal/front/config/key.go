package config

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/satchel-dev/satchel/budget"
	"github.com/satchel-dev/satchel/dialect/gitclaw"
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
	whyKept   = "a repository does not decide what is kept"
	whyModel  = "which model is used is your choice"
	whyWidens = "it would widen what satchel reads"
	whyFolder = "a repository names no folder outside itself"
	whyRuns   = "a repository names no command that runs on your machine"
	whyCost   = "how much work satchel does is your choice"
	whySends  = "a repository does not decide where anything is sent"
)

// Defaults returns the value of every setting when nobody sets it.
func Defaults() Config {
	return Config{
		Budget:         strconv.Itoa(budget.Default/1000) + "k",
		AutoFloor:      0.05, // a one-line question about one function
		AutoCeiling:    0.40, // beyond it, quality of answers falls faster than context helps
		PressureShow:   gitclaw.Thresholds.Show,
		PressureNote:   gitclaw.Thresholds.Note,
		PressureWarn:   gitclaw.Thresholds.Warn,
		Format:         "md",
		Detail:         "full",
		DocsDepth:      1, // the default of the reference design's neighbor_depth
		DocsLinks:      true,
		DocsSearch:     true,
		MaxFileBytes:   1 << 20, // larger text files are data or generated
		MaxFiles:       index.DefaultMaxFiles,
		HistoryCommits: 5000, // older commits no longer predict which files change together
		Retention:      "chain",

		PromptCharacters: session.DefaultCharacters,
		LastPrompts:      20,

		SubagentTimeout: 120, // as git-iris has it
		SubagentTurns:   20,

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
			return nil, fmt.Errorf("%s is no setting; did you mean %s?", name, k.Name)
		}
	}
	near, least := "", len(name)/2
	for _, k := range Keys {
		if d := terms.Distance(name, k.Name); d < least && len(name) <= maxName { // longer ones are far from any
			near, least = k.Name, d
		}
	}
	if near != "" {
		return nil, fmt.Errorf("%.*s is no setting; did you mean %s?", maxName, name, near)
	}
	if len(name) > maxName {
		name = strings.ToValidUTF8(name[:maxName], "") + "…"
	}
	return nil, fmt.Errorf("%s is no setting", name)
}

// maxName is how much of an unknown key's name is repeated in the message.
const maxName = 60

// Variable returns the name of the variable that sets the key.
func (k *Key) Variable() string {
	return "SATCHEL_" + strings.ToUpper(strings.ReplaceAll(k.Name, "-", "_"))
}

// Text reports whether the value can be given as text, in a flag or a variable.
func (k *Key) Text() bool {
	switch k.field(new(Config)).(type) {
	case *[]tokens.Model, *[]Price, *[]LLM:
		return false
	}
	return true
}

// adds reports whether the values of several sources add up.
func (k *Key) adds() bool {
	switch k.field(new(Config)).(type) {
	case *[]string, *map[string]float64, *[]tokens.Model, *[]Price, *[]LLM:
		return true
	}
	return false
}

// Kind says what a value looks like: text, count, share, switch, list or table.
func (k *Key) Kind() string {
	switch k.field(new(Config)).(type) {
	case *string:
		return "text"
	case *int, *int64:
		return "count"
	case *float64:
		return "share"
	case *bool:
		return "switch"
	case *[]string:
		return "list"
	}
	return "table"
}

// Value returns the key's value in c.
func (k *Key) Value(c *Config) any {
	switch p := k.field(c).(type) {
	case *string:
		return *p
	case *int:
		return *p
	case *int64:
		return *p
	case *float64:
		return *p
	case *bool:
		return *p
	case *[]string:
		return *p
	case *map[string]float64:
		return *p
	case *[]tokens.Model:
		return *p
	case *[]Price:
		return *p
	case *[]LLM:
		return *p
	}
	panic("config: key " + k.Name + " has a field of an unknown type")
}

// setText sets the value from a flag or a variable. Lists take one pattern from
// each text; a table takes NAME=NUMBER pairs between commas.
func (k *Key) setText(c *Config, texts []string) error {
	text := texts[len(texts)-1] // of a plain flag given twice, the last counts
	switch p := k.field(c).(type) {
	case *string:
		*p = text
	case *int:
		n, err := count(text)
		if err != nil {
			return err
		}
		*p = int(n)
	case *int64:
		n, err := count(text)
		if err != nil {
			return err
		}
		*p = n
	case *float64:
		n, err := percentage(text)
		if err != nil {
			return err
		}
		*p = n
	case *bool:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return fmt.Errorf("%q: want true or false", text)
		}
		*p = b
	case *[]string:
		*p = union(*p, texts)
	case *map[string]float64:
		m := make(map[string]float64)
		for _, text := range texts {
			for pair := range strings.SplitSeq(text, ",") {
				name, number, ok := strings.Cut(strings.TrimSpace(pair), "=")
				n, err := strconv.ParseFloat(number, 64)
				if !ok || err != nil || name == "" {
					return fmt.Errorf("%q: want NAME=NUMBER", pair)
				}
				m[name] = n
			}
		}
		*p = merged(*p, m)
	default:
		return fmt.Errorf("%s cannot be given as text", k.Name)
	}
	return k.verify(c)
}

// setTOML sets the value from a file.
func (k *Key) setTOML(c *Config, v any) error {
	switch p := k.field(c).(type) {
	case *string:
		switch v := v.(type) {
		case string:
			*p = v
		case int64:
			if k.Name != "budget" { // budget = 16000 reads as well as "16k"
				return want("a text", v)
			}
			*p = strconv.FormatInt(v, 10)
		default:
			return want("a text", v)
		}
	case *int, *int64:
		n, ok := v.(int64)
		if !ok {
			return want("a whole number", v)
		}
		if q, ok := p.(*int64); ok {
			*q = n
		} else {
			*p.(*int) = int(n)
		}
	case *float64:
		n, err := shareOf(v)
		if err != nil {
			return err
		}
		*p = n
	case *bool:
		b, ok := v.(bool)
		if !ok {
			return want("true or false", v)
		}
		*p = b
	case *[]string:
		texts, err := textList(v)
		if err != nil {
			return err
		}
		*p = union(*p, texts)
	case *map[string]float64:
		m, err := numberTable(v)
		if err != nil {
			return err
		}
		*p = merged(*p, m)
	case *[]tokens.Model:
		models, err := modelTable(v)
		if err != nil {
			return err
		}
		*p = append(slices.Clone(*p), models...)
	case *[]Price:
		prices, err := priceTable(v)
		if err != nil {
			return err
		}
		*p = append(slices.Clone(*p), prices...)
	case *[]LLM:
		list, err := llmTables(v)
		if err != nil {
			return err
		}
		*p = list
	}
	return k.verify(c)
}

// shareOf reads a number, or a text such as 40%.
func shareOf(v any) (float64, error) {
	switch v := v.(type) {
	case float64:
		return v, nil
	case int64:
		return float64(v), nil
	case string:
		return percentage(v)
	}
	return 0, want(`a share such as 0.4 or "40%"`, v)
}

func textList(v any) (texts []string, err error) {
	list, ok := v.([]any)
	if !ok {
		return nil, want("a list of texts", v)
	}
	for _, e := range list {
		s, ok := e.(string)
		if !ok {
			return nil, want("a list of texts", e)
		}
		texts = append(texts, s)
	}
	return texts, nil
}

func numberTable(v any) (map[string]float64, error) {
	table, ok := v.(map[string]any)
	if !ok {
		return nil, want("a table of numbers", v)
	}
	m := make(map[string]float64)
	for _, name := range slices.Sorted(maps.Keys(table)) {
		switch n := table[name].(type) {
		case float64:
			m[name] = n
		case int64:
			m[name] = float64(n)
		default:
			return nil, fmt.Errorf("%s: %w", name, want("a number", n))
		}
	}
	return m, nil
}

func (k *Key) verify(c *Config) error {
	if k.check == nil {
		return nil
	}
	return k.check(c)
}
