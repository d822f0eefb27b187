package agents

import (
	"strings"
	"testing"
)

// TestHookLines: these are the lines of each agent on each system. Codex trusts one by
// its hash: changing it is breaking every install.
func TestHookLines(t *testing.T) {
	const there = "sh -c 'command -v satchel >/dev/null 2>&1 || exit 0; "
	for name, want := range map[string]struct{ sh, windows, unixValue, windowsValue string }{
		"claude": {
			there + "satchel hook claude || exit 0'", "satchel hook claude ; exit 0 # || exit 0",
			`{"hooks":[{"type":"command","command":"SH","timeout":10}]}`, `{"hooks":[{"type":"command","command":"WINDOWS","timeout":10}]}`,
		},
		"codex": {
			there + "satchel hook codex || exit 0'", "satchel hook codex ; exit 0 # || exit 0",
			`{"hooks":[{"type":"command","command":"SH","commandWindows":"WINDOWS","timeout":10}]}`, `{"hooks":[{"type":"command","command":"SH","commandWindows":"WINDOWS","timeout":10}]}`,
		},
		"gemini": {
			there + "exec 3<&0; satchel hook gemini <&3 & p=$!; end() { kill $p 2>/dev/null; exit 0; }; trap end TERM INT HUP; wait $p || exit 0'", "satchel hook gemini; exit 0",
			`{"hooks":[{"name":"satchel","type":"command","command":"SH","timeout":10000}]}`, `{"hooks":[{"name":"satchel","type":"command","command":"WINDOWS","timeout":10000}]}`,
		},
		"copilot": {
			there + "satchel hook copilot sessionStart || exit 0'", "satchel hook copilot sessionStart; exit 0",
			`{"type":"command","bash":"SH","powershell":"WINDOWS","timeoutSec":10}`, `{"type":"command","bash":"SH","powershell":"WINDOWS","timeoutSec":10}`,
		},
		"qwen": {
			there + "satchel hook qwen || exit 0'", "set NoDefaultCurrentDirectoryInExePath=1& satchel hook qwen || exit 0",
			`{"hooks":[{"name":"satchel","type":"command","command":"SH","timeout":10000}]}`, `{"hooks":[{"name":"satchel","type":"command","command":"WINDOWS","timeout":10000}]}`,
		},
	} {
		a := ByName(name)
		start := &a.Hooks.Events[0]
		if got := a.HookLine(start); got != want.sh {
			t.Errorf("%s by sh: %s, want %s", name, got, want.sh)
		}
		if got := a.WindowsLine(start); got != want.windows {
			t.Errorf("%s on Windows: %s, want %s", name, got, want.windows)
		}
		lines := strings.NewReplacer("SH", want.sh, "WINDOWS", want.windows)
		for goos, value := range map[string]string{"linux": want.unixValue, "darwin": want.unixValue, "windows": want.windowsValue} {
			list := a.HookEntries(goos)
			if got := list[0].Value; got != lines.Replace(value) {
				t.Errorf("%s in settings on %s: %s, want %s", name, goos, got, lines.Replace(value))
			}
			for i := range list {
				l := &list[i].Lines
				if len(l.All) != 2 || !l.Ours(l.All[0]) || l.Works(l.All[0]) != (goos != "windows") || !l.Works(l.All[1]) || l.Ours("satchel hook x") {
					t.Errorf("%s on %s, %s: %+v", name, goos, list[i].What, *l)
				}
			}
		}
	}
}

// TestHookLinesAreShared: an agent hands a line on with double quotes around it, and
// Windows PowerShell takes off those within. A line for Windows has no quotes at all.
func TestHookLinesAreShared(t *testing.T) {
	for _, a := range All {
		if a.Hooks == nil || a.Hooks.Handler == nil {
			continue
		}
		for i := range a.Hooks.Events {
			ev := &a.Hooks.Events[i]
			if line := a.HookLine(ev); strings.ContainsAny(line, "\"\n\\") {
				t.Errorf("%s: the line for sh has characters that are lost on the way: %s", a.Name, line)
			}
			if line := a.WindowsLine(ev); strings.ContainsAny(line, "\"'`\n\\$%^") {
				t.Errorf("%s: the line for Windows has characters that shells do not agree on: %s", a.Name, line)
			}
		}
	}
}
