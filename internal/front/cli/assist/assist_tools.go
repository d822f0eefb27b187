package assist

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/front/tools"
	"github.com/satchel-dev/satchel/internal/world/llm"
)

// A toolbox answers a model's questions about the repository, at the change that it
// is asked about.
type toolbox struct {
	host   *tools.Host
	engine *engine.Engine
}

func (a *app) toolbox(e *engine.Engine, change engine.DiffRequest) *toolbox {
	return &toolbox{&tools.Host{Path: a.RootPath, Change: change, Guarded: true}, e}
}

// List returns the tools for a model of our own asking.
func (b *toolbox) List() (list []llm.Tool) {
	for _, t := range tools.Of(tools.Inside) {
		list = append(list, llm.Tool{Name: t.Name, Use: t.Use, Schema: insideSchema(t)})
	}
	return list
}

// insideSchema is the schema of a tool without what a model of our own asking has no
// say in: how long an answer may be, and its form. Its keys stay sorted.
func insideSchema(t *tools.Tool) json.RawMessage {
	var s map[string]any
	if json.Unmarshal(t.Schema(), &s) != nil {
		return t.Schema()
	}
	if properties, ok := s["properties"].(map[string]any); ok {
		delete(properties, "budget")
		delete(properties, "format")
	}
	schema, err := json.Marshal(s)
	if err != nil {
		return t.Schema()
	}
	return schema
}

// Answer answers a call in no more than most tokens, whatever budget it names.
func (b *toolbox) Answer(ctx context.Context, name string, input json.RawMessage, most int) (string, error) {
	for _, t := range tools.Of(tools.Inside) {
		if t.Name == name {
			return t.Answer(ctx, b.host, b.engine, within(input, most), most)
		}
	}
	return "", fmt.Errorf("unknown tool %.40q", name)
}

// within lowers the budget that a call names.
func within(input json.RawMessage, most int) json.RawMessage {
	var args map[string]json.RawMessage
	var n float64
	if json.Unmarshal(input, &args) != nil || args["budget"] == nil || json.Unmarshal(args["budget"], &n) == nil && n <= float64(most) {
		return input
	}
	delete(args, "budget") // what is usual then is the most
	lower, err := json.Marshal(args)
	if err != nil {
		return input
	}
	return lower
}
