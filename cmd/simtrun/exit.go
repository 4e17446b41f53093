package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/launch"
	"github.com/simtrun/simtrun/internal/report"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// Exit statuses. They are part of the interface.
const (
	exitOK         = 0
	exitFindings   = 1  // a failed expectation, a race, or a difference
	exitUsage      = 2  // a bad flag, a missing file, an impossible launch
	exitProgram    = 3  // the program does not assemble or verify
	exitFault      = 4  // the kernel made a bad access or executed a bad instruction
	exitHang       = 5  // deadlock, or the step or time limit
	exitInternal   = 70 // a bug in simtrun
	exitIO         = 74 // results could not be written
	exitResumable  = 75 // results of a sweep are missing; the same command continues it
	exitInterrupt  = 130
	exitTerminated = 143
)

// precedence says which of several exit statuses wins: the first.
var precedence = []int{exitInternal, exitIO, exitResumable, exitInterrupt, exitTerminated, exitUsage, exitProgram, exitFault, exitHang, exitFindings, exitOK}

// worse returns the exit status that takes precedence.
func worse(a, b int) int {
	for _, code := range precedence {
		if code == a || code == b {
			return code
		}
	}
	return exitInternal
}

// interrupted is the cause of a cancelled context: a signal.
type interrupted struct{ signal os.Signal }

func (i interrupted) Error() string { return i.signal.String() }

// resumableKey is the context's key of an *atomic.Bool: the command keeps its progress, and continues there after an
// interruption.
type resumableKey struct{}

// resumable records that the command can continue after an interruption.
func resumable(ctx context.Context) {
	if begun, ok := ctx.Value(resumableKey{}).(*atomic.Bool); ok {
		begun.Store(true)
	}
}

// resultsKey is the context's key of an *atomic.Int32: whether the command has something to do even if it is
// interrupted, such as to write result files.
type resultsKey struct{}

const (
	noResults      = iota
	resultsWanted  // kernels run that will have results
	resultsWritten // results are being written; do not wait for anything else
	programRuns    // a program of the user runs, which decides how to end after a signal
)

// noteResults sets the state of result files, and returns the previous one.
func noteResults(ctx context.Context, state int32) (before int32) {
	if now, ok := ctx.Value(resultsKey{}).(*atomic.Int32); ok {
		return now.Swap(state)
	}
	return noResults
}

// usageError is an invalid command line.
type usageError struct {
	msg  string
	hint string // a command that shows more; "" for the help of the failed command
}

func (e *usageError) Error() string { return e.msg }

// codedError is an error with an exit status of its own.
type codedError struct {
	code int
	err  error
}

func (e *codedError) Error() string { return e.err.Error() }
func (e *codedError) Unwrap() error { return e.err }

// Errors of a run that has printed everything: unmet expectations, and findings.
var (
	errExpect   = errors.New("expectations failed")
	errRaces    = errors.New("data races")
	errFindings = errors.New("findings that are errors")
	// errDifferent is the result of comparing runs that differ.
	errDifferent = errors.New("the runs differ")
	// errLayout is the result of fmt -l and -d if a file's layout differs from fmt's.
	errLayout = errors.New("the layout differs")
	// errOrder is the result of explore for a result that depends on the order of execution.
	errOrder = errors.New("the result depends on the order of execution")
)

// isVerdict reports whether err is about a run that completed.
func isVerdict(err error) bool {
	return errors.Is(err, errExpect) || errors.Is(err, errRaces) || errors.Is(err, errFindings) || errors.Is(err, errDifferent) || errors.Is(err, errLayout) || errors.Is(err, errOrder)
}

// printedError is an error that has been printed.
type printedError struct{ error }

func (e printedError) Unwrap() error { return e.error }

// exitCode returns the exit status of a run that ended with err.
func exitCode(ctx context.Context, err error) int {
	if coded, ok := errors.AsType[*codedError](err); ok {
		return coded.code
	}
	switch {
	case err == nil:
		return exitOK
	case isVerdict(err):
		return exitFindings
	case errors.Is(err, launch.ErrOutside):
		return exitProgram
	}
	if errors.Is(err, context.Canceled) {
		if begun, ok := ctx.Value(resumableKey{}).(*atomic.Bool); ok && begun.Load() {
			return exitResumable
		}
		if i, ok := errors.AsType[interrupted](context.Cause(ctx)); ok && i.signal == syscall.SIGTERM {
			return exitTerminated
		}
		return exitInterrupt
	}
	return errorCode(err)
}

// errorCode returns the exit status for the type of err.
func errorCode(err error) int {
	switch {
	case is[*memory.BudgetError](err):
		return exitUsage
	case is[asm.Errors](err), is[*isa.Error](err):
		return exitProgram
	case is[*interp.Fault](err):
		return exitFault
	case is[*interp.Hang](err):
		return exitHang
	}
	return exitUsage
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// printError prints err, unless that has been done. An error in the command line gets a hint: the page of help that
// the error names, or else page.
func printError(w io.Writer, err error, code int, page string, paint report.Paint) {
	if isVerdict(err) || is[printedError](err) {
		return
	}
	if e, ok := errors.AsType[compilerError](err); ok {
		fmt.Fprintln(w, e)
		return
	}
	if e, ok := errors.AsType[*usageError](err); ok && e.hint != "" {
		page = e.hint
	}
	if code != exitUsage {
		page = ""
	}
	report.WriteError(w, err, page, paint)
}

// guarded returns the exit status of do, or that of an internal error if do panics.
func guarded(w io.Writer, args []string, do func() int) (code int) {
	defer func() {
		if p := recover(); p != nil {
			msg := strings.TrimPrefix(fmt.Sprint(p), "simtrun bug: ")
			fmt.Fprintf(w, "simtrun bug: %s\n", msg)
			fmt.Fprintf(w, "please report it at https://github.com/simtrun/simtrun/issues with this text and the files of: simtrun %s\n", strings.Join(args, " "))
			fmt.Fprintf(w, "%s\n%s\n%s", versionText(), lanesText(), debug.Stack())
			code = exitInternal
		}
	}()
	return do()
}
