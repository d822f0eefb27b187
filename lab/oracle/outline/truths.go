package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/lab/oracle"
)

// version is part of the names in the cache. Raise it after a change of the rules
// of a tree.
const version = "1"

// A truth is what tree-sitter finds in a file.
type truth struct {
	Symbols []satchel.Symbol
	Broken  []satchel.Range // lines that the grammar did not understand
	Failed  string          // why there is no outline
}

// The truths ask tree-sitter, once a file.
type truths struct {
	dir   string
	trees oracle.Trees
}

func (o *truths) outline(lang string, f source) (t truth, err error) {
	name := filepath.Join(o.dir, version, lang, f.oid+".json")
	b, err := os.ReadFile(name)
	if err == nil && json.Unmarshal(b, &t) == nil {
		return t, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return t, err
	}
	out, broken, err := o.trees.Outline(lang, f.text)
	t = truth{Symbols: out.Symbols, Broken: broken}
	if err != nil {
		t.Failed = err.Error()
	}
	if b, err = json.Marshal(t); err != nil {
		return t, err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return t, err
	}
	return t, os.WriteFile(name, b, 0o666)
}
