package config

import (
	"fmt"
	"reflect"
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

	check func(*Config) error           // run after each change
	lower func(old, next *Config) error // in place of lowerCount
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
		MaxFileBytes:   1 << 20, // larger text files are data or generated
		MaxFiles:       index.DefaultMaxFiles,
		HistoryCommits: 5000, // older commits no longer predict which files change together
		Retention:      "chain",

		PromptCharacters: session.DefaultCharacters,
		LastPrompts:      20,

		Parallel: "auto",

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
	if len(name) > maxName { // and far from any
		return nil, fmt.Errorf("unknown setting %s…", strings.ToValidUTF8(name[:maxName], ""))
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
		if d := terms.Distance(name, k.Name); d < least {
			near, least = k.Name, d
		}
	}
	if near != "" {
		return nil, fmt.Errorf("unknown setting %s; did you mean %s?", name, near)
	}
	return nil, fmt.Errorf("unknown setting %s", name)
}

// maxName is how much of an unknown key's name is repeated in the message.
const maxName = 60

// Variable returns the name of the variable that sets the key.
func (k *Key) Variable() string {
	return "SATCHEL_" + strings.ToUpper(strings.ReplaceAll(k.Name, "-", "_"))
}

// field returns the value of the key in c.
func (k *Key) field(c *Config) reflect.Value {
	return reflect.ValueOf(c).Elem().FieldByName(Field(k.Name))
}

// valueType returns the type of the value.
func (k *Key) valueType() reflect.Type { return k.field(new(Config)).Type() }

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
func (k *Key) Value(c *Config) any { return k.field(c).Interface() }

// setText sets the value from a flag or a variable. Lists take one pattern from
// each text; a table takes NAME=NUMBER pairs between commas.
func (k *Key) setText(c *Config, texts []string) (err error) {
	text := texts[len(texts)-1] // of a plain flag given twice, the last counts
	field := k.field(c)
	switch p := field.Addr().Interface().(type) {
	case *string:
		*p = text
	case *Share:
		err = p.UnmarshalText([]byte(text))
	case *int, *int64:
		var n int64
		n, err = count(text)
		field.SetInt(n)
	case *bool:
		if *p, err = strconv.ParseBool(text); err != nil {
			err = fmt.Errorf("%q: want true or false", text)
		}
	case *[]string:
		*p = union(*p, texts)
	case *map[string]float64:
		*p = merged(*p, nil)
		for pair := range strings.SplitSeq(strings.Join(texts, ","), ",") {
			name, number, ok := strings.Cut(strings.TrimSpace(pair), "=")
			n, err := strconv.ParseFloat(number, 64)
			if !ok || err != nil || name == "" {
				return fmt.Errorf("%q: want NAME=NUMBER", pair)
			}
			(*p)[name] = n
		}
	default:
		return fmt.Errorf("%s is a table: write it in config.toml", k.Name)
	}
	if err != nil {
		return err
	}
	return k.valid(c)
}

// read sets the value from a file. An error comes with the line of the mistake.
func (k *Key) read(c *Config, s *section) (line int, err error) {
	old := *c
	if err := k.decode(c, s.text); err != nil {
		return s.blame(err, wanted[k.valueType().String()], func(text []byte) error { next := old; return k.decode(&next, text) })
	}
	return s.line, nil
}

// decode sets the value from a document that has only this key. After an error, the
// value in c is undefined.
func (k *Key) decode(c *Config, text []byte) (err error) {
	old := *c
	k.field(c).SetZero()
	switch p := k.field(c).Addr().Interface().(type) {
	case *[]string:
		err = decode(text, c)
		*p = union(k.Value(&old).([]string), *p)
	case *map[string]float64:
		err = decode(text, c)
		*p = merged(old.Weights, *p)
	case *[]tokens.Model:
		*p, err = readModels(text)
	case *[]Price:
		*p, err = readPrices(text)
	case *[]LLM:
		*p, err = readLLMs(text)
	default:
		err = decode(text, c)
	}
	var number struct{ Budget int64 }
	if err != nil && k.Name == "budget" && decode(text, &number) == nil { // 16000 reads as well as "16k"
		c.Budget, err = strconv.FormatInt(number.Budget, 10), nil
	}
	if err != nil {
		return err
	}
	return k.valid(c)
}

// valid reports what is wrong with the value in c.
func (k *Key) valid(c *Config) error {
	if k.check != nil {
		return k.check(c)
	}
	switch v := k.Value(c).(type) {
	case int:
		return notNegative(v)
	case int64:
		return notNegative(v)
	case Share:
		return shareOrNone(v)
	}
	return nil
}
