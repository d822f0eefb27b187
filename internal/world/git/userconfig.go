package git

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// A userConfig is the part of the user's and the system's git configuration that
// decides what belongs to a repository and whom the user trusts, and the facts
// about the repository that only its configuration knows.
type userConfig struct {
	excludes string   // value for core.excludesFile, wherever it is set
	safe     []string // safe.directory, in order; set by the user or the administrator
	partial  bool     // objects may be missing on purpose
	written  written  // how git writes the work tree
}

// written is how git writes files to the work tree, other than byte for byte.
type written struct {
	autoCRLF string // core.autocrlf: "true", "input", else no conversion
	noExec   bool   // not core.fileMode: the bit on disk means nothing
	noLinks  bool   // not core.symlinks: links are files with the target
	noCase   bool   // core.ignoreCase: a and A are one name
}

// mode is the mode of a file as git would record it, where the file system cannot
// express it. index is 0 for a file that the index does not have.
func (w written) mode(disk, index Mode) Mode {
	switch {
	case !disk.IsRegular():
		return disk
	case w.noLinks && index == ModeSymlink:
		return ModeSymlink
	case w.noExec && index.IsRegular():
		return index
	case w.noExec:
		return ModeFile
	}
	return disk
}

// wantedKeys selects what is read from the configuration.
const wantedKeys = `^(core\.(excludesfile|autocrlf|filemode|symlinks|ignorecase)|safe\.directory|extensions\.partialclone|remote\..*\.(promisor|partialclonefilter))$`

// configPlaces are the variables that say where the user's and the system's
// configuration are; the last three do on Windows.
var configPlaces = []string{"XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "APPDATA", "PROGRAMDATA", "USERPROFILE"}

// readUserConfig asks git for the settings. This is the one call that sees the
// user's configuration, since that is hidden from all others. It prints values
// and does nothing else.
func (r *runner) readUserConfig(ctx context.Context, env environ) (userConfig, error) {
	q := *r
	q.env = r.without("GIT_CONFIG_")
	for _, name := range configPlaces {
		if v, ok := env.lookup(name); ok {
			q.env = append(q.env, name+"="+v)
		}
	}
	out, err := q.run(ctx, nil, "config", "--null", "--includes", "--show-scope", "--get-regexp", wantedKeys)
	if err != nil && exitCode(err) != 1 { // 1 means that no key matched
		return userConfig{}, err
	}
	u, excludes := parseUserConfig(out)
	u.written.noExec = u.written.noExec || !executableBits
	if strings.HasPrefix(excludes, "~/") {
		excludes = filepath.Join(env.home(), excludes[2:])
	} else if strings.HasPrefix(excludes, "~") || strings.HasPrefix(excludes, "%(") {
		out, err := q.run(ctx, nil, "config", "--null", "--includes", "--type=path", "--get", "core.excludesFile")
		if err != nil {
			return userConfig{}, err
		}
		excludes = strings.TrimSuffix(string(out), "\x00")
	}
	switch {
	case excludes != "":
		u.excludes = excludes
	case strings.Contains(string(out), "core.excludesfile\n"): // set to nothing: no rules of the user
		u.excludes = devNull
	default:
		u.excludes = defaultExcludes(env)
	}
	return u, nil
}

// parseUserConfig reads records of scope NUL key newline value NUL. A key
// without a value has no newline.
func parseUserConfig(out []byte) (u userConfig, excludes string) {
	fields := strings.Split(string(out), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		scope := fields[i]
		key, value, _ := strings.Cut(fields[i+1], "\n")
		local := scope == "local" || scope == "worktree"
		switch {
		case key == "core.excludesfile":
			excludes = value // the last one wins, as in git
		case key == "core.autocrlf":
			u.written.autoCRLF = strings.ToLower(value)
			if isTrue(fields[i+1]) {
				u.written.autoCRLF = "true"
			}
		case key == "core.filemode":
			u.written.noExec = !isTrue(fields[i+1])
		case key == "core.symlinks":
			u.written.noLinks = !isTrue(fields[i+1])
		case key == "core.ignorecase":
			u.written.noCase = isTrue(fields[i+1])
		case key == "safe.directory" && (scope == "system" || scope == "global"):
			u.safe = append(u.safe, value)
		case local && key == "extensions.partialclone", local && strings.HasPrefix(key, "remote."):
			u.partial = u.partial || value != "false"
		}
	}
	return u, excludes
}

// isTrue reads a record of key newline value as git reads a boolean; a key
// without a value is true.
func isTrue(record string) bool {
	_, value, ok := strings.Cut(record, "\n")
	switch strings.ToLower(value) {
	case "true", "yes", "on":
		return true
	case "":
		return !ok
	}
	n, err := strconv.Atoi(value)
	return err == nil && n != 0
}

// defaultExcludes is where git looks for the user's ignore rules if
// core.excludesFile is not set.
func defaultExcludes(env environ) string { return defaultExcludesOn(env, runtime.GOOS == "windows") }

// defaultExcludesOn is defaultExcludes for Windows, or for the other systems.
func defaultExcludesOn(env environ, windows bool) string {
	if x, _ := env.lookupOn("XDG_CONFIG_HOME", windows); x != "" {
		return filepath.Join(x, "git", "ignore")
	}
	if roaming, _ := env.lookupOn("APPDATA", windows); windows && roaming != "" {
		name := filepath.Join(roaming, "Git", "ignore")
		if _, err := os.Stat(name); err == nil { // then the other one does not count
			return name
		}
	}
	if h := env.homeOn(windows); h != "" {
		return filepath.Join(h, ".config", "git", "ignore")
	}
	return devNull
}

// An environ is an environment as a list of NAME=value; the last one wins.
type environ []string

func (e environ) lookup(name string) (string, bool) {
	return e.lookupOn(name, runtime.GOOS == "windows")
}

// lookupOn is lookup for Windows, where the case of names does not count and PATH is
// mostly Path, or for the other systems.
func (e environ) lookupOn(name string, windows bool) (string, bool) {
	for i := len(e) - 1; i >= 0; i-- {
		if k, v, ok := strings.Cut(e[i], "="); ok && (k == name || windows && strings.EqualFold(k, name)) {
			return v, true
		}
	}
	return "", false
}

func (e environ) home() string { return e.homeOn(runtime.GOOS == "windows") }

// homeOn is the user's home as git finds it: on Windows HOME, a share that the
// administrator named if it is connected, or the folder of the user's profile.
func (e environ) homeOn(windows bool) string {
	h, _ := e.lookupOn("HOME", windows)
	if h != "" || !windows {
		return h
	}
	drive, _ := e.lookupOn("HOMEDRIVE", windows)
	path, _ := e.lookupOn("HOMEPATH", windows)
	if fi, err := os.Stat(drive + path); err == nil && fi.IsDir() {
		return drive + path
	}
	h, _ = e.lookupOn("USERPROFILE", windows)
	return h
}
