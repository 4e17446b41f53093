//go:build !linux

package main

import "time"

var start = time.Now()

// cpuTime is wall time where the CPU time of a process is not to be had in nanoseconds.
func cpuTime() time.Duration { return time.Since(start) }
