package fsxtest

import "golang.org/x/sys/unix"

func nullDevice(path string) error {
	return unix.Mknod(path, unix.S_IFCHR|0o666, int(unix.Mkdev(1, 3)))
}
