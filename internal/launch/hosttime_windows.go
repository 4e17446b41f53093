package launch

import (
	"syscall"
	"time"
)

// hostCPU returns the CPU time, user and system, that this process has used.
func hostCPU() time.Duration {
	process, err := syscall.GetCurrentProcess()
	if err != nil {
		return 0
	}
	var created, exited, system, user syscall.Filetime
	if err := syscall.GetProcessTimes(process, &created, &exited, &system, &user); err != nil {
		return 0
	}
	// Filetimes are in units of 100 ns.
	units := func(t syscall.Filetime) int64 { return int64(t.HighDateTime)<<32 | int64(t.LowDateTime) }
	return time.Duration(100 * (units(system) + units(user)))
}
