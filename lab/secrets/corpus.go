package main

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
)

// An item is a piece of text in which a secret is or is not to be found.
type item struct {
	kind, path, text string
	secret           string // empty for harmless items
}

// A shape is a way to write a value down; %s is the value.
type shape struct{ path, text string }

// passwordShapes and keyShapes are how secrets without a known form are written.
// Every second one is held out: rules are tuned on the others.
var passwordShapes = []shape{
	{"settings.py", `password = "%s"`}, {"app/config.rb", `  :password => "%s",`},
	{"db.py", `DB_PASSWORD = '%s'`}, {"wp-config.php", `define('DB_PASSWORD', '%s');`},
	{"config.yml", "database:\n  password: %s\n"}, {"config.yaml", "smtp:\n  password: \"%s\"\n"},
	{"app.ini", "[db]\npassword=%s\n"}, {"my.conf", "db_pass = %s\n"},
	{"Db.java", `ds.setPassword("%s");`}, {"Config.kt", `val dbPassword = "%s"`},
	{"main.go", "\tPassword: \"%s\","}, {"main.rs", `let password = "%s";`},
	{"web.config", `connectionString="Server=db;User Id=app;Password=%s;Encrypt=True"`}, {"appsettings.json", `"Default": "Host=db;Username=app;Password=%s"`},
	{"pom.xml", "<password>%s</password>"}, {"spring.xml", `<property name="password" value="%s"/>`},
	{"docker-compose.yml", "    environment:\n      - POSTGRES_PASSWORD=%s\n"}, {"docker-compose.yaml", "    environment:\n      MYSQL_ROOT_PASSWORD: %s\n"},
	{"deploy.yaml", "        - name: DB_PASSWORD\n          value: \"%s\"\n"}, {"task.json", `{"name": "DB_PASSWORD", "value": "%s"}`},
	{"run.sh", "export PGPASSWORD=%s\n"}, {"run.sh", "curl -u deploy:%s https://ci.acme.io/job\n"},
	{"run.sh", "sshpass -p '%s' ssh root@10.0.0.4\n"}, {"run.sh", "curl --user 'deploy:%s' https://ci.acme.io/job\n"},
	{"run.sh", "mysql -u root -p%s app\n"}, {"run.sh", "wget --password=%s ftp://acme.io/x\n"},
	{"notes.md", "login: admin, password: %s\n"}, {"test_login.py", `client.login("maria", password="%s")`},
	{"main.tf", `  admin_password = "%s"`}, {"db.js", `const pool = mysql.createPool({user: 'app', password: '%s'})`},
	{"hosts", "db1 ansible_user=root ansible_ssh_pass=%s\n"}, {"vars.yml", "vault_db_password: '%s'\n"},
}

var keyShapes = []shape{
	{"config.py", `SECRET_KEY = '%s'`}, {"settings.json", `"api_key": "%s",`},
	{"client.js", `const clientSecret = '%s';`}, {"creds.json", `{"client_id":"app","client_secret":"%s"}`},
	{"Api.cs", `private const string ApiKey = "%s";`}, {"Api.swift", `let accessToken = "%s"`},
	{"run.sh", "export AUTH_TOKEN=%s\n"}, {"Dockerfile", "ENV API_TOKEN=%s\n"},
	{"req.http", "Authorization: Bearer %s\n"}, {"run.sh", `curl -H "Authorization: Bearer %s" https://api.acme.io`},
	{"req.http", "Authorization: Token %s\n"}, {"run.sh", "curl -H 'X-Api-Key: %s' https://api.acme.io\n"},
	{"app.yml", "jwt:\n  secret: %s\n"}, {"app.yaml", "signing_key: \"%s\"\n"},
	{"app.toml", `encryption_key = "%s"`}, {"app.cfg", "access_key = %s\n"},
	{"main.go", `os.Setenv("SERVICE_TOKEN", "%s")`}, {"main.go", "\tAPISecret: \"%s\","},
	{"url.txt", "https://api.acme.io/v1/users?access_token=%s&page=2\n"}, {"url.txt", "GET /feed?api_key=%s HTTP/1.1\n"},
	{"req.http", "Cookie: theme=dark; sessionid=%s; lang=en\n"}, {"resp.http", "Set-Cookie: sid=%s; Path=/; HttpOnly\n"},
	{"ci.yml", "env:\n  DEPLOY_TOKEN: %s\n"}, {"deploy.yaml", "        - name: API_SECRET\n          value: %s\n"},
	{"a.php", `'secret' => '%s',`}, {"a.rb", `config.secret_key_base = '%s'`},
	{"a.log", `{"level":"info","msg":"refreshed","refresh_token":"%s"}`}, {"a.py", `if api_key == "%s":`},
	{"Web.config", `<add key="ClientSecret" value="%s" />`}, {"a.xml", "<apiToken>%s</apiToken>"},
	{"main.tf", `  shared_secret = "%s"`}, {"a.sh", "redis-cli -a %s ping\n"},
}

