//go:build unix

package launch

import (
	"syscall"
	"time"
)

// hostCPU returns the CPU time, user and system, that this process has used.
func hostCPU() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
