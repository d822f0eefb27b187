package config

import (
	"strings"
	"testing"
)

// TestApply: an edit changes its setting and not a byte besides.
func TestApply(t *testing.T) {
	const sample = "# mine\nbudget = \"8k\" # small\n\n# exclude = []\nmodel = 'gpt-5'\n\n# of signals\n[weights] # all\nchurn = 1 # w\n\n[[models]]\nname = \"m\"\nwindow = 1000\n"
	set := func(pairs ...string) (edits []Edit) {
		for i := 0; i < len(pairs); i += 2 {
			edits = append(edits, Edit{Key: pairs[i], Value: pairs[i+1]})
		}
		return edits
	}
	for _, tt := range []struct {
		name, before string
		edits        []Edit
		want         string // of sample, with the first part of each pair replaced by the second; or an error after "!"
	}{
		{"a value", sample, set("budget", "24k"), strings.Replace(sample, `"8k"`, `"24k"`, 1)},
		{"in single quotes", sample, set("model", "gpt-5-mini"), strings.Replace(sample, `'gpt-5'`, `"gpt-5-mini"`, 1)},
		{"behind the comment that shows it", sample, set("exclude", "*.x"), strings.Replace(sample, "# exclude = []\n", "# exclude = []\nexclude = [\"*.x\"]\n", 1)},
		{"behind the last one", sample, set("reserve", "4k"), strings.Replace(sample, "model = 'gpt-5'\n", "model = 'gpt-5'\nreserve = 4000\n", 1)},
		{"of a table", sample, set("weights.churn", "2"), strings.Replace(sample, "churn = 1", "churn = 2", 1)},
		{"another one of a table", sample, set("weights.folder", "0.5"), strings.Replace(sample, "churn = 1 # w\n", "churn = 1 # w\nfolder = 0.5\n", 1)},
		{"a new table", sample, set("llm.embedder.url", "http://localhost:1", "llm.embedder.model", "e"), sample + "\n[llm.embedder]\nurl = \"http://localhost:1\"\nmodel = \"e\"\n"},
		{"several", sample, set("budget", "40%", "quiet", "true"), strings.NewReplacer(`"8k"`, `"40%"`, "'gpt-5'\n", "'gpt-5'\nquiet = true\n").Replace(sample)},
		{"an empty file", "", set("budget", "1k"), "budget = \"1k\"\n"},
		{"a new table in an empty file", "", set("weights.churn", "1"), "\n[weights]\nchurn = 1\n"},
		{"before a table and its comment", "# top\n\n# of signals\n[weights]\n", set("budget", "1k"), "# top\n\nbudget = \"1k\"\n# of signals\n[weights]\n"},
		{"only comments", "# none\n", set("budget", "1k"), "# none\nbudget = \"1k\"\n"},
		{"no newline at the end", "quiet = true", set("budget", "1k"), "quiet = true\nbudget = \"1k\"\n"},
		{"a byte order mark", "\ufeffquiet = true\r\n", set("budget", "1k"), "\ufeffquiet = true\r\nbudget = \"1k\"\r\n"},
		{"CRLF", "quiet = true\r\n[weights]\r\n", set("budget", "1k", "weights.churn", "3"), "quiet = true\r\nbudget = \"1k\"\r\n[weights]\r\nchurn = 3\r\n"},
		{"a list of several lines", "exclude = [ # all\n  \"a\", # one\n  \"b\",\n] # end\nquiet = true\n", set("exclude", `["c", "d"]`), "exclude = [\"c\", \"d\"] # end\nquiet = true\n"},
		{"a list within a string of several lines", "build = \"\"\"make \\\n  all\"\"\"\n", set("build", "go build"), "build = \"go build\"\n"},
		{"a dotted key", "weights.churn = 1\n", set("weights.churn", "2"), "weights.churn = 2\n"},
		{"a quoted key", "\"budget\" = \"1k\"\n", set("budget", "2k"), "\"budget\" = \"2k\"\n"},
		{"quotes and controls", "", set("pager", "less \"-R\" \\ \x1b\x7fé<"), "pager = \"less \\\"-R\\\" \\\\ \\u001b\\u007fé<\"\n"},
		{"a share", "", set("auto-ceiling", "30%"), "auto-ceiling = \"30%\"\n"},
		{"a name that is no bare key", "", set("weights.a b", "1"), "!a b is no signal"},
		{"unset", sample, []Edit{{Key: "budget", Unset: true}}, strings.Replace(sample, "budget = \"8k\" # small\n", "", 1)},
		{"unset in a table", sample, []Edit{{Key: "weights.churn", Unset: true}}, strings.Replace(sample, "churn = 1 # w\n", "", 1)},
		{"unset what is not set", sample, []Edit{{Key: "quiet", Unset: true}}, "!quiet: it is not set there"},
		{"a key that is none", sample, set("bugdet", "1"), "!bugdet is no setting; did you mean budget?"},
		{"a key like none", sample, set("zzzzzzzzz", "1"), "!zzzzzzzzz is no setting"},
		{"a wrong value", sample, set("budget", "lots"), `!budget "lots": not a number`},
		{"a wrong number", sample, set("reserve", "lots"), `!reserve: "lots": want a whole number`},
		{"a wrong switch", sample, set("quiet", "si"), `!quiet: "si": want true or false`},
		{"a wrong list", sample, set("exclude", "[1]"), "!exclude: \"[1]\": want one text, or a list"},
		{"a model that is unknown", "", set("model", "nobody-9"), `!unknown model "nobody-9"`},
		{"a table as a whole", sample, set("weights", "1"), "!weights is a table: name one of its fields"},
		{"a list of tables", sample, set("models", "1"), "!models is a list of tables [[models]]: edit them by hand"},
		{"a field of none", sample, set("budget.x", "1"), "!budget is no table"},
		{"the price of a model", "", set("prices.gpt-4.1.input", "2", "prices.gpt-4.1.output", "8"), "\n[prices.\"gpt-4.1\"]\ninput = 2\noutput = 8\n"},
		{"a list in a table", "[llm.a]\nurl = \"https://x\"\nmodel = \"m\"\nkind = \"openai\"\n", set("llm.a.price", "[1, 2, 3, 4]"), "[llm.a]\nurl = \"https://x\"\nmodel = \"m\"\nkind = \"openai\"\nprice = [1, 2, 3, 4]\n"},
		{"a table of tables", "", set("llm.url", "x"), "!llm holds tables: name a field of one"},
		{"half of a table", "", set("llm.a.url", "https://x"), "!llm: "},
		{"a key in a table", "", set("llm.a.url", "https://x", "llm.a.model", "m", "llm.a.kind", "openai", "llm.a.key-env", "sk-ant-1234"), "!key-env is no name of a variable"},
		{"an inline table", "weights = {churn = 1}\n", set("weights.churn", "2"), "!f.toml is written in a way that cannot be edited"},
		{"a damaged file", "budget = [\n", set("quiet", "true"), "!f.toml:"},
		{"another mistake in the file", "reserve = -1\n", set("quiet", "true"), "!f.toml:1: reserve: -1: want 0 or more"},
		{"the mistake itself", "reserve = -1\n", set("reserve", "1"), "reserve = 1\n"},
		{"not UTF-8", "", set("build", "\xff"), "!build: the value is not UTF-8"},
	} {
		got, err := Apply("f.toml", []byte(tt.before), tt.edits)
		if want, bad := strings.CutPrefix(tt.want, "!"); bad {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q, %v, want %s", tt.name, got, err, want)
			}
		} else if err != nil || string(got) != tt.want {
			t.Errorf("%s:\n%q, %v, want\n%q", tt.name, got, err, tt.want)
		}
	}
}

