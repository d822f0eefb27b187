package agents

import "strings"

// Hooks is how an agent speaks to hooks.
type Hooks struct {
	Events []Event

	// Handler makes the value of a settings file that has a command line run at an
	// event, on Windows another one if it is given; nil if a plugin of ours calls the
	// hooks.
	Handler func(line, windows string, ev *Event) any

	// Windows writes the line for the shells that run the agent's hooks on Windows.
	// Beside means that the agent has a separate field for it, so settings hold both
	// lines on any system.
	Windows func(call string) string
	Beside  bool

	// Unnamed says that an input does not name its event.
	Unnamed bool

	// EndsShell says that a hook which takes too long is ended by ending its shell,
	// and that the agent then waits for what the shell started.
	EndsShell bool

	// Trusted says that the agent runs only hooks that its user has trusted.
	Trusted bool

	// Pends says that after a compaction there is nothing to answer but the next
	// prompt.
	Pends bool

	// Echoes says that what is answered before a compaction by hand is shown to
	// the model after it, by the client itself.
	Echoes bool

	// Warned says that a text at the start of a session, before and after a tool
	// reaches the model.
	Warned bool

	// Quiet means that no event reports a compaction: the transcript shows it.
	Quiet bool
}

// An Event is a point of a session at which an agent calls a hook.
type Event struct {
	Name    string
	Means   Meaning
	Answer  Answer
	Matcher string // of tools
	Seconds int    // what a settings file gives the hook, more than it takes; 0 if a plugin of ours calls it
}

// A Meaning is what an event means, whatever an agent calls it.
type Meaning int

// The meanings. docs/automate.md says what satchel does at each.
const (
	Nothing       Meaning = iota // known or not, it has no answer
	Start                        // a session begins, goes on, or was compacted
	Prompt                       // the user said something
	BeforeTool                   // a tool is about to be used
	AfterTool                    // a tool was used
	BeforeCompact                // a compaction begins
	MaybeCompact                 // a compaction may begin, or may have ended: only the transcript knows
	AfterCompact                 // a compaction has ended, and the hook cannot answer
	Pruned                       // messages are about to be sent, and may be changed
)

// An Answer is the form of a text in an event's answer.
type Answer int

// The forms. Each event of a row has one: the zero value is not a form.
const (
	_             Answer = iota
	silent               // the event takes no answer
	PlainText            // the text itself
	HookOutput           // {"hookSpecificOutput":{"hookEventName":…,"additionalContext":…}}
	Additional           // {"additionalContext":…}
	PluginContext        // {"context":…}, which our own plugins take
)

// Event returns the event of a name. One that the row does not have means Nothing.
func (h *Hooks) Event(name string) Event {
	for _, ev := range h.Events {
		if ev.Name == name {
			return ev
		}
	}
	return Event{Name: name, Answer: silent}
}

// A tool is one that an agent gives its model.
type tool struct {
	Name string
	Does doing
}

// A doing is what a tool does.
type doing int

// What tools do.
const (
	reads doing = iota + 1
	edits
	runs
	searches
)

// matcher is what a hook of the tools that read, edit and run is called for.
func matcher(tools []tool) string {
	var names []string
	for _, t := range tools {
		if t.Does != searches {
			names = append(names, t.Name)
		}
	}
	return strings.Join(names, "|")
}
