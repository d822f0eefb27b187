package secrets

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// spellings are what may stand right before a key: colours, escapes, encodings.
var spellings = []string{
	"", " ", `"`, "\x1b[31m", "\x1b[0;1;38;5;208m", "\x1b[K", "\x1b[?25l", "\x1b(B", "\x1bM", "\x9b1m", "\u009b1m",
	`\x1b[31m`, `\x1B[1m`, `\u001b[31m`, `\u001B[0m`, `\033[1m`, `\e[1m`, `\E[1m`, `^[[32m`, "\u241b[31m", `%1B[1m`, `[33m`, `[0;32m`, `\u001b`, `\033`,
	`\n`, `\r\n`, `\t`, `\\n`, `\b`, `\0`, `\x00`, `\x22`, `\x3d`, `\x3D`, `\u0022`, `\u003d`, `\u003D`, `\U00000022`, `\u{22}`, `\75`, `\075`, `\"`,
	"%3D", "%3d", "%22", "%20", "%0A", "%253D", "%u003D", "=3D", "=22", "&quot;", "&#34;", "&#x22;", "_=", "=",
}

// forms make what follows a prefix where random bytes hardly have the shape.
var forms = map[string]func(*rand.Rand) string{
	"SG.":   func(r *rand.Rand) string { return word(r, urlSet, 22) + "." + word(r, urlSet, 43) },
	"pat":   func(r *rand.Rand) string { return word(r, alnumSet, 14) + "." + word(r, hexSet, 64) },
	"re_":   func(r *rand.Rand) string { return word(r, alnumSet, 8) + "_" + word(r, alnumSet, 24) },
	"KEY":   func(r *rand.Rand) string { return word(r, "A-F0-9", 32) + "_" + word(r, alnumSet, 22) },
	"pat.":  harnessKey,
	"sat.":  harnessKey,
	"t1.":   func(r *rand.Rand) string { return word(r, urlSet, 40) + "." + word(r, urlSet, 86) },
	"xoxd-": func(r *rand.Rand) string { return word(r, alnumSet+"%", 80) },
}

func harnessKey(r *rand.Rand) string {
	return word(r, urlSet, 22) + "." + word(r, alnumSet, 24) + "." + word(r, alnumSet, 20)
}

// sample returns a key of a rule, as its provider would issue it: random, and found
// where it stands alone.
func sample(t testing.TB, r *rule, random *rand.Rand) string {
	t.Helper()
	var set []byte
	for b := range 256 {
		if r.class[b] {
			set = append(set, byte(b))
		}
	}
	for range 10_000 {
		key := []byte(r.prefix)
		for range r.min + random.IntN(min(r.max, r.min+40)-r.min+1) {
			key = append(key, set[random.IntN(len(set))])
		}
		if form := forms[r.prefix]; form != nil {
			key = append([]byte(r.prefix), form(random)...)
		}
		if len(r.match(key, 0, nil)) == 1 {
			return string(key)
		}
	}
	t.Fatalf("%s: no random word after %q is a key of it", r.kind, r.prefix)
	return ""
}

// TestBehindSpellings: a key is found whatever stands right before it.
func TestBehindSpellings(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for i := range rules {
		for _, s := range spellings {
			key := sample(t, &rules[i], random)
			if clean, found := Redact("a.log", []byte(s+key+"\n")); len(found) == 0 || bytes.Contains(clean, []byte(key)) {
				t.Errorf("%s after %q: %s", rules[i].kind, s, clean)
			}
		}
	}
}

// TestNamedBehindSpellings: keys without a form of their own are found by the name
// that they are assigned to, however that is written.
func TestNamedBehindSpellings(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, p := range planted {
		if p.path == ".env" || fileKind(p.path) != nil {
			continue
		}
		for _, s := range spellings {
			text, secrets := plant(p.text(random))
			clean, found := Redact(p.path, []byte(s+text))
			if !slices.ContainsFunc(found, func(f Finding) bool { return f.Kind == p.kind }) {
				t.Errorf("%s behind %q is not found:\n%s", p.kind, s, clean)
			}
			for _, secret := range secrets {
				if bytes.Contains(clean, []byte(secret)) {
					t.Errorf("%s behind %q is shown:\n%s", p.kind, s, clean)
				}
			}
		}
	}
	for _, between := range []string{"=", "%3D", "%3d%22", `\u003d\u0022`, `\x3d\x22`, `=\"`, `": "`, `=\u001b[33m`, "=\x1b[33m", `\033[0m=\033[33m`, `%253D`} {
		key := word(random, b64Set, 40)
		for mixed([]byte(key)) == 0 {
			key = word(random, b64Set, 40)
		}
		if clean, found := Redact("a.log", []byte("AWS_SECRET_ACCESS_KEY"+between+key)); len(found) != 1 || bytes.Contains(clean, []byte(key)) {
			t.Errorf("between name and value %q: %s", between, clean)
		}
	}
}

