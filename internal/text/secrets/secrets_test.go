package secrets

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// word returns n random bytes of a class. Keys are made when the test runs, so
// that no scanner finds one in this file.
func word(r *rand.Rand, class string, n int) string {
	c := chars(class)
	var set []byte
	for b := range 256 {
		if c[b] {
			set = append(set, byte(b))
		}
	}
	b := make([]byte, n)
	for i := range b {
		b[i] = set[r.IntN(len(set))]
	}
	return string(b)
}

const (
	hexSet   = "a-f0-9"
	alnumSet = "A-Za-z0-9"
	urlSet   = "A-Za-z0-9_-"
	b64Set   = "A-Za-z0-9+/"
)

func jwtOf(r *rand.Rand) string {
	enc := base64.RawURLEncoding.EncodeToString
	return enc([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + enc(fmt.Appendf(nil, `{"sub":%q,"exp":%d}`, word(r, alnumSet, 12), r.IntN(1e9))) + "." + word(r, urlSet, 43)
}

func pem(r *rand.Rand, label, sep string, lines int) string {
	s := []string{"-----BEG" + "IN " + label + "-----"}
	for range lines {
		s = append(s, word(r, b64Set, 64))
	}
	return strings.Join(append(s, word(r, b64Set, 22)+"==", "-----E"+"ND "+label+"-----"), sep)
}

// planted are keys as they stand in files: what is secret lies between two
// U+0001.
var planted = []struct {
	kind, path string
	text       func(r *rand.Rand) string
}{
	{"aws-access-key", "a.py", func(r *rand.Rand) string {
		return "AWS_ACCESS_KEY_ID = '\x01AK" + "IA" + word(r, "A-Z2-7", 16) + "\x01'"
	}},
	{"aws-secret-key", "a.py", func(r *rand.Rand) string {
		return `aws_secret_access_key = "` + "\x01" + word(r, b64Set, 40) + "\x01\""
	}},
	{"aws-secret-key", "a.yml", func(r *rand.Rand) string { return "  AWS_SECRET_KEY: \x01" + word(r, b64Set, 40) + "\x01" }},
	{"aws-secret-key", "A.java", func(r *rand.Rand) string {
		return `System.setProperty("aws.secretKey", "` + "\x01" + word(r, b64Set, 40) + "\x01\");"
	}},
	{"github-token", "a.sh", func(r *rand.Rand) string {
		return "curl -H 'Authorization: token \x01gh" + "p_" + word(r, alnumSet, 36) + "\x01'"
	}},
	{"github-token", "a.json", func(r *rand.Rand) string { return `{"t":"\n` + "\x01gh" + "o_" + word(r, alnumSet, 36) + "\x01\"}" }},
	{"github-token", "a.txt", func(r *rand.Rand) string {
		return "\x01github" + "_pat_" + word(r, alnumSet, 22) + "_" + word(r, alnumSet, 59) + "\x01"
	}},
	{"gitlab-token", "a.yml", func(r *rand.Rand) string { return "token: \x01gl" + "pat-" + word(r, urlSet, 20) + "\x01" }},
	{"slack-token", "a.rb", func(r *rand.Rand) string {
		return "Slack.new('\x01xo" + "xb-" + word(r, "0-9", 12) + "-" + word(r, "0-9", 12) + "-" + word(r, alnumSet, 24) + "\x01')"
	}},
	{"slack-webhook", "a.go", func(r *rand.Rand) string {
		return "https://hooks.slack.com/services/\x01T" + word(r, "A-Z0-9", 8) + "/B" + word(r, "A-Z0-9", 8) + "/" + word(r, alnumSet, 24) + "\x01"
	}},
	{"discord-webhook", "a.go", func(r *rand.Rand) string {
		return "https://discord.com/api/webhooks/\x01" + word(r, "0-9", 18) + "/" + word(r, urlSet, 68) + "\x01"
	}},
	{"discord-token", "a.js", func(r *rand.Rand) string {
		return `const DISCORD_TOKEN = "` + "\x01M" + word(r, alnumSet, 23) + "." + word(r, urlSet, 6) + "." + word(r, urlSet, 38) + "\x01\";"
	}},
	{"stripe-key", "a.js", func(r *rand.Rand) string { return "stripe('\x01sk_" + "live_" + word(r, alnumSet, 24) + "\x01')" }},
	{"stripe-key", "a.js", func(r *rand.Rand) string { return "stripe('\x01rk_" + "live_" + word(r, alnumSet, 99) + "\x01')" }},
	{"openai-key", "a.py", func(r *rand.Rand) string {
		return `OpenAI(api_key="` + "\x01s" + "k-" + word(r, alnumSet, 20) + "T3Blbk" + "FJ" + word(r, alnumSet, 20) + "\x01\")"
	}},
	{"openai-key", "a.py", func(r *rand.Rand) string { return `key="` + "\x01s" + "k-proj-" + word(r, urlSet, 156) + "\x01\"" }},
	{"anthropic-key", "a.py", func(r *rand.Rand) string {
		return `key="` + "\x01sk-" + "ant-api03-" + word(r, urlSet, 93) + "AA\x01\""
	}},
	{"google-api-key", "a.kt", func(r *rand.Rand) string { return `apiKey = "` + "\x01AI" + "za" + word(r, urlSet, 35) + "\x01\"" }},
	{"google-oauth-secret", "a.json", func(r *rand.Rand) string {
		return `"client_secret":"` + "\x01GOC" + "SPX-" + word(r, urlSet, 28) + "\x01\""
	}},
	{"private-key", "sa.json", func(r *rand.Rand) string {
		return `{"type": "service_account", "private_key": "-----BEG` + `IN PRIVATE KEY-----\n` + "\x01" + word(r, b64Set, 64) + "\x01" + `\n` + "\x01" + word(r, b64Set, 64) + "\x01" + `\n` + "\x01" + word(r, b64Set, 40) + "==\x01" + `\n-----E` + `ND PRIVATE KEY-----\n"}`
	}},
	{"npm-token", "a.txt", func(r *rand.Rand) string { return "\x01np" + "m_" + word(r, alnumSet, 36) + "\x01" }},
	{"pypi-token", "a.toml", func(r *rand.Rand) string {
		return "password = \x01py" + "pi-AgEIcHlwaS5vcmc" + word(r, urlSet, 100) + "\x01"
	}},
	{"sendgrid-key", "a.rb", func(r *rand.Rand) string {
		return "key '\x01S" + "G." + word(r, urlSet, 22) + "." + word(r, urlSet, 43) + "\x01'"
	}},
	{"twilio-key", "a.py", func(r *rand.Rand) string { return "TWILIO_AUTH_TOKEN='\x01" + word(r, hexSet, 32) + "\x01'" }},
	{"twilio-key", "a.py", func(r *rand.Rand) string { return "twilio_api_key = '\x01S" + "K" + word(r, hexSet, 32) + "\x01'" }},
	{"mailgun-key", "a.py", func(r *rand.Rand) string { return "api: \x01ke" + "y-" + word(r, hexSet, 32) + "\x01" }},
	{"mailgun-key", "a.py", func(r *rand.Rand) string {
		return "MAILGUN_API_KEY=\x01" + word(r, hexSet, 32) + "-" + word(r, hexSet, 8) + "-" + word(r, hexSet, 8) + "\x01"
	}},
	{"mailchimp-key", "a.py", func(r *rand.Rand) string { return "k = '\x01" + word(r, hexSet, 32) + "-us" + "14\x01'" }},
	{"digitalocean-token", "a.tf", func(r *rand.Rand) string { return "token = \"\x01do" + "p_v1_" + word(r, hexSet, 64) + "\x01\"" }},
	{"huggingface-token", "a.py", func(r *rand.Rand) string { return "login('\x01h" + "f_" + word(r, "A-Za-z", 34) + "\x01')" }},
	{"databricks-token", "a.py", func(r *rand.Rand) string { return "token=\x01da" + "pi" + word(r, hexSet, 32) + "-2\x01" }},
	{"azure-storage-key", "a.cs", func(r *rand.Rand) string {
		return "DefaultEndpointsProtocol=https;AccountName=x;\x01Account" + "Key=" + word(r, b64Set, 86) + "==\x01;EndpointSuffix=core.windows.net"
	}},
	{"azure-secret", "a.cs", func(r *rand.Rand) string {
		return "ClientSecret = \"\x01" + word(r, alnumSet, 3) + "8" + "Q~" + word(r, alnumSet+"_~.-", 33) + "x\x01\""
	}},
	{"azure-sas-signature", "a.txt", func(r *rand.Rand) string {
		return "https://x.blob.core.windows.net/c?sv=2020-08-04&se=2030&sig=\x01" + word(r, alnumSet, 43) + "%3D\x01"
	}},
	{"heroku-key", "a.sh", func(r *rand.Rand) string {
		return "export HEROKU_API_KEY=\x01" + word(r, hexSet, 8) + "-" + word(r, hexSet, 4) + "-" + word(r, hexSet, 4) + "-" + word(r, hexSet, 4) + "-" + word(r, hexSet, 12) + "\x01"
	}},
	{"shopify-token", "a.rb", func(r *rand.Rand) string { return "'\x01sh" + "pat_" + word(r, hexSet, 32) + "\x01'" }},
	{"square-token", "a.rb", func(r *rand.Rand) string { return "'\x01sq0" + "csp-" + word(r, urlSet, 43) + "\x01'" }},
	{"telegram-token", "a.py", func(r *rand.Rand) string {
		return "Bot('\x01" + word(r, "1-9", 10) + ":A" + "A" + word(r, urlSet, 33) + "\x01')"
	}},
	{"jwt", "a.js", func(r *rand.Rand) string { return "Authorization: Bearer \x01" + jwtOf(r) + "\x01" }},
	{"private-key", "a.txt", func(r *rand.Rand) string { return "\x01" + pem(r, "RSA PRIV"+"ATE KEY", "\x01\n\x01", 25) + "\x01" }},
	{"private-key", "a.go", func(r *rand.Rand) string {
		return "\"\x01" + pem(r, "EC PRIV"+"ATE KEY", "\x01\\n\" +\n\t\"\x01", 3) + "\x01\""
	}},
	{"private-key", "deploy_key", func(r *rand.Rand) string {
		return "\x01" + pem(r, "OPENSSH PRIV"+"ATE KEY", "\x01\n\x01", 6) + "\x01"
	}},
	{"private-key", "a.asc", func(r *rand.Rand) string {
		return "\x01" + pem(r, "PGP PRIV"+"ATE KEY BLOCK", "\x01\n\x01", 20) + "\x01"
	}},
	{"age-key", "key.txt", func(r *rand.Rand) string { return "\x01AGE-SEC" + "RET-KEY-1" + word(r, "A-Z0-9", 58) + "\x01" }},
	{"vault-token", "a.sh", func(r *rand.Rand) string { return "VAULT_TOKEN=\x01hv" + "s." + word(r, urlSet, 90) + "\x01" }},
	{"terraform-token", "a.tf", func(r *rand.Rand) string {
		return "token = \"\x01" + word(r, alnumSet, 14) + ".atlas" + "v1." + word(r, urlSet, 67) + "\x01\""
	}},
	{"doppler-token", "a.sh", func(r *rand.Rand) string { return "\x01dp" + ".pt." + word(r, alnumSet, 43) + "\x01" }},
	{"linear-key", "a.ts", func(r *rand.Rand) string { return "'\x01lin" + "_api_" + word(r, alnumSet, 40) + "\x01'" }},
	{"notion-key", "a.ts", func(r *rand.Rand) string { return "'\x01nt" + "n_" + word(r, alnumSet, 46) + "\x01'" }},
	{"postman-key", "a.ts", func(r *rand.Rand) string {
		return "'\x01PM" + "AK-" + word(r, hexSet, 24) + "-" + word(r, hexSet, 34) + "\x01'"
	}},
	{"newrelic-key", "a.yml", func(r *rand.Rand) string { return "key: \x01NR" + "AK-" + word(r, "A-Z0-9", 27) + "\x01" }},
	{"sentry-token", "a.yml", func(r *rand.Rand) string { return "auth: \x01sntr" + "yu_" + word(r, hexSet, 64) + "\x01" }},
	{"grafana-token", "a.yml", func(r *rand.Rand) string {
		return "auth: \x01gl" + "sa_" + word(r, alnumSet, 32) + "_" + word(r, hexSet, 8) + "\x01"
	}},
	{"cloudflare-key", "a.yml", func(r *rand.Rand) string { return "CLOUDFLARE_API_TOKEN: \x01" + word(r, urlSet, 39) + "Q\x01" }},
	{"supabase-key", "a.ts", func(r *rand.Rand) string { return "'\x01sb" + "p_" + word(r, hexSet, 40) + "\x01'" }},
	{"tailscale-key", "a.sh", func(r *rand.Rand) string {
		return "tailscale up --authkey \x01tsk" + "ey-auth-k" + word(r, alnumSet, 15) + "1-" + word(r, alnumSet, 32) + "\x01"
	}},
	{"docker-token", "a.sh", func(r *rand.Rand) string { return "docker login -p \x01dckr" + "_pat_" + word(r, urlSet, 26) + "7\x01" }},
	{"rubygems-key", "a.sh", func(r *rand.Rand) string { return "\x01ruby" + "gems_" + word(r, hexSet, 48) + "\x01" }},
	{"groq-key", "a.sh", func(r *rand.Rand) string { return "\x01gs" + "k_" + word(r, alnumSet, 52) + "\x01" }},
	{"replicate-token", "a.sh", func(r *rand.Rand) string { return "\x01r" + "8_" + word(r, alnumSet, 37) + "\x01" }},
	{"pulumi-token", "a.sh", func(r *rand.Rand) string { return "\x01pu" + "l-" + word(r, hexSet, 40) + "\x01" }},
	{"figma-token", "a.sh", func(r *rand.Rand) string { return "\x01fi" + "gd_" + word(r, urlSet, 39) + "2\x01" }},
	{"airtable-token", "a.sh", func(r *rand.Rand) string {
		return "\x01pa" + "t" + word(r, alnumSet, 14) + "." + word(r, hexSet, 64) + "\x01"
	}},
	{"datadog-key", "a.sh", func(r *rand.Rand) string { return "DD_API_KEY=\x01" + word(r, hexSet, 32) + "\x01" }},
	{"url-password", "a.yml", func(r *rand.Rand) string {
		return "url: postgres://app:\x01" + word(r, alnumSet, 14) + "9x\x01@db.internal.acme.io:5432/app"
	}},
	{"aws-session-token", "a.sh", func(r *rand.Rand) string {
		return "export AWS_SESSION_TOKEN=\x01IQo" + "Jb3JpZ2luX2Vj" + word(r, b64Set, 300) + "==\x01"
	}},
	{"slack-token", "a.log", func(r *rand.Rand) string {
		return "cookie: d=\x01xo" + "xd-" + word(r, alnumSet, 40) + "%2B" + word(r, alnumSet, 60) + "%3D\x01; x"
	}},
	{"google-refresh-token", "a.json", func(r *rand.Rand) string {
		return `{"refresh_token": "` + "\x011/" + "/0" + word(r, urlSet, 100) + "\x01\"}"
	}},
	{"google-oauth-token", "a.log", func(r *rand.Rand) string { return "Bearer \x01ya" + "29." + word(r, urlSet, 900) + "\x01" }},
	{"wireguard-key", "wg0.conf", func(r *rand.Rand) string {
		return "[Interface]\nPrivateKey = \x01" + word(r, b64Set, 43) + "=\x01\nAddress = 10.0.0.1/24\nPresharedKey = \x01" + word(r, b64Set, 43) + "=\x01"
	}},
	{"private-key", "notes.txt", func(r *rand.Rand) string {
		return "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: me\nPublic-Lines: 1\nAAAAC3NzaC1lZDI1NTE5\nPriv" + "ate-Lines: 2\n\x01" + word(r, b64Set, 64) + "\x01\n\x01" + word(r, b64Set, 40) + "\x01\nPriv" + "ate-MAC: 0011"
	}},
	{"private-key", "notes.json", func(r *rand.Rand) string {
		return `"Priv` + `ate-Lines: 2\n` + "\x01" + word(r, b64Set, 64) + "\x01" + `\n` + "\x01" + word(r, b64Set, 40) + "\x01" + `\nPriv` + `ate-MAC: 0011"`
	}},
	{"private-key", "cluster.yml", func(r *rand.Rand) string {
		return "    client-key-data: \x01" + base64.StdEncoding.EncodeToString([]byte(pem(r, "EC PRIV"+"ATE KEY", "\n", 4))) + "\x01"
	}},
	{"npm-token", "deploy.sh", func(r *rand.Rand) string {
		return "echo //registry.acme.io/:_authToken=\x01" + word(r, alnumSet, 30) + "\x01 >> .npmrc"
	}},
	{"url-token", "deploy.sh", func(r *rand.Rand) string {
		return "git clone https://\x01" + word(r, hexSet, 39) + "7\x01@git.acme.io/a/b.git"
	}},
	{"url-token", "deploy.sh", func(r *rand.Rand) string {
		return "git clone https://\x01" + word(r, alnumSet, 39) + "7\x01:x-oauth-basic@git.acme.io/a/b.git"
	}},
	{"value", ".env", func(r *rand.Rand) string {
		return "export DB_PASSWORD=\x01" + word(r, alnumSet, 9) + "\x01 # the database"
	}},
	{"value", "deploy/.env.production", func(r *rand.Rand) string {
		return "A=\"\x01" + word(r, alnumSet, 9) + "\x01\"\nB=\x01" + word(r, alnumSet, 3) + "7x\x01\nC='\x01" + word(r, alnumSet, 20) + "\x01\n\x01" + word(r, alnumSet, 20) + "\x01'\nD=\n# E=\x01" + word(r, alnumSet, 5) + "7x\x01"
	}},
	{"npm-token", ".npmrc", func(r *rand.Rand) string {
		return "registry=https://registry.example.com/\n//registry.example.com/:_authToken=\x01" + word(r, alnumSet, 30) + "\x01"
	}},
	{"value", "home/.netrc", func(r *rand.Rand) string {
		return "machine api.acme.io\n  login me\n  password \x01" + word(r, alnumSet, 12) + "\x01\nmachine b login c password \x01" + word(r, alnumSet, 12) + "\x01"
	}},
	{"value", ".aws/credentials", func(r *rand.Rand) string {
		return "[default]\naws_session_token = \x01" + word(r, b64Set, 60) + "\x01"
	}},
	{"value", ".pgpass", func(r *rand.Rand) string { return "host:5432:db:me:\x01" + word(r, alnumSet, 10) + "\x01" }},
	{"url-password", ".git-credentials", func(r *rand.Rand) string { return "https://me:\x01" + word(r, alnumSet, 10) + "\x01@git.acme.io" }},
	{"private-key", "id_ed25519", func(r *rand.Rand) string {
		return "\x01" + word(r, b64Set, 70) + "\x01\n\x01" + word(r, b64Set, 70) + "\x01"
	}},
	{"private-key", "tls/server.pem", func(r *rand.Rand) string {
		return "\x01" + pem(r, "PRIV"+"ATE KEY", "\x01\n\x01", 6) + "\x01\n" + pem(r, "CERTIFICATE", "\n", 6)
	}},
}

// plant splits a planted text into what is given to Redact and the secrets.
func plant(s string) (text string, secrets []string) {
	for i, part := range strings.Split(s, "\x01") {
		text += part
		if i%2 == 1 && !strings.HasPrefix(part, "-----") {
			secrets = append(secrets, part)
		}
	}
	return text, secrets
}

func TestPlanted(t *testing.T) {
	const rounds = 50
	kinds := make(map[string]bool)
	found, total := 0, 0
	for _, p := range planted {
		kinds[p.kind] = true
		missed := 0
		var last string
		for seed := range uint64(rounds) {
			text, secrets := plant(p.text(rand.New(rand.NewPCG(seed, 7))))
			clean, fs := Redact(p.path, []byte(text))
			ok := slices.ContainsFunc(fs, func(f Finding) bool { return f.Kind == p.kind })
			for _, s := range secrets {
				ok = ok && !bytes.Contains(clean, []byte(s))
			}
			if got, want := bytes.Count(clean, newline), strings.Count(text, "\n"); got != want {
				t.Errorf("%s: %d lines became %d", p.kind, want, got)
			}
			if again, more := Redact(p.path, clean); len(more) > 0 || !bytes.Equal(again, clean) {
				t.Errorf("%s: redacting again finds %v in\n%s", p.kind, more, clean)
			}
			total++
			if ok {
				found++
			} else {
				missed++
				last = fmt.Sprintf("%s\n→ %v\n%s", text, fs, clean)
			}
		}
		if missed > rounds/20 {
			t.Errorf("%s in %s: missed %d of %d, such as\n%s", p.kind, p.path, missed, rounds, last)
		}
	}
	t.Logf("%d of %d planted keys of %d kinds found (%.2f%%)", found, total, len(kinds), 100*float64(found)/float64(total))
	if len(kinds) < 40 {
		t.Errorf("%d kinds planted, want at least 40", len(kinds))
	}
}
