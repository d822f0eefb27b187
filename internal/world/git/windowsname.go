package git

import "strings"

// windowsName reports whether Windows takes a name as an ordinary file in its folder,
// and not as a path, a pattern, a stream, a device or another name. git refuses those
// too (core.protectNTFS). git also refuses links with a short name of .gitmodules;
// this package does not read that file or follow links.
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

// windowsDevice reports whether a name in upper case, up to its first dot, is a
// device in every folder.
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
