// Package config says what every setting is, where its value came from, and
// who may change it.
//
// A value comes from a flag, else from a variable SATCHEL_*, else from the
// repository's .satchel.toml, else from the user's config.toml, else it is the
// default. The repository's file arrives with code that nobody has read yet, so
// it may only tighten: add exclusions, set ranking weights, lower budgets.
// Anything else in it is left out, and a Diagnostic says which key, in which file,
// and why. A setting has one name everywhere: the key max-file-bytes is the
// flag --set max-file-bytes=N, the variable SATCHEL_MAX_FILE_BYTES and the field
// MaxFileBytes of engine.Options.
//
// The package reads two files and nothing else. It never runs anything, and a
// damaged repository file is a Diagnostic, whereas a damaged user file is an error:
// the user can mend it. Who must go on without, as a hook must, asks [Salvage].
//
// Start with [Load]; the table of settings is [Keys].
package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/budget"
	"github.com/satchel-dev/satchel/tokens"
)

// repositoryFile is the name of the file in the root of a repository.
const repositoryFile = ".satchel.toml"

// A Config is the value of every setting.
type Config struct {
	Budget         string             `toml:"budget"`
	Model          string             `toml:"model"`
	Format         string             `toml:"format"`
	Detail         string             `toml:"detail"`
	Fill           bool               `toml:"fill"`         // fill the budget of a pack, even with weak matches
	DiffProfile    string             `toml:"diff-profile"` // scores of satchel diff
	Exclude        []string           `toml:"exclude"`
	Unignore       []string           `toml:"unignore"`
	NoAiIgnore     bool               `toml:"no-ai-ignore"`
	Submodules     bool               `toml:"submodules"`
	Weights        map[string]float64 `toml:"weights"`
	Docs           int                `toml:"docs"`
	DocsShare      Share              `toml:"docs-share"`
	Vault          string             `toml:"vault"`
	MaxFileBytes   int64              `toml:"max-file-bytes"`
	MaxFiles       int                `toml:"max-files"`
	HistoryCommits int                `toml:"history-commits"`
	GitTimeout     int                `toml:"git-timeout"` // seconds
	CacheDir       string             `toml:"cache-dir"`
	NoCache        bool               `toml:"no-cache"`
	AnyFolder      bool               `toml:"any-folder"`
	With           []string           `toml:"with"`
	Snapshot       bool               `toml:"snapshot"`
	Retention      string             `toml:"retention"`
	// PromptCharacters is the most that hooks put beside a prompt; 0 is nothing.
	PromptCharacters int `toml:"prompt-characters"`
	// LastPrompts is of how many prompts is kept what they were given.
	LastPrompts int `toml:"last-prompts"`

	Color    string         `toml:"color"`
	Pager    string         `toml:"pager"`
	TaskFrom string         `toml:"task-from"` // the command of an issue tracker, see satchel run
	Build    string         `toml:"build"`
	Test     string         `toml:"test"`
	Quiet    bool           `toml:"quiet"`
	Models   []tokens.Model `toml:"-"`
	Prices   []Price        `toml:"-"`
	LLMs     []LLM          `toml:"-"` // by name
	Turns    int            `toml:"turns"`
	Parallel string         `toml:"parallel"`
	Language string         `toml:"language"`
}

// An Origin says where a value came from.
type Origin struct {
	Source layer  `json:"source"`
	Where  string `json:"where,omitempty"` // the file, variable or flag
	Line   int    `json:"line,omitempty"`  // in the file
}

// String returns the Origin as people read it.
func (o Origin) String() string {
	switch {
	case o.Line > 0:
		return fmt.Sprintf("%s:%d", o.Where, o.Line)
	case o.Where != "":
		return o.Where
	}
	return string(o.Source)
}

// A layer is one of the places that values come from.
type layer string

// The sources, from the weakest to the strongest.
const (
	Default     layer = "default"
	user        layer = "user"
	repository  layer = "repository"
	environment layer = "environment"
	Flag        layer = "flag"
)

