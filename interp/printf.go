package interp

import (
	"bufio"
	"errors"
	"math"

	"github.com/simtrun/simtrun/internal/cprintf"
)

// printf prints to the machine's standard output as C's printf does. Its second argument points to the values, each
// aligned to its size. The result is the number of values, or -1 without a format (CUDA C++ Programming Guide,
// formatted output). A lane's output is checked before any of it is written.
func (e *Engine) printf(call *systemCall) error {
	return call.eachLane(func(lane int) error {
		at := call.arg(0, lane)
		if at == 0 {
			call.result(0, lane, math.MaxUint32)
			return nil
		}
		format, err := e.text(call.pc, lane, at, -1)
		if err != nil {
			return err
		}
		v := cprintf.Values{Data: e.bytesAt(lane, call.arg(1, lane)), Text: func(addr uint64, limit int) ([]byte, error) { return e.text(call.pc, lane, addr, limit) }}
		if len(e.observers.value) > 0 {
			v.Took = func(off, size int) { e.notifyPrinted(call.pc, lane, call.arg(1, lane)+uint64(off), uint64(size)) }
		}
		need := cprintf.Bytes(format)
		if err := e.m.budget.Take("printf", need); err != nil {
			return e.fault(call.pc, 1<<lane, err)
		}
		defer e.m.budget.Give(need)
		pieces, err := v.Conversions(format)
		switch {
		case errors.As(err, new(*Fault)):
			return err
		case err != nil:
			return e.fault(call.pc, 1<<lane, violated(RulePrintf, "%v", err))
		}
		if err := e.print(pieces); err != nil {
			return err
		}
		call.result(0, lane, uint64(v.Count))
		return nil
	})
}

// print writes the pieces of one printf.
func (e *Engine) print(pieces []cprintf.Conversion) error {
	if e.m.cfg.Stdout == nil {
		return nil
	}
	if e.grid.prints == nil {
		e.grid.prints = bufio.NewWriter(e.m.cfg.Stdout)
	}
	for i := range pieces {
		pieces[i].Write(e.grid.prints)
	}
	return e.grid.prints.Flush()
}
