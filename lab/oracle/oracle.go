// Package oracle outlines texts with tree-sitter. Its tests compare these outlines with
// the definitions of internal/code/outline, the outliner of the product: [Trees].
//
// It is built with the tag oracle, which takes cgo and a C compiler; without the tag it
// is empty.
package oracle
