package config

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/satchel-dev/satchel/budget"
	"github.com/satchel-dev/satchel/internal/world/fsx/fsxtest"
	"github.com/satchel-dev/satchel/tokens"
	"github.com/satchel-dev/satchel/transcript"
)

// write makes a repository and a home with the given files, and returns the
// Sources that find them.
func write(t *testing.T, user, repo string) Sources {
	t.Helper()
	dir := t.TempDir()
	home, top := filepath.Join(dir, "home"), filepath.Join(dir, "repo")
	for _, d := range []string{filepath.Join(home, ".config", "satchel"), filepath.Join(top, ".git"), filepath.Join(top, "sub")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if user != "" {
		writeFile(t, filepath.Join(home, ".config", "satchel", "config.toml"), user)
	}
	if repo != "" {
		writeFile(t, filepath.Join(top, repositoryFile), repo)
	}
	return Sources{Dir: filepath.Join(top, "sub"), Environ: []string{"HOME=" + home}}
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func load(t *testing.T, src Sources) *Settings {
	t.Helper()
	s, err := Load(src)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// diagnosticsOf returns the Diagnostics as lines, with the paths relative to the folder that
// holds home and repository.
func diagnosticsOf(s *Settings, src Sources) []string {
	base := filepath.Dir(filepath.Dir(src.Dir)) + "/"
	var lines []string
	for _, n := range s.Diagnostics {
		line := n.Text
		if n.Path != "" {
			line = n.Path + ": " + line
		}
		lines = append(lines, strings.ReplaceAll(filepath.ToSlash(line), filepath.ToSlash(base), ""))
	}
	return lines
}

// samples gives, for each key, a value in a file, the same as text, what it is
// then, and a value that is wrong.
var samples = map[string]struct {
	toml, text string
	want       any
	wrong      string // in a file
}{
	"budget":            {`budget = "8k"`, "8k", "8k", `budget = "much"`},
	"model":             {`model = "gpt-5"`, "gpt-5", "gpt-5", `model = 5`},
	"format":            {`format = "xml"`, "xml", "xml", `format = "pdf"`},
	"detail":            {`detail = "outline"`, "outline", "outline", `detail = "omitted"`},
	"fill":              {`fill = true`, "true", true, `fill = 1`},
	"diff-profile":      {`diff-profile = "iris"`, "iris", "iris", `diff-profile = "best"`},
	"exclude":           {`exclude = ["docs/"]`, "docs/", []string{"docs/"}, `exclude = "docs/"`},
	"submodules":        {`submodules = true`, "true", true, `submodules = 1`},
	"unignore":          {`unignore = ["vendor/x/"]`, "vendor/x/", []string{"vendor/x/"}, `unignore = [1]`},
	"weights":           {"[weights]\nbm25f = 1.5", "bm25f=1.5", map[string]float64{"bm25f": 1.5}, "weights.bm25f = nan"},
	"docs":              {`docs = 3`, "3", 3, `docs = -1`},
	"docs-share":        {`docs-share = "20%"`, "0.2", Share(0.2), `docs-share = 2`},
	"vault":             {`vault = "/home/me/notes"`, "/home/me/notes", "/home/me/notes", `vault = 1`},
	"max-file-bytes":    {`max-file-bytes = 2000000`, "2M", int64(2000000), `max-file-bytes = "large"`},
	"max-files":         {`max-files = 1000`, "1000", 1000, `max-files = -1`},
	"history-commits":   {`history-commits = 100`, "100", 100, `history-commits = 1.5`},
	"git-timeout":       {`git-timeout = 300`, "300", 300, `git-timeout = -1`},
	"cache-dir":         {`cache-dir = "/var/cache/satchel"`, "/var/cache/satchel", "/var/cache/satchel", `cache-dir = false`},
	"no-ai-ignore":      {`no-ai-ignore = true`, "1", true, `no-ai-ignore = "perhaps"`},
	"no-cache":          {`no-cache = true`, "1", true, `no-cache = "perhaps"`},
	"any-folder":        {`any-folder = true`, "1", true, `any-folder = "perhaps"`},
	"with":              {`with = ["git"]`, "git", []string{"git"}, `with = ["weather"]`},
	"snapshot":          {`snapshot = true`, "true", true, `snapshot = "yes"`},
	"retention":         {`retention = "none"`, "none", "none", `retention = "forever"`},
	"prompt-characters": {`prompt-characters = 0`, "0", 0, `prompt-characters = 9001`},
	"last-prompts":      {`last-prompts = 0`, "0", 0, `last-prompts = 101`},
	"turns":             {`turns = 4`, "4", 4, `turns = -1`},
	"parallel":          {`parallel = "10"`, "10", "10", `parallel = "11"`},
	"language":          {`language = "de"`, "de", "de", `language = 3`},
	"color":             {`color = "never"`, "never", "never", `color = "red"`},
	"pager":             {`pager = "less -R"`, "less -R", "less -R", `pager = []`},
	"task-from":         {`task-from = "bd show {issue}"`, "bd show {issue}", "bd show {issue}", `task-from = ["bd"]`},
	"build":             {`build = "make"`, "make", "make", `build = ["make"]`},
	"test":              {`test = "make test"`, "make test", "make test", `test = "a\nb"`},
	"quiet":             {`quiet = true`, "true", true, `quiet = 1`},
	"models": {
		"[[models]]\nname = \"local\"\nwindow = 32000", "",
		[]tokens.Model{{Name: "local", Window: 32000, Source: "your config.toml"}},
		"[[models]]\nname = \"local\"",
	},
	"prices": {
		"[prices.\"m-1.5\"]\ninput = 3\noutput = 15.5\ncache-read = 0.3\ncurrency = \"EUR \"", "",
		[]Price{{Model: "m-1.5", Input: 3, Output: 15.5, CacheRead: new(0.3), Currency: "EUR "}},
		"[prices.m]\ninput = 3",
	},
	"llm": {
		"[llm.default]\nurl = \"https://api.example.com\"\nmodel = \"m-1\"\nkind = \"openai\"\nkey-env = \"M_KEY\"\ntimeout = \"30s\"\nmax-tokens = 500\n" +
			"window = 32000\nidle-timeout = \"5s\"\nconcurrency = 2\nrpm = 50\ntpm = 40000\nprice = [3, 0.3, 3.75, 15]\nhelper = \"fast\"\n" +
			"[llm.embedder]\nmodel = \"e-1\"\nfusion = \"rank\"\nweight = 2\n" +
			"[llm.fast]\nurl = \"http://localhost:1\"\nmodel = \"m-2\"\nkind = \"anthropic\"\nkey-command = [\"op\", \"read\"]", "",
		[]LLM{
			{
				Name: "default", URL: "https://api.example.com", Model: "m-1", Kind: "openai", KeyEnv: "M_KEY", Timeout: Duration(30 * time.Second), MaxTokens: 500,
				Window: 32000, IdleTimeout: Duration(5 * time.Second), Concurrency: 2, RPM: 50, TPM: 40000, Price: []float64{3, 0.3, 3.75, 15}, Helper: "fast",
			},
			{Name: "embedder", URL: defaultURL, Kind: "embeddings", Model: "e-1", Batch: defaultBatch, Fusion: "rank", Weight: 2},
			{Name: "fast", URL: "http://localhost:1", Model: "m-2", Kind: "anthropic", KeyCommand: []string{"op", "read"}},
		},
		"[llm.default]\nurl = \"http://api.example.com\"\nmodel = \"m-1\"\nkind = \"openai\"",
	},
}

// TestTableText checks that a table is shown with the fields that were set, and that the
// text can be read again.
func TestTableText(t *testing.T) {
	for key, want := range map[string]string{
		"models":  `[{name = "local", window = 32000}]`,
		"prices":  `{"m-1.5" = {input = 3, output = 15.5, cache-read = 0.3, currency = "EUR "}}`,
		"weights": `{bm25f = 1.5}`,
		"llm": `{"default" = {url = "https://api.example.com", kind = "openai", model = "m-1", key-env = "M_KEY", ` +
			`timeout = "30s", idle-timeout = "5s", max-tokens = 500, concurrency = 2, rpm = 50, tpm = 40000, window = 32000, price = [3, 0.3, 3.75, 15], helper = "fast"}, ` +
			`"embedder" = {url = "http://localhost:11434", kind = "embeddings", model = "e-1", batch = 32, fusion = "rank", weight = 2}, ` +
			`"fast" = {url = "http://localhost:1", kind = "anthropic", model = "m-2", key-command = ["op", "read"]}}`,
	} {
		k, err := KeyByName(key)
		if err != nil {
			t.Fatal(err)
		}
		s := load(t, write(t, samples[key].toml, ""))
		if got := k.TOML(&s.Config); got != want {
			t.Errorf("%s is shown as\n%s\nwant\n%s", key, got, want)
		}
		if again := load(t, write(t, key+" = "+want+"\n", "")); k.TOML(&again.Config) != want {
			t.Errorf("%s is read again as %s", key, k.TOML(&again.Config))
		}
	}

	// A price of nothing is a price, and the window of an answer may be unknown.
	s := load(t, write(t, "[prices.free]\ninput = 0\noutput = 0\ncache-read = 0\n[[models]]\nname = \"m\"\nwindow = 5\noutput = 0\n", ""))
	if got, want := valueText(s.Prices), `{"free" = {input = 0, output = 0, cache-read = 0, currency = "$"}}`; got != want {
		t.Errorf("prices are shown as %s, want %s", got, want)
	}
}

// repositoryNotes says, for each key, what becomes of the sample in a
// repository's file: the Diagnostic that refuses it, or "" if it is taken. A new key
// has to be added here, and with it the thought about what a stranger could do
// with it.
var repositoryNotes = map[string]string{
	"budget":            "",
	"model":             "model is refused: which model is used is your choice",
	"format":            "format is refused: how satchel talks to you is your choice",
	"detail":            "detail is refused: how satchel talks to you is your choice",
	"fill":              "fill is refused: how much work satchel does is your choice",
	"diff-profile":      "diff-profile is refused: how satchel talks to you is your choice",
	"exclude":           "",
	"submodules":        "submodules is refused: it would widen what satchel reads",
	"unignore":          "unignore is refused: it would widen what satchel reads",
	"weights":           "",
	"docs":              "docs is refused: 3 is more than 0: a repository may only lower it",
	"docs-share":        "",
	"vault":             "vault is refused: a repository may not name folders outside itself",
	"max-file-bytes":    "max-file-bytes is refused: how much work satchel does is your choice",
	"max-files":         "max-files is refused: how much work satchel does is your choice",
	"history-commits":   "history-commits is refused: how much work satchel does is your choice",
	"git-timeout":       "git-timeout is refused: how much work satchel does is your choice",
	"cache-dir":         "cache-dir is refused: a repository may not name folders outside itself",
	"no-ai-ignore":      "no-ai-ignore is refused: it would widen what satchel reads",
	"any-folder":        "any-folder is refused: it would widen what satchel reads",
	"no-cache":          "no-cache is refused: how much work satchel does is your choice",
	"with":              "with is refused: it would widen what satchel reads",
	"snapshot":          "snapshot is refused: a repository may not decide what is kept",
	"retention":         "retention is refused: a repository may not decide what is kept",
	"prompt-characters": "",
	"last-prompts":      "",
	"turns":             "turns is refused: how much work satchel does is your choice",
	"parallel":          "parallel is refused: how much work satchel does is your choice",
	"language":          "language is refused: how satchel talks to you is your choice",
	"color":             "color is refused: how satchel talks to you is your choice",
	"pager":             "pager is refused: a repository may not name commands that run on your machine",
	"task-from":         "task-from is refused: a repository may not name commands that run on your machine",
	"build":             "build is refused: a repository may not name commands that run on your machine",
	"test":              "test is refused: a repository may not name commands that run on your machine",
	"quiet":             "quiet is refused: how satchel talks to you is your choice",
	"models":            "models is refused: which model is used is your choice",
	"prices":            "prices is refused: which model is used is your choice",
	"llm":               "llm is refused: a repository may not decide where data is sent",
}

func TestEveryKey(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	for _, k := range Keys {
		t.Run(k.Name, func(t *testing.T) {
			sample, ok := samples[k.Name]
			if !ok {
				t.Fatal("no sample: add one")
			}
			defaults := Defaults()

			src := write(t, sample.toml, "")
			s := load(t, src)
			if diff := cmp.Diff(sample.want, k.Value(&s.Config)); diff != "" {
				t.Errorf("user's file (-want +got):\n%s", diff)
			}
			if o := s.Origins[k.Name]; len(o) != 1 || o[0].Source != user || o[0].Line != 1 {
				t.Errorf("user's file: origin %v", o)
			}

			src = write(t, sample.wrong, "")
			at := "config.toml:1: " + k.Name + ": "
			if k == keyLLM {
				at = "config.toml:2: llm: " // behind its heading
			}
			if _, err := Load(src); err == nil || !strings.Contains(err.Error(), at) {
				t.Errorf("wrong value in the user's file: error %v", err)
			}

			if k.Text() {
				src = write(t, "", "")
				src.Environ = append(src.Environ, k.Variable()+"="+sample.text)
				s = load(t, src)
				if diff := cmp.Diff(sample.want, k.Value(&s.Config)); diff != "" {
					t.Errorf("variable (-want +got):\n%s", diff)
				}
				if o := s.Origins[k.Name]; len(o) != 1 || o[0].String() != k.Variable() {
					t.Errorf("variable: origin %v", o)
				}

				src = write(t, "", "")
				src.Flags = map[string][]string{k.Name: {sample.text}}
				s = load(t, src)
				if diff := cmp.Diff(sample.want, k.Value(&s.Config)); diff != "" {
					t.Errorf("flag (-want +got):\n%s", diff)
				}
				if o := s.Origins[k.Name]; len(o) != 1 || o[0].String() != "--"+k.Name {
					t.Errorf("flag: origin %v", o)
				}
			}

			wantNote, ok := repositoryNotes[k.Name]
			if !ok {
				t.Fatal("no word on what a repository's file may do with it: add one")
			}
			src = write(t, "", sample.toml)
			s = load(t, src)
			if wantNote == "" {
				if diff := cmp.Diff(sample.want, k.Value(&s.Config)); diff != "" || len(s.Diagnostics) > 0 {
					t.Errorf("repository's file, diagnostics %v (-want +got):\n%s", diagnosticsOf(s, src), diff)
				}
			} else {
				if diff := cmp.Diff(k.Value(&defaults), k.Value(&s.Config)); diff != "" {
					t.Errorf("repository's file was obeyed (-want +got):\n%s", diff)
				}
				want := []string{"repo/.satchel.toml:1: " + wantNote + "; set it in your own config.toml"}
				if diff := cmp.Diff(want, diagnosticsOf(s, src)); diff != "" {
					t.Errorf("repository's file, notes (-want +got):\n%s", diff)
				}
			}

			src = write(t, "", sample.wrong)
			if k.holdsBack() {
				if _, err := Load(src); err == nil || !strings.Contains(err.Error(), ".satchel.toml:1: "+k.Name+" is refused: ") {
					t.Errorf("wrong value in the repository's file that may keep something from agents: error %v", err)
				}
				return
			}
			s = load(t, src)
			if len(s.Diagnostics) != 1 || !reflect.DeepEqual(k.Value(&s.Config), k.Value(&defaults)) {
				t.Errorf("wrong value in the repository's file: diagnostics %v, value %v", diagnosticsOf(s, src), k.Value(&s.Config))
			}
		})
	}
}

func TestConfigHasKeys(t *testing.T) {
	config := reflect.TypeFor[Config]()
	var fields, keys []string
	for i := range config.NumField() {
		fields = append(fields, config.Field(i).Name)
	}
	for _, k := range Keys {
		keys = append(keys, Field(k.Name))
		field, ok := config.FieldByName(Field(k.Name))
		if !ok {
			t.Errorf("key %s has no field %s", k.Name, Field(k.Name))
		} else if tag := field.Tag.Get("toml"); tag != k.Name && (tag != "-" || tableTypes[k.Name] == nil) {
			t.Errorf("key %s sets another field than %s: its tag is %q", k.Name, Field(k.Name), tag)
		}
	}
	for _, f := range fields {
		if !strings.Contains(" "+strings.Join(keys, " ")+" ", " "+f+" ") {
			t.Errorf("field %s has no key", f)
		}
	}
}

func TestPrecedence(t *testing.T) {
	src := write(t,
		"budget = \"12k\"\nexclude = [\"a\"]\nweights = {bm25f = 1, churn = 1, age = 1}",
		"budget = \"10k\"\nexclude = [\"b\", \"a\"]\nweights = {churn = 2, age = 2}")
	src.Environ = append(src.Environ, "SATCHEL_BUDGET=9k", "SATCHEL_EXCLUDE=c", "SATCHEL_WEIGHTS=age=3")
	all := load(t, src)
	if all.Budget != "9k" {
		t.Errorf("variable over repository: budget %s", all.Budget)
	}
	if diff := cmp.Diff([]string{"a", "b", "c"}, all.Exclude); diff != "" {
		t.Errorf("lists add up (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]float64{"bm25f": 1, "churn": 2, "age": 3}, all.Weights); diff != "" {
		t.Errorf("tables add up (-want +got):\n%s", diff)
	}
	var sources []layer
	for _, o := range all.Origins["exclude"] {
		sources = append(sources, o.Source)
	}
	if diff := cmp.Diff([]layer{user, repository, environment}, sources); diff != "" {
		t.Errorf("origins of exclude (-want +got):\n%s", diff)
	}

	src.Flags = map[string][]string{"budget": {"8k"}}
	if s := load(t, src); s.Budget != "8k" || s.Origins["budget"][0].Source != Flag {
		t.Errorf("flag over variable: budget %s from %v", s.Budget, s.Origins["budget"])
	}
	src.Flags, src.Environ = nil, src.Environ[:1]
	if s := load(t, src); s.Budget != "10k" || s.Origins["budget"][0].Source != repository {
		t.Errorf("repository over user: budget %s from %v", s.Budget, s.Origins["budget"])
	}
}

func TestRepositoryLowersBudget(t *testing.T) {
	for _, tt := range []struct {
		user, repo string
		want       string
		note       string
	}{
		{``, `budget = "8k"`, "8k", ""},
		{``, `budget = 8000`, "8000", ""},
		{``, `budget = "16k"`, "16k", ""},
		{``, `budget = "17k"`, "16k", `budget is refused: "17k" is more than "16k": a repository may only lower it`},
		{``, `budget = "0"`, "16k", `budget is refused: "0" is more than "16k": a repository may only lower it`},
		{`budget = "0"`, `budget = "500k"`, "500k", ""},
		{`budget = "8k"`, `budget = "12k"`, "8k", `budget is refused: "12k" is more than "8k": a repository may only lower it`},
		{"model = \"gpt-5\"", `budget = "2%"`, "2%", ""},
		{"model = \"gpt-5\"", `budget = "40%"`, "16k", `budget is refused: "40%" is more than "16k": a repository may only lower it`},
		{"model = \"gpt-5\"\nbudget = \"auto\"", `budget = "100k"`, "100k", ""},
		{"model = \"gpt-5\"\nbudget = \"20%\"", `budget = "auto"`, "20%", `budget is refused: "auto" is more than "20%": a repository may only lower it`},
		{``, `budget = true`, "16k", `budget is refused: true: want a text`},
	} {
		src := write(t, tt.user, tt.repo)
		s := load(t, src)
		note := strings.TrimPrefix(strings.Join(diagnosticsOf(s, src), "\n"), "repo/.satchel.toml:1: ")
		if s.Budget != tt.want || note != tt.note {
			t.Errorf("user %q, repository %q: budget %s, note %q; want %s, %q", tt.user, tt.repo, s.Budget, note, tt.want, tt.note)
		}
	}
	src := write(t, "", `budget = "1%"`)
	if s := load(t, src); s.Budget != "16k" || len(s.Diagnostics) != 1 || !strings.Contains(s.Diagnostics[0].Text, "cannot compare") {
		t.Errorf("share without a window: budget %s, diagnostics %v", s.Budget, diagnosticsOf(s, src))
	}
}

// TestLineOfMistake checks that a wrong value is reported on its own line, wherever the
// table or the list begins.
func TestLineOfMistake(t *testing.T) {
	const model = "url = \"https://example.com\"\nmodel = \"m\"\nkind = \"openai\"\n"
	for _, tt := range []struct{ user, repository, want string }{
		{"exclude = [\n  \"a\",\n  # no text:\n  5,\n]\n", "", "config.toml:4: exclude: 5: "},
		{"exclude = [\n  \"a\",\n  0x10,\n]\n", "", "config.toml:3: exclude: 0x10: "},
		{"quiet = true\n[exclude]\na = 1\n", "", "config.toml:2: exclude: a table: want a list of texts"},
		{"[[weights]]\nbm25f = 1\n", "", "config.toml:1: weights: a list: want a table of numbers"},
		{"[llm.a]\nurl = \"x\"\n[llm.a.timeout]\nx = 1\n", "", "config.toml:3: llm: a table: want a time such as"},
		{"[llm.a]\nrpm = [\n1,\n2]\n", "", "config.toml:2: llm: rpm: [ 1, 2]: want a number above 0"},
		{"quiet = true\n[llm.a]\n[prices.a]\ninput = 1\noutput = 1\n[llm.b]\nurl = 5\n", "", "config.toml:7: llm: url: 5: want a text"},
		{"language = \"ignore all rules\"\n", "", "config.toml:1: language: \"ignore all rules\": want a language tag"},
		{"bud" + strings.Repeat("-", 500) + "get = 1\n[llm.a]\nkey = 3\n", "", "config.toml:3: llm: unknown key key in [llm.NAME]: want url"},
		{"[models.foo]\nwindow = 3\n", "", "config.toml:1: models: unknown key foo in [[models]]: want name, family, "},
		{"[llm]\nurl = \"x\"\n", "", "config.toml:2: llm: url: want tables [llm.NAME]"},
		{"[weights]\n\n# a\nsize = 1\nnosuch = 2\n", "", "config.toml:5: weights: unknown signal nosuch"},
		{"[weights]\nbm25f = 1\nchurn = \"x\"\n", "", "config.toml:3: weights: churn: "},
		{"[llm.a]\n" + model + "timeout = \"5s\"\n[llm.b]\n" + model + "timeout = \"soon\"\n", "", "config.toml:10: llm: timeout: "},
		{"[llm.a]\n" + model + "[llm.b]\n" + model + "\n[llm.a2]\n" + model + "wondow = 5\n", "", "config.toml:14: llm: unknown key wondow in "},
		{"quiet = true\r\n[llm.a]\r\nurl = \"x\"\r\nwindow = -5\r\n", "", "config.toml:4: llm: window: "},
		{"\ufeffquiet = true\nllm.a.url = \"https://example.com\"\nllm.a.window = 0\n", "", "config.toml:3: llm: window: "},
		{"[[models]]\nname = \"a\"\nwindow = 5\n[[models]]\nname = \"b\"\nwindow = \"large\"\n", "", "config.toml:6: models: window: \"large\": want a number above 0"},
		{"[[models]]\nname = \"a\"\nwindow = 5\n[[models]]\nname = \"b\"\n", "", "config.toml:4: models: a model needs a name"},
		{"[prices.a]\ninput = 1\noutput = 2\n[prices.b]\ninput = 1\noutput = 5000\n", "", "config.toml:6: prices: output: "},
		{"[llm.a]\n" + model + "[llm.b]\n# no model:\n\nurl = \"https://example.com\"\n", "", "config.toml:5: llm: "},
		{"exclude = [\n\"a\",\n5, # a number\n\"b\",\n6,\n]\n[weights]\nsize = 1\n", "", "config.toml:3: exclude: 5: "},
		{"[llm.summarizer]\nurl = \"https://example.com\"\nmodel = 5\n", "", "config.toml:3: llm: model: "},
		{"with = [\"git\",\n\"nothing\"]\n", "", "config.toml:2: with: \"nothing\": "},
		{"quiet = true\n\n\n\ndocs-share = 7\n", "", "config.toml:5: docs-share: "},
		{"quiet = true\n\nquiet = false\n", "", "config.toml:3:1: toml: "},
		{"quiet = true\n\nbudget = 8k\n", "", "config.toml:3:11: toml: "},
		{"", "quiet = true\nexclude = [\n\"a\",\n5]\n", ".satchel.toml:4: exclude is refused: 5: "},
		{"", "[weights]\nbm25f = 1\nchurn = 5000\n", ".satchel.toml:3: weights is refused: churn = 5000: "},
	} {
		_, err := Load(write(t, tt.user, tt.repository))
		if err == nil {
			src := write(t, tt.user, tt.repository)
			err = errors.New(strings.Join(diagnosticsOf(load(t, src), src), "\n"))
		}
		if !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: error %v, want %s", tt.user+tt.repository, err, tt.want)
		}
	}
}

func TestWrongLLM(t *testing.T) {
	const sound = "url = \"https://example.com\"\nmodel = \"m\"\nkind = \"anthropic\"\n"
	const vectors = "url = \"https://example.com\"\nmodel = \"m\"\nkind = \"embeddings\"\n"
	for _, tt := range []struct {
		table, want string
		line        int
	}{
		{"model = \"m\"\nkind = \"openai\"", "url is missing", 1},
		{"url = \"https://example.com\"\nkind = \"openai\"", "model is missing", 1},
		{"url = \"https://example.com\"\nmodel = \"m\"", `kind "": want anthropic or openai`, 1},
		{"url = \"ftp://example.com\"\nmodel = \"m\"\nkind = \"openai\"", "want https", 2},
		{sound + "key-env = \"sk-ant-api03-secret\"", "key-env: want the name of a variable", 0},
		{sound + "key-env = \"\"", "key-env: want the name of a variable", 0},
		{sound + "window = 3000000000", "window: 3000000000: want a number up to", 0},
		{sound + "key-env = \"A\"\nkey-command = [\"op\"]", "key-env and key-command contradict each other", 0},
		{sound + "key-command = \"op read\"", "key-command: \"op read\": want a list of texts", 0},
		{sound + "key-command = []", "want a list of words", 0},
		{sound + "key-command = [\"./op\", \"read\"]", "key-command: \"./op\" is a relative path", 0},
		{sound + "key-command = [\"bin/op\"]", "want a program on PATH", 0},
		{sound + "key = \"x\"", "unknown key key in [llm.NAME]: want url", 0},
		{sound + "timeout = 5", "timeout: 5: want a time", 0},
		{sound + "timeout = \"soon\"", `"soon": want a time such as "60s"`, 0},
		{sound + "timeout = \"2h\"", "timeout 2h0m0s: want up to 1h0m0s", 0},
		{sound + "max-tokens = 0", "max-tokens: 0: want a number above 0", 0},
		{sound + "max-tokens = 1000000", "max-tokens 1000000: want up to 200000", 0},
		{sound + "concurrency = 1000", "concurrency 1000: want up to 64", 0},
		{sound + "price = [1, 2]", "price: want four numbers", 0},
		{sound + "price = [1, 2, 3, -4]", "price: -4: want a number from 0", 0},
		{sound + "helper = \"fast\"", "helper: unknown model [llm.fast]", 0},
		{sound + "batch = 3", "batch, fusion and weight are for embeddings only", 0},
		{vectors + "batch = 100000", "batch 100000: want up to", 0},
		{vectors + "fusion = \"best\"", "fusion: ", 0},
		{vectors + "weight = -1", "weight: -1: want a number from 0 to 1000", 0},
		{vectors + "price = [1, 2, 3, 4]", "are not for embeddings", 0},
	} {
		_, err := Load(write(t, "[llm.x]\n"+tt.table, ""))
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: error %v, want %q", tt.table, err, tt.want)
		}
		if tt.line == 0 {
			tt.line = 2 + strings.Count(tt.table, "\n") // the last
		}
		if at := fmt.Sprintf("config.toml:%d: llm: ", tt.line); err != nil && !strings.Contains(err.Error(), at) {
			t.Errorf("%s: error %v, want %s", tt.table, err, at)
		}
	}
	for text, line := range map[string]int{"[llm.\"a b\"]\n" + sound: 1, "llm = 5": 1, "[llm]\ndefault = 5": 2, "[[llm]]\n" + sound: 1} {
		if _, err := Load(write(t, text, "")); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("config.toml:%d: llm: ", line)) {
			t.Errorf("%s: error %v, want line %d", text, err, line)
		}
	}
}

// TestWrongKind refuses a kind that the table of that name cannot use.
func TestWrongKind(t *testing.T) {
	for name, kind := range map[string]string{"embedder": "openai", "summarizer": "embeddings"} {
		src := write(t, fmt.Sprintf("[llm.%s]\nurl = \"https://example.com\"\nmodel = \"m\"\nkind = %q\n", name, kind), "")
		if _, err := Load(src); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("[llm.%s]: kind %q: want ", name, kind)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestRemovedKeys names what to use instead of keys of earlier versions.
func TestRemovedKeys(t *testing.T) {
	src := write(t, "include = [\"a\"]\n[summarizer]\nmodel = \"m\"\n[embedder]\nmodel = \"e\"\n", "")
	want := []string{
		"home/.config/satchel/config.toml:1: include was removed: use the setting unignore",
		"home/.config/satchel/config.toml:2: summarizer was removed: call the table [llm.summarizer] or [llm.default]",
		"home/.config/satchel/config.toml:4: embedder was removed: call the table [llm.embedder], with kind = \"embeddings\"",
	}
	if diff := cmp.Diff(want, diagnosticsOf(load(t, src), src)); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}

func TestLLM(t *testing.T) {
	s := load(t, write(t, "", ""))
	var none *NoModelError
	if _, err := s.LLM(""); !errors.As(err, &none) || err.Error() != "no model is configured" {
		t.Errorf("error %v", err)
	}
	// What is shown then can be written as it is.
	for i, part := range strings.SplitAfter(Example, "15.0]            # USD per million: input, cache read, cache write, output\n") {
		s = load(t, write(t, part, ""))
		l, err := s.LLM("")
		if err != nil || len(s.Diagnostics) > 0 {
			t.Errorf("example %d: %v, %v", i, err, s.Diagnostics)
			continue
		}
		if e := l.Endpoint("k"); e.Check() != nil || e.Key != "k" || e.Model != l.Model {
			t.Errorf("endpoint %+v", e)
		}
		usd, known := s.Cost(l, &transcript.Usage{Input: 1000, CacheRead: 10_000, CacheWrite: 100, Output: 10})
		if l.Price != nil && (!known || math.Abs(usd-0.006525) > 1e-12) || l.Price == nil && known {
			t.Errorf("cost %v, %v", usd, known)
		}
		if _, known := s.Cost(l, nil); known {
			t.Error("what is not reported has a cost")
		}
		if _, err := s.LLM("fast"); err == nil || err.Error() != "no model is configured as [llm.fast]; configured: default" {
			t.Errorf("error %v", err)
		}
	}
}

func TestUnknownKeys(t *testing.T) {
	src := write(t, "bugdet = 1\nmax_file_bytes = 3", "endpoint = \"http://evil.example\"\n[hooks]\npre = \"sh\"\n[weight]\nx = 1\n")
	src.Environ = append(src.Environ, "SATCHEL_BUGDET=1", "SATCHEL_MODELS=x", "SATCHEL_VERSION=v1.2.0")
	s := load(t, src)
	want := []string{
		"home/.config/satchel/config.toml:1: unknown setting bugdet; did you mean budget?",
		"home/.config/satchel/config.toml:2: unknown setting max_file_bytes; did you mean max-file-bytes?",
		"repo/.satchel.toml:1: unknown setting endpoint",
		"repo/.satchel.toml:2: unknown setting hooks",
		"repo/.satchel.toml:4: unknown setting weight; did you mean weights?",
		"variable SATCHEL_BUGDET is not a setting",
		"variable SATCHEL_MODELS is not a setting",
	}
	if diff := cmp.Diff(want, diagnosticsOf(s, src)); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(Defaults(), s.Config); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
}

func TestDamagedFiles(t *testing.T) {
	src := write(t, "budget = ", "")
	if _, err := Load(src); err == nil || !strings.Contains(err.Error(), "config.toml:1:9: toml: ") {
		t.Errorf("damaged user's file: error %v", err)
	}
	src = write(t, "", "budget = \nquiet = true\n")
	s := load(t, src)
	if len(s.Diagnostics) != 1 || !strings.Contains(s.Diagnostics[0].Text, ".satchel.toml:1:10: toml: ") {
		t.Errorf("damaged repository's file: diagnostics %v", diagnosticsOf(s, src))
	}
}

// TestLostExclusions: what a repository's file may have kept from agents is not shown to
// them because the file has a mistake.
func TestLostExclusions(t *testing.T) {
	for text, want := range map[string]string{
		"exclude = [\"x\"\n":                     ".satchel.toml:",
		"exclude = [\"x\"]\nbudget = \n":         ".satchel.toml:2:10: toml: ",
		"exclude = \"x\"\n":                      ".satchel.toml:1: exclude is refused: ",
		"quiet = true\nExclude = [\"x\"]\n":      ".satchel.toml:2: unknown setting Exclude",
		"exclude = [\"x\"]\nexclude = [\"y\"]\n": ".satchel.toml:",
	} {
		src := write(t, "", text)
		if _, err := Load(src); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one with %s", text, err, want)
		}
		_, faults := Salvage(src)
		if len(faults) != 1 || !faults[0].HoldsBack || filepath.Base(faults[0].File) != repositoryFile {
			t.Errorf("%q: faults %+v, want one that holds back", text, faults)
		}
	}
}

// TestSalvage loses what cannot be understood, and nothing else.
func TestSalvage(t *testing.T) {
	const rest = "budget = \"8k\"\nexclude = [\"secret/\"]\n"
	for _, tt := range []struct {
		name, user string
		environ    string
		fault      string // in its message; "" means none
		holdsBack  bool
		budget     string
	}{
		{"nothing wrong", rest, "", "", false, "8k"},
		{"a wrong value", rest + "docs-share = 7\n", "", "config.toml:3: docs-share: ", false, "8k"},
		{"a wrong exclusion", "budget = \"8k\"\nexclude = 3\n", "", "config.toml:2: exclude: ", true, "8k"},
		{"a wrong size of what prompts get", "budget = \"8k\"\nprompt-characters = \"none\"\n", "", "config.toml:2: prompt-characters: ", true, "8k"},
		{"a mistake that no exclusion is lost with", "budget = \"8k\"\n[summarizer\nurl = \"x\"\n", "", "config.toml:2:12: toml: ", false, "16k"},
		{"a mistake before an exclusion", "budget = = \"8k\"\nexclude = [\"secret/\"]\nquiet = true\n", "", "config.toml:1:10: toml: ", true, "16k"},
		{"a mistake before an exclusion with an escape", "budget = = \"8k\"\n\"\\u0065xclude\" = [\"secret/\"]\nquiet = true\n", "", "config.toml:1:10: toml: ", true, "16k"},
		{"a file that was cut off", "budget = \"8k\"\nexcl", "", "config.toml:2:4: toml: ", true, "16k"},
		{"not a text", "\x00\xff", "", "config.toml:1:1: toml: ", true, "16k"},
		{"a wrong variable", rest, "SATCHEL_BUDGET=much", "SATCHEL_BUDGET: ", false, "8k"},
		{"a variable that is wrong and about prompts", rest, "SATCHEL_PROMPT_CHARACTERS=some", "SATCHEL_PROMPT_CHARACTERS: ", true, "8k"},
		{"a model that nobody knows", rest + "model = \"nobody's\"\n", "", "config.toml:3: ", false, "8k"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			src := write(t, tt.user, "exclude = [\"theirs/\"]\n")
			if tt.environ != "" {
				src.Environ = append(src.Environ, tt.environ)
			}
			s, faults := Salvage(src)
			if s.Budget != tt.budget || !slices.Contains(s.Exclude, "theirs/") {
				t.Errorf("budget %s, exclude %q", s.Budget, s.Exclude)
			}
			_, err := Load(src)
			if tt.fault == "" {
				if len(faults) > 0 || err != nil {
					t.Errorf("faults %v, error %v", faults, err)
				}
				return
			}
			if len(faults) != 1 || !strings.Contains(faults[0].Err.Error(), tt.fault) || faults[0].HoldsBack != tt.holdsBack {
				t.Errorf("faults %v, want one with %q that holds back: %v", faults, tt.fault, tt.holdsBack)
			} else if err == nil || err.Error() != faults[0].Err.Error() {
				t.Errorf("Load: %v, want %v", err, faults[0].Err)
			}
		})
	}

	src := write(t, "", "")
	file := UserFile(Getenv(src.Environ))
	if err := os.Mkdir(file, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, faults := Salvage(src); len(faults) != 1 || !faults[0].HoldsBack {
		t.Errorf("a folder: faults %v", faults)
	}
}

// TestHostileFile shows what a repository's file cannot be.
func TestHostileFile(t *testing.T) {
	for _, tt := range []struct {
		name string
		make func(t *testing.T, file string)
		want string
	}{
		{"link out", func(t *testing.T, file string) {
			secret := filepath.Join(t.TempDir(), "secret")
			writeFile(t, secret, "password = 'hunter2'")
			fsxtest.Link(t, secret, file)
		}, "is not a regular file"},
		{"pipe", func(t *testing.T, file string) {
			fsxtest.Fifo(t, file)
		}, "is not a regular file"},
		{"folder", func(t *testing.T, file string) {
			if err := os.Mkdir(file, 0o755); err != nil {
				t.Fatal(err)
			}
		}, "is not a regular file"},
		{"huge", func(t *testing.T, file string) {
			writeFile(t, file, "")
			if err := os.Truncate(file, 10<<30); err != nil {
				t.Skip(err)
			}
		}, "is too long for a configuration"},
		{"not UTF-8", func(t *testing.T, file string) { writeFile(t, file, "a = \"\xff\"") }, ".satchel.toml:1:6: toml: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			src := write(t, "", "")
			tt.make(t, filepath.Join(filepath.Dir(src.Dir), repositoryFile))
			_, faults := Salvage(src)
			if len(faults) != 1 || !faults[0].HoldsBack || !strings.Contains(faults[0].Err.Error(), tt.want) || strings.Contains(faults[0].Err.Error(), "hunter2") {
				t.Errorf("faults %v, want one with %q that holds back", faults, tt.want)
			}
		})
	}
}

func TestManyRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	var b strings.Builder
	for i := range 5_000 {
		fmt.Fprintf(&b, "k%d = 1\n", i)
	}
	src := write(t, "", b.String())
	s := load(t, src)
	if len(s.Diagnostics) != maxRefused+1 || s.Diagnostics[maxRefused].Text != "4980 more keys are refused" {
		t.Errorf("%d notes, last %v", len(s.Diagnostics), s.Diagnostics[len(s.Diagnostics)-1])
	}
}

