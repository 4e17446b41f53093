//go:build !cgo || !linux

package main

const knowsClosed = false

// failIfClosed does nothing. Go's runtime opens /dev/null for reading and writing in place of a closed standard output
// before any other code runs. Python's subprocess.DEVNULL and Node's stdio "ignore" pass the same file with the same
// flags: failing here would fail for programs that want no output.
func failIfClosed() {}