// A Settings is a Config with the origin of its values.
type Settings struct {
	Config

	// Origins lists, for each key, every source that contributed to its value:
	// one for most keys, several for lists and tables, which add up.
	Origins map[string][]Origin

	// OwnDocs is the number of documents in a pack without a setting docs: five,
	// unless the repository's .noface.toml lowers it.
	OwnDocs int

	// The repository's .noface.toml limits these: how many links to follow from the
	// documents that a task names, whether to find documents by links of the task and by
	// its words, and the size of the largest document to show; 0 means no limit.
	DocsDepth                 int
	NoDocsLinks, NoDocsSearch bool
	DocsFileBytes             int64

	// Patterns holds the source of each value of a list, by key, a space and value.
	Patterns map[string]Origin

	// Diagnostics tell what was refused or not understood, in the order of the sources.
	Diagnostics []satchel.Diagnostic
}

// Sources is what Load reads.
type Sources struct {
	// Dir is the directory where the search for the repository's file begins; ""
	// means no search.
	Dir string

	// Environ holds NAME=value pairs, as os.Environ returns them, with names in upper
	// case on Windows.
	Environ []string

	// Flags holds the values of the flags that were given, by key. A list flag
	// that was given twice has two values.
	Flags map[string][]string

	// Written says how a setting of Flags was written, if not as --KEY.
	Written map[string]string
}

// A UsageError is a wrong value of a flag or a variable.
type UsageError struct {
	Where string // such as --budget or SATCHEL_BUDGET
	Err   error
}

func (e *UsageError) Error() string { return e.Where + ": " + e.Err.Error() }

func (e *UsageError) Unwrap() error { return e.Err }

// Load returns the settings. It fails with a [UsageError] on a flag or variable
// that cannot be understood, and on a user's file that cannot be read.
func Load(src Sources) (*Settings, error) {
	s, faults := Salvage(src)
	if len(faults) > 0 {
		return nil, faults[0].Err
	}
	return s, nil
}

// UserFile returns the path of the user's file, which may not exist, or "" without a
// home.
func UserFile(getenv func(string) string) string {
	// The XDG specification says that a relative path is to be ignored.
	if dir := getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "satchel", "config.toml")
	}
	if home := getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".config", "satchel", "config.toml")
	}
	return ""
}

// Getenv returns what asks an environment for the value of a variable, the last one of
// several. Where Windows has no HOME, it is USERPROFILE: that is where agents have
// their settings.
func Getenv(environ []string) func(string) string { return getenvOn(environ, runtime.GOOS) }

func getenvOn(environ []string, goos string) func(string) string {
	lookup := func(name string) string {
		for i := len(environ) - 1; i >= 0; i-- {
			if k, v, _ := strings.Cut(environ[i], "="); k == name {
				return v
			}
		}
		return ""
	}
	if goos == "windows" && lookup("HOME") == "" {
		environ = append(environ[:len(environ):len(environ)], "HOME="+lookup("USERPROFILE"))
	}
	return lookup
}

// user takes the values of the user's file, which may set every key.
func (s *Settings) user(file string, sections []*section) (faults []Fault) {
	for _, part := range sections {
		k, err := KeyByName(part.key)
		if err != nil {
			s.diagnose(position(file, part.line), err.Error())
			continue
		}
		next := s.Config
		if line, err := k.read(&next, part); err != nil {
			faults = append(faults, Fault{fmt.Errorf("%s: %s: %w", position(file, line), part.key, err), k.holdsBack(), file})
			continue
		}
		s.Config = next
		s.origin(k, Origin{user, file, part.line})
	}
	return faults
}

