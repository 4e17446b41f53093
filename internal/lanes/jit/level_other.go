//go:build !amd64

package jit

import (
	"fmt"
	"runtime"
)

// unsupported says that compiled code needs another architecture.
func unsupported(Level) error {
	return fmt.Errorf("compiled lanes need an x86-64 CPU; this one is %s", runtime.GOARCH)
}

// HasDots reports false: there is no compiled code.
func HasDots(Level) bool { return false }
