package interp

import (
	"bytes"
	"encoding/binary"
	"strconv"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
	"github.com/simtrun/simtrun/memory"
	"github.com/simtrun/simtrun/program"
	"github.com/simtrun/simtrun/warp"
)

// externals are the functions that a GPU's system provides (CUDA C++
// Programming Guide, formatted output, dynamic global memory allocation,
// assertion). Each handles the lanes of m one after the other.
var externals = map[string]func(x *executor, e *externalCall) error{
	"vprintf":      (*executor).printf,
	"malloc":       (*executor).malloc,
	"free":         (*executor).free,
	"__assertfail": (*executor).assertFail,
}

// heapBytes is how much malloc gives out, as CUDA's default limit has it, in
// blocks of heapBlock bytes: it promises that much alignment, so that even
// nothing takes a block.
const (
	heapBytes = 8 << 20
	heapBlock = 16
)

// heapCost is what a block of size bytes, at most heapBytes, takes of the heap.
func heapCost(size uint64) uint64 { return max(heapBlock, (size+heapBlock-1)&^(heapBlock-1)) }

// externalCall is a call of such a function.
type externalCall struct {
	cta   *cta
	warp  *warp.State
	frame *divergence.Frame
	site  *program.CallSite
	pc    int
	mask  lanes.Mask
}

// callExternal executes the call of a function that no module defines.
func (x *executor) callExternal(e *externalCall) error {
	f := externals[e.site.External]
	if f == nil {
		return x.fault(e.cta, e.warp, e.pc, e.mask, violated(RuleCallExtern, "%s is declared but not defined in any module", e.site.External))
	}
	return f(x, e)
}

// arg is argument i in a lane, as 64 bits; 0 if there are not so many.
func (e *externalCall) arg(i, lane int) uint64 {
	if i >= len(e.site.Args) {
		return 0
	}
	a := &e.site.Args[i]
	if a.Pred {
		return 0 // no such function takes one
	}
	if a.InReg {
		return slotValue(e.frame.File, a, int64(lane))
	}
	var word [8]byte
	per := len(e.frame.Params) / lanes.Width
	copy(word[:], e.frame.Params[lane*per+int(a.At):][:min(a.Size, 8)])
	return binary.LittleEndian.Uint64(word[:])
}

// result sets the result in a lane, if the call takes one.
func (e *externalCall) result(lane int, v uint64) {
	if len(e.site.Rets) == 0 {
		return
	}
	r := &e.site.Rets[0]
	if r.Pred {
		return
	}
	if r.InReg {
		setSlot(e.frame.File, r, int64(lane), v)
		return
	}
	var word [8]byte
	binary.LittleEndian.PutUint64(word[:], v)
	per := len(e.frame.Params) / lanes.Width
	copy(e.frame.Params[lane*per+int(r.At):][:min(r.Size, 8)], word[:])
}

// eachLane calls f for the lanes of the call in order.
func (e *externalCall) eachLane(f func(lane int) error) error {
	for m := e.mask; m != 0; m &= m - 1 {
		if err := f(firstLane(m)); err != nil {
			return err
		}
	}
	return nil
}

// bytesAt is memory from a generic address on, to the end of what the address
// is in; nil if it is in nothing.
func (x *executor) bytesAt(e *externalCall, lane int, addr uint64) []byte {
	p := x.find(e.cta, e.warp, &program.Info{Space: isa.Generic}, addr)
	if p.region == nil || p.addr < p.region.Base || p.addr >= p.region.End() {
		return nil
	}
	data := p.region.Data
	if all := x.perLane(e.warp, p.region); all != nil {
		per := len(all) / lanes.Width
		data = all[lane*per : (lane+1)*per]
	}
	return data[p.addr-p.region.Base:]
}

// text is the string at a generic address, or its first limit bytes if it is
// longer and limit is not negative. It lies in the memory itself.
func (x *executor) text(e *externalCall, lane int, addr uint64, limit int) ([]byte, error) {
	data := x.bytesAt(e, lane, addr)
	if limit >= 0 && limit < len(data) {
		data = data[:limit]
	}
	switch n := bytes.IndexByte(data, 0); {
	case n >= 0:
		return data[:n], nil
	case limit >= 0 && len(data) == limit:
		return data, nil
	}
	return nil, x.fault(e.cta, e.warp, e.pc, 1<<lane, &memory.AccessError{Err: memory.ErrBounds, What: "string", Space: isa.Generic, Addr: addr, Size: 1})
}

// malloc gives memory from a heap of heapBytes, or 0 when that is used up.
func (x *executor) malloc(e *externalCall) error {
	return e.eachLane(func(lane int) error {
		size := e.arg(0, lane)
		if size > heapBytes || heapCost(size) > heapBytes-x.m.heap {
			e.result(lane, 0)
			return nil
		}
		r, err := x.m.global.Alloc("malloc("+strconv.FormatUint(size, 10)+")", isa.Global, int64(size))
		if err != nil {
			return x.fault(e.cta, e.warp, e.pc, 1<<lane, err)
		}
		x.m.heap += heapCost(size)
		x.m.heaps[r.Base] = r
		e.result(lane, r.Base)
		return nil
	})
}

// free takes back what malloc gave. Free of 0 does nothing.
func (x *executor) free(e *externalCall) error {
	return e.eachLane(func(lane int) error {
		addr := e.arg(0, lane)
		r := x.m.heaps[addr]
		switch {
		case addr == 0:
			return nil
		case r == nil:
			return x.fault(e.cta, e.warp, e.pc, 1<<lane, violated(RuleFree, "free of 0x%x, which malloc did not give", addr))
		}
		x.m.heap -= heapCost(uint64(len(r.Data)))
		delete(x.m.heaps, addr)
		x.m.global.Free(r)
		for _, hint := range x.hints {
			clear(hint)
		}
		return nil
	})
}

// assertFail ends the run: __assertfail(message, file, line, function, size of
// a character).
func (x *executor) assertFail(e *externalCall) error {
	lane := firstLane(e.mask)
	message, _ := x.text(e, lane, e.arg(0, lane), -1)
	file, _ := x.text(e, lane, e.arg(1, lane), -1)
	function, _ := x.text(e, lane, e.arg(3, lane), -1)
	return x.fault(e.cta, e.warp, e.pc, e.mask, violated(RuleAssert, "assertion `%s` failed at %s:%d in %s", message, file, uint32(e.arg(2, lane)), function))
}
