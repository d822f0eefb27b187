package reuse

// Until the first training: the prototype's weights for the features that it had.
var committed = Model{
	Entity: provisional,
	Gram:   []float64{0: -3, 1: -0.5, 4: 1.4, 16: 1, 17: 0.5, nGram - 1: 0},
	Line:   []float64{0: -4, 1: -0.5, 2: 1, 4: 1, nLine - 1: 0},
}

var provisional = []float64{0: -0.327, 1: -0.527, 2: -0.388, 3: -0.307, 4: 1.454, 5: 0.0425, 7: -0.574, 8: 0.02, 9: 0.846, 12: 0.627, 13: -0.945, 14: -0.427, 15: -0.279, nEntity - 1: 0}
