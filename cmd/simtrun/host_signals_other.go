//go:build !unix

package main

import "os"

// forwarded are the signals that host forwards to its program, in addition to those that end the command.
var forwarded = []os.Signal{os.Interrupt}

// endedBy returns the signal that ended a process: none here.
func endedBy(*os.ProcessState) (number int, name string, ok bool) { return 0, "", false }

// signalProcess would signal a process, which is not supported here.
func signalProcess(int, os.Signal) {}
