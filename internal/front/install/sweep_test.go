package install

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel/internal/world/fsx/fsxtest"
)

// secretSettings are settings that nobody may find a copy of.
const secretSettings = "{\n  \"env\": {\"KEY\": \"sk-1234\"}\n}\n"

// copies returns the files below a folder that hold the secret, and those that
// are empty or locks, but for the settings themselves.
func copies(t *testing.T, dir string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || d.Name() == "settings.json" {
			return err
		}
		text, err := os.ReadFile(name)
		if len(text) == 0 || strings.Contains(string(text), "sk-1234") || strings.HasSuffix(name, tempSuffix) {
			list = append(list, strings.TrimPrefix(name, dir+"/"))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestSweep: what an install leaves that is killed at each of its steps is gone
// after the next one, after an uninstall and after a look by the doctor; and
// nothing else is.
func TestSweep(t *testing.T) {
	sweeps := map[string]func(Options) error{
		"install":   func(o Options) error { _, err := Install(o, "codex"); return err },
		"uninstall": func(o Options) error { _, err := Uninstall(o, "pi"); return err },
		"doctor":    func(o Options) error { Sweep(o); return nil },
	}
	left := map[string]func(t *testing.T, dir string, l ledger, settings string){
		"the lock alone": func(*testing.T, string, ledger, string) {},
		"a half-written backup": func(t *testing.T, _ string, l ledger, settings string) {
			_, backup := l.names(settings)
			write(t, filepath.Join(l.dir, tempName(backup)), secretSettings)
		},
		"a backup without its record": func(t *testing.T, _ string, l ledger, settings string) {
			_, backup := l.names(settings)
			write(t, filepath.Join(l.dir, backup), secretSettings)
		},
		"a half-written record": func(t *testing.T, _ string, l ledger, settings string) {
			rec, backup := l.names(settings)
			write(t, filepath.Join(l.dir, backup), secretSettings)
			write(t, filepath.Join(l.dir, tempName(rec)), "{")
		},
		"a record of a change that was not made": func(t *testing.T, _ string, l ledger, settings string) {
			r := &record{Version: recordVersion, Client: "claude", Scope: User, Path: settings, Existed: true, After: hash(nil), before: []byte(secretSettings)}
			if err := l.keep(r); err != nil {
				t.Fatal(err)
			}
		},
		"half-written settings": func(t *testing.T, _ string, _ ledger, settings string) {
			write(t, filepath.Join(filepath.Dir(settings), tempName("settings.json")), secretSettings)
		},
		"half-written settings behind a link": func(t *testing.T, dir string, _ ledger, settings string) {
			target := filepath.Join(dir, "dotfiles", "settings.json")
			write(t, target, secretSettings)
			write(t, filepath.Join(dir, "dotfiles", tempName("settings.json")), secretSettings)
			if err := os.Remove(settings); err != nil {
				t.Fatal(err)
			}
			fsxtest.Link(t, "../dotfiles/settings.json", settings)
		},
	}
	for name, leave := range left {
		for by, sweep := range sweeps {
			t.Run(name+" and "+by, func(t *testing.T) {
				dir, o := home(t)
				l := ledger{o.stateDir()}
				settings := filepath.Join(dir, ".claude", "settings.json")
				write(t, settings, secretSettings)
				write(t, filepath.Join(l.dir, lockName), "")
				foreign := []string{
					filepath.Join(dir, ".claude", ".settings.json.0123.satchel"),
					filepath.Join(dir, ".claude", tempName("other.json")),
					filepath.Join(dir, ".claude", "settings.json.0123456789abcdef.satchel"),
				}
				for _, f := range foreign {
					write(t, f, "not ours")
				}
				leave(t, dir, l, settings)
				if err := sweep(o); err != nil {
					t.Fatal(err)
				}
				for _, f := range foreign {
					if err := os.Remove(f); err != nil {
						t.Errorf("a file that is not ours: %v", err)
					}
				}
				if left := copies(t, dir); len(left) > 0 {
					t.Errorf("%q is left", left)
				}
				if text, err := os.ReadFile(settings); err != nil || string(text) != secretSettings {
					t.Errorf("the settings are %q, %v", text, err)
				}
			})
		}
	}
}

// TestSweepKeeps: the backup of an install that is in force is not swept, and no
// file while another install is under way.
func TestSweepKeeps(t *testing.T) {
	dir, o := home(t)
	settings := filepath.Join(dir, ".claude", "settings.json")
	write(t, settings, secretSettings)
	r, err := Install(o, "claude")
	if err != nil {
		t.Fatal(err)
	}
	if gone := Sweep(o); len(gone) != 0 || !exists(r.Changes[0].Backup) {
		t.Errorf("swept %q", gone)
	}
	temp := filepath.Join(dir, ".claude", tempName("settings.json"))
	write(t, temp, secretSettings)
	unlock, err := ledger{o.stateDir()}.lock(lockPatience)
	if err != nil {
		t.Fatal(err)
	}
	if gone := Sweep(o); len(gone) != 0 || !exists(temp) {
		t.Errorf("swept %q while an install was under way", gone)
	}
	unlock()
	if gone := Sweep(o); cmp.Diff(gone, []string{temp}) != "" {
		t.Errorf("swept %q, want %q", gone, temp)
	}
	if _, err := Uninstall(o, "claude"); err != nil {
		t.Fatal(err)
	}
	if exists(filepath.Join(dir, ".local", "state", "satchel")) {
		t.Error("the folder of the records is still there")
	}
}

// killedEnv makes this test the process that is killed: it holds the home.
const killedEnv = "SATCHEL_INSTALL_TEST_HOME"

// TestKilled: installs and uninstalls that are killed at any moment leave nothing
// that a look by the doctor does not sweep, and no settings torn. It kills 15, or 40 if
// SATCHEL_SOAK_ROUNDS is set.
func TestKilled(t *testing.T) {
	if dir := os.Getenv(killedEnv); dir != "" {
		o := Options{Scope: User, Version: "v1", Getenv: func(name string) string { return map[string]string{"HOME": dir}[name] }}
		for {
			if _, err := Install(o, "claude"); err != nil {
				t.Fatal(err)
			}
			if _, err := Uninstall(o, "claude"); err != nil {
				t.Fatal(err)
			}
		}
	}
	if testing.Short() {
		t.Skip("kills processes")
	}
	dir, o := home(t)
	settings := filepath.Join(dir, ".claude", "settings.json")
	write(t, settings, secretSettings)
	before := files(t, dir)
	swept := 0
	random := rand.New(rand.NewPCG(1, 2))
	rounds := 15
	if os.Getenv("SATCHEL_SOAK_ROUNDS") != "" {
		rounds = 40
	}
	for range rounds {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$")
		cmd.Env = append(os.Environ(), killedEnv+"="+dir)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for !exists(filepath.Join(o.stateDir(), lockName)) { // it has begun
			time.Sleep(time.Millisecond)
		}
		time.Sleep(time.Duration(random.IntN(20000)) * time.Microsecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
		swept += len(Sweep(o))
		for _, name := range copies(t, dir) {
			if strings.HasSuffix(name, tempSuffix) || strings.HasSuffix(name, lockName) {
				t.Fatalf("%s is left", name)
			}
			text, err := os.ReadFile(settings)
			if err != nil || !strings.Contains(string(text), "satchel hook claude") {
				t.Fatalf("%s is left, and nothing of satchel is in the settings: %v\n%s", name, err, text)
			}
		}
	}
	t.Logf("%d files swept", swept)
	if _, err := Uninstall(o, "claude"); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(files(t, dir), before); d != "" {
		t.Errorf("not as before (-got +want):\n%s", d)
	}
	if left := copies(t, dir); len(left) > 0 {
		t.Errorf("%q is left", left)
	}
}