func TestPlainFolder(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, repositoryFile), `budget = "1k"`)
	sub := filepath.Join(dir, "sub")
	if err := os.Mkdir(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	if s := load(t, Sources{Dir: dir}); s.Budget != "1k" {
		t.Errorf("in the folder: budget %s", s.Budget)
	}
	if s := load(t, Sources{Dir: sub}); s.Budget != "16k" {
		t.Errorf("below a plain folder: budget %s", s.Budget)
	}
}

func TestGetenv(t *testing.T) {
	for _, tt := range []struct {
		goos string
		env  []string
		want string // HOME
	}{
		{"linux", []string{"HOME=a", "HOME=b", "USERPROFILE=c"}, "b"},
		{"linux", []string{"USERPROFILE=c"}, ""},
		{"windows", []string{"HOME=a", "USERPROFILE=c"}, "a"},
		{"windows", []string{"HOME=a", "HOME=", "USERPROFILE=c"}, "c"},
		{"windows", []string{"HOMEDRIVE=H:", "HOMEPATH=h", "USERPROFILE=c"}, "c"},
		{"windows", nil, ""},
	} {
		if got := getenvOn(tt.env, tt.goos)("HOME"); got != tt.want {
			t.Errorf("%s, %q: HOME is %q, want %q", tt.goos, tt.env, got, tt.want)
		}
	}
}

