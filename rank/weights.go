package rank

// First scores files from the task alone; its best are the seeds of the second
// pass.
var First = Model{
	Max: [NumSignals]float32{
		BM25F: 2, ChunkBest: 1, PathWords: 1.4, BaseCover: .6, FileNamed: 2,
		InTraceback: 2, NameDefined: 1.2, CommitSum: .8, ModuleNamed: 1, Secondary: -1.5,
	},
}

// Files scores files from everything measured.
var Files = Model{
	Max: [NumSignals]float32{
		BM25F: 2, ChunkBest: 1, PathWords: 1.4, BaseCover: .6, FileNamed: 2,
		InTraceback: 2, NameDefined: 1.2, CommitSum: .8, ModuleNamed: 1, Secondary: -1.5, Feedback: 1, Recent180: .5,
	},
}

// Chunks scores the chunks of likely files.
var Chunks = ChunkModel{ChunkFile: 1, ChunkWords: 1, ChunkLength: -.3}
