//go:build !js

package golden

import "syscall"

// nonBlocking opens a pipe without waiting for a writer.
const nonBlocking = syscall.O_NONBLOCK
