//go:build !linux

package main

import (
	"errors"
	"runtime"
)

// openDriver loads the driver's library.
func openDriver() (*driver, error) {
	return nil, errors.New("simtrun-gpu does not support " + runtime.GOOS + " yet: it needs Linux")
}
