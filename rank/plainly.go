package rank

import (
	"cmp"
	"math"
	"slices"

	"github.com/satchel-dev/satchel"
)

// The reasons that people see. Each signal measures one of them.
const (
	sharesWords  = "contains words of the task"
	isAbout      = "has a function that matches the task"
	definesNamed = "defines what the task mentions"
	usesNamed    = "uses what the task names"
	pathWords    = "its path has words of the task"
	namedByTask  = "the task or its traceback names it"
	likeCommits  = "similar past commits changed it"
	howLately    = "how often and recently it changed"
	goesWith     = "related to other likely files"
	firstLook    = "first estimate from the task alone"
	whatItIs     = "kind of file"
	itsFile      = "in a likely file"
	whatPart     = "kind, length and place of the part"
)

var signalsPlainly = [NumSignals]string{
	BM25Title: sharesWords, BM25F: sharesWords, BM25Quoted: sharesWords,
	ChunkBest: isAbout, ChunkSum: isAbout, PathChunk: isAbout,
	BM25Def: definesNamed, NameDefined: definesNamed,
	NameUsed:  usesNamed,
	PathWords: pathWords, PathCover: pathWords, TitleStem: pathWords,
	FileNamed: namedByTask, InTraceback: namedByTask,
	CommitSum: likeCommits, CommitText: likeCommits, Cited: likeCommits,
	Recent180: howLately, Churn: howLately, Age: howLately,
	Imports: goesWith, Symbols: goesWith, CoChange: goesWith, Folder: goesWith, Feedback: goesWith,
	FirstPass: firstLook,
	Secondary: whatItIs, IndexFile: whatItIs, Generated: whatItIs,
}

var chunksPlainly = [numChunkSignals]string{
	ChunkFile: itsFile, ChunkFileRank: itsFile,
	ChunkWords: sharesWords, ChunkLeads: sharesWords, ChunkComments: sharesWords, ChunkCovers: sharesWords, ChunkCoversHere: sharesWords, ChunkNext: sharesWords,
	ChunkDefines: definesNamed, ChunkNameShared: definesNamed, ChunkNamed: definesNamed,
	ChunkTraced: namedByTask,
	ChunkLength: whatPart, ChunkIsFunc: whatPart, ChunkIsType: whatPart, ChunkIsHead: whatPart, ChunkIsTest: whatPart, ChunkSiblings: whatPart,
}

// Plainly returns a score with fewer reasons, in words that need no knowledge of
// the ranking, the strongest first. Their sum is the same. Reasons that do not come
// from a signal stay as they are.
func Plainly(score satchel.Score) satchel.Score {
	words := make(map[string]string)
	for s, why := range signalsPlainly {
		words[signals[s].why] = why
	}
	for s, why := range chunksPlainly {
		words[chunkWhy[s].why] = why
	}
	var out satchel.Score
	at := make(map[string]int)
	for _, r := range score {
		why := cmp.Or(words[r.Why], r.Why)
		i, ok := at[why]
		if !ok {
			i = len(out)
			at[why] = i
			out = append(out, satchel.Reason{Why: why})
		}
		out[i].Add += r.Add
	}
	slices.SortStableFunc(out, func(a, b satchel.Reason) int { return cmp.Compare(math.Abs(b.Add), math.Abs(a.Add)) })
	return out
}
