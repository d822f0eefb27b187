package signal

import (
	"cmp"
	"math"
	"slices"

	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/rank"
)

// Constants of the history columns, as measured on the development tasks.
const (
	similarCommits = 150 // past commits that vouch for their files
	focused        = 20  // files; a commit that changes more says little about each
	day            = 86400
)

// match is one term of the task in one commit's message.
type match struct {
	commit int32
	count  float32
}

// A taskMatch is a term of the task, and the messages that it occurs in.
type taskMatch struct {
	rank.Term
	weight  float32
	matches []match
}

// measureHistory fills the columns about past commits: those whose messages
// resemble the task, and when and how often each file changed.
func (m *Measurement) measureHistory() {
	h := m.View.History()
	if h == nil || len(h.Commits) == 0 {
		return
	}
	past := m.past()
	m.measureChanges(m.now(h))
	cited := m.newCitations(h)
	asked := m.askHistory(h, cited)
	if past.commits == 0 {
		return
	}
	m.measureSimilar(h, past.fileOf, scoreCommits(h, asked, past))
	m.measureMessages(h, asked, past)
	m.measureCited(h, past.fileOf, cited)
}

// askHistory finds which terms of the task occur in which messages. A bitmap answers
// most of the look-ups: few of the many terms of the messages are in the task.
func (m *Measurement) askHistory(h *index.History, cited *citations) []taskMatch {
	byHash := make(map[uint64]int32, len(m.Query.Terms))
	asked := make([]taskMatch, 0, len(m.Query.Terms))
	var bitmap [1 << 10]uint64
	for _, t := range m.Query.Terms {
		byHash[t.Hash] = int32(len(asked))
		asked = append(asked, taskMatch{Term: t})
		bitmap[t.Hash>>8&1023] |= 1 << (t.Hash >> 2 & 63)
	}
	for _, t := range m.Query.Numbers {
		bitmap[t>>8&1023] |= 1 << (t >> 2 & 63)
	}
	for ci := range h.Commits {
		c := &h.Commits[ci]
		for _, t := range c.Terms {
			if bitmap[t.Term>>8&1023]>>(t.Term>>2&63)&1 == 0 {
				continue
			}
			if q, ok := byHash[t.Term]; ok {
				asked[q].matches = append(asked[q].matches, match{int32(ci), float32(t.N)})
			}
			cited.number(t.Term, int32(ci))
		}
	}
	return asked
}

// scoreCommits weighs the terms and scores the messages by them (BM25).
func scoreCommits(h *index.History, asked []taskMatch, past *past) []float32 {
	score := make([]float32, len(h.Commits))
	for q := range asked {
		t := &asked[q]
		df := float64(len(t.matches))
		if df == 0 {
			continue
		}
		idf := float32(math.Log(1 + (past.commits-df+0.5)/(df+0.5)))
		t.weight = idf * min(t.Count, 4) / (min(t.Count, 4) + 1) * 2
		if t.Title > 0 {
			t.weight += titleWeight * idf
		}
		for _, x := range t.matches {
			norm := k1 * (0.4 + 0.6*float32(h.Commits[x.commit].Len)/float32(past.mean))
			score[x.commit] += t.weight * x.count * (k1 + 1) / (x.count + norm)
		}
	}
	return score
}

// measureMessages scores the messages of each file's commits as one field.
func (m *Measurement) measureMessages(h *index.History, asked []taskMatch, past *past) {
	text := m.Table.Column(rank.CommitText)
	acc := make([]float32, len(m.files))
	var touched []int32
	for q := range asked {
		t := &asked[q]
		touched = touched[:0]
		for _, x := range t.matches {
			c := &h.Commits[x.commit]
			if c.Changed > focused {
				continue
			}
			k := share(c.Changed)
			for _, f := range c.Files {
				if i := past.fileOf[f]; i >= 0 {
					if acc[i] == 0 {
						touched = append(touched, i)
					}
					acc[i] += k
				}
			}
		}
		for _, i := range touched {
			norm := k1 * (0.3 + 0.7*past.field[i]/past.avg)
			text[i] += t.weight * acc[i] * (k1 + 1) / (acc[i] + norm)
			acc[i] = 0
		}
	}
}

// share is how much one of n changed files takes of a commit's message.
func share(n int32) float32 { return float32(1 / (1 + math.Log(float64(max(n, 1))))) }

// now is the time against which recency is measured. The newest commit's time
// is that of the commit viewed, not the latest of any: a commit dated in the
// future must not make all others old.
func (m *Measurement) now(h *index.History) int64 {
	if m.Query.Now != 0 {
		return m.Query.Now
	}
	return h.Commits[0].Time
}

// measureChanges fills the columns about when and how often files changed.
func (m *Measurement) measureChanges(now int64) {
	x := m.changedBy(now)
	copy(m.Table.Column(rank.Recent180), x.r180)
	copy(m.Table.Column(rank.Churn), x.churn)
	copy(m.Table.Column(rank.Age), x.age)
}

// measureSimilar credits the files of the commits most similar to the task.
func (m *Measurement) measureSimilar(h *index.History, fileOf []int32, score []float32) {
	var like []int32
	for i, s := range score {
		if s > 0 {
			like = append(like, int32(i))
		}
	}
	slices.SortFunc(like, func(a, b int32) int {
		return cmp.Or(cmp.Compare(score[b], score[a]), cmp.Compare(a, b))
	})
	like = like[:min(len(like), similarCommits)]
	if len(like) == 0 {
		return
	}
	sum := m.Table.Column(rank.CommitSum)
	for _, ci := range like {
		c := &h.Commits[ci]
		rel := score[ci] / score[like[0]]
		k := 1 / float32(math.Sqrt(float64(max(c.Changed, 1))))
		for _, f := range c.Files {
			if i := fileOf[f]; i >= 0 {
				sum[i] += rel * rel * rel * k
			}
		}
	}
}
