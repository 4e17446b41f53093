//go:build cgo && linux

package main

/*
#include <fcntl.h>

static int closed;

// Runs before Go's runtime starts.
__attribute__((constructor)) static void look(void) { closed = fcntl(1, F_GETFD) == -1; }

static int output_was_closed(void) { return closed; }
*/
import "C"

import "syscall"

// knowsClosed says that a closed standard output is detected. Go alone cannot detect it: before any other code, its
// runtime replaces a closed descriptor with /dev/null, which users who want no output also choose.
const knowsClosed = true

// failIfClosed makes writing to standard output fail if the command was started without one, as in "simtrun ... >&-".
// Results would be lost without an error.
func failIfClosed() {
	if C.output_was_closed() == 0 {
		return
	}
	// Writing to a directory fails like writing to a closed file, and so does opening it as /dev/stdout.
	if dir, err := syscall.Open("/", syscall.O_RDONLY|syscall.O_DIRECTORY, 0); err == nil {
		_ = syscall.Dup3(dir, 1, 0)
		_ = syscall.Close(dir)
	}
}
