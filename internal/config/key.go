package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/budget"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/index"
	"github.com/satchel-dev/satchel/rank"
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
		PressureShow:   budget.DefaultThresholds.Show,
		PressureNote:   budget.DefaultThresholds.Note,
		PressureWarn:   budget.DefaultThresholds.Warn,
		Format:         "md",
		Detail:         "full",
		DocsDepth:      1, // the default of the reference design's neighbor_depth
		DocsLinks:      true,
		DocsSearch:     true,
		MaxFileBytes:   1 << 20, // larger text files are data or generated
		HistoryCommits: 5000,    // older commits no longer predict which files change together
		Retention:      "chain",

		PromptCharacters: engine.DefaultCharacters,

		Color: "auto",
	}
}

// Keys lists the settings in the order in which people want to read them.
var Keys = []*Key{
	{
		Name: "budget", Use: "tokens that a pack may use: 16k, 40%, 200000, auto, or 0 for no limit",
		Repository: lowers, lower: lowerBudget,
		field: func(c *Config) any { return &c.Budget },
		check: func(c *Config) error { _, err := budget.Parse(c.Budget); return err },
	},
	{
		Name: "model", Use: "the model whose window a percentage or auto is a share of",
		Repository: refuses, Why: whyModel,
		field: func(c *Config) any { return &c.Model },
	},
	{
		Name: "reserve", Use: "tokens of the window kept free for the response",
		Repository: refuses, Why: whyModel,
		field: func(c *Config) any { return &c.Reserve },
		check: func(c *Config) error { return notNegative(c.Reserve) },
	},
	{
		Name: "auto-floor", Use: "share of the window that --budget auto uses at least",
		Repository: lowers, lower: func(old, next *Config) error { return lowerShare(old.AutoFloor, next.AutoFloor) },
		field: func(c *Config) any { return &c.AutoFloor },
		check: func(c *Config) error { return share(c.AutoFloor) },
	},
	{
		Name: "auto-ceiling", Use: "share of the window that --budget auto uses at most",
		Repository: lowers, lower: func(old, next *Config) error { return lowerShare(old.AutoCeiling, next.AutoCeiling) },
		field: func(c *Config) any { return &c.AutoCeiling },
		check: func(c *Config) error { return share(c.AutoCeiling) },
	},
	{
		Name: "pressure-show", Use: "share of a session's window from which its pressure is reported",
		Repository: refuses, Why: whyTaste,
		field: func(c *Config) any { return &c.PressureShow },
		check: func(c *Config) error { return shareOrNone(c.PressureShow) },
	},
	{
		Name: "pressure-note", Use: "share above which a report says that older turns are summarized",
		Repository: refuses, Why: whyTaste,
		field: func(c *Config) any { return &c.PressureNote },
		check: func(c *Config) error { return shareOrNone(c.PressureNote) },
	},
	{
		Name: "pressure-warn", Use: "share above which a report warns that the window is nearly full",
		Repository: refuses, Why: whyTaste,
		field: func(c *Config) any { return &c.PressureWarn },
		check: func(c *Config) error { return shareOrNone(c.PressureWarn) },
	},
	{
		Name: "format", Use: "md, xml, json or plain",
		Repository: refuses, Why: whyTaste,
		field: func(c *Config) any { return &c.Format },
		check: func(c *Config) error { return oneOf(c.Format, "md", "xml", "json", "plain") },
	},
	{
		Name: "detail", Use: "the most that is shown of anything: full, trimmed, outline or mention",
		Repository: refuses, Why: whyTaste,
		field: func(c *Config) any { return &c.Detail },
		check: func(c *Config) error { _, err := satchel.ParseDetail(c.Detail); return err },
	},
	{
		Name: "exclude", Use: "leave out paths that match this pattern, as in a .gitignore (repeatable)",
		Repository: adds,
		field:      func(c *Config) any { return &c.Exclude },
		check:      func(c *Config) error { return index.CheckPatterns(c.Exclude) },
	},
	{
		Name: "include", Use: "take in paths that match this pattern although they would be excluded (repeatable)",
		Repository: refuses, Why: whyWidens,
		field: func(c *Config) any { return &c.Include },
		check: func(c *Config) error { return index.CheckPatterns(c.Include) },
	},
	{
		Name: "weights", Use: "multiply the weight of ranking signals: NAME=FACTOR,…",
		Repository: sets,
		field:      func(c *Config) any { return &c.Weights },
		check:      func(c *Config) error { return knownWeights(c.Weights) },
	},
	{
		Name: "docs", Use: "show sections of at most so many documents, fewer for a simple task; 0 treats documents as other files",
		Repository: lowers, lower: func(old, next *Config) error { return lowerDocs(old.Docs, next.Docs) },
		field: func(c *Config) any { return &c.Docs },
		check: func(c *Config) error { return notNegative(c.Docs) },
	},
	{
		Name: "docs-share", Use: "share of the budget that documents may take; 0 is 30 to 40%, by the task",
		Repository: lowers, lower: lowerDocsShare,
		field: func(c *Config) any { return &c.DocsShare },
		check: func(c *Config) error { return shareOrNone(c.DocsShare) },
	},
	{
		Name: "docs-depth", Use: "how many links are followed from the documents that the task names",
		Repository: lowers, lower: func(old, next *Config) error { return lowerCount(old.DocsDepth, next.DocsDepth) },
		field: func(c *Config) any { return &c.DocsDepth },
		check: func(c *Config) error { return notNegative(c.DocsDepth) },
	},
	{
		Name: "docs-links", Use: "let [[names]], links and paths in the task name documents",
		Repository: lowers, lower: func(old, next *Config) error { return lowerSwitch(old.DocsLinks, next.DocsLinks) },
		field: func(c *Config) any { return &c.DocsLinks },
	},
	{
		Name: "docs-search", Use: "find documents by the words of the task too",
		Repository: lowers, lower: func(old, next *Config) error { return lowerSwitch(old.DocsSearch, next.DocsSearch) },
		field: func(c *Config) any { return &c.DocsSearch },
	},
	{
		Name: "docs-file-bytes", Use: "documents larger than this are not offered; 0 is no limit but max-file-bytes",
		Repository: lowers, lower: lowerDocsFileBytes,
		field: func(c *Config) any { return &c.DocsFileBytes },
		check: func(c *Config) error { return notNegative(c.DocsFileBytes) },
	},
	{
		Name: "vault", Use: "a folder of documents outside the repository, which is only read",
		Repository: refuses, Why: whyFolder,
		field: func(c *Config) any { return &c.Vault },
	},
	{
		Name: "max-file-bytes", Use: "files larger than this are left out",
		Repository: refuses, Why: whyCost,
		field: func(c *Config) any { return &c.MaxFileBytes },
		check: func(c *Config) error { return notNegative(c.MaxFileBytes) },
	},
	{
		Name: "history-commits", Use: "how many of the newest commits are read",
		Repository: refuses, Why: whyCost,
		field: func(c *Config) any { return &c.HistoryCommits },
		check: func(c *Config) error { return notNegative(c.HistoryCommits) },
	},
	{
		Name: "cache-dir", Use: "where the index is kept instead of inside the repository's .git",
		Repository: refuses, Why: whyFolder,
		field: func(c *Config) any { return &c.CacheDir },
	},
	{
		Name: "with", Use: "tell in packs about git, recent, errors, dependencies, environment (repeatable)",
		Repository: refuses, Why: whyWidens,
		field: func(c *Config) any { return &c.With },
		check: func(c *Config) error { return providers(c.With) },
	},
	{
		Name: "snapshot", Use: "keep each pack as a snapshot",
		Repository: refuses, Why: whyKept,
		field: func(c *Config) any { return &c.Snapshot },
	},
	{
		Name: "retention", Use: "what keeps the bytes of a snapshot from git gc: chain, refs, pack or none",
		Repository: refuses, Why: whyKept,
		field: func(c *Config) any { return &c.Retention },
		check: func(c *Config) error { return oneOf(c.Retention, "chain", "refs", "pack", "none") },
	},
	{
		Name: "no-cache", Use: "keep the index in memory only",
		Repository: refuses, Why: whyCost,
		field: func(c *Config) any { return &c.NoCache },
	},
	{
		Name: "prompt-characters", Use: "the most that hooks put beside a prompt; 0 puts nothing there",
		Repository: lowers, lower: func(old, next *Config) error { return lowerCount(old.PromptCharacters, next.PromptCharacters) },
		field: func(c *Config) any { return &c.PromptCharacters },
		check: func(c *Config) error { return promptCharacters(c.PromptCharacters) },
	},
	{
		Name: "color", Use: "auto, always or never",
		Repository: refuses, Why: whyTaste,
		field: func(c *Config) any { return &c.Color },
		check: func(c *Config) error { return oneOf(c.Color, "auto", "always", "never") },
	},
	keyPager,
	{
		Name: "build", Use: "the command that builds the project, as satchel run tells the agent",
		Repository: refuses, Why: whyRuns,
		field: func(c *Config) any { return &c.Build },
		check: func(c *Config) error { return oneLine(c.Build) },
	},
	{
		Name: "test", Use: "the command that tests the project, as satchel run tells the agent",
		Repository: refuses, Why: whyRuns,
		field: func(c *Config) any { return &c.Test },
		check: func(c *Config) error { return oneLine(c.Test) },
	},
	{
		Name: "quiet", Use: "print nothing but the result and errors",
		Repository: refuses, Why: whyTaste,
		field: func(c *Config) any { return &c.Quiet },
	},
	{
		Name: "models", Use: "more models: name, family, window and output of each",
		Repository: refuses, Why: whyModel,
		field: func(c *Config) any { return &c.Models },
	},
	{
		Name: "summarizer", Use: "the model that session trim --summarize asks: url, model, kind, key-env, timeout and max-tokens",
		Repository: refuses, Why: whySends,
		field: func(c *Config) any { return &c.Summarizer },
	},
	{
		Name: "embedder", Use: "the model whose embeddings help to rank documents: url, model, key-env, timeout, batch, fusion and weight",
		Repository: refuses, Why: whySends,
		field: func(c *Config) any { return &c.Embedder },
	},
}