// FuzzApply: whatever the file and the value, what comes of it is settings that can
// be read, in which the setting stands, or an error; and unset takes it out again.
func FuzzApply(f *testing.F) {
	f.Add("# a\nbuild = \"x\" # b\n[weights]\nchurn = 1\n", "make all")
	f.Add("build.x = 1\n[build]\n", "\"\"\"")
	f.Add("quiet = true\r\n", "a\n#b\x00")
	f.Add("[[models]]\nname='x'\nwindow=3\n[models.build]\nbuild=3", "'")
	f.Add("x = '''\nbuild = 1\n'''\n# build = 2", "\\")
	f.Add("\ufeffbuild = 1", "é")
	f.Fuzz(func(t *testing.T, text, value string) {
		if len(text) > 4096 {
			return
		}
		got, err := Apply("f.toml", []byte(text), []Edit{{Key: "build", Value: value}})
		if err != nil {
			return
		}
		values, err := parse("f.toml", got)
		found := false
		for _, v := range values {
			found = found || v.key == "build" && v.value == value
		}
		if err != nil || !found {
			t.Errorf("Apply(%q, %q) = %q, %v", text, value, got, err)
		}
		if _, err := Apply("f.toml", got, []Edit{{Key: "build", Unset: true}}); err != nil {
			t.Errorf("unset of %q: %v", got, err)
		}
	})
}
