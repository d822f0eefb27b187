package change

import (
	"path"
	"strings"

	"github.com/satchel-dev/satchel/internal/text/lazy"
)

// Words of a path, whole ones, that speak of security.
var securityWords = setOf("auth authn authz authentication authorization oauth oauth2 oidc saml sso login logout password passwords passwd credential credentials " +
	"secret secrets token tokens jwt session sessions cookie cookies csrf xsrf cors crypto cryptography cipher encrypt encryption decrypt signing signature " +
	"tls ssl x509 cert certs certificate certificates pki permission permissions acl rbac access policy policies sandbox seccomp security secure sanitize " +
	"sanitizer sanitization escape escaping firewall vault keyring keystore privilege privileges sudo sudoers")

// A hint is what one word of a changed line says.
type hint byte

const (
	hintSecurity hint = 1 << iota // a mistake on this line may be a hole
	hintCheck                     // the line may refuse something
	hintTrigger                   // the line may switch a check off: look closer
	hintQuery                     // the line may build a query: look closer
)

// hints are the words that say something, in lower case.
var hints = func() map[string]hint {
	m := map[string]hint{}
	for h, list := range map[hint]string{
		hintSecurity: "password passwd secret secrets api_key apikey private_key privatekey access_token accesstoken credential credentials " +
			"authorization authenticate authenticated authentication authorize authorized permission permissions csrf bcrypt scrypt argon2 hmac sha1 md5 aes rsa " +
			"tls x509 setuid chmod chown sudo exec eval popen subprocess shell_exec child_process dangerouslysetinnerhtml innerhtml unsafe deserialize pickle " +
			"pull_request_target nosec gosec",
		hintCheck: "assert verify verified validate validated validation valid invalid is_valid isvalid check checked require required ensure sanitize escape " +
			"permission permissions forbid forbidden deny denied reject rejected limit raise throw panic if unless guard",
		hintTrigger: "insecureskipverify verify rejectunauthorized curlopt_ssl_verifypeer curlopt_ssl_verifyhost _create_unverified_context check_hostname " +
			"node_tls_reject_unauthorized danger_accept_invalid_certs danger_accept_invalid_hostnames allow_all_hostname trustallcerts sslverify insecure privileged " +
			"curl permissions pull_request_target chmod shell autoescape csrf_exempt origin enforce setenforce sandbox",
		hintQuery: "select insert update delete",
	} {
		for w := range strings.FieldsSeq(list) {
			m[w] |= h
		}
	}
	return m
}()

var (
	// insecureLine finds lines that switch a check off.
	insecureLine = lazy.Regexp(`(?i)InsecureSkipVerify\s*[:=]\s*true|verify\s*=\s*False|rejectUnauthorized["']?\s*[:=]\s*false|CURLOPT_SSL_VERIFY(?:PEER|HOST)\W+(?:0|false)|` +
		`_create_unverified_context|check_hostname\s*=\s*False|NODE_TLS_REJECT_UNAUTHORIZED\W+0|danger_accept_invalid_(?:certs|hostnames)\s*\(\s*true|` +
		`ALLOW_ALL_HOSTNAME|TrustAllCerts|sslVerify\W+false|--no-verify\b|--insecure\b|--privileged\b|privileged:\s*true|curl\s+-\w*k\w*\s|` +
		`permissions:\s*write-all|pull_request_target|chmod\s+(?:-R\s+)?0?777|shell\s*=\s*True|autoescape\s*=\s*False|csrf_exempt|Access-Control-Allow-Origin\W+\*|setenforce\s+0|--disable-sandbox|--no-sandbox`)

	// queryLine finds lines that put values into the text of a query.
	queryLine = lazy.Regexp(`\b(?:SELECT|INSERT INTO|UPDATE|DELETE FROM)\b.*(?:["'] ?\+|%s|\$\{|\{\w*\}|f["'])`)
)

// maxSecurityBytes is how much of a file's change is searched, and maxLine how
// much of a line.
const (
	maxSecurityBytes = 256 << 10
	maxLine          = 1000
)

