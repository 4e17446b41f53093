package main

import (
	"unsafe"

	"github.com/simtrun/simtrun"
	"github.com/simtrun/simtrun/cuda"
)

// wrote records, for the check of unwritten values, that bytes of device memory were written: with bytes of device
// memory, or with others if from is nil or in other memory.
func (d *device) wrote(to, from []byte) {
	if !d.opts.Init || len(to) == 0 {
		return
	}
	a, off := d.allocationOf(to)
	b, fromOff := d.allocationOf(from)
	switch n := uint64(len(to)); {
	case a != nil && b != nil:
		a.buf.Written(off, n, b.buf, fromOff)
	case a != nil:
		a.buf.Written(off, n, nil, 0)
	case b != nil: // to the host
		d.outlet.used(b.buf.HostRead(fromOff, n))
	}
}

// used reports stores of values that depend on unwritten values.
func (o *outlet) used(all []simtrun.Warning) {
	if len(all) == 0 {
		return
	}
	o.found("", &simtrun.Result{Warnings: all})
	o.note(&cuda.Note{Found: findingsOf(all)})
}

// allocationOf returns the allocation of device memory that has some bytes, and their offset; nil if none has.
func (d *device) allocationOf(bytes []byte) (a *allocation, off uint64) {
	at := uintptr(unsafe.Pointer(unsafe.SliceData(bytes)))
	for _, a := range d.allocs {
		all := a.buf.Bytes()
		if off := at - uintptr(unsafe.Pointer(unsafe.SliceData(all))); off < uintptr(len(all)) && a.kind == onDevice {
			return a, uint64(off)
		}
	}
	return nil, 0
}
