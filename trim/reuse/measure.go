package reuse

import (
	"math"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/text/terms"
)

// seen is what is measured about anything that recurs. Groups count as time.
type seen struct {
	First, Last  int32 // groups
	LastOwn      int32 // last group whose answer or call holds it, or -1
	Groups       int32 // that hold it
	Own          int32 // groups whose answers or calls hold it
	Calls        int32 // groups whose calls hold it
	Prompts      int32 // prompts that hold it
	Count        int32 // lines that hold it
	Newest       Source
	LastPrompt   bool // the newest prompt holds it
	countedGroup int32
	countedOwn   int32
	countedCall  int32
}

// An Entity is a name.
type Entity struct {
	Name string
	seen
	Def     bool // a line defines it
	Err     bool // a line that tells of an error holds it
	Edited  int32
	inFile  *file
	topic   float32 // the highest of its lines, prompts aside
	asked   bool    // it stands in a file that a prompt names
	unread  bool    // it stands in a file that was not changed
	term    int32   // words of the newest prompt that are in the name
	heat    float64 // the highest mean of the probabilities of names beside it
	P       float64 // of use in the next ten steps; set by Predict
	Rarity  float64 // weight: the logarithm of how rare it is; set by Predict
	counted int32
}

// A Gram is four words in a row.
type Gram struct {
	Key uint64 // hash
	seen
	Path bool // in a line of a part about a file that was edited lately
	Top  bool // in the first line of its part
	P    float64
}

func (s *seen) add(g int32, src Source, last bool) {
	if s.Count == 0 {
		s.First, s.LastOwn, s.countedGroup, s.countedOwn, s.countedCall = g, -1, -1, -1, -1
	}
	s.Count++
	s.Last, s.Newest = g, src
	if s.countedGroup != g {
		s.countedGroup = g
		s.Groups++
		if src == User {
			s.Prompts++
		}
	}
	if src == User && last {
		s.LastPrompt = true
	}
	if src == Answer || src == Call {
		s.LastOwn = g
		if s.countedOwn != g {
			s.countedOwn = g
			s.Own++
		}
		if src == Call && s.countedCall != g {
			s.countedCall = g
			s.Calls++
		}
	}
}

// findNames finds the names and phrases of every line, and counts them.
func (c *Conversation) findNames() {
	names, grams := make(map[string]int32), make(map[uint64]int32)
	c.names, c.grams = names, grams
	// Recorded sessions have one and a half names and five phrases a line.
	c.refs, c.phrases = make([]int32, 0, 2*len(c.Lines)), make([]int32, 0, 6*len(c.Lines))
	c.readPrompts()
	c.topics()
	inTask := make(map[string]bool)
	for line := range strings.Lines(c.task) {
		Names(line, func(name string) { inTask[name] = true })
	}
	for p := range c.Parts {
		part := &c.Parts[p]
		g := int32(part.Group)
		newest := part.Source == User && part.Group == c.last
		part.Asked = part.Path != "" && c.asked[last(part.Path)]
		f := c.fileOf(part)
		for i := part.From; i < part.To; i++ {
			l := &c.Lines[i]
			l.Tokens = Size(l.Text)
			if !l.Continues {
				l.Tokens += perNewline
			}
			body := Body(l.Text)
			l.Key, l.body = hash(body), int32(len(body))
			l.def, l.Failing = definition(body), failure(body)

			if part.Source == Command || part.Source == Search {
				l.Pattern = pattern(body)
			}
			l.refs[0] = int32(len(c.refs))
			Names(l.Text, func(name string) {
				id, ok := names[name]
				if !ok {
					id = int32(len(c.Entities))
					names[name] = id
					c.Entities = append(c.Entities, Entity{Name: name, term: c.wordsInPrompt(name), counted: -1})
					c.Entities[id].LastPrompt = inTask[name]
				}
				e := &c.Entities[id]
				if e.counted == int32(i) {
					return
				}
				e.counted = int32(i)
				e.add(g, part.Source, newest)
				e.Def = e.Def || l.def
				e.Err = e.Err || l.Failing
				if part.Edits {
					e.Edited++
				}
				if part.Source != User {
					e.topic = max(e.topic, l.topic)
					e.asked = e.asked || part.Asked
					e.unread = e.unread || f != nil && f.edited < 0
				}
				if f != nil {
					e.inFile = f
				}
				c.refs = append(c.refs, id)
			})
			l.refs[1] = int32(len(c.refs))

			l.phrases[0] = int32(len(c.phrases))
			EachPhrase(l.Text, func(k uint64) {
				id, ok := grams[k]
				if !ok {
					id = int32(len(c.Grams))
					grams[k] = id
					c.Grams = append(c.Grams, Gram{Key: k})
				}
				gr := &c.Grams[id]
				gr.add(g, part.Source, newest)
				gr.Top = i == part.From
				gr.Path = f != nil && f.edited >= 0
				c.phrases = append(c.phrases, id)
			})
			l.phrases[1] = int32(len(c.phrases))
		}
	}
	for i := range c.Entities {
		if f := c.files[base(c.Entities[i].Name)]; f != nil {
			c.Entities[i].inFile = f
		}
	}
}