// security measures what a reviewer must not miss.
func (m *measure) security() {
	f := m.f
	lower := strings.ToLower(f.Path)
	m.is(sigPipeline, pipeline(lower))
	m.is(sigManifest, manifests[path.Base(lower)] || strings.HasPrefix(path.Base(lower), "requirements") && strings.HasSuffix(lower, ".txt"))
	switch f.Class {
	case "test", "docs", "lock", "vendored", "generated", "minified", "binary":
		return
	}
	told := false
	eachPathWord(f.Path, func(w string) { told = told || securityWords[w] })
	m.is(sigSecurityPath, told)
	var lines, insecure, added, removed int
	left := maxSecurityBytes
	for line := range f.changedLines() {
		if left <= 0 {
			break
		}
		text := line.text[:min(len(line.text), maxLine-1)]
		left -= len(text)
		if line.comment || strings.TrimSpace(text) == "" {
			continue
		}
		said := hintsOf(text)
		if said&hintSecurity != 0 || said&hintQuery != 0 && queryLine().MatchString(text) {
			lines++
		}
		if line.mark == '+' && said&hintTrigger != 0 && insecureLine().MatchString(text) {
			insecure++
		}
		switch {
		case said&hintCheck == 0:
		case line.mark == '+':
			added++
		default:
			removed++
		}
	}
	m.count(sigSecurityLines, lines)
	m.count(sigInsecure, insecure)
	if isCode(f) && f.Status != Deleted && f.File.Added < f.File.Removed*2 {
		m.count(sigChecksGone, max(0, removed-added))
	}
}

// hintsOf returns what the words of a line say.
func hintsOf(text string) (said hint) {
	var lower [32]byte
	for i := 0; i < len(text); {
		if !wordByte(text[i]) {
			i++
			continue
		}
		n := 0
		for ; i < len(text) && wordByte(text[i]); i++ {
			if n < len(lower) {
				c := text[i]
				if isUpper(c) {
					c |= 0x20
				}
				lower[n] = c
			}
			n++
		}
		if n >= 2 && n <= len(lower) {
			said |= hints[string(lower[:n])]
		}
	}
	return said
}

// pipeline reports whether a path, in lower case, says how the product is
// built, tested and shipped: what runs with the rights of its makers.
func pipeline(lower string) bool {
	base := path.Base(lower)
	switch {
	case strings.HasPrefix(lower, ".github/workflows/"), strings.HasPrefix(lower, ".github/actions/"), strings.HasPrefix(lower, ".circleci/"),
		strings.HasPrefix(lower, ".buildkite/"), strings.HasPrefix(lower, ".gitlab/ci/"):
		return true
	}
	switch base {
	case ".gitlab-ci.yml", "jenkinsfile", "azure-pipelines.yml", ".travis.yml", "bitbucket-pipelines.yml", "containerfile", ".drone.yml", "cloudbuild.yaml", "action.yml", "action.yaml":
		return true
	}
	return base == "dockerfile" || strings.HasPrefix(base, "dockerfile.") || strings.HasSuffix(base, ".dockerfile") || strings.HasPrefix(base, "docker-compose")
}

var manifests = setOf("go.mod cargo.toml package.json pyproject.toml setup.py setup.cfg pipfile gemfile composer.json pom.xml build.gradle build.gradle.kts " +
	"build.sbt mix.exs pubspec.yaml package.swift podfile cmakelists.txt conanfile.txt conanfile.py vcpkg.json environment.yml deno.json bunfig.toml flake.nix")

// eachPathWord calls fn for every word of a path, in lower case: authTokens.go
// holds auth and tokens.
func eachPathWord(name string, fn func(string)) {
	start := 0
	for i := 0; i <= len(name); i++ {
		boundary := i == len(name) || !wordByte(name[i]) || name[i] == '_'
		hump := i > start && i < len(name) && isUpper(name[i]) && (!isUpper(name[i-1]) || i+1 < len(name) && wordByte(name[i+1]) && !isUpper(name[i+1]))
		if boundary || hump {
			if i > start {
				fn(strings.ToLower(name[start:i]))
			}
			start = i
			if boundary {
				start = i + 1
			}
		}
	}
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
