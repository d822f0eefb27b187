package hygiene

import (
	"regexp"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/text/lazy"
)

const (
	machines = `ci|cd|actions?|checks?|tests?|builds?|deploys?|netlify|vercel|travis|circleci|azp|azurepipelines|appveyor|pipelines?|workflows?`
	issue    = `(?:(?:[\w.-]+/[\w.-]+)?[#!]\d+|\bGH-\d+|https?://[^\s<>()\[\]"'` + "`" + `]+/(?:issues|pull|pulls|merge_requests)/\d+)`
	verbs    = `clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?`
	marked   = `[\[({<*_~]{0,4}` + issue + `(?:[\])}>*_~]{1,4}(?:\([^()\n]*\)|\[[^\[\]\n]*\])?)?` // also as a link, or with emphasis
	listed   = `(:?[ \t]*(?:issues?[ \t]+)?)(` + marked + `(?:(?:[ \t]*,[ \t]*(?:and[ \t]+)?|[ \t]+and[ \t]+|[ \t]*&[ \t]*|[ \t]+)` + marked + `)*)`
	actions  = `approve|assign|assign_reviewer|cc|cherry-?pick|clone|close|copy_metadata|create_merge_request|deploy|done|draft|duplicate|hold|label|lgtm|lock|merge|milestone|move|ok-to-test|promote|ready|rebase|relabel|reopen|rerun|retest|run|shipit|spend|subscribe|submit_review|tag|target_branch|test|title|unapprove|unassign|unhold|unlabel|unlock|ship`
)

var (
	// closes are the words by which GitHub, GitLab and Gitea close issues, with the
	// issues: on a line of their own, in brackets, and anywhere.
	closes      = lazy.Regexp(`(?i)\b(` + verbs + `)\b` + listed)
	closesLine  = lazy.Regexp(`(?im)^[ \t>*-]*\b(` + verbs + `)\b` + listed + `[.;,]?[ \t]*$`)
	closesAside = lazy.Regexp(`(?i)\([ \t]*\b(` + verbs + `)\b` + listed + `[ \t]*\)`)
	issues      = lazy.Regexp(`(?i)` + issue)
	smart       = lazy.Regexp(`(?i)\b[A-Z][A-Z0-9]+-\d+[ \t]+#(?:close|resolve|done|reopen|comment|time)\b[^\n]*`)
	lastRef     = lazy.Regexp(`\A([^\n]*?)[ \t]*\(#\d+\)[ \t]*(?:\n|\z)`)
	trailed     = lazy.Regexp(`(?im)^[ \t>*-]*(?:[a-z]+(?:-[a-z]+)*-by|change-id|cc|bug|skip-checks|gerrit-[a-z-]+|(?:co-)?author|generated[ -]with|assisted-by)[ \t]*:[ \t]*\S[^\n]*$`)
	badge       = lazy.Regexp(`(?im)^[ \t]*(?:🤖[^\n]*|\[?generated (?:with|by) [^\n]*)$`)
	skip        = lazy.Regexp(`(?i)[ \t]*(?:\[[ \t]*(?:(?:skip|no)[ _-]+(?:` + machines + `)|(?:` + machines + `)[ _-]+skip)[ \t]*\]|\*\*\*NO_CI\*\*\*)`)
	// quick are the lines by which GitLab and bots act, workflow those by which
	// GitHub's runners do, and azure what those of Azure look for anywhere.
	quick    = lazy.Regexp(`(?im)^([ \t>*-]*)/+(` + actions + `)\b`)
	workflow = lazy.Regexp(`(?m)^([ \t>*-]*):[: \t]*:[: \t]*`)
	azure    = lazy.Regexp(`(?i)##+((?:vso)?\[)`)

	named = lazy.Regexp(`(^|[^\w@/.+-])@+([A-Za-z0-9](?:[\w-]*\w)?(?:/[\w.-]+)?)`)
)

// given reports whether a person wrote it.
func (g *Guard) given(s string) bool {
	return s != "" && slices.ContainsFunc(g.Given, func(t string) bool {
		return strings.Contains(strings.ToLower(t), strings.ToLower(s))
	})
}

// givenIssues are the issues that a person said are closed.
func (g *Guard) givenIssues() (list []string) {
	for _, t := range g.Given {
		for _, m := range closes().FindAllStringSubmatch(t, -1) {
			list = append(list, issues().FindAllString(m[3], -1)...)
		}
	}
	return list
}

// closings takes the power from what would close an issue. In the middle of a
// sentence the sentence stays.
func (p *pass) closings() {
	may := p.givenIssues()
	with := func(rest func(m []string) string) func(m []string) string {
		return func(m []string) string {
			if !slices.ContainsFunc(issues().FindAllString(m[3], -1), func(s string) bool { return !slices.Contains(may, s) }) {
				return m[0]
			}
			return rest(m)
		}
	}
	nothing := with(func([]string) string { return "" })
	p.drop(Closing, closesLine(), nothing)
	p.drop(Closing, closesAside(), nothing)
	p.drop(Closing, closes(), with(func(m []string) string { return m[1] + " an issue" }))
	p.drop(Closing, smart(), func(m []string) string {
		if p.given(m[0]) {
			return m[0]
		}
		return ""
	})
	if m := lastRef().FindStringSubmatch(p.s); m != nil && p.Message {
		ref := strings.TrimSpace(strings.TrimPrefix(strings.SplitN(p.s, "\n", 2)[0], m[1]))
		if !p.given(strings.Trim(ref, "()")) {
			p.take(Reference, ref)
			p.s = strings.Replace(p.s, ref, "", 1)
		}
	}
}

// trailers takes out lines that speak for people or to programs.
func (p *pass) trailers() {
	gone := func(m []string) string {
		if p.given(strings.TrimSpace(m[0])) {
			return m[0]
		}
		return ""
	}
	p.drop(Trailer, trailed(), gone)
	p.drop(Trailer, badge(), gone)
}

func (p *pass) orders() {
	p.drop(SkipCI, skip(), func(m []string) string {
		if p.given(strings.TrimSpace(m[0])) {
			return m[0]
		}
		return ""
	})
	for _, re := range []*regexp.Regexp{quick(), workflow(), azure()} {
		p.drop(Order, re, func(m []string) string { return strings.Join(m[1:], "") })
	}
}

// mentions takes the sign from names of people.
func (p *pass) mentions() {
	p.prose(func(s string) string {
		return replace(named(), s, func(m []string) string {
			if p.given("@" + m[2]) {
				return m[0]
			}
			p.take(Mention, "@"+m[2])
			return m[1] + m[2]
		})
	})
}
