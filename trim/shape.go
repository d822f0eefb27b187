package trim

// A Shape holds the numbers that divide a budget and weigh lines. Shares are of
// the budget unless it says otherwise.
type Shape struct {
	Tail    float64 // newest groups, verbatim
	TailMax float64 // the newest group alone may take this much before it is cut
	Prompts float64 // the user's words in the digest
	Known   float64 // what a successor must know, of what is left then

	Ref, Gram, Edit, Line float64 // weight of names, phrases, quoted lines, and any line
	Repeat                float64 // what a further copy of a name is worth
	RepeatGram            float64 // and of a phrase
	Asked                 float64 // what a name is worth that stands in the user's words
	Power                 float64 // of the probabilities of names
	Recent                float64 // more for newer units
	Half                  float64 // groups after which a line as such is worth 1/e
	Earlier               float64 // share of its worth that an earlier run of a command has

	Run     int     // lines of the shortest run
	Hits    int     // of the shortest run of a search's hits
	Gap     float64 // tokens that a run seems to cost more
	Heading float64 // tokens that a topic seems to cost more
	Ragged  float64 // tokens that an end of a run costs that is within a block

	Kinds [numKinds]KindShape // by kind
}

// A KindShape is what a kind of text is worth.
type KindShape struct {
	Weight float64 // of its names, phrases and quoted lines
	Line   float64 // of its lines as such
}

// DefaultShape was chosen on recorded sessions; see lab/sessions.
var DefaultShape = Shape{
	Tail: 0.24, TailMax: 0.6, Prompts: 0.5, Known: 0.5,
	Ref: 0.60, Gram: 0.05, Edit: 0.16, Line: 0.08, Repeat: 0.05, RepeatGram: 0.07, Asked: 0.7, Power: 1.1, Recent: 0.3, Half: 45, Earlier: 0.5,
	Run: 5, Hits: 5, Gap: 3, Heading: 8, Ragged: 8,
	Kinds: [numKinds]KindShape{
		ofHunk: {1.6, 1.5}, ofWas: {0.35, 0.3}, ofRegion: {1, 1}, ofCall: {2.1, 2}, ofOutput: {1, 0.4}, ofFailure: {1, 1}, ofHits: {0.7, 0.25},
		ofAnswer: {1.6, 2}, ofClient: {0.5, 0.2}, ofAsked: {1, 3}, ofUser: {1, 1}, ofSummary: {1.6, 2},
	},
}
