package main

/*
#define SIMTRUN_CUDA_TYPES_ONLY
#include "../include/cuda.h"
*/
import "C"

import (
	"encoding/binary"
	"runtime/debug"
	"slices"
	"time"
	"unsafe"
)

// memOp is a stream's write of a value, or its wait for one.
type memOp struct {
	wait  bool
	addr  uint64
	value uint64
	size  uint64 // in bytes, 4 or 8
	flags C.uint // for a wait
}

// run writes the value, or waits for it within a graph: another thread of the program may write it meanwhile.
func (o *memOp) run() result {
	dev.orders.valueOp()
	if o.wait {
		defer dev.orders.valueOp()
		return o.waitHere()
	}
	at, r := dev.bytes(o.addr, o.size)
	switch {
	case r != success:
		return r
	case o.size == 8:
		binary.LittleEndian.PutUint64(at, o.value)
	default:
		binary.LittleEndian.PutUint32(at, uint32(o.value))
	}
	dev.wrote(at[:o.size], nil, nil)
	return success
}

func (o *memOp) waitHere() result {
	for began := time.Now(); !o.isOver(); {
		if time.Since(began) > hostPatience {
			return o.inVain()
		}
		unlocked(func() { time.Sleep(shortNap) })
	}
	return success
}

func (o *memOp) inVain() result {
	dev.outlet.say("a stream waits for a value at %#x that is never written", o.addr)
	return errorLaunchTimeout
}

// isOver reports whether the value has arrived, or the memory is gone.
func (o *memOp) isOver() bool {
	at, r := dev.bytes(o.addr, o.size)
	return r != success || o.holds(at)
}

// watch polls, in the background, the values for which streams wait. If calls of the program have been waiting long
// only for such values, it gives up.
func (d *device) watch() {
	waits := func() int { return slices.IndexFunc(d.deferred, func(o *deferred) bool { return o.wait != nil }) }
	if d.watching || waits() < 0 {
		return
	}
	d.watching = true
	go func() {
		debug.SetPanicOnFault(true)
		var blocked time.Time
		for nap := shortNap; ; nap = min(2*nap, longNap) {
			d.mu.Lock()
			d.runDeferred()
			i := waits()
			if i < 0 {
				d.watching = false
				d.mu.Unlock()
				return
			}
			switch {
			case d.waiters == 0 || d.background != nil:
				blocked = time.Time{}
			case blocked.IsZero():
				blocked = time.Now()
			case time.Since(blocked) > hostPatience:
				o := d.deferred[i]
				o.run, o.wait, blocked = o.wait.inVain, nil, time.Time{}
			}
			d.mu.Unlock()
			time.Sleep(nap)
		}
	}()
}

// holds reports whether the condition of the wait is true.
func (o *memOp) holds(at []byte) bool {
	var now uint64
	var less bool // by signed differences, because counters may wrap
	if o.size == 8 {
		now = binary.LittleEndian.Uint64(at)
		less = int64(now-o.value) < 0
	} else {
		now = uint64(binary.LittleEndian.Uint32(at))
		less = int32(uint32(now)-uint32(o.value)) < 0
	}
	mask := uint64(1)<<(8*o.size-1)<<1 - 1
	switch o.flags &^ C.CU_STREAM_WAIT_VALUE_FLUSH {
	case C.CU_STREAM_WAIT_VALUE_GEQ:
		return !less
	case C.CU_STREAM_WAIT_VALUE_EQ:
		return now == o.value&mask
	case C.CU_STREAM_WAIT_VALUE_AND:
		return now&o.value != 0
	}
	return ^(now|o.value)&mask != 0 // NOR
}

// valid reports whether the operation's address is in device memory.
func (o *memOp) valid() bool {
	_, r := dev.bytes(o.addr, o.size)
	return r == success && o.addr%o.size == 0 && (!o.wait || o.flags&^C.CU_STREAM_WAIT_VALUE_FLUSH <= C.CU_STREAM_WAIT_VALUE_NOR) &&
		(o.wait || o.flags&^C.CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER == 0)
}

// memOps is a sequence of operations.
type memOps struct {
	ops    []memOp
	params []C.CUstreamBatchMemOpParams // as the program passed them
	flags  C.uint
}

func (m *memOps) run() result {
	for i := range m.ops {
		if r := m.ops[i].run(); r != success {
			return r
		}
	}
	return success
}

