//go:build !unix

package main

import "os"

// forwarded are the signals that host hands on to its program, beside those that end the command.
var forwarded = []os.Signal{os.Interrupt}

// endedBy is the signal that has ended a process: none here.
func endedBy(*os.ProcessState) (number int, name string, ok bool) { return 0, "", false }

// signalProcess signals a process, which cannot be done here.
func signalProcess(int, os.Signal) {}
