package rank

import (
	"path"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/text/lazy"
	"github.com/satchel-dev/satchel/internal/text/terms"
)

// A Query is an analyzed task: its words and the names in it, in [terms.Normal] form.
type Query struct {
	Title string
	Text  string // the task without markup, addresses, template boilerplate and what was pasted
	Said  string // the same with its markup and addresses

	// Pasted says that the task is nothing but what a program printed, and that no line
	// of it tells more than the others. Then all of them are its text.
	Pasted bool
	Cut    bool // the end of the task was not looked at: it is too long

	Terms   []Term       // distinct, in order of first appearance
	Names   []Name       // identifiers that the task names, distinct
	Phrases []Phrase     // neighbouring words that may be one identifier, distinct
	Files   []string     // file names and paths as written, distinct
	Frames  []Frame      // lines of tracebacks, outermost first
	Wants   map[ask]bool // kinds of files the task asks for in words
	Exact   []string     // words that are written as names are, distinct; see exact
	Paths   []string     // those of Files that stand in the prose
	Spelled []Spelled    // names that are spelled as no word is, distinct, those of the title first
	Besides int          // distinct terms besides those names, small talk aside
	Numbers []uint64     // terms of the issues and change requests it refers to, distinct
	Commits []string     // ids of commits, or what they begin with, in lower case, distinct

	// Used is what files gain because an agent used them lately, by path; see
	// [Gains]. Nil means that nothing was used.
	Used map[string]float32

	// Now is the time against which recency is measured, in unix seconds. Zero
	// means the time of the newest commit.
	Now int64
}

// A Term is one term of the task and how often it occurs there.
type Term struct {
	Hash  uint64
	Count float32
	Title float32 // occurrences in the title
	Code  float32 // occurrences in backticks or fences
}

// A Name is an identifier that the task names.
type Name struct {
	Spelling string
	Weight   float32 // occurrences; 0.5 for a plain word of the title
	Title    bool
}

// A Phrase is two neighbouring words of the task, which code would write as one
// identifier: "session cookie" as sessionCookie or session_cookie.
type Phrase struct {
	Joined, Snake uint64 // terms of the two spellings
	Weight        float32
}

// A Frame is a place that a traceback names.
type Frame struct {
	Path   string
	Line   int
	Weight float32 // 0.3..1: the nearer to the failure the more
}

// An ask is a kind of file that is demoted unless the task asks for it.
type ask string

// Kinds of files that a task may ask for.
const (
	AskTests    ask = "tests"
	AskDocs     ask = "docs"
	askExamples ask = "examples"
	AskConfig   ask = "config"
)

// MaxTask is the number of bytes of a task that are analysed, without what was
// pasted into it; the rest is the tail of a log in every task seen.
const MaxTask = 20_000

// mostRead is the number of bytes in which what was pasted is looked for.
const mostRead = 5 * MaxTask

var (
	// Where Chinese, Japanese or Korean meets an identifier, without a space between.
	afterIdeograph  = lazy.Regexp(`([\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}])([\w$])`)
	beforeIdeograph = lazy.Regexp(`([\w$])([\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}])`)

	htmlComment = lazy.Regexp(`(?s)<!--.*?-->`)
	address     = lazy.Regexp(`https?://\S+`)
	fileName    = lazy.Regexp(`[\pL\pM\pN_./\\@+-]*[\pL\pM\pN_-]+\.(?:pyx?|pyi|go|rs|java|kts?|jsx?|mjs|cjs|tsx?|mts|cts|svelte|vue|c|h|cc|cpp|cxx|hpp|hh|hxx|inl|ipp|y|l|jq|rb|php|scala|cs|swift|sh|bash|md|rst|toml|ya?ml|json|proto|sql|css|html|tf|lua|ex|exs)\b`)
	bareName    = lazy.Regexp(`\b(?:[\w./-]*/)?(?:Dockerfile|Makefile|Jenkinsfile|Rakefile|Gemfile|Procfile|Vagrantfile|Justfile|CMakeLists\.txt|go\.mod|go\.sum)\b`)
	pyFrame     = lazy.Regexp(`File "([^"\n]+)", line (\d+)`)
	jvmFrame    = lazy.Regexp(`at ([\w.$]+)\.[\w$<>]+\((\w+\.(?:java|kt|scala)):(\d+)\)`)
	lineFrame   = lazy.Regexp(`([\w./\\@-]+\.(?:go|rs|[cm]?[jt]sx?|c|cc|cpp|h|hpp|rb|php|cs)):(\d+)`)
	fence       = lazy.Regexp("(?s)```.*?```|`[^`\n]+`")
	checkbox    = lazy.Regexp(`(?m)^\s*[-*]\s*\[[ xX]\].*$`)
	heading     = lazy.Regexp(`(?m)^\s*(?:#{1,6}\s+|\*\*)([^\n]*?)\**:?\s*$`)
)

