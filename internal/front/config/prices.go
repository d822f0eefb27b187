package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Price is what a million tokens of a model cost, as the user says.
type Price struct {
	Model      string   `json:"model" toml:"-"` // or the beginning of its name
	Input      float64  `json:"input" toml:"input"`
	Output     float64  `json:"output" toml:"output"`
	CacheRead  *float64 `json:"cache_read,omitempty" toml:"cache-read"` // nil if the user did not say
	CacheWrite *float64 `json:"cache_write,omitempty" toml:"cache-write"`
	Currency   string   `json:"currency" toml:"currency"`
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

// readPrices reads the tables [prices."MODEL"] of the user's file.
func readPrices(text []byte) (prices []Price, err error) {
	var tables struct {
		Prices map[string]struct {
			Price
			Input  *float64 `toml:"input"`
			Output *float64 `toml:"output"`
		}
	}
	if err := decode(text, &tables); err != nil {
		return nil, err
	}
	for _, model := range slices.Sorted(maps.Keys(tables.Prices)) {
		t := tables.Prices[model]
		if model == "" || t.Input == nil || t.Output == nil {
			return nil, errors.New("a price needs a model, input and output")
		}
		for i, amount := range []*float64{t.Input, t.Output, t.CacheRead, t.CacheWrite} {
			if amount != nil && !fair(*amount) {
				return nil, fmt.Errorf("%s: %v: want %s", names(tableTypes["prices"])[i], *amount, aFair)
			}
		}
		if len(t.Currency) > maxCurrency {
			return nil, errors.New("currency: want a sign or a short name")
		}
		prices = append(prices, Price{model, *t.Input, *t.Output, t.CacheRead, t.CacheWrite, cmp.Or(t.Currency, dollar)})
	}
	return prices, nil
}

// fair reports whether a number is a price or a weight.
func fair(n float64) bool { return n >= 0 && n <= 1000 } // not NaN

const aFair = "a number from 0 to 1000"

// dollar is the currency of a price that names none.
const dollar = "$"

// maxCurrency is how long the name of a currency may be, in bytes.
const maxCurrency = 8