// FuzzBehindSpellings writes a key of each rule behind each spelling, between other
// bytes.
func FuzzBehindSpellings(f *testing.F) {
	f.Add(uint16(5), uint16(3), uint64(1), "a=", "\nb")
	f.Add(uint16(0), uint16(40), uint64(2), "", "")
	f.Fuzz(func(t *testing.T, rule, spelling uint16, seed uint64, before, after string) {
		r := &rules[int(rule)%len(rules)]
		s := spellings[int(spelling)%len(spellings)]
		key := sample(t, r, rand.New(rand.NewPCG(seed, 0)))
		if s == "" || s == "=" || s == "_=" {
			before += "\n"
		}
		if len(after) > 0 && (r.class[after[0]] || isWord(after[0])) {
			after = "\n" + after
		}
		text := []byte(before + s + key + after)
		if clean, _ := Redact("a.log", text); bytes.Contains(clean, []byte(key)) {
			t.Errorf("%s is shown in %q", r.kind, clean)
		}
	})
}

// covers are what may be within a key without being seen.
var covers = []string{"\x1b[31m", "\x1b[01;31m\x1b[K", "\x1b[m\x1b[K", "\u200b", "\u00ad", "\ufeff", "\u2060", "\u202e", "\b", "\r", "x\b", "\x00", "\x7f", "\x1b", "\x1b]0;t\a", "\x1b]8;;u\x1b\\", "\x1b(B"}

// TestCovered: a key is found whatever is hidden in it, at any place.
func TestCovered(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for i := range rules {
		key := sample(t, &rules[i], random)
		for _, cover := range covers {
			at := random.IntN(len(key)-1) + 1
			checkCovered(t, "a.log", "x "+key[:at]+cover+key[at:]+"\n", cover, secretPart(&rules[i], key))
		}
	}
	for _, p := range planted {
		for _, cover := range covers {
			text, secrets := plant(p.text(random))
			if _, found := Redact(p.path, []byte(text)); len(found) == 0 {
				continue // it looks like a placeholder
			}
			for _, secret := range secrets {
				at := random.IntN(len(secret)-1) + 1
				text = strings.Replace(text, secret, secret[:at]+cover+secret[at:], 1)
			}
			for _, secret := range secrets {
				checkCovered(t, p.path, text, cover, secret)
			}
		}
	}
}

// secretPart is a key without the address of a web hook.
func secretPart(r *rule, key string) string { return key[strings.LastIndexByte(r.prefix, '/')+1:] }

// checkCovered checks that 12 characters in a row of a key are nowhere, hidden
// characters aside.
func checkCovered(t *testing.T, path, text, cover, key string) {
	t.Helper()
	const most = 12
	clean, _ := Redact(path, []byte(text))
	plain := strings.ReplaceAll(string(clean), cover, "")
	for i := 0; i+most <= len(key); i++ {
		if strings.Contains(plain, key[i:i+most]) {
			t.Errorf("%q of %q is shown in %q, which is %q redacted", key[i:i+most], key, clean, text)
			return
		}
	}
}

// FuzzCovered hides a cover in a key of a rule, or in one that is planted, at two places.
func FuzzCovered(f *testing.F) {
	for i := range covers {
		f.Add(uint16(i*7), uint8(i), uint64(i), uint16(3), uint16(30))
	}
	f.Fuzz(func(t *testing.T, which uint16, cover uint8, seed uint64, first, second uint16) {
		random := rand.New(rand.NewPCG(seed, 1))
		c := covers[int(cover)%len(covers)]
		path := "a.log"
		var text string
		var secrets []string
		if n := int(which) % (len(rules) + len(planted)); n < len(rules) {
			key := sample(t, &rules[n], random)
			text, secrets = "x "+key+"\n", []string{secretPart(&rules[n], key)}
		} else {
			p := planted[n-len(rules)]
			path = p.path
			text, secrets = plant(p.text(random))
		}
		if clean, _ := Redact(path, []byte(text)); slices.ContainsFunc(secrets, func(s string) bool { return bytes.Contains(clean, []byte(s)) }) {
			return // it looks like a placeholder
		}
		for _, s := range secrets {
			a, b := int(first)%(len(s)-1)+1, int(second)%(len(s)-1)+1
			a, b = min(a, b), max(a, b)
			text = strings.Replace(text, s, s[:a]+c+s[a:b]+c+s[b:], 1)
		}
		for _, s := range secrets {
			checkCovered(t, path, text, c, s)
		}
	})
}
