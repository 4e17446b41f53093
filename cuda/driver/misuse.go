package main

/*
#define SIMTRUN_CUDA_TYPES_ONLY
#include "../include/cuda.h"
#include "calls.h"
*/
import "C"

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun"
	"github.com/simtrun/simtrun/cuda"
	"github.com/simtrun/simtrun/memory"
)

// misuse records wrong uses of the driver: calls that fail, and memory that is not freed.
type misuse struct {
	calls map[failedCall]int64 // count of each failure
	why   string               // reason why the current call fails; "" if the result says it all
	rule  string               // rule that the current call breaks; "" for that of failed calls
	freed map[uint64]*freed    // by address
	// faulted says that a launch has failed. Calls that free memory then fail, too, so that it is no leak.
	faulted bool
}

// failedCall is a call that failed, and how.
type failedCall struct {
	name   string
	answer result
	why    string
	rule   string
	at     callers
	named  string // name of the error, if it is the runtime's; otherwise ""
}

// freed is an allocation that was freed.
type freed struct {
	base, size uint64
	name       string
	made, at   callers // the calls that allocated and freed it
}

// mostFailures limits the distinct failures that are counted, and mostFreed the freed allocations that are kept.
const mostFailures, mostFreed = 1000, 1 << 16

// open enables reports of failures if the user or simtrun host requests them.
func (m *misuse) open() {
	m.calls, m.freed = make(map[failedCall]int64), make(map[uint64]*freed)
	if dev.outlet.summary.enabled() || dev.opts.API || dev.opts.Leak {
		C.reports_calls = 1
	}
	if dev.outlet.report.enabled() || dev.outlet.summary.enabled() || dev.opts.Leak || dev.opts.Init {
		C.reports_end = 1
	}
}

// because returns a result, and records the reason for it.
func (m *misuse) because(r result, format string, args ...any) result {
	m.why = fmt.Sprintf(format, args...)
	return r
}

// wasFreed records that the current call frees an allocation.
func (m *misuse) wasFreed(a *allocation) {
	if C.reports_calls != 0 && len(m.freed) < mostFreed {
		m.freed[a.base] = &freed{a.base, a.size, a.buf.Name(), a.made, callersNow()}
	}
}

// freedAt returns the allocation that contained an address and was freed; nil if there is none.
func (m *misuse) freedAt(addr uint64) *freed {
	if f := m.freed[addr]; f != nil {
		return f
	}
	for _, f := range m.freed {
		if addr-f.base < f.size {
			return f
		}
	}
	return nil
}

// String names the allocation and the calls, as far as they are known: "allocation 2 (x.cu:4) was freed at x.cu:9".
func (f *freed) String() string {
	text := named(f.name, f.made) + " was freed"
	if at := f.at.site(); at != (site{}) {
		text += " at " + at.String()
	}
	return text
}

// explain returns a line on the freed memory that a failed kernel has accessed; "" for other failures.
func (m *misuse) explain(err error) string {
	f, ok := errors.AsType[*simtrun.Fault](err)
	if !ok || f.Access == nil || !errors.Is(err, memory.ErrFreed) {
		return ""
	}
	if freed := m.freedAt(f.Access.Address); freed != nil && freed.at != (callers{}) {
		return "\n  freed   " + freed.String()
	}
	return ""
}

// named returns the name of an allocation with the call that made it, if the program has not named the allocation.
func named(name string, made callers) string {
	if strings.HasSuffix(name, ")") {
		return name
	}
	if at := made.site(); at != (site{}) {
		return fmt.Sprintf("%s (%s)", name, &at)
	}
	return name
}

// whatIsAt describes the memory at an address that is not in an allocation.
func (m *misuse) whatIsAt(addr uint64) string {
	if f := m.freedAt(addr); f != nil {
		return f.String()
	}
	if near := dev.nearest(addr); near != "" {
		return fmt.Sprintf("nothing is allocated at 0x%x, %s", addr, near)
	}
	return fmt.Sprintf("nothing is allocated at 0x%x", addr)
}