const (
	lower   = "abcdefghijklmnopqrstuvwxyz"
	digits  = "0123456789"
	hexes   = digits + "abcdef"
	alnum   = lower + "ABCDEFGHIJKLMNOPQRSTUVWXYZ" + digits
	base64s = alnum + "+/"
)

func random(r *rand.Rand, set string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = set[r.IntN(len(set))]
	}
	return string(b)
}

func pick(r *rand.Rand, list string) string {
	words := strings.Fields(list)
	return words[r.IntN(len(words))]
}

const names = "falcon winter harbor copper lemon tiger marble orchid rocket summer pepper violet thunder maple walnut saturn"

// password makes what a person or a generator chooses, of mixed quality.
func password(r *rand.Rand) string {
	word := pick(r, names)
	title := strings.ToUpper(word[:1]) + word[1:]
	switch r.IntN(8) {
	case 0:
		return title + random(r, digits, 4) + pick(r, "! # ? @ $")
	case 1:
		return word + "-" + pick(r, names) + random(r, digits, 2)
	case 2:
		return title + pick(r, "! # @ &") + pick(r, names) + random(r, digits, 3)
	case 3:
		return word // a word alone
	case 4:
		return random(r, alnum+"!#%^&*-_", 12)
	case 5:
		return random(r, lower+digits, 10)
	case 6:
		return random(r, alnum, 20)
	}
	return random(r, alnum, 16)
}

// key makes what a program issues.
func key(r *rand.Rand) string {
	switch r.IntN(7) {
	case 0:
		return random(r, hexes, 32)
	case 1:
		return random(r, hexes, 64)
	case 2:
		return random(r, alnum, 24)
	case 3:
		return random(r, alnum, 40)
	case 4:
		return random(r, base64s, 43) + "="
	case 5:
		return random(r, hexes, 8) + "-" + random(r, hexes, 4) + "-4" + random(r, hexes, 3) + "-a" + random(r, hexes, 3) + "-" + random(r, hexes, 12)
	}
	return random(r, alnum, 12)
}

// secretItems returns n items for each kind of one half.
func secretItems(half, n int) (items []item) {
	for k, group := range [][]shape{passwordShapes, keyShapes} {
		for i, s := range group {
			if i%2 != half {
				continue
			}
			for seed := range n {
				r := rand.New(rand.NewPCG(uint64(seed), uint64(1000*k+i)))
				value := key(r)
				if k == 0 {
					value = password(r)
				}
				items = append(items, item{fmt.Sprintf("%.28s", strings.TrimSpace(strings.ReplaceAll(s.text, "\n", " "))), s.path, fmt.Sprintf(s.text, value), value})
			}
		}
	}
	for seed := range n {
		r := rand.New(rand.NewPCG(uint64(seed), 77))
		pair := base64.StdEncoding.EncodeToString([]byte("deploy:" + password(r)))
		value := base64.StdEncoding.EncodeToString([]byte(password(r)))
		if half == 0 {
			items = append(items, item{"basic", "req.http", "Authorization: Basic " + pair + "\n", pair},
				item{"kubernetes data", "k8s/db.yaml", "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ndata:\n  password: " + value + "\n", value})
		} else {
			items = append(items, item{"docker auth", "kube/pull.json", `{"auths":{"reg.acme.io":{"auth":"` + pair + `"}}}`, pair},
				item{"kubernetes stringData", "k8s/db.yaml", "apiVersion: v1\nstringData:\n  url: " + value + "\nkind: Secret\n", value})
		}
	}
	return items
}

