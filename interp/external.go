package interp

import (
	"bytes"
	"encoding/binary"
	"strconv"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/memory"
	"github.com/simtrun/simtrun/warp"
)

// externals are the functions that a GPU's system provides (CUDA C++
// Programming Guide, formatted output, dynamic global memory allocation,
// assertion). Each handles the lanes of the call one after the other.
var externals = map[string]func(e *Engine, call *systemCall) error{
	"vprintf":      (*Engine).printf,
	"malloc":       (*Engine).malloc,
	"free":         (*Engine).free,
	"__assertfail": (*Engine).assertFail,
}

// heapBytes is the default size of malloc's heap, which is CUDA's. It is allocated in blocks of heapBlock bytes, the
// alignment that malloc promises; even 0 bytes take a block.
const (
	heapBytes = 8 << 20
	heapBlock = 16
)

// heapCost returns how much of the heap a block of size bytes, at most 1<<48, takes.
func heapCost(size uint64) uint64 { return max(heapBlock, (size+heapBlock-1)&^(heapBlock-1)) }

// systemCall is a call of a function that no module defines.
type systemCall struct {
	from *warp.Window // of the caller
	site *program.CallSite
	pc   int
	mask lanes.Mask
}

// callExternal executes the call of a function that no module defines.
func (e *Engine) callExternal(call *systemCall) error {
	f := externals[call.site.External]
	if f == nil {
		return e.fault(call.pc, call.mask, violated(RuleCallExtern, "%s is declared but not defined in any module", call.site.External))
	}
	return f(e, call)
}

// arg returns argument i in a lane, as 64 bits; 0 if there are fewer.
func (s *systemCall) arg(i, lane int) uint64 {
	if i >= len(s.site.Args) {
		return 0
	}
	a := &s.site.Args[i]
	if a.Pred {
		return 0 // no system function takes an argument of another type
	}
	if a.InReg {
		return slotValue(s.from.File, a, int64(lane))
	}
	per := len(s.from.Params) / lanes.Width
	at := s.from.Params[lane*per+int(a.At):]
	switch {
	case a.Size == 4:
		return uint64(binary.LittleEndian.Uint32(at))
	case a.Size >= 8:
		return binary.LittleEndian.Uint64(at)
	}
	var word [8]byte
	copy(word[:], at[:a.Size])
	return binary.LittleEndian.Uint64(word[:])
}

// result sets result i in a lane, if the call takes one.
func (s *systemCall) result(i, lane int, v uint64) {
	if i >= len(s.site.Rets) {
		return
	}
	r := &s.site.Rets[i]
	if r.Pred {
		return
	}
	if r.InReg {
		setSlot(s.from.File, r, int64(lane), v)
		return
	}
	per := len(s.from.Params) / lanes.Width
	at := s.from.Params[lane*per+int(r.At):]
	switch {
	case r.Size == 4:
		binary.LittleEndian.PutUint32(at, uint32(v))
	case r.Size >= 8:
		binary.LittleEndian.PutUint64(at, v)
	default:
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], v)
		copy(at[:r.Size], word[:])
	}
}

// eachLane calls f for the lanes of the call in order.
func (s *systemCall) eachLane(f func(lane int) error) error {
	for m := s.mask; m != 0; m &= m - 1 {
		if err := f(firstLane(m)); err != nil {
			return err
		}
	}
	return nil
}

// bytesAt returns memory from a generic address to the end of its region; nil if it is in no region.
func (e *Engine) bytesAt(lane int, addr uint64) []byte {
	p := e.find(&program.Info{Space: isa.Generic}, addr)
	if p.region == nil || p.addr < p.region.Base || p.addr >= p.region.End() {
		return nil
	}
	data := p.region.Data
	if all := e.perLane(p.region); all != nil {
		per := len(all) / lanes.Width
		data = all[lane*per : (lane+1)*per]
	}
	return data[p.addr-p.region.Base:]
}

// text returns the string at a generic address, or its first limit bytes if it is longer and limit is not negative.
// It is a slice of the memory, not a copy.
func (e *Engine) text(pc, lane int, addr uint64, limit int) ([]byte, error) {
	data := e.bytesAt(lane, addr)
	if limit >= 0 && limit < len(data) {
		data = data[:limit]
	}
	switch n := bytes.IndexByte(data, 0); {
	case n >= 0:
		return data[:n], nil
	case limit >= 0 && len(data) == limit:
		return data, nil
	}
	return nil, e.fault(pc, 1<<lane, &memory.AccessError{Err: memory.ErrBounds, What: "string", Space: isa.Generic, Addr: addr, Size: 1})
}

// malloc allocates memory from the heap, or returns 0 when the heap is exhausted.
func (e *Engine) malloc(call *systemCall) error {
	return call.eachLane(func(lane int) error {
		size := call.arg(0, lane)
		if e.m.heap > e.m.most || size > e.m.most || heapCost(size) > e.m.most-e.m.heap {
			call.result(0, lane, 0)
			return nil
		}
		r, err := e.m.global.Alloc("malloc("+strconv.FormatUint(size, 10)+")", isa.Global, int64(size))
		if err != nil {
			return e.fault(call.pc, 1<<lane, err)
		}
		if len(e.observers.value) > 0 {
			r.SetUnwritten()
		}
		e.m.heap += heapCost(size)
		e.m.heaps[r.Base] = r
		call.result(0, lane, r.Base)
		return nil
	})
}

// free returns an allocation of malloc to the heap. Freeing 0 does nothing.
func (e *Engine) free(call *systemCall) error {
	return call.eachLane(func(lane int) error {
		addr := call.arg(0, lane)
		r := e.m.heaps[addr]
		switch {
		case addr == 0:
			return nil
		case r == nil:
			return e.fault(call.pc, 1<<lane, violated(RuleFree, "free of 0x%x, which malloc did not return", addr))
		}
		e.m.heap -= heapCost(uint64(len(r.Data)))
		delete(e.m.heaps, addr)
		e.m.Free(r)
		e.forgetRegions()
		return nil
	})
}

// assertFail ends the run: __assertfail(message, file, line, function, character size).
func (e *Engine) assertFail(call *systemCall) error {
	lane := firstLane(call.mask)
	message, _ := e.text(call.pc, lane, call.arg(0, lane), -1)
	file, _ := e.text(call.pc, lane, call.arg(1, lane), -1)
	function, _ := e.text(call.pc, lane, call.arg(3, lane), -1)
	line := int32(call.arg(2, lane))
	failed := e.faultOf(call.pc, call.mask, violated(RuleAssert, "assertion `%s` failed at %s:%d in %s", message, file, line, function))
	if len(file) > 0 && line > 0 { // the instruction may be in the header that calls __assertfail
		failed.Place = failed.Place.Outside(isa.Pos{File: string(file), Line: line})
	}
	e.warp.Control.Advance(e.split.ID, call.pc)
	return failed
}