// notFreed returns the result for an address that cannot be freed.
func (m *misuse) notFreed(addr uint64) result {
	m.rule = cuda.RuleFree
	b := dev.mem.Find(addr)
	if b == nil {
		if f := m.freed[addr]; f != nil {
			return m.because(errorInvalidValue, "%s before", f)
		}
		return m.because(errorInvalidValue, "%s", m.whatIsAt(addr))
	}
	if a := dev.allocs[addr]; a != nil {
		return m.because(errorInvalidValue, "0x%x is %s, which this call does not free", addr, named(b.Name(), a.made))
	}
	return m.because(errorInvalidValue, "0x%x is byte %d of %s, which starts at 0x%x", addr, addr-b.Addr(), b.Name(), b.Addr())
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
	why, rule := m.why, cmp.Or(m.rule, cuda.RuleCall)
	m.why, m.rule = "", ""
	if !dev.ready || !isMistake(name, result(answer)) {
		return
	}
	m.failed(failedCall{versionSuffix.ReplaceAllString(name, ""), result(answer), why, rule, callersNow(), ""})
}

// runtimeQuestions matches functions of the runtime as questions matches those of the driver.
var runtimeQuestions = regexp.MustCompile(`^cuda.*(Query|Get|Peer)`)

// go_simtrunCallFails reports a function of the runtime that fails without a call of the driver.
//
//export go_simtrunCallFails
func go_simtrunCallFails(current C.uintptr_t, function, name *C.char) C.int {
	return go_simtrunCallFailsFor(current, function, name, nil)
}

// go_simtrunCallFailsFor is go_simtrunCallFails with the reason, unless that is NULL.
//
//export go_simtrunCallFailsFor
func go_simtrunCallFailsFor(_ C.uintptr_t, function, name, why *C.char) C.int {
	dev.lock()
	defer dev.mu.Unlock()
	if !dev.ready || C.reports_calls == 0 || name == nil {
		return C.int(success)
	}
	f := failedCall{rule: cuda.RuleCall, at: callersNow(), named: C.GoString(name)}
	if why != nil {
		f.why = C.GoString(why)
	}
	at := f.at.site()
	if f.name = cmp.Or(at.api, C.GoString(function)); !runtimeQuestions.MatchString(f.name) {
		dev.misuse.failed(f)
	}
	return C.int(success)
}

// failed counts and reports a call that failed.
func (m *misuse) failed(f failedCall) {
	if m.calls[f] == 0 && len(m.calls) >= mostFailures {
		return
	}
	m.calls[f]++
	n := m.calls[f]
	defer m.caught(f)
	if n&(n-1) != 0 { // so that a program that repeats a failing call does not fill the disk
		return
	}
	at := f.at.site()
	if strings.HasPrefix(at.api, "cuda") && f.named == "" {
		f.named = f.answer.runtimeName(at.api, f.why)
	}
	call := &cuda.Call{Name: cmp.Or(at.api, f.name), Error: f.errorName(), Why: f.why, Count: n, Rule: f.rule, Place: at.place(), Code: at.code}
	finds := dev.opts.API || dev.opts.Leak && f.rule == cuda.RuleFree
	if n == 1 && finds && !dev.outlet.allowsAt(f.rule, &at) {
		dev.outlet.say("%serror: %s returned %s [%s]", at.prefix(), call.Name, f.text(), f.rule)
	}
	dev.outlet.note(&cuda.Note{Call: call})
}

// caught stops at a call that has failed, if the debugger is to.
func (m *misuse) caught(f failedCall) {
	if dev.debug == nil {
		return
	}
	at := f.at.site()
	if strings.HasPrefix(at.api, "cuda") && f.named == "" {
		f.named = f.answer.runtimeName(at.api, f.why)
	}
	dev.debug.callFailed(cmp.Or(at.api, f.name), f.text(), &at)
}

