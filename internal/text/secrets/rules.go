package secrets

import (
	"bytes"
	"strings"
)

// A class is a set of bytes.
type class [256]bool

// chars returns the class of a list of ranges such as "A-Za-z0-9_-"; a hyphen
// at the end stands for itself.
func chars(spec string) *class {
	c := new(class)
	for i := 0; i < len(spec); i++ {
		if i+2 < len(spec) && spec[i+1] == '-' {
			for b := spec[i]; b <= spec[i+2]; b++ {
				c[b] = true
			}
			i += 2
			continue
		}
		c[spec[i]] = true
	}
	return c
}

var (
	wordChars   = chars("A-Za-z0-9_")
	hexChars    = chars("a-f0-9")
	anyHexChars = chars("A-Fa-f0-9")
	lowerChars  = chars("a-z0-9")
	upperChars  = chars("A-Z0-9")
	alnumChars  = chars("A-Za-z0-9")
	digitChars  = chars("0-9")
	urlChars    = chars("A-Za-z0-9_-")
	dotChars    = chars("A-Za-z0-9_.-")
	base32Chars = chars("A-Z2-7")
	base64Chars = chars("A-Za-z0-9+/=")

	anyBase64Chars     = chars("A-Za-z0-9+/=_-")
	escapedBase64Chars = chars("A-Za-z0-9+/=%_-") // in an address or a cookie
)

// A rule finds keys that start with a prefix. After it come between min and
// max bytes of a class (max 0 means no end), and after those none of the class.
type rule struct {
	kind     string
	prefix   string
	class    *class
	min, max int
	// shape, if not nil, looks closer at what follows the prefix and returns
	// its length, or 0.
	shape func(rest []byte) int
}