func (c *Conversation) fileOf(p *Part) *file {
	if p.Path == "" {
		return nil
	}
	return c.files[base(p.Path)]
}

// readPrompts notes the words of the first and the newest prompt, and the files
// that any prompt names.
func (c *Conversation) readPrompts() {
	c.terms, c.asked = make(map[uint64]*int32), make(map[string]bool)
	for line := range strings.Lines(c.task) {
		c.ask(line)
	}
	c.mention(c.task)
	for p := range c.Parts {
		part := &c.Parts[p]
		if part.Source != User {
			continue
		}
		for i := part.From; i < part.To; i++ {
			c.ask(c.Lines[i].Text)
		}
		if part.Group == c.first || part.Group == c.last {
			c.mention(part.Text)
		}
	}
}

// ask notes the files that a line of a prompt names.
func (c *Conversation) ask(line string) {
	Names(line, func(name string) {
		if strings.IndexByte(name, '.') > 0 || strings.IndexByte(name, '/') >= 0 {
			c.asked[last(name)] = true
		}
	})
}

// mention notes the words of a prompt.
func (c *Conversation) mention(text string) {
	eachPart(text[:min(len(text), maxTask)], func(h uint64, word string) {
		if len(word) > 2 && !terms.Stop(strings.ToLower(word)) {
			c.terms[h] = new(int32)
		}
	})
}

// maxTask is how much of a prompt is read for its words, in bytes.
const maxTask = 6000

// last returns the last element of a path.
func last(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// eachPart calls fn with each run of letters that stands for one word, and the
// hash of its lower-case form: parseHTTP is parse and HTTP.
func eachPart(s string, fn func(h uint64, word string)) {
	for i := 0; i < len(s); {
		if c := sizeClass[s[i]]; c != isLower && c != isUpper {
			i++
			continue
		}
		from := i
		for i < len(s) && sizeClass[s[i]] == isUpper {
			i++
		}
		for i < len(s) && sizeClass[s[i]] == isLower {
			i++
		}
		fn(hashLower(s[from:i]), s[from:i])
	}
}

// topics measures how much each line has to do with the prompts: the words they
// share, rare ones counting more, a half of it from the lines beside it.
func (c *Conversation) topics() {
	if len(c.terms) == 0 {
		return
	}
	var held []*int32 // of all lines, each term once a line
	ends := make([]int32, len(c.Lines)+1)
	for i := range c.Lines {
		from := len(held)
		text := c.Lines[i].Text
		eachPart(text[:min(len(text), 300)], func(h uint64, _ string) {
			if n := c.terms[h]; n != nil && !slices.Contains(held[from:], n) {
				held = append(held, n)
				*n++
			}
		})
		ends[i+1] = int32(len(held))
	}
	own := make([]float32, len(c.Lines))
	for i := range own {
		for _, n := range held[ends[i]:ends[i+1]] {
			own[i] += float32(1 / (1 + math.Log1p(float64(*n))))
		}
	}
	for i := range c.Lines {
		l := &c.Lines[i]
		near := float32(0)
		for j := max(0, i-2); j <= min(len(own)-1, i+2); j++ {
			if j != i && c.Lines[j].Part == l.Part {
				near = max(near, own[j])
			}
		}
		l.topic = max(own[i], near/2)
	}
}

// wordsInPrompt counts the parts of a name that are words of the newest prompt.
func (c *Conversation) wordsInPrompt(name string) int32 {
	if len(c.terms) == 0 {
		return 0
	}
	n := int32(0)
	eachPart(name, func(h uint64, _ string) {
		if c.terms[h] != nil {
			n++
		}
	})
	return n
}

// EachPhrase calls fn with the hash of each run of four words of a line.
func EachPhrase(line string, fn func(key uint64)) {
	var w [4]uint64
	n := 0
	eachWord(line, func(h uint64, _ int) {
		w[n&3] = h
		if n++; n >= 4 {
			fn(w[n&3]*0x9e3779b97f4a7c15 ^ w[(n+1)&3]*0xc2b2ae3d27d4eb4f ^ w[(n+2)&3]*0x165667b19e3779f9 ^ w[(n+3)&3])
		}
	})
}

// eachWord calls fn with the hash of each run of bytes that are not white space.
func eachWord(s string, fn func(h uint64, length int)) {
	for i := 0; i < len(s); {
		if s[i] == ' ' || s[i] == '\t' || s[i] == '\r' {
			i++
			continue
		}
		from, h := i, uint64(offset64)
		for i < len(s) && s[i] != ' ' && s[i] != '\t' && s[i] != '\r' {
			h = (h ^ uint64(s[i])) * prime64
			i++
		}
		fn(h, i-from)
	}
}

// FNV-1a, 64 bits.
const (
	offset64 = 14695981039346656037
	prime64  = 1099511628211
)

func hash(s string) uint64 {
	h := uint64(offset64)
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * prime64
	}
	return h
}

