package git

import "strings"

// windowsName reports whether Windows takes a name for that of a file of its own in
// its folder, and not for a path, a pattern, a stream, a device or another name: what
// git refuses there, too (core.protectNTFS). git also refuses links that have one of
// the short names of .gitmodules; nothing here reads that file, or follows a link.
func windowsName(name string) bool {
	if strings.ContainsAny(name, `\:"<>|?*`) || strings.HasSuffix(name, ".") || strings.HasSuffix(name, " ") {
		return false
	}
	if strings.ContainsFunc(name, func(r rune) bool { return r < ' ' }) {
		return false
	}
	if strings.EqualFold(name, "git~1") { // the short name of .git
		return false
	}
	base, _, _ := strings.Cut(name, ".")
	return !windowsDevice(strings.ToUpper(strings.TrimRight(base, " ")))
}

// whyNotPath says what is wrong with a path that is not valid.
func whyNotPath(p string) string {
	if validPathOn(p, false) {
		return "on Windows, the path names another file, a stream or a device"
	}
	return "path leaves the work tree or enters a repository's own folder"
}

// windowsDevice reports whether a name in upper case, without what follows its
// first dot, is that of a device, in whatever folder it stands.
func windowsDevice(name string) bool {
	switch name {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return true
	}
	if name == "LPT0" { // git counts it among them, unlike COM0
		return true
	}
	number, ok := strings.CutPrefix(name, "COM")
	if !ok {
		number, ok = strings.CutPrefix(name, "LPT")
	}
	switch number {
	case "1", "2", "3", "4", "5", "6", "7", "8", "9", "\u00b9", "\u00b2", "\u00b3":
		return ok
	}
	return false
}
