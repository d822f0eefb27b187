package main

import (
	"fmt"
	"math/rand/v2"
	"path"
	"strings"
	"time"
)

// A source is a kind of noise.
type source struct {
	name  string
	write func(m *maker)
}

var kinds = []source{
	{"ci", ciLog}, {"tree", dependencies}, {"template", template}, {"environment", environment}, {"log", foreignLog}, {"minified", minified},
}

func kindNames() (names []string) {
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return names
}

// A maker writes the noise of one task.
type maker struct {
	*rand.Rand
	strings.Builder
	most     int // bytes, from which on no line is begun
	paths    []string
	language string
	now      time.Duration // since the log began
}

func (m *maker) more() bool { return m.Len() < m.most }

func (m *maker) line(format string, args ...any) { fmt.Fprintf(m, format+"\n", args...) }

func (m *maker) of(list string) string {
	all := strings.Fields(list)
	return all[m.IntN(len(all))]
}

func (m *maker) path() string { return m.paths[m.IntN(len(m.paths))] }

func (m *maker) version() string {
	return fmt.Sprintf("%d.%d.%d", m.IntN(9), m.IntN(30), m.IntN(12))
}

func (m *maker) hex(n int) string {
	const digits = "0123456789abcdef"
	b := make([]byte, n)
	for i := range b {
		b[i] = digits[m.IntN(len(digits))]
	}
	return string(b)
}

// at is the time of the next line of a log.
func (m *maker) at(layout string) string {
	m.now += time.Duration(m.IntN(2_400_000)) * time.Microsecond
	return time.Date(2023, 4, 17, 8, 12, 40, 0, time.UTC).Add(m.now).Format(layout)
}

const (
	libraries = `react lodash webpack babel-core chalk yargs debug semver glob minimatch express body-parser cookie ws axios async commander inherits ms
		numpy pandas scipy requests urllib3 certifi idna charset-normalizer six attrs pluggy packaging setuptools wheel pip click jinja2 markupsafe pyyaml
		serde serde_json libc rand tokio futures log regex bytes syn quote proc-macro2 unicode-ident memchr aho-corasick itoa ryu cfg-if bitflags clap
		guava slf4j-api logback-classic junit mockito-core jackson-databind commons-lang3 netty-all kotlin-stdlib okio rake bundler rspec nokogiri`
	subjects = `server worker cache session pool scheduler config parser request response client handler index queue thread connection buffer module loader
		plugin token stream event driver watcher registry monitor lock job file user test default option value path version import type`
	deeds = `started stopped loaded updated flushed opened closed resolved skipped retried compiled cached queued parsed registered initialized refreshed received sent`
)

func (m *maker) remark() string {
	return fmt.Sprintf("%s %s %s in %dms", m.of(subjects), m.of(subjects), m.of(deeds), m.IntN(900))
}

// ciLog is the log of a build on a server of somebody.
func ciLog(m *maker) {
	stamp := func() string {
		switch m.language {
		case "java", "kotlin", "csharp":
			return m.at("15:04:05.000")
		}
		return m.at("2006-01-02T15:04:05.0000000Z")
	}
	say := func(format string, args ...any) { m.line("%s "+format, append([]any{stamp()}, args...)...) }
	say("Current runner version: '2.%s'", m.version())
	say("##[group]Operating System")
	say("Ubuntu 22.04.2 LTS")
	say("##[endgroup]")
	say("Download action repository 'actions/checkout@v3' (SHA:%s)", m.hex(40))
	say("##[group]Run actions/setup-node@v3")
	for m.more() {
		switch m.IntN(9) {
		case 0:
			say("Collecting %s", m.of(libraries))
			say("  Downloading %s-%s-py3-none-any.whl (%d kB)", m.of(libraries), m.version(), m.IntN(900))
		case 1:
			say("   Compiling %s v%s", m.of(libraries), m.version())
		case 2:
			say("npm WARN deprecated %s@%s: this version is no longer supported", m.of(libraries), m.version())
		case 3:
			say("%s PASSED [ %d%%]", m.path(), m.IntN(100))
		case 4:
			say("ok  \t%s\t%d.%03ds", path.Dir(m.path()), m.IntN(9), m.IntN(1000))
		case 5:
			say("Get:%d http://archive.ubuntu.com/ubuntu jammy/main amd64 %s amd64 %s [%d kB]", m.IntN(90), m.of(libraries), m.version(), m.IntN(900))
		case 6:
			say("[command]/usr/bin/git log -1 --format='%%H'")
			say("%s", m.hex(40))
		default:
			say("%s", m.remark())
		}
	}
	say("##[error]Process completed with exit code 1.")
	say("Cleaning up orphan processes")
}

// dependencies is what the program says that knows them.
func dependencies(m *maker) {
	name := func() string { return m.of(libraries) }
	switch m.language {
	case "javascript", "typescript":
		m.line("app@1.0.0 /home/me/app")
		for m.more() {
			m.line("%s%s %s@%s%s", strings.Repeat("│ ", m.IntN(4)), m.of("├── └── ├─┬ └─┬"), name(), m.version(), []string{"", "", " deduped", " extraneous"}[m.IntN(4)])
		}
	case "rust", "c", "cpp":
		m.line("app v0.1.0 (/home/me/app)")
		for m.more() {
			m.line("%s%s %s v%s%s", strings.Repeat("│   ", m.IntN(4)), m.of("├── └──"), name(), m.version(), []string{"", "", " (*)", " (proc-macro)"}[m.IntN(4)])
		}
	case "java", "kotlin":
		m.line("[INFO] --- maven-dependency-plugin:2.8:tree (default-cli) @ app ---")
		for m.more() {
			m.line("[INFO] %s%s org.%s:%s:jar:%s:%s", strings.Repeat("|  ", m.IntN(4)), m.of(`+- \-`), m.of(subjects), name(), m.version(), m.of("compile test runtime"))
		}
	case "go":
		for m.more() {
			m.line("github.com/%s/%s v%s", m.of(subjects), name(), m.version())
		}
	default:
		for m.more() {
			if m.IntN(12) == 0 {
				m.line("-e git+https://github.com/me/%s.git@%s#egg=%s", name(), m.hex(40), name())
			}
			m.line("%s-%s==%s", name(), m.of(subjects), m.version())
		}
	}
}

