package signal

import (
	"math"
	"path"
	"strings"

	"github.com/satchel-dev/satchel/internal/outline"
	"github.com/satchel-dev/satchel/rank"
)

// Demotions, in the units of the score (log-odds). Tests hold 5 to 11 points of
// Acc@5 if they compete with source on equal terms.
const (
	demoteTests     = 5
	demoteOther     = 5 // documents, configuration, data
	demoteGenerated = 2
)

// measureKinds fills the columns that say what kind of file each is.
func (m *Measurement) measureKinds() {
	size := m.Table.Column(rank.Size)
	secondary := m.Table.Column(rank.Secondary)
	depth := m.Table.Column(rank.Depth)
	share := m.Table.Column(rank.LangShare)
	index := m.Table.Column(rank.IndexFile)
	generated := m.Table.Column(rank.Generated)
	langs := map[string]float32{}
	var code float32
	for _, f := range m.files {
		if f.Class == outline.Source {
			langs[family(f.Lang)]++
			code++
		}
	}
	wants := m.Query.Wants
	for i, f := range m.files {
		size[i] = float32(math.Log1p(float64(f.Size)))
		depth[i] = float32(strings.Count(f.Path, "/"))
		share[i] = langs[family(f.Lang)] / max(code, 1)
		if outline.Secondary(f.Path) {
			secondary[i] = 1
		}
		b := path.Base(m.lower[i])
		if indexFile(strings.TrimSuffix(b, path.Ext(b))) || b == "doc.go" {
			index[i] = 1
		}
		switch f.Class {
		case outline.Source:
			m.Table.Primary[i] = true
		case outline.Generated:
			m.Table.Primary[i] = true
			generated[i] = 1
			m.Table.Demotion[i] = rank.Demotion{Why: "generated", By: demoteGenerated}
		case outline.Test:
			if !wants[rank.AskTests] {
				m.Table.Demotion[i] = rank.Demotion{Why: "test, not asked for", By: demoteTests}
			}
		case outline.Docs:
			if !wants[rank.AskDocs] {
				m.Table.Demotion[i] = rank.Demotion{Why: "document, not asked for", By: demoteOther}
			}
		default:
			if !wants[rank.AskConfig] {
				m.Table.Demotion[i] = rank.Demotion{Why: "not code, not asked for", By: demoteOther}
			}
		}
	}
}

// family groups the languages that make one program together.
func family(lang string) string {
	switch lang {
	case "javascript", "typescript", "tsx", "vue", "svelte":
		return "javascript"
	case "c", "cpp", "objc":
		return "c"
	case "java", "kotlin", "scala":
		return "java"
	}
	return lang
}