// rules are the keys that are known by a prefix. Forms are from the providers'
// documentation and secret scanning partners' lists; where a provider gives
// none, from the keys that it issues. Lengths are a little loose at the top,
// since providers lengthen their keys.
var rules = eachPrefix([]rule{
	{kind: "aws-access-key", prefix: "AKIA ASIA ABIA ACCA", class: base32Chars, min: 16, max: 16},
	{kind: "aws-session-token", prefix: "IQoJb3JpZ2lu FwoGZXIvYXdz FQoGZXIvYXdz", class: escapedBase64Chars, min: 100, max: 4000},
	{kind: "aws-bedrock-key", prefix: "ABSK", class: base64Chars, min: 100, max: 300},
	{kind: "aws-mws-key", prefix: "amzn.mws.", class: chars("a-f0-9-"), min: 36, max: 36},
	{kind: "alibaba-key", prefix: "LTAI", class: alnumChars, min: 12, max: 26},
	{kind: "tencent-key", prefix: "AKID", class: alnumChars, min: 32, max: 32},

	{kind: "github-token", prefix: "ghp_ gho_ ghu_ ghs_ ghr_", class: alnumChars, min: 36, max: 255},
	{kind: "github-token", prefix: "github_pat_", class: wordChars, min: 50, max: 255},
	{kind: "gitlab-token", prefix: "glpat-", class: dotChars, min: 20, max: 300},
	{kind: "gitlab-token", prefix: "gldt-", class: urlChars, min: 20, max: 64},
	{kind: "gitlab-token", prefix: "glrt-", class: dotChars, min: 20, max: 300},
	{kind: "gitlab-token", prefix: "glcbt-", class: urlChars, min: 20, max: 300},
	{kind: "gitlab-token", prefix: "glptt-", class: hexChars, min: 40, max: 40},
	{kind: "gitlab-token", prefix: "glsoat- glft- glimt-", class: urlChars, min: 20, max: 64},
	{kind: "gitlab-token", prefix: "glagent-", class: urlChars, min: 50, max: 64},
	{kind: "gitlab-token", prefix: "gloas-", class: hexChars, min: 64, max: 64},
	{kind: "gitlab-token", prefix: "GR1348941", class: urlChars, min: 20, max: 30},
	{kind: "atlassian-token", prefix: "ATATT3 ATCTT3", class: chars("A-Za-z0-9_=-"), min: 100, max: 300},
	{kind: "bitbucket-password", prefix: "ATBB", class: alnumChars, min: 28, max: 40},
	{kind: "sourcegraph-token", prefix: "sgp_", class: wordChars, min: 40, max: 64},

	{kind: "slack-token", prefix: "xoxb- xoxp- xoxa- xoxr- xoxs- xoxc-", class: urlChars, min: 20, max: 255, shape: withDigits},
	{kind: "slack-token", prefix: "xoxd-", class: escapedBase64Chars, min: 40, max: 400, shape: withDigits},
	{kind: "slack-token", prefix: "xoxe-", class: urlChars, min: 20, max: 255, shape: withDigits},
	{kind: "slack-token", prefix: "xoxe.", class: dotChars, min: 20, max: 255, shape: withDigits},
	{kind: "slack-token", prefix: "xapp-", class: urlChars, min: 20, max: 255, shape: withDigits},
	{kind: "slack-webhook", prefix: "hooks.slack.com/services/ hooks.slack.com/workflows/ hooks.slack.com/triggers/", class: chars("A-Za-z0-9/"), min: 30, max: 120},
	{kind: "discord-webhook", prefix: "discord.com/api/webhooks/ discordapp.com/api/webhooks/", class: chars("A-Za-z0-9_/-"), min: 70, max: 120},
	{kind: "teams-webhook", prefix: "webhook.office.com/webhookb2/", class: chars("A-Za-z0-9_/@-"), min: 60, max: 300},

	{kind: "stripe-key", prefix: "sk_live_ rk_live_ sk_test_ rk_test_", class: alnumChars, min: 16, max: 255},
	{kind: "stripe-webhook-secret", prefix: "whsec_", class: base64Chars, min: 24, max: 128},
	{kind: "square-token", prefix: "sq0atp-", class: urlChars, min: 22, max: 64},
	{kind: "square-token", prefix: "sq0csp-", class: urlChars, min: 43, max: 64},
	{kind: "square-token", prefix: "EAAAE", class: urlChars, min: 55, max: 64},
	{kind: "shopify-token", prefix: "shpat_ shpca_ shppa_ shpss_", class: anyHexChars, min: 32, max: 32},
	{kind: "braintree-token", prefix: "access_token$production$", class: chars("a-z0-9$"), min: 40, max: 64},
	{kind: "flutterwave-key", prefix: "FLWSECK-", class: chars("A-Za-z0-9-"), min: 32, max: 64},
	{kind: "easypost-key", prefix: "EZAK", class: alnumChars, min: 54, max: 54},
	{kind: "shippo-token", prefix: "shippo_live_", class: hexChars, min: 40, max: 40},

	{kind: "openai-key", prefix: "sk-proj- sk-svcacct- sk-admin-", class: urlChars, min: 40, max: 255},
	{kind: "anthropic-key", prefix: "sk-ant-", class: urlChars, min: 40, max: 255},
	{kind: "openrouter-key", prefix: "sk-or-v1-", class: hexChars, min: 64, max: 64},
	{kind: "openai-key", prefix: "sk-", class: alnumChars, min: 32, max: 64},
	{kind: "langfuse-key", prefix: "sk-lf-", class: chars("a-f0-9-"), min: 36, max: 36},
	{kind: "elevenlabs-key", prefix: "sk_", class: hexChars, min: 48, max: 48},
	{kind: "cerebras-key", prefix: "csk-", class: lowerChars, min: 40, max: 60, shape: withDigits},
	{kind: "nvidia-key", prefix: "nvapi-", class: urlChars, min: 60, max: 90},
	{kind: "fireworks-key", prefix: "fw_", class: alnumChars, min: 20, max: 44, shape: mixed},
	{kind: "tavily-key", prefix: "tvly-", class: urlChars, min: 28, max: 70, shape: withDigits},
	{kind: "e2b-key", prefix: "e2b_", class: hexChars, min: 40, max: 40},
	{kind: "huggingface-token", prefix: "hf_ api_org_", class: alnumChars, min: 30, max: 64},
	{kind: "replicate-token", prefix: "r8_", class: alnumChars, min: 37, max: 40},
	{kind: "groq-key", prefix: "gsk_", class: alnumChars, min: 40, max: 64},
	{kind: "xai-key", prefix: "xai-", class: alnumChars, min: 70, max: 90},
	{kind: "perplexity-key", prefix: "pplx-", class: alnumChars, min: 40, max: 64},
	{kind: "langsmith-key", prefix: "lsv2_pt_ lsv2_sk_", class: chars("a-f0-9_"), min: 40, max: 48},
	{kind: "pinecone-key", prefix: "pcsk_", class: wordChars, min: 40, max: 90},

	{kind: "google-api-key", prefix: "AIza", class: urlChars, min: 35, max: 35},
	{kind: "google-oauth-secret", prefix: "GOCSPX-", class: urlChars, min: 28, max: 28},
	{kind: "google-oauth-token", prefix: "ya29.", class: dotChars, min: 30, max: 4096},
	{kind: "google-refresh-token", prefix: "1//0", class: urlChars, min: 40, max: 512, shape: mixed},
	{kind: "google-api-key", prefix: "AQ.", class: urlChars, min: 40, max: 120, shape: mixed},
	{kind: "google-hmac-key", prefix: "GOOG", class: upperChars, min: 20, max: 20, shape: withDigits},
	{kind: "google-hmac-key", prefix: "GOOG", class: upperChars, min: 57, max: 57, shape: withDigits},
	{kind: "azure-storage-key", prefix: "AccountKey=", class: base64Chars, min: 44, max: 88},
	{kind: "azure-shared-key", prefix: "SharedAccessKey=", class: base64Chars, min: 43, max: 88},
	{kind: "digitalocean-token", prefix: "dop_v1_ doo_v1_ dor_v1_", class: hexChars, min: 64, max: 64},
	{kind: "heroku-key", prefix: "HRKU-", class: urlChars, min: 36, max: 70},
	{kind: "flyio-token", prefix: "fo1_", class: urlChars, min: 40, max: 64},
	{kind: "flyio-token", prefix: "fm2_", class: base64Chars, min: 100, max: 2000},
	{kind: "tailscale-key", prefix: "tskey-", class: urlChars, min: 20, max: 80, shape: withDigits},
	{kind: "render-key", prefix: "rnd_", class: alnumChars, min: 28, max: 40, shape: mixed},
	{kind: "netlify-token", prefix: "nfp_", class: alnumChars, min: 36, max: 48},
	{kind: "supabase-key", prefix: "sbp_", class: hexChars, min: 40, max: 40},
	{kind: "supabase-key", prefix: "sb_secret_", class: urlChars, min: 28, max: 48},
	{kind: "planetscale-token", prefix: "pscale_tkn_ pscale_pw_ pscale_oauth_", class: dotChars, min: 32, max: 64},
	{kind: "neon-key", prefix: "napi_", class: lowerChars, min: 60, max: 70},
	{kind: "databricks-token", prefix: "dapi", class: chars("a-f0-9-"), min: 32, max: 36},
	{kind: "pulumi-token", prefix: "pul-", class: hexChars, min: 40, max: 40},
	{kind: "vault-token", prefix: "hvs.", class: urlChars, min: 24, max: 255},
	{kind: "vault-token", prefix: "hvb. hvr.", class: urlChars, min: 24, max: 500},
	{kind: "doppler-token", prefix: "dp.pt. dp.ct. dp.sa. dp.scim. dp.audit.", class: alnumChars, min: 40, max: 44},
	{kind: "doppler-token", prefix: "dp.st.", class: dotChars, min: 40, max: 80},
	{kind: "1password-token", prefix: "ops_eyJ", class: base64Chars, min: 200, max: 2000},
	{kind: "age-key", prefix: "AGE-SECRET-KEY-1", class: upperChars, min: 58, max: 58},
	{kind: "age-key", prefix: "AGE-SECRET-KEY-PQ-1", class: upperChars, min: 58, max: 100},
	{kind: "docker-token", prefix: "dckr_pat_ dckr_oat_", class: urlChars, min: 24, max: 48},

	{kind: "npm-token", prefix: "npm_", class: alnumChars, min: 36, max: 36},
	{kind: "pypi-token", prefix: "pypi-AgE", class: urlChars, min: 50, max: 300},
	{kind: "rubygems-key", prefix: "rubygems_", class: hexChars, min: 48, max: 48},
	{kind: "crates-token", prefix: "cio", class: alnumChars, min: 32, max: 32, shape: mixed},
	{kind: "clojars-token", prefix: "CLOJARS_", class: lowerChars, min: 60, max: 60},
	{kind: "nuget-key", prefix: "oy2", class: lowerChars, min: 43, max: 43, shape: withDigits},

	{kind: "sendgrid-key", prefix: "SG.", class: dotChars, min: 40, max: 80, shape: twoParts(16, 32)},
	{kind: "resend-key", prefix: "re_", class: wordChars, min: 30, max: 40, shape: resend},
	{kind: "telnyx-key", prefix: "KEY", class: wordChars, min: 55, max: 60, shape: telnyx},
	{kind: "sendinblue-key", prefix: "xkeysib-", class: chars("A-Za-z0-9-"), min: 80, max: 90},
	{kind: "mailgun-key", prefix: "key-", class: hexChars, min: 32, max: 32},
	{kind: "postman-key", prefix: "PMAK-", class: chars("a-f0-9-"), min: 59, max: 59},
	{kind: "newrelic-key", prefix: "NRAK-", class: upperChars, min: 27, max: 27},
	{kind: "newrelic-key", prefix: "NRAA-", class: hexChars, min: 27, max: 27},
	{kind: "newrelic-key", prefix: "NRII-", class: urlChars, min: 32, max: 32},
	{kind: "newrelic-key", prefix: "NRRA-", class: hexChars, min: 42, max: 42},
	{kind: "posthog-key", prefix: "phx_", class: alnumChars, min: 32, max: 64},
	{kind: "sentry-token", prefix: "sntrys_", class: chars("A-Za-z0-9+/=_"), min: 40, max: 300},
	{kind: "sentry-token", prefix: "sntryu_", class: hexChars, min: 64, max: 64},
	{kind: "grafana-token", prefix: "glsa_", class: wordChars, min: 41, max: 41},
	{kind: "grafana-token", prefix: "glc_eyJ", class: base64Chars, min: 32, max: 400},
	{kind: "grafana-token", prefix: "eyJrIjoi", class: base64Chars, min: 60, max: 400},
	{kind: "dynatrace-token", prefix: "dt0c01.", class: chars("A-Z0-9."), min: 89, max: 89},
	{kind: "dynatrace-token", prefix: "dt0s01.", class: chars("A-Z0-9."), min: 60, max: 100},
	{kind: "buildkite-token", prefix: "bkua_", class: lowerChars, min: 40, max: 40},
	{kind: "circleci-token", prefix: "CCIPAT_", class: wordChars, min: 40, max: 80},
	{kind: "sonar-token", prefix: "squ_ sqp_ sqa_", class: hexChars, min: 40, max: 40},
	{kind: "artifactory-token", prefix: "AKCp", class: alnumChars, min: 68, max: 70},

	{kind: "linear-key", prefix: "lin_api_ lin_oauth_", class: alnumChars, min: 32, max: 64},
	{kind: "notion-key", prefix: "secret_", class: alnumChars, min: 43, max: 43, shape: mixed},
	{kind: "notion-key", prefix: "ntn_", class: alnumChars, min: 40, max: 60},
	{kind: "airtable-token", prefix: "pat", class: chars("A-Za-z0-9."), min: 79, max: 79, shape: twoParts(14, 14)},
	{kind: "figma-token", prefix: "figd_", class: urlChars, min: 38, max: 48},
	{kind: "contentful-token", prefix: "CFPAT-", class: urlChars, min: 43, max: 43},
	{kind: "mapbox-token", prefix: "sk.eyJ", class: dotChars, min: 60, max: 200},
	{kind: "typeform-token", prefix: "tfp_", class: dotChars, min: 40, max: 64},
	{kind: "dropbox-token", prefix: "sl.", class: urlChars, min: 100, max: 1500},
	{kind: "adafruit-key", prefix: "aio_", class: alnumChars, min: 28, max: 28, shape: withDigits},
	{kind: "readme-key", prefix: "rdme_", class: lowerChars, min: 70, max: 70},
	{kind: "prefect-key", prefix: "pnu_ pnb_", class: alnumChars, min: 36, max: 36},
	{kind: "openshift-token", prefix: "sha256~", class: urlChars, min: 43, max: 43},
	{kind: "cloudflare-key", prefix: "v1.0-", class: chars("a-f0-9-"), min: 171, max: 171},
	{kind: "clickhouse-key", prefix: "4b1d", class: alnumChars, min: 38, max: 38, shape: mixed},
	{kind: "1password-key", prefix: "A3-", class: chars("A-Z0-9-"), min: 36, max: 37, shape: withDigits},
	{kind: "flutterwave-key", prefix: "FLWSECK_TEST-", class: chars("A-Za-z0-9-"), min: 12, max: 64},
	{kind: "octopus-key", prefix: "API-", class: upperChars, min: 26, max: 26, shape: withDigits},
	{kind: "settlemint-token", prefix: "sm_aat_ sm_pat_ sm_sat_", class: alnumChars, min: 16, max: 16, shape: withDigits},
	{kind: "scalingo-token", prefix: "tk-us-", class: urlChars, min: 48, max: 48},
	{kind: "infracost-key", prefix: "ico-", class: alnumChars, min: 32, max: 32, shape: withDigits},
	{kind: "frameio-token", prefix: "fio-u-", class: chars("A-Za-z0-9_=-"), min: 64, max: 64},
	{kind: "duffel-token", prefix: "duffel_test_ duffel_live_", class: chars("A-Za-z0-9_=-"), min: 43, max: 43},
	{kind: "shippo-token", prefix: "shippo_test_", class: anyHexChars, min: 40, max: 40},
	{kind: "flyio-token", prefix: "fm1a_ fm1r_", class: base64Chars, min: 100, max: 2000},
	{kind: "artifactory-token", prefix: "cmVmd", class: alnumChars, min: 59, max: 59, shape: mixed},
	{kind: "adobe-secret", prefix: "p8e-", class: alnumChars, min: 32, max: 32, shape: withDigits},
	{kind: "yandex-key", prefix: "AQVN", class: urlChars, min: 35, max: 38, shape: mixed},
	{kind: "yandex-token", prefix: "t1.", class: chars("A-Za-z0-9_=.-"), min: 90, max: 400, shape: twoParts(16, 300)},
	{kind: "harness-key", prefix: "pat. sat.", class: dotChars, min: 68, max: 68, shape: harness},
	{kind: "jwt", prefix: "ZXlK", class: base64Chars, min: 80, max: 16 << 10, shape: mixed}, // in base64 once more
	{kind: "alibaba-key", prefix: "LTAI", class: alnumChars, min: 16, max: 20, shape: withDigits},
	{kind: "gitlab-token", prefix: "glffct-", class: urlChars, min: 20, max: 64},
	{kind: "facebook-token", prefix: "EAA", class: alnumChars, min: 100, max: 400, shape: mixed},
})