// template is one that its writer did not fill in.
func template(m *maker) {
	for m.more() {
		for _, s := range []string{
			"<!-- Please search existing issues to avoid creating duplicates. Do not remove this template, or your issue will be closed. -->\n",
			"### Checklist\n\n- [ ] I have searched the issues of this repository and believe that this is not a duplicate.\n- [ ] I have read the documentation and the contributing guide.\n- [x] I am running the latest version.\n- [ ] I have tested with the default config and without any plugin, extension or custom module.\n",
			"**Describe the bug**\nA clear and concise description of what the bug is.\n",
			"**To Reproduce**\nSteps to reproduce the behavior:\n1. Go to '...'\n2. Click on '....'\n3. Scroll down to '....'\n4. See error\n",
			"**Expected behavior**\nA clear and concise description of what you expected to happen.\n",
			"**Screenshots**\nIf applicable, add screenshots to help explain your problem.\n",
			"**Desktop (please complete the following information):**\n - OS: [e.g. iOS]\n - Browser [e.g. chrome, safari]\n - Version [e.g. 22]\n",
			"## Type of change\n\n- [ ] Bug fix (non-breaking change which fixes an issue)\n- [ ] New feature (non-breaking change which adds functionality)\n- [ ] Breaking change (fix or feature that would cause existing functionality to not work as expected)\n- [ ] This change requires a documentation update\n",
			"## How Has This Been Tested?\n\nPlease describe the tests that you ran to verify your changes. Provide instructions so we can reproduce.\n\n- [ ] Test A\n- [ ] Test B\n",
			"### Relevant log output\n\n_No response_\n",
			"### Code of Conduct\n\n- [ ] I agree to follow this project's Code of Conduct\n",
			"**Additional context**\nAdd any other context about the problem here.\n",
		} {
			if m.IntN(4) > 0 {
				m.line("%s", s)
			}
		}
	}
}

// environment is a dump of variables and versions.
func environment(m *maker) {
	form := m.IntN(4)
	for m.more() {
		a, b := m.of(subjects), m.of(subjects)
		switch form {
		case 0:
			m.line("%s_%s=/usr/local/%s/%s:/home/me/.%s/bin", strings.ToUpper(a), strings.ToUpper(b), a, m.of(libraries), b)
		case 1:
			m.line("%-24s: %s", m.of(libraries), m.version())
		case 2:
			m.line("%s.%s.%s = %s", a, b, m.of(subjects), m.of("true false none 0 1 8080 /var/lib/app utf-8 auto 30s"))
		default:
			m.line("declare -x %s_%s=\"%s\"", strings.ToUpper(a), strings.ToUpper(b), m.of("/usr/bin xterm-256color en_US.UTF-8 1 /home/me/app"))
		}
	}
}

// foreignLog is the log of another program that names files of the repository.
func foreignLog(m *maker) {
	form := m.IntN(6)
	for m.more() {
		p := m.path()
		switch form {
		case 0:
			m.line("%s INFO  [%s-%d] com.acme.%s: %s %s", m.at("2006-01-02 15:04:05,000"), m.of(subjects), m.IntN(9), m.of(subjects), m.of(deeds), p)
		case 1:
			m.line("[%s] [%s] %s: %s", m.at("15:04:05"), m.of("debug info verbose warn"), m.remark(), p)
		case 2:
			m.line("%-60s %5d %5d %3d%%   %d-%d", p, m.IntN(900), m.IntN(90), m.IntN(100), m.IntN(90), 90+m.IntN(90))
		case 3:
			m.line("level=%s ts=%s caller=%s:%d msg=\"%s\"", m.of("info debug"), m.at(time.RFC3339), path.Base(p), m.IntN(900), m.remark())
		case 4:
			m.line("I0417 %s %7d %s:%d] %s", m.at("15:04:05.000000"), m.IntN(99), path.Base(p), m.IntN(900), m.remark())
		default:
			m.line("-rw-r--r-- 1 me me %7d %s ./%s", m.IntN(90000), m.at("Jan _2 15:04"), p)
		}
	}
}

// minified is the stack of a program whose names were taken away.
func minified(m *maker) {
	m.line("Uncaught (in promise) Error: Minified React error #%d", m.IntN(500))
	for m.more() {
		file := fmt.Sprintf("%s.%s.js", m.of("main vendor app chunk runtime index"), m.hex(8))
		switch m.IntN(4) {
		case 0:
			m.line("    at %s (https://cdn.acme.com/static/js/%s:2:%d)", m.of("e t n r o i a"), file, m.IntN(900000))
		case 1:
			m.line("    at %s.%s (%s:1:%d)", m.of("Object e t n"), m.of("value next push render"), file, m.IntN(900000))
		case 2:
			m.line("    at https://cdn.acme.com/static/js/%s:1:%d", file, m.IntN(900000))
		default:
			m.line("%s@webpack:///%s?:%d:%d", m.of("e t n r"), m.path(), m.IntN(90), m.IntN(90))
		}
	}
}
