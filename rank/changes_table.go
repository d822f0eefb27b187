package rank

import "slices"

// Changes is the default profile.
var Changes = Profile{Name: "default", Base: 0.5, Rules: changeRules()}

// changeRules is the table with the learned weights in it.
func changeRules() []Rule {
	rules := slices.Clone(changeTable)
	for i := range rules {
		if r := &rules[i]; !r.Judged && !r.Bounded {
			r.Add = changeWeights[r.Signal]
		}
	}
	return rules
}

// changeTable says what the signals of package change mean to a reader, and what
// those add that no history can teach: which file a commit is named after says
// nothing about where a mistake would be a hole. Those weights are judgement, on
// the scale of relevance; the others are learned, see changeWeights.
var changeTable = []Rule{
	{Signal: "task", Why: "relevance to the task", Add: 0.4, Judged: true},
	{Signal: "task", Reason: "task", Bounded: true, Over: 0.5},

	// What the file is.
	{Signal: "class_test", Why: "test file", Reason: "test file"},
	{Signal: "class_docs", Why: "docs", Add: -0.1, Judged: true, Reason: "docs"},
	{Signal: "class_config", Why: "config", Reason: "config"},
	{Signal: "class_data", Why: "data", Reason: "data"},
	{Signal: "class_generated", Why: "generated", Add: -0.3, Judged: true, Reason: "generated"},
	{Signal: "class_vendored", Why: "vendored", Add: -0.4, Judged: true, Reason: "vendored"},
	{Signal: "class_lock", Why: "lock file", Add: -0.4, Judged: true, Reason: "lock file"},
	{Signal: "class_minified", Why: "minified", Add: -0.4, Judged: true, Reason: "minified"},
	{Signal: "class_binary", Why: "binary", Add: -0.3, Judged: true, Reason: "binary"},
	{Signal: "no_diff", Why: "git attributes turn its diff off", Add: -0.3, Judged: true, Reason: "not for reading"},
	{Signal: "secondary", Why: "docs, examples, scripts or legacy", Reason: "secondary folder"},
	{Signal: "hidden", Why: "hidden folder"},
	{Signal: "core", Why: "core source", Reason: "core source"},
	{Signal: "record", Why: "change log", Reason: "change log"},
	{Signal: "depth", Why: "depth in the tree"},
	{Signal: "generic_name", Why: "common file name"},

	// What happened to it.
	{Signal: "added", Why: "new file", Reason: "new file"},
	{Signal: "deleted", Why: "deleted", Reason: "deleted"},
	{Signal: "renamed", Why: "renamed", Reason: "renamed"},
	{Signal: "rename_only", Why: "no line changed", Add: -0.15, Judged: true, Reason: "no line changed"},
	{Signal: "comments_only", Why: "only comments changed", Add: -0.15, Judged: true, Reason: "comments only"},
	{Signal: "spaces_only", Why: "only white space changed", Add: -0.2, Judged: true, Reason: "white space only"},
	{Signal: "imports_only", Why: "only imports changed", Reason: "imports only"},

	// How much of it.
	{Signal: "lines", Why: "size of the change", Neutral: 0.4},
	{Signal: "lines", Reason: "substantive changes", Bounded: true, Over: 0.4, Under: 0.77}, // 15 to 200 lines
	{Signal: "lines", Reason: "large diff", Bounded: true, Over: 0.7699},
	{Signal: "lines_share", Why: "share of the change"},
	{Signal: "lines_rank", Why: "rank by size"},
	{Signal: "hunks", Why: "number of hunks"},
	{Signal: "file_share", Why: "share of the file that changed"},
	{Signal: "added_share", Why: "more added than removed"},
	{Signal: "information", Why: "information in the change", Neutral: 0.5},
	{Signal: "repeats", Why: "repeats the same line"},

	// What it means.
	{Signal: "definitions_added", Reason: "adds definitions", Bounded: true, Over: 0},
	{Signal: "definitions_changed", Reason: "changes definitions", Bounded: true, Over: 0},
	{Signal: "definitions_removed", Reason: "removes definitions", Bounded: true, Over: 0},
	{Signal: "types_changed", Reason: "changes types", Bounded: true, Over: 0},
	{Signal: "moves", Reason: "moves definitions", Bounded: true, Over: 0},
	{Signal: "exported_added", Why: "adds to the API"},
	{Signal: "exported_broken", Why: "changes the API", Add: 0.15, Judged: true, Reason: "changes the API"},
	{Signal: "users", Why: "used by files that did not change", Add: 0.12, Judged: true},
	{Signal: "users", Reason: "used elsewhere", Bounded: true, Over: 0},
	{Signal: "importers", Why: "imported by files that did not change", Add: 0.06, Judged: true},
	{Signal: "importers", Reason: "imported by many", Bounded: true, Over: 0.7}, // 8 files

	// How it belongs to the rest of the changeset and to history.
	{Signal: "used_beside", Why: "other changes use what it defines"},
	{Signal: "used_beside", Reason: "used by the other changes", Bounded: true, Over: 0},
	{Signal: "named_beside", Why: "other changes name it"},
	{Signal: "path_beside", Why: "paths of other changes name it"},
	{Signal: "tested", Why: "its test changed too", Reason: "its test changed"},
	{Signal: "folder", Why: "one of several in its folder"},
	{Signal: "usual", Reason: "usually changes with the others", Bounded: true, Over: 0.5},
	{Signal: "churn", Why: "changes often"},

	// What a reviewer must not miss.
	{Signal: "security_path", Why: "security in the path", Add: 0.05, Judged: true, Reason: "security"},
	{Signal: "security_lines", Why: "security in the lines", Add: 0.05, Judged: true},
	{Signal: "security_lines", Reason: "security", Bounded: true, Over: 0.3},
	{Signal: "insecure", Why: "switches a check off", Add: 0.5, Judged: true, Reason: "switches a check off"},
	{Signal: "checks_removed", Why: "removes checks", Add: 0.1, Judged: true},
	{Signal: "checks_removed", Reason: "removes checks", Bounded: true, Over: 0.3},
	{Signal: "pipeline", Why: "build and release pipeline", Add: 0.05, Judged: true, Reason: "pipeline"},
	{Signal: "manifest", Why: "dependencies", Add: 0.03, Judged: true, Reason: "dependencies"},
}
