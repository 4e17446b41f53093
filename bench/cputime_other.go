//go:build !linux

package main

import "time"

var start = time.Now()

// cpuTime returns wall time on systems that do not count the CPU time of a process in nanoseconds.
func cpuTime() time.Duration { return time.Since(start) }
