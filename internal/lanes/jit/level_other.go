//go:build !amd64

package jit

import "runtime"

// missingFeatures says that compiled code needs another architecture.
func missingFeatures(Level) []string {
	return []string{"x86-64 (this is " + runtime.GOARCH + ")"}
}
