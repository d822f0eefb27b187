package rank

// Changes is the default profile.
var Changes = Profile{
	Name: "default",
	Base: 0.5,
	Rules: []Rule{
		{Signal: "class_test", Why: "test file", Add: -0.2, Reason: "test file"},
		{Signal: "class_docs", Why: "docs", Add: -0.2, Reason: "docs"},
		{Signal: "class_config", Why: "config", Add: -0.1, Reason: "config"},
		{Signal: "class_data", Why: "data", Add: -0.2, Reason: "data"},
		{Signal: "class_generated", Why: "generated", Add: -0.3, Reason: "generated"},
		{Signal: "class_vendored", Why: "vendored", Add: -0.4, Reason: "vendored"},
		{Signal: "class_lock", Why: "lock file", Add: -0.4, Reason: "lock file"},
		{Signal: "class_minified", Why: "minified", Add: -0.4, Reason: "minified"},
		{Signal: "class_binary", Why: "binary", Add: -0.3, Reason: "binary"},
		{Signal: "lines", Why: "size of the change", Add: 0.2},
	},
}