var keyPager = &Key{
	Name: "pager", Use: "the command that search and show page their output with, on a terminal",
	Repository: refuses, Why: whyRuns,
	field: func(c *Config) any { return &c.Pager },
}

// find returns the key of that name. Its error names what is like it.
func find(name string) (*Key, error) {
	for _, k := range Keys {
		if k.Name == name {
			return k, nil
		}
	}
	plain := func(s string) string {
		return strings.NewReplacer("-", "", "_", "", ".", "").Replace(strings.ToLower(s))
	}
	for _, k := range Keys {
		if p := plain(name); p == plain(k.Name) || p+"s" == plain(k.Name) || p == plain(k.Name)+"s" {
			return nil, fmt.Errorf("%s is no setting; did you mean %s?", name, k.Name)
		}
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
	case *[]tokens.Model, **Summarizer, **Embedder:
		return false
	}
	return true
}

// Adds reports whether the values of several sources add up.
func (k *Key) Adds() bool {
	switch k.field(new(Config)).(type) {
	case *[]string, *map[string]float64, *[]tokens.Model:
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
	case **Summarizer:
		return *p
	case **Embedder:
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
		switch v := v.(type) {
		case float64:
			*p = v
		case int64:
			*p = float64(v)
		case string:
			n, err := percentage(v)
			if err != nil {
				return err
			}
			*p = n
		default:
			return want(`a share such as 0.4 or "40%"`, v)
		}
	case *bool:
		b, ok := v.(bool)
		if !ok {
			return want("true or false", v)
		}
		*p = b
	case *[]string:
		list, ok := v.([]any)
		if !ok {
			return want("a list of texts", v)
		}
		var texts []string
		for _, e := range list {
			s, ok := e.(string)
			if !ok {
				return want("a list of texts", e)
			}
			texts = append(texts, s)
		}
		*p = union(*p, texts)
	case *map[string]float64:
		table, ok := v.(map[string]any)
		if !ok {
			return want("a table of numbers", v)
		}
		m := make(map[string]float64)
		for name, e := range table {
			switch n := e.(type) {
			case float64:
				m[name] = n
			case int64:
				m[name] = float64(n)
			default:
				return fmt.Errorf("%s: %w", name, want("a number", e))
			}
		}
		*p = merged(*p, m)
	case *[]tokens.Model:
		models, err := modelTable(v)
		if err != nil {
			return err
		}
		*p = append(slices.Clone(*p), models...)
	case **Summarizer:
		s, err := summarizerTable(v)
		if err != nil {
			return err
		}
		*p = s
	case **Embedder:
		e, err := embedderTable(v)
		if err != nil {
			return err
		}
		*p = e
	}
	return k.verify(c)
}