// pattern is hash with one 0 for each run of digits.
func pattern(s string) uint64 {
	h, number := uint64(offset64), false
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= '0' && c <= '9' {
			if number {
				continue
			}
			number, c = true, '0'
		} else {
			number = false
		}
		h = (h ^ uint64(c)) * prime64
	}
	return h
}

func hashLower(s string) uint64 {
	h := uint64(offset64)
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		h = (h ^ uint64(c)) * prime64
	}
	return h
}

// Body returns a line without white space at its ends, and without the number
// that tools for reading put before it.
func Body(line string) string {
	_, rest := Numbered(strings.TrimSpace(line))
	return strings.TrimSpace(rest)
}

// Numbered splits a line into the number that tools for reading put before it, ""
// if there is none, and the rest.
func Numbered(line string) (number, rest string) {
	s := strings.TrimLeft(line, " \t")
	n := 0
	for n < len(s) && n < 7 && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	if n == 0 {
		return "", line
	}
	for _, mark := range [...]string{"→", "\t", "|", ": ", ":"} {
		if rest, ok := strings.CutPrefix(s[n:], mark); ok {
			return s[:n], rest
		}
	}
	return "", line
}

// The words that begin a definition in some common language.
var defining = map[string]bool{
	"func": true, "def": true, "class": true, "type": true, "interface": true, "struct": true, "impl": true, "fn": true,
	"export": true, "const": true, "enum": true, "trait": true, "module": true, "function": true, "pub": true,
}

// definition reports whether a line seems to define something.
func definition(body string) bool {
	for n := 0; n < 3; n++ {
		w, rest, _ := strings.Cut(body, " ")
		if defining[w] {
			return true
		}
		if rest == "" || len(w) > 10 {
			return false
		}
		body = rest
	}
	return false
}

// The words that tell of an error, in lower case.
var failing = []string{"error", "fail", "panic", "exception", "traceback", "assert", "fatal", "not found", "undefined", "cannot", "warning"}

var beginsFailing = func() (t [256]bool) {
	for _, w := range failing {
		t[w[0]], t[w[0]-'a'+'A'] = true, true
	}
	return t
}()

// failure reports whether a line seems to tell of an error.
func failure(body string) bool {
	if len(body) > 300 {
		body = body[:300]
	}
	for i := 0; i+4 <= len(body); i++ {
		if !beginsFailing[body[i]] {
			continue
		}
		for _, w := range failing {
			if len(body)-i >= len(w) && body[i]|0x20 == w[0] && body[i+1]|0x20 == w[1] && strings.EqualFold(body[i:i+len(w)], w) {
				return true
			}
		}
	}
	return false
}