// eachPrefix returns a rule for each prefix of a row; they are apart by a space.
func eachPrefix(rows []rule) (rules []rule) {
	for _, r := range rows {
		for r.prefix = range strings.FieldsSeq(r.prefix) {
			rules = append(rules, r)
		}
	}
	return rules
}

// withDigits refuses words that happen to start like a key.
func withDigits(rest []byte) int {
	for _, c := range rest {
		if isDigit(c) {
			return len(rest)
		}
	}
	return 0
}

// mixed wants upper and lower case letters and a digit, for prefixes that are
// too short or too common to trust.
func mixed(rest []byte) int {
	var upper, lower, digit bool
	for _, c := range rest {
		upper = upper || isUpper(c)
		lower = lower || isLower(c)
		digit = digit || isDigit(c)
	}
	if upper && lower && digit {
		return len(rest)
	}
	return 0
}

// resend wants eight characters, an underscore and 22 or more: names of regular
// expressions begin like its keys.
func resend(rest []byte) int {
	if run(rest, alnumChars, 9) != 8 || len(rest) == 8 || rest[8] != '_' || run(rest[9:], alnumChars, 40) != len(rest)-9 {
		return 0
	}
	return mixed(rest)
}

// telnyx wants 32 hexadecimal digits, an underscore and 22 characters.
func telnyx(rest []byte) int {
	if run(rest, anyHexChars, 33) != 32 || len(rest) == 32 || rest[32] != '_' || run(rest[33:], alnumChars, 30) != len(rest)-33 {
		return 0
	}
	return len(rest)
}

// harness wants 22, 24 and 20 characters between periods.
func harness(rest []byte) int {
	if len(rest) != 68 || rest[22] != '.' || rest[47] != '.' || bytes.Count(rest, []byte(".")) != 2 {
		return 0
	}
	return len(rest)
}

// twoParts wants a first part of a length, a period, and no other period.
func twoParts(least, most int) func([]byte) int {
	return func(rest []byte) int {
		at := -1
		for i, c := range rest {
			if c != '.' {
				continue
			}
			if at >= 0 {
				// The second period ends a sentence.
				rest = rest[:i]
				break
			}
			at = i
		}
		if at < least || at > most || len(rest) < at+16 {
			return 0
		}
		return len(rest)
	}
}
