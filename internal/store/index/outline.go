package index

import "github.com/satchel-dev/satchel"

// Outline returns the definitions and imports of a blob in a language, if the
// index knows them from any View that was made of it. They are those of a text
// whose secrets were redacted first.
func (x *Index) Outline(blob, lang string) (symbols []satchel.Symbol, imports []string, ok bool) {
	p := findPlace(x.snapshot(), keyOf(blob, lang))
	if p.seg == nil {
		return nil, nil, false
	}
	return p.seg.symbols(int(p.doc)), p.seg.imports(int(p.doc)), true
}
