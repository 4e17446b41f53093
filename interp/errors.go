package interp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/source"
	"github.com/simtrun/simtrun/memory"
)

// LaunchError is a launch that the kernel or the GPU does not allow.
type LaunchError struct {
	Kernel string
	Msg    string
}

func (e *LaunchError) Error() string { return cxx.Short(e.Kernel) + ": " + e.Msg }

// Where is a group of lanes of one warp.
type Where struct {
	CTA   isa.Dim
	Warp  int
	Lanes lanes.Mask
}

// String returns, for example, "block (1,0,0) warp 2 lanes 0-15 (0000ffff)".
func (w Where) String() string {
	return fmt.Sprintf("block (%d,%d,%d) warp %d %s (%08x)", w.CTA.X, w.CTA.Y, w.CTA.Z, w.Warp, LanesText(w.Lanes), uint32(w.Lanes))
}

// LanesText names lanes: "lane 3", "lanes 0-15".
func LanesText(m lanes.Mask) string {
	if m.Count() == 1 {
		return "lane " + m.Ranges()
	}
	return "lanes " + m.Ranges()
}

// Fault is an instruction that could not be executed. It has had no effect.
type Fault struct {
	Place source.Place // of the instruction
	Text  string       // the instruction
	Where Where        // the lanes that could not execute it
	Rule  Rule         // "" if no rule was broken
	Err   error        // the cause: for example a *memory.AccessError
}

// Unwrap returns the cause.
func (e *Fault) Unwrap() error { return e.Err }

// Error returns several lines: the cause, the instruction, the lanes, and the buffer.
func (e *Fault) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: error: %v", e.Place, e.Err)
	for _, line := range e.Place.Lines(e.Text) {
		fmt.Fprintf(&b, "\n  %s", line)
	}
	fmt.Fprintf(&b, "\n  who     %s", e.Where)
	if acc, ok := e.Err.(*memory.AccessError); ok {
		fmt.Fprintf(&b, ", %s each", memory.Bytes(uint64(acc.Size)))
		if d := acc.Detail(); d != "" {
			fmt.Fprintf(&b, "\n  buffer  %s", d)
		}
		if i, n, ok := acc.Index(); ok {
			fmt.Fprintf(&b, "\n  index   %d; %s", i, elementsText(n, acc.Size))
		}
	}
	if acc, ok := e.Err.(*memory.AccessError); ok && acc.Hint != "" {
		fmt.Fprintf(&b, "\n  hint    %s", acc.Hint)
	}
	return b.String()
}

// elementsText describes the elements of a buffer.
func elementsText(n uint64, size int) string {
	bytes := memory.Bytes(uint64(size))
	if n == 1 {
		return fmt.Sprintf("there is 1 element of %s, 0", bytes)
	}
	return fmt.Sprintf("there are %d elements of %s, 0 to %d", n, bytes, int64(n)-1)
}

// counted returns a number of things in words: "1 target", "2 targets".
func counted(n uint64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Hang is a run that cannot end, or has not ended within its limit.
type Hang struct {
	Place    source.Place // of the instruction of the first lanes that wait or spin
	Where    Where        // the first lanes that wait or spin
	Rule     Rule
	Msg      string
	Text     string     // the instruction at Place, if the message is about it; else ""
	Next     string     // the instruction at Place, if the lanes had not executed it yet; else ""
	Notes    []string   // further lines
	Involved []Involved // the lanes that wait or spin, and those that they wait for
	Fix      string     // advice; "" if there is none
}

// Error returns several lines: the message and its Details.
func (e *Hang) Error() string {
	return strings.Join(append([]string{fmt.Sprintf("%s: error: %s", e.Place, withRule(e.Msg, e.Rule))}, e.Details()...), "\n  ")
}

// Details returns the lines after the message.
func (e *Hang) Details() []string {
	var lines []string
	if e.Text != "" {
		lines = append(lines, e.Place.Lines(e.Text)...)
	}
	if e.Next != "" {
		next := e.Place.Lines(e.Next)
		lines = append(append(lines, "next    "+next[0]), next[1:]...)
	}
	lines = append(appendInvolved(lines, e.Involved), e.Notes...)
	if e.Fix != "" {
		lines = append(lines, "fix     "+e.Fix)
	}
	return lines
}

func appendInvolved(lines []string, all []Involved) []string {
	for i := range all {
		lines = append(lines, all[i].String())
	}
	return lines
}

// Awaiting is a launch in which all warps spin or wait, but that may continue if something outside changes the memory
// that they read.
type Awaiting struct {
	Hang *Hang // the hang if nothing changes it
	// Proven says that without such a change the launch never ends. Otherwise warps count their tries, or read clocks,
	// and may give up.
	Proven bool
}

func (e *Awaiting) Error() string { return e.Hang.Error() }

// Warning is an instruction with behaviour that PTX leaves undefined or unspecified; the launch continued.
type Warning struct {
	Error    bool         // the behaviour is undefined: the kernel is wrong
	Place    source.Place // of the instruction
	Where    Where        // lanes that executed it the first time
	Rule     Rule
	Msg      string
	Text     string     // the instruction
	Involved []Involved // the lanes that it was about the first time
	Count    int64      // executions with this warning
	Warps    int64      // number of warps with this warning
	Blocks   int64      // number of CTAs with this warning
}

// Details returns the lines after the message.
func (w *Warning) Details() []string { return appendInvolved(nil, w.Involved) }

// Interrupted is a launch that its context ended.
type Interrupted struct {
	Place source.Place // of an instruction that lanes would have executed next
	Text  string       // the instruction
	Where Where        // the lanes
	Err   error        // the error of the context
}

// Unwrap returns the context's error.
func (e *Interrupted) Unwrap() error { return e.Err }

func (e *Interrupted) Error() string {
	why := "interrupted"
	if !errors.Is(e.Err, context.Canceled) {
		why += ": " + e.Err.Error()
	}
	return fmt.Sprintf("%s: %s\n  %s\n  who     %s", e.Place, why, strings.Join(e.Place.Lines(e.Text), "\n  "), e.Where)
}