// boilerplate holds the headings of issue templates. Their words are about
// reporting, not about the program.
var boilerplate = lazy.Regexp(`(?i)^(?:what (?:version|operating system|did you|do you|happened|is the|went wrong|steps)|how (?:did you install|to reproduce|do you)|describe (?:your|the)|steps? to (?:reproduce|the)|(?:steps|code|minimal|complete).*(?:reproduc|example|sample)|reproduc|expected|actual|current|observed|environment|versions?|system info|additional|screenshots?|possible solution|motivation|your (?:environment|question)|bug (?:report|description)|feature request|prerequisites?|checklist|operating system|debug output|output of|logs?\b|relevant log|context\b|is your feature|i have|pandas version|.*\bversion\(?s?\)?$|who can help|information|tasks?$|anything else|issue (?:description|summary|type)|summary$|description$|other$|configuration$|command (?:used|line)|note\b)`)

// asks maps words of the title and of the first paragraph to kinds of files.
var asks = map[string]ask{
	"test": AskTests, "tests": AskTests, "testing": AskTests, "unittest": AskTests,
	"docs": AskDocs, "doc": AskDocs, "documentation": AskDocs, "readme": AskDocs, "changelog": AskDocs, "docstring": AskDocs, "document": AskDocs,
	"example": askExamples, "examples": askExamples, "demo": askExamples, "tutorial": askExamples,
	"ci": AskConfig, "workflow": AskConfig, "config": AskConfig, "dockerfile": AskConfig, "makefile": AskConfig,
}

// Analyze takes a task apart. The first line is its title.
func Analyze(task string) Query { return AnalyzeFor(task, nil) }

// AnalyzeFor takes a task apart that was written for a repository with such
// templates.
func AnalyzeFor(task string, form Form) Query {
	long := len(task) > mostRead
	task = terms.Normal(strings.ReplaceAll(cut(task, mostRead), "\r\n", "\n"))
	long = long || len(task) > mostRead // NFKC writes one character as up to eighteen
	task = cut(task, mostRead)
	task = beforeIdeograph().ReplaceAllString(afterIdeograph().ReplaceAllString(task, "$1 $2"), "$1 $2")
	said, told := withoutPasted(usualForm().strip(form.strip(htmlComment().ReplaceAllString(task, " "))))
	full := strings.TrimSpace(cut(said, MaxTask))
	text := address().ReplaceAllString(full, " ")
	text = checkbox().ReplaceAllString(text, "")
	text = heading().ReplaceAllStringFunc(text, func(line string) string {
		if m := heading().FindStringSubmatch(line); boilerplate().MatchString(strings.TrimSpace(m[1])) {
			return ""
		}
		return line
	})
	title, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	q := Query{Title: title, Text: text, Said: full, Pasted: !told, Cut: len(said) > MaxTask || long, Wants: map[ask]bool{}}
	q.terms()
	q.names()
	q.phrases()
	q.exact()
	q.spelled()
	q.Files = filesIn(full)
	q.frames(full)
	q.references(full)
	for _, w := range strings.FieldsFunc(strings.ToLower(title), func(r rune) bool { return r < 'a' || r > 'z' }) {
		if a, ok := asks[w]; ok {
			q.Wants[a] = true
		}
	}
	return q
}

// cut returns at most n bytes of a text.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	text = strings.ToValidUTF8(text[:n], "")
	if space := strings.LastIndexAny(text, " \n\t"); space > n/2 { // between words
		text = text[:space]
	}
	return text
}

