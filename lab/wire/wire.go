// Package wire holds package llm to the libraries of those who made its protocols:
// the same conversation, by their code and by ours, against the same server, has to
// send the same requests and to read the same answers.
//
// It needs no network and no key. The libraries are the lab's alone: the program
// does not link them.
package wire
