package secrets

import (
	"bytes"
	"encoding/base64"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// A fileSample is a file that holds secrets, each between two U+0001. One sample may
// serve several names.
type fileSample struct {
	names, text string
}

var fileSamples = []fileSample{
	{".npmrc .terraformrc .boto .s3cfg", "# mine\n//registry.acme.io/:_authToken=\x01S\x01\n_password = \x01S\x01\naccess_key: \x01S\x01\nregistry=https://registry.acme.io/\n"},
	{".yarnrc .yarnrc.yml", "npmRegistries:\n  \"https://npm.acme.io\":\n    npmAuthToken: \"\x01S\x01\"\n    npmAuthIdent: \x01S\x01\n"},
	{".pypirc", "[pypi]\nusername: __token__\npassword: \x01S\x01\n[other]\npassword = \x01S\x01\n"},
	{".my.cnf", "[client]\nuser=root\npassword=\"\x01S\x01\"\n"},
	{".gem_credentials credentials", "---\n:rubygems_api_key: \x01S\x01\n:acme: \x01S\x01\n"},
	{"credentials .aws/credentials", "[default]\naws_access_key_id = \x01S\x01\naws_secret_access_key = \x01S\x01\n"},
	{"credentials.toml", "[registry]\ntoken = \"\x01S\x01\"\n"},
	{"auth.json", `{"http-basic":{"repo.acme.io":{"username":"me","password":"` + "\x01S\x01" + `"}},"tokens":{"access_token":"` + "\x01S\x01" + `"}}`},
	{".docker/config.json .dockercfg .dockerconfigjson", `{"auths":{"https://index.acme.io/v1/":{"auth":"` + "\x01S\x01" + `","identitytoken": "` + "\x01S\x01" + `"}}}`},
	{".docker/config.json", "{\n\t\"auths\": {\n\t\t\"acme.io\": {\n\t\t\t\"auth\": \"\x01S\x01\"\n\t\t}\n\t}\n}\n"},
	{".kube/config", "apiVersion: v1\nusers:\n- name: me\n  user:\n    token: \x01S\x01\n    password: \x01S\x01\n    client-key-data: \x01S\x01\n- name: b\n  user: {token: \"\x01S\x01\"}\n"},
	{".config/gh/hosts.yml", "github.com:\n    user: me\n    oauth_token: \x01S\x01\n    git_protocol: ssh\n"},
	{"*.tfstate", `{"outputs":{"db_password":{"value":"` + "\x01S\x01" + `","type":"string"}},"resources":[{"type":"random_password","instances":[{"attributes":{"result":"` + "\x01S\x01" + `","length":20,"access_key": "` + "\x01S\x01" + `"}}]}]}`},
	{"*.tfvars", "region = \"eu-west-1\"\ndb_password = \"\x01S\x01\"\n  api_token   = \"\x01S\x01\" # ours\n"},
	{"*.tfvars.json", `{"region":"eu-west-1","db_password":"` + "\x01S\x01" + `"}`},
	{".netrc _netrc", "machine a login b password \x01S\x01\nmachine c\n\tlogin d\n\tpassword \x01S\x01\n"},
	{".pgpass pgpass.conf", "db.acme.io:5432:app:me:\x01S\x01\n"},
	{".htpasswd shadow", "me:\x01$2y$05$S\x01\n"},
	{".git-credentials", "https://me:\x01S\x01@git.acme.io\n"},
	{"id_rsa id_dsa id_ecdsa id_ed25519 id_ecdsa_sk id_ed25519_sk id_xmss identity.age keys.txt.age .vault-token *.pem *.ppk *.p8 *.p12 *.pfx *.jks *.keystore *.kdbx *.key", "\x01SSS\x01\n"},
	{".env .env.* .env-* .env_* .envrc *.env .flaskenv .dev.vars .dev.vars.*", "export A=\x01S\x01\nB: \x01S\x01\nC = \"\x01S\x01\"\n# D=\x01S\x01\n- E=\x01S\x01\nMODE=production\n"},
	{"env.prod env.production env.staging env.stage env.dev env.development env.test env.local env.live", "API_KEY=\x01S\x01\n"},
	{"secrets.toml .streamlit/secrets.toml", "[db]\npassword = \"\x01S\x01\"\nhost = \"\x01S\x01\"\n"},
	{"secrets.yml secrets.yaml", "production:\n  secret_key_base: \x01S\x01\n  ssh: |\n    \x01S\x01\n    \x01S\x01\n  mode: production\n"},
	{"settings.xml", "<settings><servers><server><id>a</id><username>me</username><password>\x01S\x01</password>\n<passphrase><![CDATA[\x01S\x01]]></passphrase></server></servers></settings>"},
	{"settings-security.xml", "<settingsSecurity><masterPassword>\x01S\x01</masterPassword></settingsSecurity>"},
	{"nuget.config", `<packageSourceCredentials><acme><add key="Username" value="me" /><add key="ClearTextPassword" value="` + "\x01S\x01" + `" /></acme></packageSourceCredentials>`},
	{"application.properties application-*.properties", "spring.datasource.password=\x01S\x01\njwt.secret: \x01S\x01\nspring.datasource.url=jdbc:postgresql://db/app\n"},
}

// fileName makes a name for a pattern.
func fileName(pattern string) string { return "home/" + strings.ReplaceAll(pattern, "*", "prod") }

// TestFileKinds: each name of a file that holds secrets has a sample, and none of its
// secrets is left, in the file, a copy of it, and an excerpt.
func TestFileKinds(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 9))
	fill := func(text string) string {
		for strings.Contains(text, "S\x01") {
			text = strings.Replace(text, "S\x01", word(random, alnumSet, 12)+"7q\x01", 1)
			text = strings.ReplaceAll(text, "\x01SS", "\x01"+word(random, alnumSet, 40))
		}
		return text
	}
	for _, r := range fileRules {
		for _, name := range strings.Fields(r.names) {
			sampled := false
			for _, s := range fileSamples {
				if !slices.Contains(strings.Fields(s.names), name) {
					continue
				}
				sampled = true
				text, secrets := plant(fill(s.text))
				for _, path := range []string{fileName(name), strings.ToUpper(fileName(name)), fileName(name) + "~", fileName(name) + ".bak"} {
					checkFile(t, path, text, secrets, Redact)
					checkFile(t, path, text, secrets, RedactExcerpt)
				}
				if got := Sealed(fileName(name)); got == r.open {
					t.Errorf("Sealed(%s) = %v, open = %v", fileName(name), got, r.open)
				}
			}
			if !sampled {
				t.Errorf("%s has no sample", name)
			}
		}
	}
	for _, s := range fileSamples {
		for _, name := range strings.Fields(s.names) {
			if ruleOf(fileName(name)) == nil {
				t.Errorf("the sample %s is of no rule", name)
			}
		}
	}
}

