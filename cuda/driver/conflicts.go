package main

/*
#define SIMTRUN_CUDA_TYPES_ONLY
#include "../include/cuda.h"
*/
import "C"

import (
	"fmt"
	"strings"

	"github.com/simtrun/simtrun"
	"github.com/simtrun/simtrun/cuda"
	"github.com/simtrun/simtrun/internal/ordering"
	"github.com/simtrun/simtrun/memory"
)

// String names the work, its stream and its call.
func (w *work) String() string {
	text := w.what + " in " + w.stream()
	if w.node {
		text = w.what + " of a graph in " + w.stream()
	}
	if at := w.at.site(); at != (site{}) {
		text += ", by " + at.String()
	}
	return text
}

// report reports the races that were found since the latest call.
func (o *orders) report() {
	for _, c := range o.shadow.Conflicts() {
		o.reportOne(c)
	}
}

// conflictSide is one side of a race between operations, for messages.
type conflictSide struct {
	place, code string
	at          site          // of a call of the host
	in          *simtrun.Code // of a kernel; nil for others
	does        string        // read, write, allocate or free
}

func sideOf(s *ordering.Side) (c conflictSide) {
	w := s.Op.What.(*work)
	switch {
	case w.what == kindNames[C.CU_GRAPH_NODE_TYPE_MEM_ALLOC]:
		c.does = "allocate"
	case w.what == kindNames[C.CU_GRAPH_NODE_TYPE_MEM_FREE]:
		c.does = "free"
	case s.Writes:
		c.does = "write"
	default:
		c.does = "read"
	}
	if i, ok := s.Place.(ordering.Instruction); ok {
		code := simtrun.CodeAt(i.Func, i.PC)
		c.in, c.place, c.code = &code, code.Place(), code.Text()
		return c
	}
	c.at = w.at.site()
	c.place, c.code = c.at.place(), c.at.code
	return c
}

func (o *orders) reportOne(c *ordering.Conflict) {
	earlier, later := c.Earlier.Op.What.(*work), c.Later.Op.What.(*work)
	if earlier.isManaged() || later.isManaged() {
		return
	}
	a, b := sideOf(&c.Earlier), sideOf(&c.Later)
	f := cuda.Finding{Rule: cuda.RuleStream, Severity: "error", Place: b.place, Code: b.code, Earlier: a.place, EarlierCode: a.code, EarlierDoes: a.does, Count: 1,
		Message: fmt.Sprintf("%s %ss what %s %ss, and nothing orders them", later.what, b.does, earlier.what, a.does), Space: "global"}
	fix := fmt.Sprintf("record an event after it in %s, and let %s wait for it (%s), or let the host wait in between", earlier.stream(), later.stream(), waitFunction(earlier, later))
	switch {
	case earlier.staged:
		f.Severity = "warning"
		fix = "wait for the default stream after the copy: a copy from pageable memory may return before its bytes have arrived"
	case earlier.node && later.node:
		fix = "an edge of the graph between the two nodes"
	}
	where := fmt.Sprintf("%s at 0x%x", memory.Bytes(c.Bytes), c.Addr)
	if buf := dev.mem.Find(c.Addr); buf != nil {
		f.Buffer, f.Offset = buf.Name(), c.Addr-buf.Addr()
		where = fmt.Sprintf("%s from byte %d of %s on", memory.Bytes(c.Bytes), f.Offset, dev.named(buf))
	}
	dev.outlet.between(&f, &b.at, []*conflictSide{&b, &a}, []string{
		fmt.Sprintf("earlier %-8s %s  %s", a.does, earlier, a.text()),
		fmt.Sprintf("later   %-8s %s  %s", b.does, later, b.text()),
		"memory  " + where, "fix     " + fix})
}

// waitFunction is the function by which a stream waits for an event, of the interface that the program uses.
func waitFunction(sides ...*work) string {
	for _, w := range sides {
		if strings.HasPrefix(w.at.site().api, "cuda") {
			return "cudaStreamWaitEvent"
		}
	}
	return "cuStreamWaitEvent"
}

// text is the place and code of an instruction; the call of other sides is that of the work.
func (c *conflictSide) text() string {
	if c.in == nil {
		return ""
	}
	return c.place + "  " + c.code
}

// between prints and notes a finding that is about several operations, unless a suppression allows it.
func (o *outlet) between(f *cuda.Finding, at *site, sides []*conflictSide, details []string) {
	allowed := o.allowsAt(f.Rule, at)
	for _, s := range sides {
		if s.in != nil {
			allowed = allowed || o.allows(f.Rule, "", s.in)
		} else {
			allowed = allowed || o.allowsAt(f.Rule, &s.at)
		}
	}
	if !allowed {
		prefix := at.prefix()
		if len(sides) > 0 && sides[0].in != nil {
			prefix = sides[0].place + ": "
		}
		text := fmt.Sprintf("%s%s: %s [%s]", prefix, f.Severity, f.Message, f.Rule)
		for _, d := range details {
			text += "\n  " + strings.TrimRight(d, " ")
		}
		o.say("%s", text)
	}
	o.note(&cuda.Note{Found: []cuda.Finding{*f}})
}

// isManaged reports whether the runtime does the work, for variables that host and device share.
func (w *work) isManaged() bool {
	return w.at.through("uploadManaged", "downloadManaged", "fetchManaged")
}
