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
