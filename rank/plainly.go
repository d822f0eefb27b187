package rank

import (
	"cmp"
	"math"
	"slices"

	"github.com/satchel-dev/satchel"
)

// What the signals come to for a person: each of them measures one of these.
const (
	sharesWords  = "the words of the task stand in it"
	isAbout      = "one of its functions is about the task"
	definesNamed = "it defines what the task speaks of"
	usesNamed    = "it uses what the task names"
	pathWords    = "its path shares words with the task"
	namedByTask  = "the task or its traceback names it"
	likeCommits  = "commits that were like this task changed it"
	howLately    = "how often and how lately it changed"
	goesWith     = "it goes with other likely files"
	firstLook    = "the first ranking, by the task alone"
	whatItIs     = "what kind of file it is"
	itsFile      = "its file is likely"
	whatPart     = "what kind of part it is, how long, and where"
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
// the ranking, the strongest first. Their sum is the same. A reason that is none
// of a signal stays as it is.
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
