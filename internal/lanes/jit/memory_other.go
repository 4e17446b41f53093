//go:build !amd64 || !(linux || darwin || windows)

package jit

import (
	"errors"
	"runtime"
)

// errNoWay is why there is no executable memory where this package does not
// know how to ask for it.
var errNoWay = errors.New("not supported on " + runtime.GOOS + "/" + runtime.GOARCH)

func allocate(int) ([]byte, error) { return nil, errNoWay }

func makeExecutable([]byte) error { return errNoWay }

func release([]byte) {}
