package ask

// What submit takes, as Go has it; see the schemas for what the fields mean.

// A CommitAnswer is the message of a commit, in pieces.
type CommitAnswer struct {
	Type     string   `json:"type"`
	Scope    string   `json:"scope"`
	Breaking bool     `json:"breaking"`
	Subject  string   `json:"subject"`
	Body     string   `json:"body"`
	Names    []string `json:"names"`
}

// A ReviewAnswer is what a reviewer says of a change.
type ReviewAnswer struct {
	Summary  string          `json:"summary"`
	Findings []FindingAnswer `json:"findings"`
	Open     []Open          `json:"open"`
	LookedAt []string        `json:"looked_at"`
}

// A FindingAnswer is one finding, as the model has it.
type FindingAnswer struct {
	Path        string     `json:"path"`
	Side        string     `json:"side"`
	Line        int        `json:"line"`
	EndLine     int        `json:"end_line"`
	Quote       string     `json:"quote"`
	Severity    string     `json:"severity"`
	Confidence  int        `json:"confidence"`
	Category    string     `json:"category"`
	Title       string     `json:"title"`
	Trigger     string     `json:"trigger"`
	Consequence string     `json:"consequence"`
	Body        string     `json:"body"`
	Fix         string     `json:"fix"`
	Evidence    []Citation `json:"evidence"`
}

// A Citation is a line that something rests on.
type Citation struct {
	Path  string `json:"path"`
	Line  int    `json:"line"`
	Quote string `json:"quote"`
}

// An Open is a question that could not be settled.
type Open struct {
	Question string `json:"question"`
	Path     string `json:"path"`
}
