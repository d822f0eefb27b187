package outline

import "strings"

// A braceLanguage says what defines things in a language with braces.
type braceLanguage struct {
	keywords map[string]string // keyword → kind
	cLike    bool              // functions are declared as type name(…)
	newline  bool              // a line break may end a statement
	bare     map[string]bool   // definitions without a keyword or type, within a type: init, constructor
	methods  bool              // and only methods go without a keyword
	first    bool              // a keyword stands first
	labels   bool              // blocks are named by their words: resource "a" "b" { … }
}

func keywords(pairs ...string) map[string]string {
	m := map[string]string{}
	for i := 0; i+1 < len(pairs); i += 2 {
		for _, w := range strings.Fields(pairs[i+1]) {
			m[w] = pairs[i]
		}
	}
	return m
}

var (
	cFamily = &braceLanguage{cLike: true, keywords: keywords("struct", "struct", "union", "union", "enum", "enum", "class", "class", "namespace", "namespace", "concept", "concept", "type", "typedef using")}
	jFamily = &braceLanguage{cLike: true, keywords: keywords("class", "class", "interface", "interface @interface", "enum", "enum", "record", "record", "struct", "struct", "namespace", "namespace", "type", "delegate", "mixin", "mixin", "extension", "extension")}
)

var braceLanguages = map[string]*braceLanguage{
	"c": cFamily, "cpp": cFamily, "objc": cFamily, "glsl": cFamily, "d": jFamily,
	"java": jFamily, "csharp": jFamily,
	"dart":       {cLike: true, keywords: keywords("class", "class", "enum", "enum", "mixin", "mixin", "extension", "extension", "type", "typedef")},
	"groovy":     {cLike: true, newline: true, keywords: keywords("class", "class", "interface", "interface", "enum", "enum", "trait", "trait", "func", "def")},
	"swift":      {newline: true, bare: setOf("init deinit subscript"), keywords: keywords("class", "class", "struct", "struct", "enum", "enum", "protocol", "protocol", "extension", "extension", "actor", "actor", "func", "func macro", "type", "typealias associatedtype", "var", "var", "const", "let")},
	"kotlin":     {newline: true, bare: setOf("constructor"), keywords: keywords("class", "class", "interface", "interface", "object", "object", "func", "fun", "type", "typealias", "property", "val var")},
	"scala":      {newline: true, keywords: keywords("class", "class", "trait", "trait", "object", "object", "enum", "enum", "func", "def", "type", "type", "const", "val given", "var", "var")},
	"javascript": {newline: true, cLike: true, methods: true, keywords: keywords("class", "class", "func", "function", "const", "const", "var", "var let")},
	"typescript": {newline: true, cLike: true, methods: true, keywords: keywords("class", "class", "interface", "interface", "enum", "enum", "namespace", "namespace module", "func", "function", "type", "type", "const", "const", "var", "var let")},
	"rust":       {keywords: keywords("func", "fn", "struct", "struct", "enum", "enum", "trait", "trait", "impl", "impl", "module", "mod", "type", "type", "union", "union", "const", "const", "var", "static", "macro", "macro_rules")},
	"rustlike":   {keywords: keywords("func", "fn fun func", "struct", "struct resource record", "enum", "enum", "trait", "trait interface", "impl", "impl", "module", "mod module world package", "type", "type", "const", "const")},
	"go":         {newline: true, first: true, keywords: keywords("func", "func", "type", "type", "const", "const", "var", "var")},
	"php":        {keywords: keywords("class", "class", "interface", "interface", "trait", "trait", "enum", "enum", "func", "function", "const", "const", "namespace", "namespace")},
	"zig":        {keywords: keywords("func", "fn", "const", "const", "var", "var", "test", "test")},
	"v":          {newline: true, keywords: keywords("func", "fn", "struct", "struct", "enum", "enum", "interface", "interface", "type", "type", "const", "const")},
	"odin":       {newline: true, keywords: keywords("struct", "struct", "enum", "enum")},
	"haxe":       {keywords: keywords("class", "class abstract", "interface", "interface", "enum", "enum", "func", "function", "type", "typedef", "var", "var", "const", "final")},
	"solidity":   {keywords: keywords("class", "contract library", "interface", "interface", "struct", "struct", "enum", "enum", "func", "function modifier", "event", "event error")},
	"proto":      {keywords: keywords("message", "message", "enum", "enum", "service", "service", "func", "rpc", "message", "extend", "oneof", "oneof")},
	"thrift":     {newline: true, keywords: keywords("struct", "struct table exception", "union", "union", "enum", "enum", "service", "service interface rpc_service", "type", "typedef", "const", "const", "namespace", "namespace")},
	"graphql":    {newline: true, keywords: keywords("type", "type input scalar", "interface", "interface", "union", "union", "enum", "enum", "func", "query mutation subscription", "type", "extend", "fragment", "fragment", "directive", "directive")},
	"prisma":     {keywords: keywords("model", "model type view", "enum", "enum", "datasource", "datasource", "generator", "generator")},
	"hcl":        {newline: true, labels: true},
	"css":        {labels: true},
	"perl":       {keywords: keywords("func", "sub", "package", "package")},
	"bash":       {newline: true, cLike: true, keywords: keywords("func", "function")},
	"awk":        {newline: true, keywords: keywords("func", "function func")},
	"powershell": {newline: true, keywords: keywords("func", "function filter", "class", "class", "enum", "enum")},
	"rego":       {newline: true},
}

func init() { braceLanguages["tsx"] = braceLanguages["typescript"] }
