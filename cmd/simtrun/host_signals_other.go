//go:build !unix

package main

import (
	"os"
	"os/exec"
)

// forwarded are the signals that host forwards to its program, in addition to those that end the command.
var forwarded = []os.Signal{os.Interrupt}

// endedBy returns no signal: this platform does not report one.
func endedBy(*os.ProcessState) (number int, name string, ok bool) { return 0, "", false }

// signalProcess does nothing: this platform does not support it.
func signalProcess(int, os.Signal) {}

func startsGroup(*exec.Cmd) {}

func interruptGroup(*exec.Cmd) {}
