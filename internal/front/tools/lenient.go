package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/satchel-dev/satchel/budget"
)

// asMeant returns the arguments of a call with texts as the numbers and switches
// of the schema, where they can mean nothing else: models send "5" for 5, and
// "true" for true. A budget may also be "2k" or "40%"; share says how many tokens
// the latter is. What it does not understand stays for decode to refuse; a name
// that the schema does not have is refused here, with those that it has.
func (t *Tool) asMeant(raw json.RawMessage, share func(string) (int, int, error)) (json.RawMessage, error) {
	if len(raw) > mostArguments {
		return nil, decode(raw, nil)
	}
	var args map[string]json.RawMessage
	if json.Unmarshal(raw, &args) != nil || len(args) == 0 {
		return raw, nil
	}
	var schema struct {
		Properties map[string]struct{ Type string }
	}
	if err := json.Unmarshal(t.Schema(), &schema); err != nil {
		return nil, err // a test reads them all
	}
	changed := false
	for _, given := range slices.Sorted(maps.Keys(args)) {
		name := given
		if _, ok := schema.Properties[name]; !ok {
			for known := range schema.Properties {
				if strings.EqualFold(known, given) { // as decode takes it
					name = known
				}
			}
		}
		p, ok := schema.Properties[name]
		if !ok {
			return nil, fmt.Errorf("argument %.40q: %s takes %s", given, t.Name, strings.Join(slices.Sorted(maps.Keys(schema.Properties)), ", "))
		}
		if name == "budget" && t.grows(args[given]) {
			continue
		}
		v, err := meant(name, p.Type, args[given], share)
		if err != nil {
			return nil, fmt.Errorf("argument %s: %w", name, err)
		}
		changed = changed || !bytes.Equal(v, args[given])
		args[given] = v
	}
	if !changed {
		return raw, nil
	}
	return json.Marshal(args)
}

// meant is the value of one argument.
func meant(name, kind string, raw json.RawMessage, share func(string) (int, int, error)) (json.RawMessage, error) {
	if kind != "integer" && kind != "boolean" {
		return raw, nil
	}
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return raw, nil
	}
	switch v := v.(type) {
	case float64: // 5.0, which is 5
		if n := int64(v); kind == "integer" && float64(n) == v && math.Abs(v) < 1<<31 {
			return strconv.AppendInt(nil, n, 10), nil
		}
	case string:
		text := strings.TrimSpace(v)
		switch {
		case kind == "boolean" && (text == "true" || text == "false"):
			return json.RawMessage(text), nil
		case kind == "boolean":
			return nil, fmt.Errorf("want true or false, got %.40q", v)
		case name == "budget":
			n, err := budgetOf(text, share)
			return strconv.AppendInt(nil, int64(n), 10), err
		}
		n, err := strconv.Atoi(text)
		if err != nil {
			return nil, fmt.Errorf("want a whole number, got %.40q", v)
		}
		return strconv.AppendInt(nil, int64(n), 10), nil
	}
	return raw, nil
}

// budgetOf reads a budget that was given as a text. A share of a window may be
// more than an answer can have, and is the most then.
func budgetOf(text string, share func(string) (int, int, error)) (int, error) {
	l, err := budget.Parse(text)
	switch {
	case err != nil || text == "auto" || l == budget.Limit{}:
		return 0, fmt.Errorf("want %d to %d tokens, such as 2000, 2k or 40%%, got %.40q", leastBudget, MostBudget, text)
	case l.NeedsWindow():
		_, n, err := share(text)
		if err != nil {
			return 0, ofWhat(text, err)
		}
		return min(n, MostBudget), nil
	}
	n, _, err := l.Tokens(0, 0, budget.Auto{})
	return n, err
}

// ofWhat returns the error for a share without a known window.
func ofWhat(text string, err error) error {
	return fmt.Errorf("%s of what? %w; want %d to %d tokens", text, err, leastBudget, MostBudget)
}