// filesIn returns the names of files in a text, each once.
func filesIn(text string) (names []string) {
	for _, m := range append(fileName().FindAllString(text, -1), bareName().FindAllString(text, -1)...) {
		m = strings.Trim(strings.ReplaceAll(m, `\`, "/"), "./@")
		if m != "" && !slices.Contains(names, m) {
			names = append(names, m)
		}
	}
	return names
}

// mostReferences is how many references of each kind are followed: a longer list
// is a log.
const mostReferences = 50

// commitID finds what may be the id of a commit, by itself or in its address, but
// not in one that only says of which commit a file is shown.
var commitID = lazy.Regexp(`(?:^|[^\w/.-]|/commits?/)([0-9a-f]{7,64})\b`)

func (q *Query) references(text string) {
	terms.Numbers(text, func(t uint64) {
		if len(q.Numbers) < mostReferences && !slices.Contains(q.Numbers, t) {
			q.Numbers = append(q.Numbers, t)
		}
	})
	for _, m := range commitID().FindAllStringSubmatch(text, -1) {
		id := m[1]
		if len(q.Commits) < mostReferences && strings.ContainsAny(id, "0123456789") && strings.ContainsAny(id, "abcdef") && !slices.Contains(q.Commits, id) {
			q.Commits = append(q.Commits, id)
		}
	}
}

func (q *Query) terms() {
	var a terms.Analyzer
	at := map[uint64]int{}
	each := func(s string, add func(t *Term)) {
		a.Each([]byte(s), func(h uint64) {
			i, ok := at[h]
			if !ok {
				i = len(q.Terms)
				at[h] = i
				q.Terms = append(q.Terms, Term{Hash: h})
			}
			add(&q.Terms[i])
		})
	}
	each(q.Text, func(t *Term) { t.Count++ })
	each(q.Title, func(t *Term) { t.Title++ })
	for _, m := range fence().FindAllString(q.Text, -1) {
		each(m, func(t *Term) { t.Code++ })
	}
}

func (q *Query) names() {
	at := map[string]int{}
	add := func(w string, weight float32, title bool) {
		i, ok := at[w]
		if !ok {
			i = len(q.Names)
			at[w] = i
			q.Names = append(q.Names, Name{Spelling: w})
		}
		q.Names[i].Title = q.Names[i].Title || title
		if title && q.Names[i].Weight > 0 {
			return
		}
		q.Names[i].Weight += weight
	}
	quoted := map[string]bool{}
	for _, m := range fence().FindAllString(q.Text, -1) {
		if len(m) < 200 { // longer ones are programs or logs: their plain words name nothing
			words(m, func(w string) { quoted[w] = true })
		}
	}
	words(q.Text, func(w string) {
		if len(w) >= 4 && (terms.Compound(w) || quoted[w] && !terms.Stop(strings.ToLower(w))) {
			add(w, 1, false)
		}
	})
	words(q.Title, func(w string) {
		if len(w) >= 3 && !terms.Stop(strings.ToLower(w)) {
			weight := float32(0.5)
			if len(w) < 4 {
				weight = 0
			}
			add(w, weight, true)
		}
	})
}

// maxPhrases bounds the look-ups that a long task causes.
const maxPhrases = 400

func (q *Query) phrases() {
	at := map[uint64]int{}
	add := func(text string, weight float32) {
		prev, end := "", 0
		b := []byte(text)
		terms.Words(b, func(from, to int) {
			w := strings.ToLower(text[from:to])
			joinable := prev != "" && from-end <= 2 && !strings.ContainsAny(text[end:from], ".;:\n")
			end = to
			if terms.Stop(w) || len(w) < 2 || terms.Compound(text[from:to]) {
				prev = ""
				return
			}
			if joinable && len(q.Phrases) < maxPhrases {
				joined := terms.Ident(prev + w)
				i, ok := at[joined]
				if !ok {
					i = len(q.Phrases)
					at[joined] = i
					q.Phrases = append(q.Phrases, Phrase{Joined: joined, Snake: terms.Ident(prev + "_" + w)})
				}
				q.Phrases[i].Weight += weight
			}
			prev = w
		})
	}
	add(q.Title, 1.5)
	add(q.Text, 1)
}

// exact collects the words that people do not write unless they mean the name of
// something: compound ones, those in backticks, those before a parenthesis, and
// those that begin with a capital letter in the middle of a sentence, as Retry
// does in "fix Retry backoff". Whether anything has that name the repository
// knows: Berlin is one of these words, too.
func (q *Query) exact() {
	seen := map[string]bool{}
	add := func(w string) {
		if len(w) >= 2 && len(q.Exact) < maxExact && !seen[w] {
			seen[w] = true
			q.Exact = append(q.Exact, w)
		}
	}
	for _, m := range fence().FindAllString(q.Text, -1) {
		if len(m) < 200 { // not a program or a log
			words(m, func(w string) {
				if !terms.Stop(strings.ToLower(w)) {
					add(w)
				}
			})
		}
	}
	begins, end := true, 0
	b := []byte(q.Text)
	terms.Words(b, func(from, to int) {
		begins = begins || strings.ContainsAny(q.Text[end:from], ".!?:;\n")
		w := q.Text[from:to]
		end = to
		name := !begins && 'A' <= w[0] && w[0] <= 'Z' && strings.ToUpper(w) != w
		begins = false
		if name || terms.Compound(w) || to < len(b) && b[to] == '(' {
			add(w)
		}
	})
}

// maxExact bounds the look-ups that a long task causes.
const maxExact = 40

func words(s string, fn func(w string)) {
	b := []byte(s)
	terms.Words(b, func(from, to int) { fn(s[from:to]) })
}

// frames collects the places that tracebacks name. Python prints the failing
// frame last, the JVM, Go, Rust and JavaScript print it first.
func (q *Query) frames(text string) {
	py := pyFrame().FindAllStringSubmatch(text, -1)
	for i, m := range py {
		q.addFrame(m[1], m[2], float32(i+1)/float32(len(py)))
	}
	jvm := jvmFrame().FindAllStringSubmatch(text, -1)
	for i, m := range jvm {
		// The class's package says the folder: a.b.C.method(C.java:3) is a/b/C.java.
		q.addFrame(path.Dir(strings.ReplaceAll(m[1], ".", "/"))+"/"+m[2], m[3], 1-float32(i)/float32(len(jvm)+1))
	}
	line := lineFrame().FindAllStringSubmatch(text, -1)
	for i, m := range line {
		if !strings.Contains(m[1], "//") {
			q.addFrame(m[1], m[2], 1-float32(i)/float32(len(line)+1))
		}
	}
}

func (q *Query) addFrame(file, line string, near float32) {
	n := 0
	for _, c := range line {
		if n = n*10 + int(c-'0'); n > 1<<24 {
			return
		}
	}
	file = strings.Trim(strings.ReplaceAll(file, `\`, "/"), "./")
	q.Frames = append(q.Frames, Frame{Path: file, Line: n, Weight: 0.3 + 0.7*near})
}
