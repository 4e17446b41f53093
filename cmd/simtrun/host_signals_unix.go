//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// forwarded are the signals that host forwards to its program, in addition to those that end the command.
var forwarded = []os.Signal{os.Interrupt, syscall.SIGHUP, syscall.SIGXCPU}

// signalNames are the names of signals that end programs.
var signalNames = map[syscall.Signal]string{syscall.SIGHUP: "SIGHUP", syscall.SIGINT: "SIGINT", syscall.SIGQUIT: "SIGQUIT", syscall.SIGILL: "SIGILL", syscall.SIGTRAP: "SIGTRAP", syscall.SIGABRT: "SIGABRT",
	syscall.SIGBUS: "SIGBUS", syscall.SIGFPE: "SIGFPE", syscall.SIGKILL: "SIGKILL", syscall.SIGSEGV: "SIGSEGV", syscall.SIGPIPE: "SIGPIPE", syscall.SIGALRM: "SIGALRM", syscall.SIGTERM: "SIGTERM",
	syscall.SIGXCPU: "SIGXCPU", syscall.SIGXFSZ: "SIGXFSZ"}

// endedBy returns the signal that ended a process.
func endedBy(p *os.ProcessState) (number int, name string, ok bool) {
	status, _ := p.Sys().(syscall.WaitStatus)
	if !status.Signaled() {
		return 0, "", false
	}
	s := status.Signal()
	if name = signalNames[s]; name == "" {
		name = fmt.Sprintf("signal %d", s)
	}
	return int(s), name, true
}

// startsGroup makes a program begin a process group, which interruptGroup interrupts.
func startsGroup(program *exec.Cmd) { program.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func interruptGroup(program *exec.Cmd) { syscall.Kill(-program.Process.Pid, syscall.SIGINT) }

// signalProcess signals a process.
func signalProcess(pid int, s os.Signal) {
	if number, ok := s.(syscall.Signal); ok {
		syscall.Kill(pid, number)
	}
}
