package terms

import "strings"

// stop holds words that say nothing about what a text is about: English
// function words, and the courtesies of issue reports.
var stop = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`
		a an the and or of to in is it its this that these those for on with as be
		are was were by at from not no but if then else when while do does did done
		can could should would will may might must have has had having i you he she
		we they them our your my me us what which who whom how why where there here
		so such than too very just also only into out up down over under again more
		most some any all each other own same s t don now get got use used using see
		please like want need make made one two new would because after before about
		between through during both few nor via etc e g ie eg hi hello thanks thank`) {
		m[w] = true
	}
	return m
}()
