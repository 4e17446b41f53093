package workloads

import (
	"syscall"
	"time"
	"unsafe"
)

// CPUTime returns the CPU time of all threads of the process. Linux counts it in nanoseconds here, but in ticks in
// getrusage, which is too coarse for a kernel of a millisecond.
func CPUTime() time.Duration {
	const processCPUTime = 2 // CLOCK_PROCESS_CPUTIME_ID
	var t syscall.Timespec
	if _, _, e := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, processCPUTime, uintptr(unsafe.Pointer(&t)), 0); e != 0 {
		panic(e)
	}
	return time.Duration(t.Nano())
}
