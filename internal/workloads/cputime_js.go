package workloads

import (
	"syscall/js"
	"time"
)

// CPUTime returns the CPU time of all threads of Node's process, in microseconds.
func CPUTime() time.Duration {
	used := js.Global().Get("process").Call("cpuUsage")
	return time.Duration(used.Get("user").Int()+used.Get("system").Int()) * time.Microsecond
}
