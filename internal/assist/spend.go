package assist

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/transcript"
)

// A Price says what a call cost, in US dollars; false if that is not known.
type Price func(u *transcript.Usage) (usd float64, known bool)

// Spent is what was spent.
type Spent struct {
	Calls int           `json:"calls"`
	Usage render.Tokens `json:"usage"`
	USD   float64       `json:"usd"`

	// Known says that USD is all of it: every call had a price, and its server
	// reported what it used.
	Known bool `json:"known"`
}

// Tokens is what counts against a limit: all that was read and written.
func (s *Spent) Tokens() int { return s.Usage.Input + s.Usage.Output }

// Add adds what another run spent.
func (s *Spent) Add(o *Spent) {
	s.Calls, s.USD, s.Known = s.Calls+o.Calls, s.USD+o.USD, s.Known && o.Known
	s.Usage.Add(o.Usage)
}

// TokensOf is a usage as documents have it.
func TokensOf(u *transcript.Usage) render.Tokens {
	return render.Tokens{Input: u.Prompt(), Cached: u.CacheRead, Output: u.Output}
}

// A Spend holds all calls of one command to what they may cost together. The zero
// value has no limit. It is safe for concurrent use.
type Spend struct {
	MostTokens int     // read and written; zero means no limit
	MostUSD    float64 // zero means no limit

	mu       sync.Mutex
	spent    Spent
	unknown  bool // something was spent whose price is not known
	reserved struct {
		tokens int
		usd    float64
	}
}

// Spent returns what was spent until now.
func (s *Spend) Spent() Spent {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.spent
	out.Known = !s.unknown
	return out
}

// A reservation is what a call may cost at most.
type reservation struct {
	tokens int
	usd    float64
}

// reserve sets aside what a call may cost that sends in tokens and is answered by at
// most out. It reports whether that is within the limits.
func (s *Spend) reserve(in, out int, price Price) (reservation, bool) {
	r := reservation{tokens: in + out}
	if price != nil {
		r.usd, _ = price(&transcript.Usage{Input: in, Output: out})
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.MostTokens > 0 && s.spent.Tokens()+s.reserved.tokens+r.tokens > s.MostTokens {
		return r, false
	}
	if s.MostUSD > 0 && s.spent.USD+s.reserved.usd+r.usd > s.MostUSD {
		return r, false
	}
	s.reserved.tokens += r.tokens
	s.reserved.usd += r.usd
	return r, true
}

// settle replaces a reservation by what was used. A nil usage means that the server
// did not report any: what was sent counts, as we counted it.
func (s *Spend) settle(r reservation, list []*transcript.Usage, sent int, price Price) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reserved.tokens -= r.tokens
	s.reserved.usd -= r.usd
	s.spent.Calls++
	if len(list) == 0 {
		s.unknown = true // nobody said what it cost that there was no answer
	}
	for _, u := range list {
		if u == nil {
			s.unknown = true
			u = &transcript.Usage{Input: sent}
		}
		s.spent.Usage.Add(TokensOf(u))
		if price == nil {
			s.unknown = true
			continue
		}
		usd, known := price(u)
		s.spent.USD += usd
		s.unknown = s.unknown || !known
	}
}

// limit says in words which limit a call would break.
func (s *Spend) limit(r reservation) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.spent.Calls == 0 { // a call that would break it alone
		if s.MostTokens > 0 && r.tokens > s.MostTokens {
			return fmt.Sprintf("the first call may take up to %s, more than --max-spend %d", render.Plural(r.tokens, "token"), s.MostTokens)
		}
		if s.MostUSD > 0 && r.usd > s.MostUSD {
			return fmt.Sprintf("the first call may cost up to %s, more than --max-spend %susd", dollarsOver(r.usd, s.MostUSD), strconv.FormatFloat(s.MostUSD, 'f', -1, 64))
		}
	}
	var most []string
	if s.MostUSD > 0 {
		most = append(most, fmt.Sprintf("$%.2f", s.MostUSD))
	}
	if s.MostTokens > 0 {
		most = append(most, render.Plural(s.MostTokens, "token"))
	}
	return fmt.Sprintf("the limit of %s is used up", strings.Join(most, ", "))
}

// dollarsOver writes a sum with as many digits as show that it is above most.
func dollarsOver(usd, most float64) string {
	for digits := 2; ; digits++ {
		text := strconv.FormatFloat(usd, 'f', digits, 64)
		if shown, _ := strconv.ParseFloat(text, 64); shown > most || digits == 9 {
			return "$" + text
		}
	}
}

// release gives a reservation back that was not used.
func (s *Spend) release(r reservation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reserved.tokens -= r.tokens
	s.reserved.usd -= r.usd
}
