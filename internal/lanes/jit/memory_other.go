//go:build !amd64 || !(linux || darwin || windows)

package jit

import (
	"errors"
	"runtime"
)

// errNoWay says that this package has no way to allocate executable memory on this system.
var errNoWay = errors.New("not supported on " + runtime.GOOS + "/" + runtime.GOARCH)

func allocate(int) ([]byte, error) { return nil, errNoWay }

func makeExecutable([]byte) error { return errNoWay }

func release([]byte) {}
