//go:build cgo && oracle

package oracle

import "strings"

var rubyRules = rules{
	"class":            {do: rubyType, kind: "class", local: true, box: true},
	"module":           {do: rubyType, kind: "module", local: true, box: true},
	"singleton_class":  does(rubySingleton),
	"method":           {do: rubyMethod, kind: "func", local: true},
	"singleton_method": {do: rubyMethod, kind: "func", local: true},
	"assignment":       {do: rubyConstant, kind: "const"},
	"call":             does(rubyCall),
	"comment":          does(comment),
	"string":           does(skip),
}

func rubyType(x *extractor, i int, r *rule) bool {
	name := x.child(i, "name")
	if name < 0 {
		return false
	}
	d := definition{kind: r.kind, name: string(x.text(name)), at: name}
	if k := strings.LastIndex(d.name, "::"); k >= 0 {
		d.path = strings.Trim(strings.ReplaceAll(d.name[:k], "::", "."), ".")
		d.name = d.name[k+2:]
	}
	x.define(i, d, r)
	x.top().typ = true // a module's functions are methods too
	return false
}

func rubySingleton(x *extractor, i int, r *rule) bool {
	x.push(i, "", false, true)
	return false
}

func rubyMethod(x *extractor, i int, r *rule) bool {
	name := x.child(i, "name")
	if name < 0 {
		return false
	}
	d := definition{kind: "func", name: string(x.text(name)), at: name}
	if x.kind(i) == "singleton_method" {
		d.kind = "method"
		if o := x.child(i, "object"); o >= 0 && string(x.text(o)) != "self" {
			d.path = strings.ReplaceAll(string(x.text(o)), "::", ".")
			if t := x.top().path; t == d.path || strings.HasSuffix(t, "."+d.path) {
				d.path = ""
			}
		}
	}
	x.define(i, d, r)
	return false
}

func rubyConstant(x *extractor, i int, r *rule) bool {
	left := x.child(i, "left")
	if left < 0 || x.kind(left) != "constant" {
		return false
	}
	x.define(i, definition{kind: "const", name: string(x.text(left)), at: left}, &rule{box: true})
	return false
}

// rubyCall defines the names of attributes and of define_method.
func rubyCall(x *extractor, i int, r *rule) bool {
	m, args := x.child(i, "method"), x.child(i, "arguments")
	if m < 0 || args < 0 {
		return false
	}
	switch string(x.text(m)) {
	case "attr_accessor", "attr_reader", "attr_writer":
		x.children(args, func(j int) {
			if x.kind(j) == "simple_symbol" {
				saved := len(x.open)
				x.define(i, definition{kind: "field", name: strings.TrimPrefix(string(x.text(j)), ":"), at: j}, &rule{})
				x.open = x.open[:saved]
			}
		})
	case "define_method", "alias_method", "scope":
		if s := x.first(args, "simple_symbol"); s >= 0 {
			x.define(i, definition{kind: "func", name: strings.TrimPrefix(string(x.text(s)), ":"), at: s}, &rule{local: true})
		}
	}
	return false
}
