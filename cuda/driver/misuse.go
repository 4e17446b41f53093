package main

/*
#define SIMTRUN_CUDA_TYPES_ONLY
#include "../include/cuda.h"
#include "calls.h"
*/
import "C"

import (
	"cmp"
	"fmt"
	"os"
	"regexp"
	"slices"

	"github.com/simtrun/simtrun/cuda"
)

// misuse records wrong uses of the driver: calls that fail, and memory that is not freed.
type misuse struct {
	calls map[failedCall]int64 // count of each failure
	why   string               // reason why the current call fails; "" if the result says it all
	freed map[uint64]string    // names of freed allocations, by address
}

// failedCall is a call that failed, and how.
type failedCall struct {
	name   string
	answer result
	why    string
}

// mostFailures limits the distinct failures that are counted, and mostFreed the freed allocations that are kept.
const mostFailures, mostFreed = 1000, 1 << 16

// open enables reports of failures if the user or simtrun host requests them.
func (m *misuse) open() {
	m.calls, m.freed = make(map[failedCall]int64), make(map[uint64]string)
	if dev.outlet.summary.Encoder != nil || dev.opts.calls || dev.opts.leaks {
		C.reports_calls = 1
	}
}

// because returns a result, and records the reason for it.
func (m *misuse) because(r result, format string, args ...any) result {
	m.why = fmt.Sprintf(format, args...)
	return r
}

// wasFreed records that an allocation is freed.
func (m *misuse) wasFreed(a *allocation) {
	if C.reports_calls != 0 && len(m.freed) < mostFreed {
		m.freed[a.base] = a.buf.Name()
	}
}

// notFreed returns the result for an address that cannot be freed.
func (m *misuse) notFreed(addr uint64) result {
	if name, ok := m.freed[addr]; ok {
		return m.because(errorInvalidValue, "%s was freed before", name)
	}
	if b := dev.mem.Find(addr); b != nil {
		return m.because(errorInvalidValue, "0x%x is in %s, which this call does not free", addr, b.Name())
	}
	return m.because(errorInvalidValue, "nothing is allocated at 0x%x", addr)
}

// questions matches calls with which programs query whether something exists: a negative answer is not a mistake.
var questions = regexp.MustCompile(`^cu(.*Query|.*Get.*|PointerSet.*|Init|CtxSynchronize|StreamSynchronize|EventSynchronize|.*Peer.*)(_v\d+)?$`)

var versionSuffix = regexp.MustCompile(`_v\d+$`)

// isMistake reports whether a failed call is a mistake of the program: not a query, and not a call that fails because
// an earlier kernel has failed.
func isMistake(name string, answer result) bool {
	if answer == errorNotReady || answer == errorNotSupported || questions.MatchString(name) {
		return false
	}
	for _, o := range dev.objects {
		if c, ok := o.(*cudaContext); ok && c.failed == answer {
			return false
		}
	}
	return true
}

//export callFailed
func callFailed(cName *C.char, answer C.int) {
	dev.lock()
	defer dev.mu.Unlock()
	m, name := &dev.misuse, C.GoString(cName)
	why := m.why
	m.why = ""
	if !dev.ready || !isMistake(name, result(answer)) {
		return
	}
	f := failedCall{versionSuffix.ReplaceAllString(name, ""), result(answer), why}
	if m.calls[f] == 0 && len(m.calls) >= mostFailures {
		return
	}
	m.calls[f]++
	n := m.calls[f]
	if n == 1 && dev.opts.calls {
		dev.outlet.say("%s returns %s", f.name, cmp.Or(prefixed(errorTexts[f.answer].name, why), f.answer.Error()))
	}
	if n&(n-1) == 0 { // so that a program that repeats a failing call does not fill the disk
		dev.outlet.note(&cuda.Note{Call: &cuda.Call{Name: f.name, Error: errorTexts[f.answer].name, Why: why, Count: n}})
	}
}

// prefixed returns a reason after the name of an error; "" if there is no reason.
func prefixed(name, why string) string {
	if why == "" {
		return ""
	}
	return name + ": " + why
}

//export reportLeaks
func reportLeaks() {
	dev.lock()
	defer dev.mu.Unlock()
	if !dev.ready || !dev.opts.leaks {
		return
	}
	var all []*allocation
	for _, a := range dev.allocs {
		if a.kind == onDevice || a.kind == onHost || a.kind == managed {
			all = append(all, a)
		}
	}
	slices.SortFunc(all, func(a, b *allocation) int { return cmp.Compare(a.serial, b.serial) })
	for _, a := range all {
		dev.outlet.say("%s, %d bytes, was never freed", a.buf.Name(), a.size)
		dev.outlet.note(&cuda.Note{Leak: &cuda.Leak{Name: a.buf.Name(), Bytes: a.size}})
	}
}

// note writes a line that is not about a launch to simtrun host.
func (o *outlet) note(n *cuda.Note) {
	if o.summary.Encoder != nil {
		n.Process = os.Getpid()
		o.summary.encode(n)
	}
}
