package state

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
)

// A node is a JSON value whose members stand in the order of the text.
type node struct {
	kind  nodeKind
	text  string   // of a string, or a literal as it is written
	keys  []string // of an object, one for each of items
	items []*node  // of an object or array
}

type nodeKind uint8

const (
	null nodeKind = iota
	str
	literal // a number, true or false
	object
	array
)

// parse reads the input of a call. What is no JSON, and what says nothing, is an
// empty object.
func parse(input json.RawMessage) *node {
	dec := json.NewDecoder(bytes.NewReader(input))
	dec.UseNumber()
	n, err := decode(dec, 0)
	if err != nil || n.kind == null || n.kind != literal && n.text == "" && len(n.items) == 0 {
		return &node{kind: object}
	}
	return n
}

// maxDepth is how deep values may be nested.
const maxDepth = 200

var errTooDeep = errors.New("nested too deep")

func decode(dec *json.Decoder, depth int) (*node, error) {
	t, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case nil:
		return &node{}, nil
	case string:
		return &node{kind: str, text: t}, nil
	case json.Number:
		return &node{kind: literal, text: t.String()}, nil
	case bool:
		if t {
			return &node{kind: literal, text: "true"}, nil
		}
		return &node{kind: literal, text: "false"}, nil
	}
	if depth > maxDepth {
		return nil, errTooDeep
	}
	n := &node{kind: array}
	if t == json.Delim('{') {
		n.kind = object
	}
	for dec.More() {
		if n.kind == object {
			key, err := dec.Token()
			if err != nil {
				return nil, err
			}
			n.keys = append(n.keys, key.(string))
		}
		item, err := decode(dec, depth+1)
		if err != nil {
			return nil, err
		}
		n.items = append(n.items, item)
	}
	_, err = dec.Token()
	return n, err
}

// get returns a member of an object; null if it has none.
func (n *node) get(key string) *node {
	for i, k := range n.keys {
		if k == key {
			return n.items[i]
		}
	}
	return &node{}
}

// str returns the first member that is a string.
func (n *node) str(keys ...string) (string, bool) {
	for _, k := range keys {
		if v := n.get(k); v.kind == str {
			return v.text, true
		}
	}
	return "", false
}

// said returns the first member that is a string or literal and not empty.
func (n *node) said(keys ...string) string {
	for _, k := range keys {
		if v := n.get(k); v.text != "" {
			return v.text
		}
	}
	return ""
}

// strings returns the items of an array, if all are strings.
func (n *node) strings() ([]string, bool) {
	var out []string
	for _, x := range n.items {
		if x.kind != str {
			return nil, false
		}
		out = append(out, x.text)
	}
	return out, n.kind == array
}

// A leaf is a string or literal within a value, under the nearest key.
type leaf struct{ key, text string }

func (n *node) leaves() []leaf {
	var out []leaf
	var walk func(n *node, key string)
	walk = func(n *node, key string) {
		switch n.kind {
		case str, literal:
			out = append(out, leaf{key, n.text})
		case object, array:
			for i, x := range n.items {
				if n.kind == object {
					walk(x, n.keys[i])
				} else {
					walk(x, key)
				}
			}
		}
	}
	walk(n, "")
	return out
}

// patch returns the last string of the value or among its members, or among the
// strings of a member, that is a patch with its own headings.
func (n *node) patch() string {
	found := ""
	look := func(x *node) {
		if x.kind == str && strings.Contains(x.text, patchBegins) {
			found = x.text
		}
	}
	look(n)
	if n.kind != object {
		return found
	}
	for _, x := range n.items {
		look(x)
		if x.kind == array {
			for _, y := range x.items {
				look(y)
			}
		}
	}
	return found
}
