//go:build !linux && !js

package workloads

import "time"

var start = time.Now()

// CPUTime returns wall time on systems that do not count the CPU time of a process in nanoseconds.
func CPUTime() time.Duration { return time.Since(start) }
