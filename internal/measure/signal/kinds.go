package signal

import (
	"github.com/satchel-dev/satchel/internal/code/outline"
	"github.com/satchel-dev/satchel/rank"
)

// Demotions, in the units of the score (log-odds). Tests hold 5 to 11 points of
// Acc@5 if they compete with source on equal terms.
const (
	demoteTests     = 5
	demoteOther     = 5 // documents, configuration, data
	demoteGenerated = 2
	demoteVendored  = 2 // as a README above says
)

// measureKinds fills the columns that say what kind of file each is.
func (m *Measurement) measureKinds() {
	k := m.kinds()
	copy(m.Table.Column(rank.Secondary), k.secondary)
	copy(m.Table.Column(rank.IndexFile), k.index)
	generated := m.Table.Column(rank.Generated)
	wants := m.Query.Wants
	for i, f := range m.files {
		m.Table.Primary[i] = primary(f.Class)
		switch f.Class {
		case outline.Source:
			if f.Vendored {
				m.Table.Demotion[i] = rank.Demotion{Why: "vendored according to a README", By: demoteVendored}
			}
		case outline.Generated:
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

// primary reports whether files of a class are what is looked for.
func primary(c outline.Class) bool { return c == outline.Source || c == outline.Generated }
