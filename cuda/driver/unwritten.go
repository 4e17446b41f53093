package main

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"unsafe"

	"github.com/simtrun/simtrun"
	"github.com/simtrun/simtrun/cuda"
	"github.com/simtrun/simtrun/memory"
)

// wrote records, for the check of unwritten values, that bytes of device memory were written: with bytes of the
// driver's memory, or with others if from is nil or in other memory. A copy counts what it takes to the host in out.
func (d *device) wrote(to, from []byte, out *outgoing) {
	if !d.opts.Init || len(to) == 0 {
		return
	}
	a, off := d.allocationOf(to)
	b, fromOff := d.allocationOf(from)
	n := uint64(len(to))
	if b.isTracked() && b.kind != onHost && (a == nil || a.kind == onHost || a.kind == registered) {
		d.outlet.used(b.buf.HostRead(fromOff, n))
		out.add(b, fromOff, n)
	}
	switch {
	case a.isTracked() && b.isTracked():
		a.buf.Written(off, n, b.buf, fromOff)
	case a.isTracked():
		a.buf.Written(off, n, nil, 0)
	}
}

// isTracked reports whether writes to an allocation are recorded.
func (a *allocation) isTracked() bool {
	return a != nil && (a.kind == onDevice || a.kind == managed || a.kind == onHost)
}

// trackWrites makes all bytes unwritten. The shadow of a large allocation takes memory only for the pages in which
// bytes are written.
func (a *allocation) trackWrites() {
	n := a.size + memory.ShadowPad
	if n >= leastPages {
		if pages, err := unwritten.pages(n); err == nil {
			a.shadow = pages
			a.buf.TrackWrites(pages)
			return
		}
	}
	a.buf.TrackWrites(bytes.Repeat(unwritten.content, int(n)))
}

// contentOf returns the new memory for an allocation that the host can write without a call.
func contentOf(k kind) *freshMemory {
	if dev.opts.Init && (k == managed || k == onHost) {
		return writable
	}
	return plain
}

// seeHost prepares an allocation, for the check of unwritten values, for stores of the host that are not calls. content
// is its new memory; nil for memory of the program.
func (a *allocation) seeHost(content *freshMemory) {
	switch {
	case !dev.opts.Init:
	case content == writable:
		a.trackWrites()
		a.buf.ShareWithHost(content.content)
	default:
		a.buf.ShareWithHost(nil)
	}
}

// reportResults reports results in memory that the program can read without a call, before that is freed or the program
// ends. After a kernel has failed, there are no results.
func (a *allocation) reportResults() {
	if dev.opts.Init && a.host() && !dev.misuse.faulted {
		dev.outlet.used(a.buf.Results())
	}
}

// reportAllResults is reportResults for all memory of the driver, at the end of the program.
func reportAllResults() {
	dev.lock()
	defer dev.mu.Unlock()
	all := slices.Collect(maps.Values(dev.allocs))
	slices.SortFunc(all, func(a, b *allocation) int { return cmp.Compare(a.serial, b.serial) })
	for _, a := range all {
		if a.kind != registered { // the program may have freed that
			a.reportResults()
		}
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

// allocationOf returns the allocation that has some bytes, and their offset; nil if none has.
func (d *device) allocationOf(bytes []byte) (a *allocation, off uint64) {
	at := uintptr(unsafe.Pointer(unsafe.SliceData(bytes)))
	for _, a := range d.allocs {
		all := a.buf.Bytes()
		if off := at - uintptr(unsafe.Pointer(unsafe.SliceData(all))); off < uintptr(len(all)) {
			return a, uint64(off)
		}
	}
	return nil, 0
}

// outgoing is the device memory that a copy takes to the host, for the check of unwritten values. Only a copy without
// any written byte is a finding: correct programs copy a whole buffer of which a kernel has filled a part, such as the
// elements that it selects, or all but the edge of a grid.
type outgoing struct {
	at      callers     // the call that copies
	of      *allocation // nil if nothing goes to the host
	first   uint64      // offset of the first byte in the allocation
	size    uint64      // bytes
	written bool        // at least one of them was written
}

// add adds n bytes of an allocation.
func (out *outgoing) add(a *allocation, off, n uint64) {
	if out.of == nil {
		out.of, out.first = a, off
	}
	out.size += n
	out.written = out.written || !a.buf.IsUnwritten(off, n)
}

// report reports a copy of unwritten memory, once for each place in the program.
func (out *outgoing) report() {
	if out.of == nil || out.written {
		return
	}
	at := out.at.site()
	if dev.unwritten[at] {
		return
	}
	dev.unwritten[at] = true
	buf := out.of.buf
	f := cuda.Finding{Rule: cuda.RuleCopy, Severity: "warning", Place: at.place(), Code: at.code, Count: 1, Space: "global", Buffer: buf.Name(), Offset: out.first,
		Message: fmt.Sprintf("the host copies %s of %s, and none was ever written", memory.Bytes(out.size), dev.named(buf))}
	dev.outlet.between(&f, &at, nil, []string{
		fmt.Sprintf("memory  from byte %d on; the allocation has %s", out.first, memory.Bytes(out.of.size)),
		"fix     write it by a kernel, a copy or a fill before; perhaps a kernel writes elsewhere, or its launch has failed"})
}
