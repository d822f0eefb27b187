package hygiene

import (
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/text/lazy"
	"github.com/satchel-dev/satchel/internal/text/markdown"
)

const elements = `a|abbr|address|area|article|aside|audio|b|base|bdi|bdo|blockquote|body|br|button|canvas|caption|center|cite|code|col|dd|del|details|dfn|dialog|div|dl|dt|em|embed|fieldset|figure|font|footer|form|frame|frameset|h[1-6]|head|header|hr|html|i|iframe|img|image|input|ins|kbd|label|legend|li|link|main|map|mark|math|menu|meta|nav|noscript|object|ol|optgroup|option|p|param|picture|pre|progress|q|rp|rt|ruby|s|samp|script|section|select|small|source|span|strike|strong|style|sub|summary|sup|svg|table|tbody|td|template|textarea|tfoot|th|thead|time|title|tr|track|tt|u|ul|var|video|wbr`

var (
	image     = lazy.Regexp(`!\[([^\]]*)\](?:\([^)]*\)?|\[[^\]\n]*\])`)
	target    = lazy.Regexp(`\]\(\s*<?([^)\s>]*)[^)\n]*\)?`)
	defined   = lazy.Regexp(`(?m)^([ \t>]{0,8}\[[^\n]+?\]):[ \t]*\n?[ \t]*<?([^\s>]+)>?`)
	comment   = lazy.Regexp(`(?s)<!--.*?(?:-->|\z)`)
	attribute = lazy.Regexp(`(?is)<((?:` + elements + `)[\s/](?:[^<>]*?[\s/"'])?[\w:-]+\s*=\s*["'\w/&#.\\][^<>]*)(>?)`)
	bare      = lazy.Regexp(`(?i)(^|[^\w])<(?:` + elements + `)[ \t]*/?>|</(?:` + elements + `)[ \t]*>`)
	address   = lazy.Regexp(`(?i)((?:(?:https?|ftps?|wss?|file)://|\bwww\.)+)([^\s<>"'` + "`" + `)\]}|*]*)`)
	plainPath = lazy.Regexp(`^(?:#[\w.-]*|\.{0,2}/?[\w][\w./-]*(?:#[\w.-]*)?)$`)
	web       = lazy.Regexp(`(?i)^https?://`)
)

// HostsOf returns the hosts of the addresses that stand in a text, each once.
func HostsOf(text string) (list []string) {
	for _, m := range address().FindAllStringSubmatch(text, -1) {
		if h := hostOf(m[2]); h != "" && !slices.Contains(list, h) {
			list = append(list, h)
		}
	}
	return list
}

// hostOf returns the host of an address without its scheme; "" if readers of
// addresses may disagree about it.
func hostOf(rest string) string {
	if i := strings.IndexAny(rest, "/?#:"); i >= 0 {
		rest = rest[:i]
	}
	host := strings.Trim(strings.ToLower(rest), ".,;!")
	if strings.Trim(host, "abcdefghijklmnopqrstuvwxyz0123456789.-") != "" {
		return ""
	}
	return host
}

// known reports whether an address leads to one of the hosts.
func (g *Guard) known(address string) bool {
	at := web().FindString(address)
	if at == "" {
		return false
	}
	h := hostOf(address[len(at):])
	return h != "" && slices.ContainsFunc(g.Hosts, func(k string) bool { return strings.EqualFold(k, h) })
}

// images leaves of images what they are said to show, wherever they stand: whoever
// loads one tells its server.
func (p *pass) images() {
	p.drop(Image, image(), func(m []string) string { return m[1] })
}

// html takes out comments, and tags with attributes, wherever they stand, and other
// tags outside of code.
func (p *pass) html() {
	none := func([]string) string { return "" }
	p.drop(HTML, comment(), none)
	p.drop(HTML, attribute(), func(m []string) string {
		if m[2] == "" { // what comes later may close it
			return m[1]
		}
		return ""
	})
	p.prose(func(s string) string {
		return replace(bare(), s, func(m []string) string {
			p.take(HTML, strings.TrimPrefix(m[0], m[1]))
			return m[1]
		})
	})
}

// links makes plain text of addresses whose hosts are not known.
func (p *pass) links() {
	p.drop(Link, target(), func(m []string) string {
		if m[1] == "" || plainPath().MatchString(m[1]) || p.known(m[1]) || !actsAsTarget(m[1]) {
			return m[0]
		}
		return "]"
	})
	p.drop(Link, defined(), func(m []string) string {
		if plainPath().MatchString(m[2]) || p.known(m[2]) || !actsAsTarget(m[2]) {
			return m[0]
		}
		return m[1]
	})
	p.drop(Link, address(), func(m []string) string {
		if p.known(m[0]) {
			return m[0]
		}
		return m[2]
	})
}

// actsAsTarget reports whether a browser may go elsewhere for what stands in a
// link's place: what follows a call's brackets in code seldom looks like it.
func actsAsTarget(s string) bool { return strings.ContainsAny(s, `:/\&%`) }

// prose replaces what stands outside of code.
func (p *pass) prose(with func(string) string) {
	if p.Message {
		p.s = with(p.s)
		return
	}
	var out, paragraph strings.Builder
	flush := func() {
		out.WriteString(outsideSpans(paragraph.String(), with))
		paragraph.Reset()
	}
	var f markdown.Fences
	for line := range strings.Lines(p.s) {
		if indent := len(line) - len(strings.TrimLeft(line, " \t")); indent > 3 && !f.Open() || strings.HasPrefix(line, "\t") && !f.Open() {
			paragraph.WriteString(line) // no fence may stand so deep
			continue
		}
		switch part := f.Line([]byte(line)); {
		case part != markdown.Prose:
			flush()
			out.WriteString(line)
		case strings.TrimSpace(line) == "":
			paragraph.WriteString(line)
			flush()
		default:
			paragraph.WriteString(line)
		}
	}
	flush()
	p.s = out.String()
}

// outsideSpans replaces what stands outside of the spans of code of a paragraph: a
// run of backticks opens one if as many close it.
func outsideSpans(s string, with func(string) string) string {
	var b strings.Builder
	start := 0
	for i := 0; i < len(s); {
		switch s[i] {
		case '\\':
			i += 2
			continue
		case '`':
		default:
			i++
			continue
		}
		n := runOf(s[i:])
		end := closing(s[i+n:], n)
		if end < 0 {
			i += n
			continue
		}
		b.WriteString(with(s[start:i]))
		b.WriteString(s[i : i+n+end])
		i += n + end
		start = i
	}
	b.WriteString(with(s[start:]))
	return b.String()
}

func runOf(s string) (n int) {
	for n < len(s) && s[n] == '`' {
		n++
	}
	return n
}

// closing returns the end of the run of n backticks that closes a span, or -1.
func closing(s string, n int) int {
	for i := 0; i < len(s); {
		if s[i] != '`' {
			i++
			continue
		}
		k := runOf(s[i:])
		i += k
		if k == n {
			return i
		}
	}
	return -1
}
