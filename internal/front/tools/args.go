package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/satchel-dev/satchel/engine"
)

// mostArguments limits the bytes of a call's arguments: a pasted log fits.
const mostArguments = 1 << 20

// mostList is how many paths an argument may list.
const mostList = 200

// A bounded call says how long its answer may be.
type bounded struct {
	Budget int `json:"budget"`
}

// check fills in what is left out, and refuses what is out of bounds. Usual is the
// budget of a call that names none.
func (a *bounded) check(usual int) error {
	switch {
	case a.Budget == 0:
		a.Budget = usual
	case a.Budget < leastBudget || a.Budget > MostBudget:
		return fmt.Errorf("budget %d: want %d to %d tokens", a.Budget, leastBudget, MostBudget)
	}
	return nil
}

// A shared call has the arguments of every tool that agents have.
type shared struct {
	bounded
	Cursor string `json:"cursor"`
}

// with returns the answer of a tool from its function of decoded and checked arguments.
func with[T any, A interface {
	*T
	check(usual int) error
}](answer func(context.Context, *Host, *engine.Engine, A) (string, error)) answerFunc {
	return func(ctx context.Context, h *Host, e *engine.Engine, raw json.RawMessage, usual int) (string, error) {
		a := A(new(T))
		err := decode(raw, a)
		if err == nil {
			err = a.check(usual)
		}
		if err != nil {
			return "", err
		}
		return answer(ctx, h, e, a)
	}
}

// decode reads the arguments of a call. It refuses what the schema does not have,
// so that a model that misspells one learns of it.
func decode(raw json.RawMessage, to any) error {
	if len(raw) > mostArguments {
		return fmt.Errorf("the arguments have %d bytes, limit is %d", len(raw), mostArguments)
	}
	if len(bytes.TrimSpace(raw)) == 0 || bytes.Equal(bytes.TrimSpace(raw), []byte("null")) {
		raw = json.RawMessage("{}")
	}
	if !utf8.Valid(raw) {
		raw = bytes.ToValidUTF8(raw, []byte("\uFFFD"))
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	err := d.Decode(to)
	if err == nil {
		if _, more := d.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("unexpected text after the object")
		}
	}
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wrong) && wrong.Field != "":
		return fmt.Errorf("argument %s: want %s, got %s", wrong.Field[strings.LastIndexByte(wrong.Field, '.')+1:], wanted(wrong.Type.Kind().String()), wrong.Value)
	case errors.As(err, &wrong):
		return fmt.Errorf("arguments: want an object, got %s", wrong.Value)
	}
	return fmt.Errorf("arguments: %.200s", strings.TrimPrefix(err.Error(), "json: "))
}

// wanted names the kind of a Go type as JSON knows it.
func wanted(kind string) string {
	switch kind {
	case "int":
		return "a whole number"
	case "slice":
		return "a list"
	case "bool":
		return "true or false"
	}
	return "a " + kind
}

// paths returns paths relative to the root of the workspace.
func (h *Host) paths(what string, names []string) ([]string, error) {
	if len(names) > mostList {
		return nil, fmt.Errorf("%s: want at most %d paths, got %d", what, mostList, len(names))
	}
	var out []string
	for _, name := range names {
		p, err := h.relative(name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", what, err)
		}
		out = append(out, p)
	}
	return out, nil
}

// relative returns one path relative to the root of the workspace.
func (h *Host) relative(name string) (string, error) {
	if strings.ContainsRune(name, 0) {
		return "", errors.New("a path contains a NUL byte")
	}
	return h.Path(name)
}

// within refuses revisions that a guarded host does not show: those that are neither a
// side of the change that is looked at nor an ancestor of one.
func (h *Host) within(ctx context.Context, e *engine.Engine, revs ...string) error {
	if !h.Guarded {
		return nil
	}
	tips := h.Change.Spec().Revisions()
	if len(tips) == 0 {
		tips = []string{"HEAD"}
	}
	for _, rev := range revs {
		if err := e.History().Within(ctx, rev, tips...); err != nil {
			return err
		}
	}
	return nil
}

// Revision refuses what git would take for an option. It looks again for itself;
// the model gets the better message from here.
func Revision(what, rev string) error {
	if strings.HasPrefix(rev, "-") {
		return fmt.Errorf("%s %.40q: a revision cannot begin with a dash", what, rev)
	}
	return nil
}
