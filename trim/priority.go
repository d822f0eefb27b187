package trim

// A TurnType says what a turn is about.
type TurnType string

const (
	Instruction   TurnType = "instruction"   // a person asks for something
	Clarification TurnType = "clarification" // a person corrects or explains what was asked
	Analysis      TurnType = "analysis"      // an answer that concludes or decides
	ToolUse       TurnType = "tool-use"      // calls of tools and their results
	Response      TurnType = "response"      // any other answer
	Reminder      TurnType = "reminder"      // put in by the client
	Digest        TurnType = "summary"       // what an earlier compaction left
)

// A Turn is a part of a session that matters as one: an answer with the results of
// its calls, or one message of the user.
type Turn struct {
	Index    int // from 0
	From, To int // messages [From, To)
	Type     TurnType
	Priority int      // 0 to 100; the sum of the reasons, within these bounds
	Reasons  []Reason // in the order in which they were given
	Title    string   // what it is about, on one line
	Paths    []string // of the files that its calls are about, each once
}

// A Reason is a part of a priority.
type Reason struct {
	Add int    `json:"add"`
	Why string `json:"why"`
}

// Add adds a reason, if it says anything.
func (t *Turn) Add(n int, why string) {
	if n != 0 {
		t.Reasons = append(t.Reasons, Reason{n, why})
		t.Priority += n
	}
}

// Lift raises the priority to at least n.
func (t *Turn) Lift(n int, why string) {
	if t.Priority < n {
		t.Add(n-t.Priority, why)
	}
}

// Bound keeps the priority within 0 to 100.
func (t *Turn) Bound() { t.Priority = max(0, min(t.Priority, 100)) }
