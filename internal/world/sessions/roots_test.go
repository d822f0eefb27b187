package sessions

import "testing"

// TestUnder: Windows takes C:\App and c:\app for one folder, and agents there write
// either.
func TestUnder(t *testing.T) {
	for _, tt := range []struct {
		path, folder, goos string
		want               bool
	}{
		{"/src/app", "/src/app", "linux", true},
		{"/src/app/deep", "/src/app", "linux", true},
		{"/src/application", "/src/app", "linux", false},
		{"/src/App", "/src/app", "linux", false},
		{"/src", "/", "linux", true},
		{`c:\Src\app\deep`, `C:\src\App`, "windows", true},
		{`c:\Src\app`, `C:\src\App`, "windows", true},
		{`C:\src\application`, `C:\src\app`, "windows", false},
		{`d:\src\app`, `C:\src\app`, "windows", false},
		{`c:\src`, `C:\`, "windows", true},
	} {
		if got := under(tt.path, tt.folder, tt.goos); got != tt.want {
			t.Errorf("under(%s, %s, %s) = %v, want %v", tt.path, tt.folder, tt.goos, got, tt.want)
		}
	}
}