// newMemOps parses an array of operations.
func newMemOps(n C.uint, from *C.CUstreamBatchMemOpParams, flags C.uint) (*memOps, result) {
	const most = 256
	if n == 0 || n > most || from == nil || flags != 0 {
		return nil, errorInvalidValue
	}
	m := &memOps{params: slices.Clone(unsafe.Slice(from, n)), flags: flags}
	for _, p := range m.params {
		v := (*C.struct_CUstreamMemOpValue_st)(unsafe.Pointer(&p))
		o := memOp{addr: uint64(v.address), value: *(*uint64)(unsafe.Pointer(&v.value)), size: 4, flags: v.flags}
		switch v.operation {
		case C.CU_STREAM_MEM_OP_WAIT_VALUE_32:
			o.wait = true
		case C.CU_STREAM_MEM_OP_WAIT_VALUE_64:
			o.wait, o.size = true, 8
		case C.CU_STREAM_MEM_OP_WRITE_VALUE_32:
		case C.CU_STREAM_MEM_OP_WRITE_VALUE_64:
			o.size = 8
		case C.CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES, C.CU_STREAM_MEM_OP_BARRIER: // all operations are in order anyway
			continue
		default:
			return nil, errorInvalidValue
		}
		if !o.valid() {
			return nil, errorInvalidValue
		}
		m.ops = append(m.ops, o)
	}
	return m, success
}

// memOpIn does one operation in a stream.
func memOpIn(current, h C.uintptr_t, o memOp) C.int {
	return withStream(current, h, true, func(s *stream) result {
		if !o.valid() {
			return errorInvalidValue
		}
		p := C.CUstreamBatchMemOpParams{}
		v := (*C.struct_CUstreamMemOpValue_st)(unsafe.Pointer(&p))
		v.operation, v.address, v.flags = o.operation(), C.CUdeviceptr(o.addr), o.flags
		*(*uint64)(unsafe.Pointer(&v.value)) = o.value
		return s.doMemOps(&memOps{ops: []memOp{o}, params: []C.CUstreamBatchMemOpParams{p}})
	})
}

// doMemOps does operations in a stream, one by one, because a wait defers those after it.
func (s *stream) doMemOps(m *memOps) result {
	if s.capture != nil {
		return s.do(C.CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, m)
	}
	for i := range m.ops {
		o := &deferred{s: s, kind: C.CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, run: m.ops[i].run}
		if m.ops[i].wait {
			o.wait, o.run = &m.ops[i], func() result {
				dev.orders.valueOp()
				return success
			}
		}
		if r := dev.doOrDefer(o); r != success {
			return r
		}
	}
	return success
}

func (o *memOp) operation() C.CUstreamBatchMemOpType {
	switch {
	case o.wait && o.size == 4:
		return C.CU_STREAM_MEM_OP_WAIT_VALUE_32
	case o.wait:
		return C.CU_STREAM_MEM_OP_WAIT_VALUE_64
	case o.size == 4:
		return C.CU_STREAM_MEM_OP_WRITE_VALUE_32
	}
	return C.CU_STREAM_MEM_OP_WRITE_VALUE_64
}

//export go_cuStreamWaitValue32_v2
func go_cuStreamWaitValue32_v2(current, h C.uintptr_t, addr C.ulonglong, value C.uint, flags C.uint) C.int {
	return memOpIn(current, h, memOp{true, uint64(addr), uint64(value), 4, flags})
}

//export go_cuStreamWaitValue64_v2
func go_cuStreamWaitValue64_v2(current, h C.uintptr_t, addr, value C.ulonglong, flags C.uint) C.int {
	return memOpIn(current, h, memOp{true, uint64(addr), uint64(value), 8, flags})
}

//export go_cuStreamWriteValue32_v2
func go_cuStreamWriteValue32_v2(current, h C.uintptr_t, addr C.ulonglong, value C.uint, flags C.uint) C.int {
	return memOpIn(current, h, memOp{false, uint64(addr), uint64(value), 4, flags})
}

//export go_cuStreamWriteValue64_v2
func go_cuStreamWriteValue64_v2(current, h C.uintptr_t, addr, value C.ulonglong, flags C.uint) C.int {
	return memOpIn(current, h, memOp{false, uint64(addr), uint64(value), 8, flags})
}

//export go_cuStreamBatchMemOp_v2
func go_cuStreamBatchMemOp_v2(current, h C.uintptr_t, n C.uint, from *C.CUstreamBatchMemOpParams, flags C.uint) C.int {
	return withStream(current, h, true, func(s *stream) result {
		m, r := newMemOps(n, from, flags)
		if r != success {
			return r
		}
		return s.doMemOps(m)
	})
}
