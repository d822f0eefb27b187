package fsxtest

import (
	"maps"
	"runtime"
	"strings"
)

// Possible returns the files, which are texts by slash-separated path, that the
// system can have: Windows gives no file a name with a control character or one of
// <>:"|?*\. Elsewhere it returns all.
func Possible(files map[string]string) map[string]string {
	if runtime.GOOS == "windows" {
		maps.DeleteFunc(files, func(name, _ string) bool { return !windowsName(name) })
	}
	return files
}

// windowsName reports whether Windows has files of this path.
func windowsName(name string) bool {
	return !strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || strings.ContainsRune(`<>:"|?*\`, r) })
}