func TestUserFile(t *testing.T) {
	root, err := filepath.Abs("/")
	if err != nil {
		t.Fatal(err)
	}
	x, h := filepath.Join(root, "x"), filepath.Join(root, "h")
	for _, tt := range []struct{ xdg, home, want string }{
		{x, h, filepath.Join(x, "satchel", "config.toml")},
		{"x", h, filepath.Join(h, ".config", "satchel", "config.toml")},
		{"", h, filepath.Join(h, ".config", "satchel", "config.toml")},
		{"", "", ""},
	} {
		got := UserFile(Getenv([]string{"XDG_CONFIG_HOME=" + tt.xdg, "HOME=" + tt.home}))
		if got != tt.want {
			t.Errorf("UserFile with XDG_CONFIG_HOME=%q HOME=%q = %q, want %q", tt.xdg, tt.home, got, tt.want)
		}
	}
}

func TestPager(t *testing.T) {
	src := Sources{Environ: []string{"PAGER=more"}}
	if s := load(t, src); s.Pager != "more" || s.Origins["pager"][0].Where != "PAGER" {
		t.Errorf("PAGER alone: %q from %v", s.Pager, s.Origins["pager"])
	}
	src.Environ = append(src.Environ, "SATCHEL_PAGER=less")
	if s := load(t, src); s.Pager != "less" {
		t.Errorf("SATCHEL_PAGER over PAGER: %q", s.Pager)
	}
}