// repository takes the values that a repository's file may set. Each of the others is a
// diagnostic, or a fault if it may have kept something from agents.
func (s *Settings) repository(dir string) (faults []Fault) {
	file, text, err := readRepository(dir)
	if err != nil {
		return []Fault{{fmt.Errorf("%s: %w", file, err), true, file}}
	}
	sections, err := parse(file, text)
	if err != nil {
		var at *parseError
		if !errors.As(err, &at) || mayHoldBack(text, at.line) {
			return []Fault{{err, true, file}}
		}
		s.diagnose("", err.Error()+"; the file is ignored")
		return nil
	}
	var refused []satchel.Diagnostic
	for _, part := range sections {
		line := part.line
		k, err := KeyByName(part.key)
		if err == nil {
			line, err = s.tighten(k, part)
		}
		at := position(file, line)
		switch {
		case err == nil:
			s.origin(k, Origin{repository, file, line})
		case lostHold(part, s.Config):
			faults = append(faults, Fault{fmt.Errorf("%s: %w", at, err), true, file})
		default:
			refused = append(refused, satchel.Diagnostic{Path: at, Text: err.Error()})
		}
	}
	s.refuse(file, refused)
	return faults
}

// refuse says what is refused of a file, and counts the rest after maxRefused.
func (s *Settings) refuse(file string, refused []satchel.Diagnostic) {
	n := min(len(refused), maxRefused)
	s.Diagnostics = append(s.Diagnostics, refused[:n]...)
	if more := len(refused) - n; more > 0 {
		s.diagnose(file, fmt.Sprintf("%d more keys are refused", more))
	}
}

// lostHold reports whether a rejected value may have been meant to keep something
// from agents: a key of that kind, in any case, with an invalid value. A valid value
// that is refused asked for more than the file may do.
func lostHold(part *section, c Config) bool {
	name := strings.ToLower(part.key)
	k, err := KeyByName(name)
	if err != nil || !k.holdsBack() {
		return false
	}
	_, err = k.read(&c, part)
	return name != part.key || err != nil
}

// maxRefused is how many refused keys of a repository's file are named, so that
// a hostile one cannot drown the terminal.
const maxRefused = 20

// tighten sets one value of the repository's file. The error has the reason and the line.
func (s *Settings) tighten(k *Key, part *section) (line int, err error) {
	if k.Repository == refuses {
		return part.line, fmt.Errorf("%s is refused: %s; set it in your own config.toml", k.Name, k.Why)
	}
	next := s.Config
	line, err = k.read(&next, part)
	switch {
	case err != nil || k.Repository != lowers:
	case k.lower != nil:
		err = k.lower(&s.Config, &next)
	default:
		err = k.lowerCount(&s.Config, &next)
	}
	if err != nil {
		return line, fmt.Errorf("%s is refused: %v", k.Name, err)
	}
	s.Config = next
	return line, nil
}

// environment takes the variables SATCHEL_*. An empty variable counts as unset.
func (s *Settings) environment(environ []string) (faults []Fault) {
	getenv := Getenv(environ)
	for _, k := range Keys {
		text := getenv(k.Variable())
		if text == "" || !k.Text() {
			continue
		}
		faults = append(faults, s.take(k, []string{text}, Origin{Source: environment, Where: k.Variable()})...)
	}
	if s.Pager == "" && len(s.Origins["pager"]) == 0 {
		if s.Pager = getenv("PAGER"); s.Pager != "" {
			s.origin(keyPager, Origin{Source: environment, Where: "PAGER"})
		}
	}
	var unknown []string
	for _, pair := range environ {
		name, _, _ := strings.Cut(pair, "=")
		if strings.HasPrefix(name, "SATCHEL_") && !slices.ContainsFunc(Keys, func(k *Key) bool { return k.Text() && k.Variable() == name }) {
			unknown = append(unknown, name)
		}
	}
	slices.Sort(unknown)
	for _, name := range slices.Compact(unknown) {
		key := strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(name, "SATCHEL_"), "_", "-"))
		if instead := Removed[key]; instead != "" {
			s.diagnose("", fmt.Sprintf("%s was removed: %s", name, instead))
		} else if !slices.Contains(otherVariables, name) {
			s.diagnose("", fmt.Sprintf("variable %s is not a setting", name))
		}
	}
	return faults
}