// harmlessShapes are texts about secrets, and random values that are none. HEX32 and
// the like are filled in.
var harmlessShapes = strings.Split(strings.TrimSpace(`
password = os.environ["DB_PASSWORD"]
const token = process.env.API_TOKEN;
api_key = os.getenv("WORD_API_KEY", "")
password: ${DB_PASSWORD}
password: {{ .Values.db.password }}
token: ${{ secrets.DEPLOY_TOKEN }}
password = var.db_password
secret = random_password.db2.result
secretKeyRef: {name: WORD-db2, key: password}
secretName: WORD-tls-HEX8
password = "changeme"
password: your-password-here
api_key = "your_api_key_123"
API_KEY=xxxxxxxxxxxxxxxxxxxxxxxx
token = "<token>"
password = input("Enter your password: ")
password = getpass.getpass()
"password": "The password must have 8 characters and 1 digit"
<input type="password" name="password" id="pw1">
password = models.CharField(max_length=128)
password VARCHAR(255) NOT NULL
  --password string   password for user2 (default "")
def check_password(password, hash2):
token = next_token(tokens2)
token_type_ids = [0, 0, 1, 1]
TOKEN_EXPIRY_SECONDS=86400
max_tokens: 4096
tokenUrl: https://auth.acme.io/oauth2/token
token_endpoint = "/oauth2/v1/token"
primary_key = "HEX32"
cache_key = "HEX32"
public_key = "ALNUM43"
foreign_key: users.id2
sort_key="created_at#UUID"
commit = "HEX40"
sha256: HEX64
golang.org/x/crypto v0.14.0 h1:B64x43=
"integrity": "sha512-B64x86=="
id: UUID
request_id = "UUID"
etag: "HEX32"
"key": "item-UUID"
key_id = "UUID"
credentials_id: UUID
client_id = "ALNUM20"
secret_arn = "arn:aws:secretsmanager:us-east-1:123456789012:secret:WORD-AbC123"
passwordHash = hash2(password)
password_field = "user_password2"
secret_length = 32
"token": "string"
token: Token2<String>
csrf_token = "HEX32"
nextToken: B64x43=
data:image/png;base64,B64x86B64x86
Authorization: Bearer <token>
Authorization: Bearer ${TOKEN}
headers["Authorization"] = "Bearer " + token2
WWW-Authenticate: Basic realm="acme2"
curl -u "$USER:$PASS" https://acme.io
curl -u user:password https://acme.io
Set-Cookie: theme=dark; Path=/
Cookie: lang=en; consent=1
kubectl create secret generic db2 --from-literal=password=$PW
ENC[AES256_GCM,data:B64x43=,type:str]
password: ENC(B64x43=)
kid: HEX32
keyboard_layout = "us-intl2"
keystore.file=env/cert2.p12
secret_santa = "WORD and WORD2"
auth = HTTPBasicAuth(user2, password2)
authors = ["WORD <WORD@acme.io>"]
author_key2 = lambda a: a.name2
import { tokenAKey, tokenBKey } from './WORD/tokens2'
password = config.get("db.password2")
password=self.password2
secret := vault.Read("secret/data/WORD2")
apiKey: this.config.apiKey2
"secret": "projects/123/secrets/WORD2/versions/1"
password_regex = "^(?=.*[a-z])(?=.*\\d).{8,}$"
"i18n.password.reset2": "WORD"
passwordInput1.text = "WORD"
token = token.split(".")[1]
jwt_algorithm = "RS256"
session_cookie_name = "sid2"
const TOKEN_KIND_2 = "TOKEN_STRING_2"
tokenizer: "WORD-base-uncased-v2"
key_vault_name: "WORD2prodx24021"
@click.option("--token", envvar="WORD_TOKEN2")
checksum = "md5:HEX32"
password = "password123"
password="test1234"
DB_PASSWORD=postgres
secret = "secret"
token = "abc123"
`), "\n")

// harmlessItems returns n items for each kind of one half.
func harmlessItems(half, n int) (items []item) {
	for i, s := range harmlessShapes {
		if i%2 != half {
			continue
		}
		for seed := range n {
			r := rand.New(rand.NewPCG(uint64(seed), uint64(5000+i)))
			text := s
			for strings.Contains(text, "B64x86") {
				text = strings.Replace(text, "B64x86", random(r, base64s, 86), 1)
			}
			text = strings.NewReplacer("HEX8", random(r, hexes, 8), "HEX32", random(r, hexes, 32), "HEX40", random(r, hexes, 40), "HEX64", random(r, hexes, 64),
				"ALNUM43", random(r, alnum, 43), "ALNUM20", random(r, alnum, 20), "B64x43", random(r, base64s, 43), "WORD", pick(r, names),
				"UUID", random(r, hexes, 8)+"-"+random(r, hexes, 4)+"-4"+random(r, hexes, 3)+"-9"+random(r, hexes, 3)+"-"+random(r, hexes, 12)).Replace(text)
			items = append(items, item{kind: fmt.Sprintf("%.28s", s), path: pick(r, "a.py b.yml c.go d.js e.txt"), text: text + "\n"})
		}
	}
	return items
}
