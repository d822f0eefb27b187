// Package lab measures satchel and makes its tables. It holds nothing but
// programs and what they share, in a module of its own, so that neither they nor
// what they depend on comes to those who use satchel.
//
// Run them in this folder, as in "go run ./eval -help"; each says in its first
// lines what it does. The Makefile above has the usual calls.
package lab
