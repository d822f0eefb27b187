package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Price is what a million tokens of a model cost, as the user says.
type Price struct {
	Model      string   `json:"model"` // or the beginning of its name
	Input      float64  `json:"input"`
	Output     float64  `json:"output"`
	CacheRead  *float64 `json:"cache_read,omitempty"` // nil if the user did not say
	CacheWrite *float64 `json:"cache_write,omitempty"`
	Currency   string   `json:"currency"`
}

// perTokens is what a Price is for.
const perTokens = 1_000_000

// Cost returns what tokens cost, if all that the user has to say of it was said.
func (p *Price) Cost(input, output, cacheRead, cacheWrite int) (cost float64, ok bool) {
	cost = float64(input)*p.Input + float64(output)*p.Output
	for _, c := range []struct {
		tokens int
		price  *float64
	}{{cacheRead, p.CacheRead}, {cacheWrite, p.CacheWrite}} {
		if c.tokens == 0 {
			continue
		}
		if c.price == nil {
			return 0, false
		}
		cost += float64(c.tokens) * *c.price
	}
	return cost / perTokens, true
}

// PriceOf returns the price of a model: that with the longest name that the
// model's begins with; nil if the user gave none.
func (c *Config) PriceOf(model string) (best *Price) {
	model = strings.ToLower(model)
	for i := range c.Prices {
		p := &c.Prices[i]
		if strings.HasPrefix(model, strings.ToLower(p.Model)) && (best == nil || len(p.Model) > len(best.Model)) {
			best = p
		}
	}
	return best
}

// fields returns the fields of a price, with the name of the model first.
func (p *Price) fields() []field {
	return []field{
		{"model", &p.Model}, {"input", &p.Input}, {"output", &p.Output},
		{"cache-read", &p.CacheRead}, {"cache-write", &p.CacheWrite}, {"currency", &p.Currency},
	}
}

// priceTables reads the tables [prices."MODEL"] of the user's file.
func priceTables(v any) (prices []Price, err error) {
	tables, err := typed[map[string]any](`tables [prices."MODEL"]`, v)
	for _, model := range slices.Sorted(maps.Keys(tables)) {
		p := Price{Model: model, Input: -1, Output: -1, Currency: dollar}
		if _, err := readTable(fmt.Sprintf("prices.%.60q", model), tables[model], p.fields()[1:]); err != nil {
			return nil, err
		}
		if model == "" || p.Input < 0 || p.Output < 0 {
			return nil, errors.New("a price needs a model, input and output")
		}
		if len(p.Currency) > maxCurrency {
			return nil, errors.New("currency: want a sign or a short name")
		}
		prices = append(prices, p)
	}
	return prices, err
}

// dollar is the currency of a price that names none.
const dollar = "$"

// maxCurrency is how long the name of a currency may be, in bytes.
const maxCurrency = 8