// otherVariables are not mistakes: hooks, commands that ask a model, the long tests and
// the installers (release/install.sh) read them.
var otherVariables = []string{"SATCHEL_HOOK_LOG", "SATCHEL_RECORD", "SATCHEL_REPLAY", "SATCHEL_SOAK_ROUNDS", "SATCHEL_VERSION", "SATCHEL_INSTALL_DIR", "SATCHEL_SHA256", "SATCHEL_BASE_URL"}

func (s *Settings) flags(flags map[string][]string, written map[string]string) (faults []Fault) {
	for _, name := range slices.Sorted(maps.Keys(flags)) {
		where := cmp.Or(written[name], "--"+name)
		k, err := KeyByName(name)
		if err != nil {
			faults = append(faults, Fault{&UsageError{where, err}, true, ""})
			continue
		}
		faults = append(faults, s.take(k, flags[name], Origin{Source: Flag, Where: where})...)
	}
	return faults
}

// take sets a value from the texts of a flag or a variable.
func (s *Settings) take(k *Key, texts []string, o Origin) []Fault {
	next := s.Config
	if err := k.setText(&next, texts); err != nil {
		return []Fault{{&UsageError{o.Where, err}, k.holdsBack(), ""}}
	}
	s.Config = next
	s.origin(k, o)
	return nil
}

// origin records where a value came from. A list or table adds up, any other
// value replaces the weaker one.
func (s *Settings) origin(k *Key, o Origin) {
	if k.adds() {
		s.Origins[k.Name] = append(s.Origins[k.Name], o)
		list, _ := k.Value(&s.Config).([]string)
		for _, v := range list {
			if s.Patterns == nil {
				s.Patterns = make(map[string]Origin)
			}
			if _, known := s.Patterns[k.Name+" "+v]; !known {
				s.Patterns[k.Name+" "+v] = o
			}
		}
		return
	}
	s.Origins[k.Name] = []Origin{o}
}

// OwnExclude returns the exclusions that are not of the repository's file, which the
// engine reads by itself: for a change it is not the one on disk that counts.
func (s *Settings) OwnExclude() []string {
	return slices.DeleteFunc(slices.Clone(s.Exclude), func(p string) bool { return s.Patterns["exclude "+p].Source == repository })
}

func (s *Settings) diagnose(path, text string) {
	s.Diagnostics = append(s.Diagnostics, satchel.Diagnostic{Path: path, Text: text})
}

// auto bounds a budget of auto. The floor suits a question about one function. Above
// the ceiling, more context makes answers worse.
var auto = budget.Auto{Floor: 0.05, Ceiling: 0.40}

// Limit returns the budget in tokens of o200k_base, which is what packs are
// counted in; 0 means no limit. A budget in tokens of a model that takes more of
// them for the same code is that much smaller. Least and most differ for the
// budget "auto", which the task decides; see [satchel.Auto].
func (c *Config) Limit() (least, most int, err error) {
	limit, err := budget.Parse(c.Budget)
	if err != nil {
		return 0, 0, err
	}
	window, factor := 0, 1.0
	if c.Model != "" {
		m, err := tokens.ModelByName(c.Model, c.Models...)
		if err != nil {
			return 0, 0, err
		}
		window, factor = m.Window, max(m.Factor(tokens.Code), 1)
	}
	least, most, err = limit.Tokens(window, 0, auto)
	if err != nil || most == 0 {
		return 0, 0, err
	}
	counted := func(n int) int { return max(int(float64(n)/factor), 1) } // not 0, which means no limit
	return counted(least), counted(most), nil
}

// errTooLong is for a file that no person wrote.
var errTooLong = errors.New("is too long for a configuration")

// maxFile is the length of a configuration file beyond which it is not read:
// far more than a person writes. The decoder takes time quadratic in the number
// of keys, 3.7 s for a hostile file of 256 KiB and 0.2 s for one of this length.
const maxFile = 64 << 10

func readUser(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: is not a regular file", file)
	}
	if info.Size() > maxFile {
		return nil, fmt.Errorf("%s: %w", file, errTooLong)
	}
	return os.ReadFile(file)
}