// runtimeName returns the name of the error that a function of the runtime returns for a result of the driver: one
// with the same value, except that launches say more of a wrong grid or block (launched in cuda/rt/launch.c).
func (r result) runtimeName(function, why string) string {
	if r == errorInvalidValue && strings.HasPrefix(function, "cudaLaunch") && !strings.Contains(why, ofDynamicShared) {
		return "cudaErrorInvalidConfiguration"
	}
	return runtimeErrors[r]
}

// text returns the name of the error with the reason or, if there is none, with the driver's description of the error.
func (f *failedCall) text() string {
	why := f.why
	if why == "" && f.answer != success {
		why = errorTexts[f.answer].text
	}
	return cmp.Or(prefixed(f.errorName(), why), f.errorName())
}

// errorName returns the name of the error.
func (f *failedCall) errorName() string {
	return cmp.Or(f.named, errorTexts[f.answer].name, fmt.Sprintf("error %d", f.answer))
}

// prefixed returns a reason after the name of an error; "" if there is no reason.
func prefixed(name, why string) string {
	if why == "" {
		return ""
	}
	return name + ": " + why
}

//export programEnds
func programEnds() {
	if dev.opts.Init {
		reportAllResults()
	}
	if dev.opts.Leak {
		reportLeaks()
	}
	dev.outlet.report.end()
	dev.outlet.summary.end()
}

// reportLeaks reports memory that the program has not freed.
func reportLeaks() {
	dev.lock()
	defer dev.mu.Unlock()
	if !dev.ready {
		return
	}
	var all []*allocation
	for _, a := range dev.allocs {
		if a.kind == onDevice || a.kind == onHost || a.kind == managed {
			all = append(all, a)
		}
	}
	if dev.misuse.faulted {
		if len(all) > 0 {
			dev.outlet.say("note: leak check skipped: memory cannot be freed after a kernel has failed")
		}
		return
	}
	slices.SortFunc(all, func(a, b *allocation) int { return cmp.Compare(a.serial, b.serial) })
	for _, l := range leaksOf(all) {
		if !dev.outlet.allowsAt(cuda.RuleLeak, &l.at) {
			dev.outlet.say("%serror: %s [%s]", l.at.prefix(), l.Text(), cuda.RuleLeak)
		}
		dev.outlet.note(&cuda.Note{Leak: &l.Leak})
	}
}

// leaked is allocations that one call has made.
type leaked struct {
	cuda.Leak
	at site
}

// leaksOf groups allocations by the place that made them. Those of unknown places are apart.
func leaksOf(all []*allocation) (leaks []*leaked) {
	index := make(map[site]*leaked)
	for _, a := range all {
		at, name := a.site(), a.buf.Name()
		if l := index[at]; l != nil && at != (site{}) {
			l.Bytes += a.size
			l.Count++
			continue
		}
		if placeNamed.MatchString(a.label) {
			name = a.name()
		}
		index[at] = &leaked{cuda.Leak{Name: name, Bytes: a.size, Count: 1, Place: at.place(), Code: at.code}, at}
		leaks = append(leaks, index[at])
	}
	return leaks
}

// site returns the place that made an allocation. Programs of simtrun cc name it, also without debug information.
func (a *allocation) site() site {
	at := a.made.site()
	if place := placeNamed.FindStringSubmatch(a.label); at.line == 0 && place != nil {
		at.file = shortened(place[1])
		at.line, _ = strconv.Atoi(place[2])
		at.code = sourceLine(place[1], at.line)
	}
	return at
}

// placeNamed matches the names that programs of simtrun cc give allocations.
var placeNamed = regexp.MustCompile(`^(.+):(\d+)$`)

// note writes a line that is not about a launch to simtrun host and, if its check was asked for, to the report.
func (o *outlet) note(n *cuda.Note) {
	if o.report.enabled() && (n.Call == nil || dev.opts.API) {
		o.report.note(n)
	}
	if o.summary.enabled() {
		n.Process = os.Getpid()
		o.summary.note(n)
	}
}
