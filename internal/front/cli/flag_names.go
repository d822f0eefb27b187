package cli

import "strings"

// flagsElsewhere are flags of other programs, and what does the same here; by the name
// of the command, "" for all.
var flagsElsewhere = map[string]map[string]string{
	"": {
		"ignore": "--exclude PATTERN", "i": "--include PATTERN", "e": "--exclude PATTERN", "stdin": "--files-from -", "clipboard": "--copy", "c": "--copy",
		"token-budget": "--budget TOKENS", "max-tokens": "--budget TOKENS", "tokens": "satchel tokens", "count-tokens": "satchel tokens",
	},
	"pack": {
		"style": "--format md|xml|json|plain", "F": "--format json", "compress": "--detail outline", "tree": "satchel tokens --tree", "token-count-tree": "satchel tokens --tree",
		"remote-branch": "--rev BRANCH", "branch": "--rev BRANCH", "include-submodules": "--submodules", "stdout": "nothing: it is the default", "max-size": "--max-file-bytes BYTES",
		"include-diffs": "--diff HEAD, or --with git", "include-logs": "--with git", "no-gitignore": "--pin PATH, for single files", "map-tokens": "--detail outline --budget TOKENS",
	},
	"diff": {
		"cached": "--staged", "stat": "nothing: the summary is the default", "name-only": "nothing: the summary is the default", "name-status": "nothing: the summary is the default",
		"p": "--detail standard", "patch-with-stat": "--detail standard",
	},
	"search": {"n": "--limit COUNT", "k": "--limit COUNT"},
}

// flagHint says what stands here for a flag of another program; "" if it is none.
func flagHint(command string, err error) string {
	name, ok := strings.CutPrefix(err.Error(), "unknown flag: --")
	if !ok {
		if rest, short := strings.CutPrefix(err.Error(), "unknown shorthand flag: '"); short {
			name, _, ok = strings.Cut(rest, "'")
		}
	}
	for _, c := range []string{command, ""} {
		if here := flagsElsewhere[c][name]; ok && here != "" {
			return "here that is " + here
		}
	}
	return ""
}