// checkFile checks that none of the secrets of a file is left.
func checkFile(t *testing.T, path, text string, secrets []string, redact func(string, []byte) ([]byte, []Finding)) {
	t.Helper()
	clean, found := redact(path, []byte(text))
	for _, s := range secrets {
		if bytes.Contains(clean, []byte(s)) {
			t.Errorf("%s: %q is left in\n%s", path, s, clean)
		}
	}
	if len(found) == 0 || bytes.Count(clean, newline) != strings.Count(text, "\n") {
		t.Errorf("%s: found %v in\n%s", path, found, clean)
	}
	if again, more := redact(path, clean); len(more) > 0 || !bytes.Equal(again, clean) {
		t.Errorf("%s: a second time finds %v in\n%s", path, more, clean)
	}
}

// TestOpenFiles: files that hold secrets among other things keep these.
func TestOpenFiles(t *testing.T) {
	for path, text := range map[string]string{
		"env.go": "package env\n\nvar token = next()\n", "config": "a=b7\n", "src/config.json": `{"auth":"none"}`, "hosts.yml": "a: b7\n", "environment.env.go": "x = y7\n",
		"application.properties": "spring.kafka.consumer.key-deserializer=org.apache.StringDeserializer\nserver.ssl.key-store=classpath:a.p12\nauth.enabled=true\ntoken.url=https://a/b\npassword=${DB_PASSWORD}\n",
		"prod.tfvars":            "region = \"eu-west-1\"\nkey_name = \"ops7\"\npublic_key = \"ssh-rsa AAAA7\"\n",
		"pom/settings.xml":       "<settings><profile><id>a7</id><url>https://a/b</url></profile></settings>\n",
		"terraform.tfstate":      `{"version":4,"resources":[{"instances":[{"index_key":"a7","attributes":{"id":"i-0abc","key_name":"k7"}}]}]}`,
	} {
		if clean, found := Redact(path, []byte(text)); len(found) > 0 {
			t.Errorf("%s: found %v:\n%s", path, found, clean)
		}
	}
}

// TestManifests: the values of a Secret of Kubernetes go, wherever its kind is.
func TestManifests(t *testing.T) {
	random := rand.New(rand.NewPCG(10, 11))
	b64 := func() string {
		return "\x01" + base64.StdEncoding.EncodeToString([]byte(word(random, alnumSet, 9))) + "\x01"
	}
	for _, text := range []string{
		"apiVersion: v1\nkind: Secret\nmetadata:\n  name: dbSecret\ntype: Opaque\ndata:\n  a: " + b64() + "\n  b.txt: " + b64() + "\n",
		"apiVersion: v1\nstringData:\n  url: " + b64() + "\n  file: |\n    " + b64() + "\n    x: " + b64() + "\nkind: Secret\n",
		"kind: ConfigMap\ndata:\n  a: plain\n---\nkind: \"Secret\"\ndata:\n  a: " + b64() + "\n---\nkind: ConfigMap\ndata:\n  b: plain\n",
		`{"apiVersion":"v1","data":{"a":"` + b64() + `"},"kind":"Secret"}`,
		"{\n  \"kind\": \"Secret\",\n  \"data\": {\n    \"a\": \"" + b64() + "\"\n  }\n}\n",
		"items:\n- kind: Secret\n  data:\n    a: " + b64() + "\n- kind: Secret\n  data:\n    a: " + b64() + "\n",
	} {
		text, secrets := plant(text)
		checkFile(t, "deploy/db.yaml", text, secrets, Redact)
		clean, _ := Redact("deploy/db.yaml", []byte(text))
		if strings.Count(string(clean), "plain") != strings.Count(text, "plain") {
			t.Errorf("more than the secret went:\n%s", clean)
		}
	}
	for _, text := range []string{
		"kind: ConfigMap\ndata:\n  a: cGxhaW4=\n", "kind: SecretList\ndata:\n  a: cGxhaW4=\n", "kind: Secret\ndata:\n  a: {{ .Values.a | b64enc }}\n", "kind: SealedSecret\ndata:\n  a: cGxhaW4=\n",
	} {
		if clean, found := Redact("a.yaml", []byte(text)); len(found) > 0 {
			t.Errorf("found %v in\n%s", found, clean)
		}
	}
	// A text full of kinds takes linear time.
	Redact("a.yaml", bytes.Repeat([]byte("kind: Secret\ndata:\n  a: b\n"), 40_000))
}