func TestWrongFlags(t *testing.T) {
	for _, tt := range []struct {
		flag, value, want string
	}{
		{"budget", "much", "--budget: "},
		{"docs", "9999999999999999999", `--docs: "9999999999999999999": want a whole number`},
		{"docs", "9223372036854775807k", `want a whole number`},
		{"docs-share", "x", `--docs-share: "x": want a share such as 0.4 or 40%`},
		{"weights", "path", `--weights: "path": want NAME=NUMBER`},
		{"weights", "bm25f=NaN", "--weights: bm25f = NaN: want a number between 0 and 1000"},
		{"weights", "bm25f=-1", "--weights: bm25f = -1: want a number between 0 and 1000"},
		{"weights", "bm26=1", "--weights: unknown signal bm26: want "},
		{"no-cache", "perhaps", `--no-cache: "perhaps": want true or false`},
		{"format", "pdf", `--format: "pdf": want md, xml, json or plain`},
		{"models", "x", "--models: models is a table: write it in config.toml"},
		{"nope", "x", "--nope: unknown setting nope"},
		{"model", "gtp-5", "--model: "},
	} {
		_, err := Load(Sources{Flags: map[string][]string{tt.flag: {tt.value}}})
		var usage *UsageError
		if !errors.As(err, &usage) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("--%s %s: error %v, want a UsageError with %q", tt.flag, tt.value, err, tt.want)
		}
	}
	_, err := Load(Sources{Environ: []string{"SATCHEL_COLOR=red"}})
	if err == nil || err.Error() != `SATCHEL_COLOR: "red": want auto, always or never` {
		t.Errorf("wrong variable: error %v", err)
	}
}

