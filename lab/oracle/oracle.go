// Package oracle outlines texts with tree-sitter, as the truth that the outliner of
// the product, internal/code/outline, is compared with: [Trees].
//
// It is built with the tag oracle, which takes cgo and a C compiler; without it
// every outline is an error. Nothing but programs and tests of lab imports it.
package oracle
