package program

import (
	"os"

	"golang.org/x/sys/windows"
)

// showsEscapes has a console show colours and obey escape sequences, and reports
// whether it does. Without being asked, Windows prints them as they are. The mode
// stays when this process has ended, as git leaves it.
func showsEscapes(f *os.File) bool {
	h := windows.Handle(f.Fd())
	var mode uint32
	if err := windows.GetConsoleMode(h, &mode); err != nil {
		return false
	}
	return windows.SetConsoleMode(h, mode|windows.ENABLE_PROCESSED_OUTPUT|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