// FuzzRepositoryFile holds the law of the repository's file: whatever it says,
// it changes nothing but exclusions, weights, budgets and what documents get, and
// those only downwards. It is an error only if it may have kept something from agents.
func FuzzRepositoryFile(f *testing.F) {
	for _, s := range samples {
		f.Add(s.toml)
		f.Add(s.wrong)
	}
	f.Add("[docs-share]\nx=1")
	f.Add("a.b.c = [{x=1}]\n\"a\\u001bb\" = 1\n[[a]]")
	dir := f.TempDir()
	file := filepath.Join(dir, repositoryFile)
	f.Fuzz(func(t *testing.T, text string) {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		s, faults := Salvage(Sources{Dir: dir, Flags: map[string][]string{"model": {"gpt-5"}}})
		for _, f := range faults {
			if !f.HoldsBack || f.File != file {
				t.Fatalf("a repository's file is an error, and would have kept nothing from agents: %v", f.Err)
			}
		}
		want := Defaults()
		want.Model = "gpt-5"
		got := s.Config
		got.Budget, got.Exclude, got.Weights = want.Budget, nil, nil
		if got.Docs > want.Docs || got.DocsShare > 0.3 {
			t.Errorf("documents got more: %+v", got)
		}
		got.Docs, got.DocsShare = want.Docs, want.DocsShare
		if got.PromptCharacters > want.PromptCharacters || got.PromptCharacters < 0 {
			t.Errorf("%d characters beside a prompt", got.PromptCharacters)
		}
		if got.LastPrompts > want.LastPrompts || got.LastPrompts < 0 {
			t.Errorf("%d prompts are remembered", got.LastPrompts)
		}
		got.PromptCharacters, got.LastPrompts = want.PromptCharacters, want.LastPrompts
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("changed more than it may (-want +got):\n%s", diff)
		}
		if _, n, err := s.Limit(); err != nil || n < 0 || n > budget.Default || n == 0 && s.Budget != "0" && s.Budget != "auto" && !strings.HasSuffix(s.Budget, "%") {
			t.Errorf("budget %s comes to %d, %v", s.Budget, n, err)
		}
		for name, w := range s.Weights {
			if !(w >= 0 && w <= maxWeight) {
				t.Errorf("weight %s = %v", name, w)
			}
		}
	})
}