func (k *Key) verify(c *Config) error {
	if k.check == nil {
		return nil
	}
	return k.check(c)
}

func want(what string, got any) error { return fmt.Errorf("%s: want %s", quote(got), what) }

// union returns the texts of both lists once, in order, in fresh memory.
func union(old, more []string) []string {
	all := slices.Clone(old)
	for _, s := range more {
		if s != "" && !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

// merged returns both tables in fresh memory; the second wins.
func merged(old, more map[string]float64) map[string]float64 {
	all := maps.Clone(old)
	if all == nil {
		all = make(map[string]float64)
	}
	maps.Copy(all, more)
	return all
}

// count reads a whole number, with k and M for thousands and millions.
func count(text string) (int64, error) {
	digits, times := text, int64(1)
	switch {
	case strings.HasSuffix(text, "k"):
		digits, times = text[:len(text)-1], 1000
	case strings.HasSuffix(text, "M"):
		digits, times = text[:len(text)-1], 1000_000
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n > math.MaxInt64/times || n < math.MinInt64/times {
		return 0, fmt.Errorf("%q: want a whole number", text)
	}
	return n * times, nil
}

// percentage reads a share of one: 0.4 or 40%.
func percentage(text string) (float64, error) {
	digits, percent := strings.CutSuffix(text, "%")
	n, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		return 0, fmt.Errorf("%q: want a share such as 0.4 or 40%%", text)
	}
	if percent {
		n /= 100
	}
	return n, nil
}

// oneLine wants a command that can be told in one line.
func oneLine(text string) error {
	if strings.ContainsAny(text, "\r\n\x00") {
		return fmt.Errorf("%.60q: want one line", text)
	}
	return nil
}

func share(v float64) error {
	if !(v > 0 && v <= 1) { // NaN too
		return fmt.Errorf("%v: want a share above 0 and up to 1", v)
	}
	return nil
}

func shareOrNone(v float64) error {
	if !(v >= 0 && v <= 1) { // NaN too
		return fmt.Errorf("%v: want a share from 0 to 1", v)
	}
	return nil
}

func notNegative[T int | int64](n T) error {
	if n < 0 {
		return fmt.Errorf("%d: want 0 or more", n)
	}
	return nil
}

func oneOf(v string, names ...string) error {
	if slices.Contains(names, v) {
		return nil
	}
	last := len(names) - 1
	return fmt.Errorf("%q: want %s or %s", v, strings.Join(names[:last], ", "), names[last])
}

// maxWeight bounds a factor, so that a sum of scores stays a finite number.
const maxWeight = 1000

func knownWeights(weights map[string]float64) error {
	for _, name := range slices.Sorted(maps.Keys(weights)) {
		if _, ok := rank.SignalByName(name); !ok {
			if changes := rank.ChangeSignalNames(); !slices.Contains(changes, name) {
				return fmt.Errorf("%s is no signal; signals are %s; of changes, %s", name, strings.Join(rank.SignalNames(), ", "), strings.Join(changes, ", "))
			}
		}
		if w := weights[name]; !(w >= 0 && w <= maxWeight) { // NaN too
			return fmt.Errorf("%s = %v: want a number between 0 and %d", name, w, maxWeight)
		}
	}
	return nil
}

func lowerShare(old, next float64) error {
	if next > old {
		return fmt.Errorf("%v is more than %v, and a repository may only lower it", next, old)
	}
	return nil
}

// promptCharacters refuses what agents would cut, and what nothing has room in.
func promptCharacters(n int) error {
	if n != 0 && (n < leastCharacters || n > engine.DefaultCharacters) {
		return fmt.Errorf("%d: want 0, or %d to %d", n, leastCharacters, engine.DefaultCharacters)
	}
	return nil
}

// leastCharacters is room for the line that says what follows, and for one short
// function.
const leastCharacters = 500

func lowerCount(old, next int) error {
	if next > old {
		return fmt.Errorf("%d is more than %d, and a repository may only lower it", next, old)
	}
	return nil
}

// lowerDocs also says what to do, as documents are off unless the user has them on.
func lowerDocs(old, next int) error {
	if err := lowerCount(old, next); err != nil {
		return fmt.Errorf("%w; put it into your own config.toml", err)
	}
	return nil
}

func lowerSwitch(old, next bool) error {
	if next && !old {
		return errors.New("a repository may only turn it off")
	}
	return nil
}

// lowerDocsShare compares shares of which 0 is the one that the task decides,
// 0.3 at least.
func lowerDocsShare(old, next *Config) error {
	of := func(c *Config) float64 { return cmp.Or(c.DocsShare, budget.DocumentShare(budget.Complexity{})) }
	return lowerShare(of(old), of(next))
}

// lowerDocsFileBytes compares sizes of which 0 is no limit.
func lowerDocsFileBytes(old, next *Config) error {
	if old.DocsFileBytes > 0 && (next.DocsFileBytes == 0 || next.DocsFileBytes > old.DocsFileBytes) {
		return fmt.Errorf("%d is more than %d, and a repository may only lower it", next.DocsFileBytes, old.DocsFileBytes)
	}
	return nil
}

// lowerBudget compares what two budgets come to at most. A percentage and a
// number of tokens compare only if the model's window is known.
func lowerBudget(old, next *Config) error {
	// The largest task there is: what auto comes to at most.
	largest := budget.Complexity{Files: math.MaxInt32, Directories: math.MaxInt32, Words: math.MaxInt32}
	most := func(c *Config) (int, error) {
		n, err := c.Limit(largest)
		if n == 0 {
			n = math.MaxInt // no limit
		}
		return n, err
	}
	have, errHave := most(old)
	may, errMay := most(next)
	switch {
	case old.Budget == next.Budget:
		return nil
	case errMay != nil:
		return fmt.Errorf("%q cannot be compared with %q: %v", next.Budget, old.Budget, errMay)
	case errHave != nil:
		return fmt.Errorf("%q cannot be compared with %q: %v", next.Budget, old.Budget, errHave)
	case may > have:
		return fmt.Errorf("%q is more than %q, and a repository may only lower it", next.Budget, old.Budget)
	}
	return nil
}

// modelTable reads the [[models]] of the user's file.
func modelTable(v any) ([]tokens.Model, error) {
	list, ok := v.([]any)
	if !ok {
		return nil, want("[[models]] tables", v)
	}
	var models []tokens.Model
	for _, e := range list {
		table, ok := e.(map[string]any)
		if !ok {
			return nil, want("[[models]] tables", e)
		}
		m := tokens.Model{Source: "your config.toml"}
		for _, name := range slices.Sorted(maps.Keys(table)) {
			text, isText := table[name].(string)
			n, isCount := table[name].(int64)
			switch {
			case name == "name" && isText:
				m.Name = text
			case name == "family" && isText:
				m.Family = text
			case name == "source" && isText:
				m.Source = text
			case name == "window" && isCount && n > 0:
				m.Window = int(n)
			case name == "output" && isCount && n >= 0:
				m.Output = int(n)
			case slices.Contains([]string{"name", "family", "source", "window", "output"}, name):
				return nil, fmt.Errorf("%s = %s: want a text for name, family and source, a number of tokens for window and output", name, quote(table[name]))
			default:
				return nil, fmt.Errorf("%s: a model has name, family, source, window and output", name)
			}
		}
		if m.Name == "" || m.Window == 0 {
			return nil, fmt.Errorf("a model needs a name and a window")
		}
		models = append(models, m)
	}
	return models, nil
}

// Field returns the name of the Go field that the key sets.
func Field(key string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(key, "-") {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}

// providers checks the names of what packs tell besides code: one each, or
// several with commas between them.
func providers(names []string) error {
	for _, n := range Names(names) {
		if err := oneOf(n, engine.Providers()...); err != nil {
			return err
		}
	}
	return nil
}

// Names returns the names of a list whose values may hold several, with commas
// between them.
func Names(list []string) []string {
	var out []string
	for _, s := range list {
		for n := range strings.SplitSeq(s, ",") {
			if n = strings.TrimSpace(n); !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	}
	return out
}
