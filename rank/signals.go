package rank

// A Signal names one measurement of a file. Its column of a [Table] holds one
// value per file, 0 where there is nothing to say.
type Signal int

// The signals, in the order of the committed weights. Those up to Age are
// measured from the task alone; those from Imports on need seeds: files that a
// first pass found likely.
const (
	BM25Title   Signal = iota // BM25 of the title's terms
	BM25F                     // BM25F over path, definitions, comments and body
	BM25Quoted                // BM25 of the terms in backticks and fences
	BM25Def                   // BM25 over the names of definitions
	ChunkBest                 // BM25 of the best function
	ChunkSum                  // BM25 of the three best functions
	PathWords                 // weight of the task's terms in the path
	PathCover                 // the same as a share of the path's weight
	PathChunk                 // share of the task's term weight that the path and the best function cover
	FileNamed                 // the task names the file
	InTraceback               // a traceback of the task passes through the file
	NameDefined               // defines identifiers that the task names
	NameUsed                  // uses identifiers that the task names
	CommitSum                 // sum over similar past commits
	CommitText                // BM25 over the messages of the commits that touched the file
	Recent180                 // changes, halved about every 4 months
	Churn                     // log of the number of changes
	Age                       // how lately the file last changed

	Imports   // imports, or is imported by, likely files
	Symbols   // uses, or defines, what likely files define, or use
	CoChange  // changed together with likely files
	Folder    // the folder's other files are likely
	Feedback  // BM25 of terms typical of the likeliest files
	FirstPass // the score of the first pass

	Secondary // documentation, example, script or legacy folder
	IndexFile // the index, package or module file of its folder
	TitleStem // the title holds the file's name
	Generated // generated code
	Cited     // changed by commits that the task names, or that name what it names

	NumSignals
)

var signals = [NumSignals]struct {
	name string
	why  string
	kind kind
}{
	BM25Title:   {"bm25_title", "contains words of the title", scaled},
	BM25F:       {"bm25f", "contains words of the task", scaled},
	BM25Quoted:  {"bm25_quoted", "contains code that the task quotes", scaled},
	BM25Def:     {"bm25_def", "defines names with words of the task", scaled},
	ChunkBest:   {"chunk_best", "its best function matches the task", scaled},
	ChunkSum:    {"chunk_sum", "its best functions match the task", scaled},
	PathWords:   {"path_words", "its path has words of the task", scaled},
	PathCover:   {"path_cover", "share of its path in the task", scaled},
	PathChunk:   {"path_chunk", "its path and best function cover the task", scaled},
	FileNamed:   {"file_named", "the task mentions this file", scaled},
	InTraceback: {"in_traceback", "in the traceback", scaled},
	NameDefined: {"name_defined", "defines a name from the task", scaled},
	NameUsed:    {"name_used", "uses a name from the task", scaled},
	CommitSum:   {"commit_sum", "similar past commits changed it", scaled},
	CommitText:  {"commit_text", "messages of its commits match the task", scaled},
	Recent180:   {"recent_180d", "changed in recent months", scaled},
	Churn:       {"churn", "changed often", scaled},
	Age:         {"age", "time of the last change", scaled},
	Imports:     {"imports", "imports likely files, or they import it", scaled},
	Symbols:     {"symbols", "shares symbols with likely files", scaled},
	CoChange:    {"cochange", "changes together with likely files", scaled},
	Folder:      {"folder", "in a likely folder", scaled},
	Feedback:    {"feedback", "contains words of likely files", scaled},
	FirstPass:   {"first_pass", "first estimate from the task alone", plain},
	Secondary:   {"secondary", "docs, examples, scripts or legacy", plain},
	IndexFile:   {"index_file", "index or package file", plain},
	TitleStem:   {"title_stem", "the title has its name", plain},
	Generated:   {"generated", "generated code", plain},
	Cited:       {"cited", "changed by a commit that the task refers to", plain},
}

// kind says how a signal becomes columns of a model.
type kind int

const (
	plain  kind = iota // as it is
	scaled             // value / maximum, and discounted rank
)

func (s Signal) String() string { return signals[s].name }

// SignalByName returns the signal of a name.
func SignalByName(name string) (Signal, bool) {
	for s := range NumSignals {
		if signals[s].name == name {
			return s, true
		}
	}
	return 0, false
}

// SignalNames returns the names of all signals.
func SignalNames() []string {
	names := make([]string, NumSignals)
	for s := range names {
		names[s] = signals[s].name
	}
	return names
}

// A Table holds what sources measured: one column per signal, one row per file.
type Table struct {
	Rows    int
	Columns [NumSignals][]float32 // nil means all zero

	// Primary marks the rows that compete by default: source code. The others
	// (tests, documents, data) are scored on the same scale and then demoted
	// unless the task asks for them.
	Primary []bool

	// Demotion is what is subtracted from the score of a row, with its reason.
	Demotion []Demotion

	// Used is what is added to the score of a row because an agent used the file
	// lately; see [Gains]. Nil means that nothing was used.
	Used []float32
}

// A Demotion lowers the score of a file because of its kind.
type Demotion struct {
	Why string
	By  float32
}

// Column returns the column of s, made if there is none.
func (t *Table) Column(s Signal) []float32 {
	if t.Columns[s] == nil {
		t.Columns[s] = make([]float32, t.Rows)
	}
	return t.Columns[s]
}
