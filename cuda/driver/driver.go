package main

/*
#cgo CFLAGS: -Wall -Wextra -fvisibility=hidden
#cgo LDFLAGS: -lpthread
#define SIMTRUN_CUDA_TYPES_ONLY
#include "../include/cuda.h"
#include "calls.h"
#include <stdlib.h>
*/
import "C"

import (
	"crypto/sha256"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/simtrun/simtrun"
	"github.com/simtrun/simtrun/cuda"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/hostlink"
)

// result is a CUresult.
type result int32

// Error returns the name and the text of a result.
func (r result) Error() string { return errorTexts[r].name + ": " + errorTexts[r].text }

// handle identifies an object of the driver in the program. Handles are not reused, so that handles of destroyed
// objects are known to be invalid.
type handle = uintptr

// device is the only GPU with all objects of the program.
type device struct {
	mu         sync.Mutex
	ready      bool
	opts       hostlink.Settings
	gpu        *gpu.Config
	mem        *simtrun.Memory
	objects    map[handle]any
	next       handle
	primary    *cudaContext // the primary context, while it is retained or current; otherwise nil
	flags      uint32       // of the primary context
	pool       handle       // the default pool; 0 until needed
	chosenPool handle       // pool for allocations in streams; 0 for the default pool
	attendants sync.Pool    // of *attendant: those that attend no launch
	allocs     map[uint64]*allocation
	used       [kinds]uint64 // bytes allocated, by kind
	serial     uint64        // number of the latest allocation
	highest    uint64        // end of the highest allocation in device memory
	ranges     []*addressRange
	// inGraphs is memory allocated by graph nodes, by address, and mostInGraphs its peak.
	inGraphs     map[uint64]*graphMemory
	mostInGraphs uint64
	conditions   map[uint64]*condition // of graphs, by handle
	// programs caches loaded programs by the hash of their text, so that loading one again takes no time.
	programs map[[sha256.Size]byte]*simtrun.Program
	images   map[uint64]*imageObject // by handle, as in kernels
	made     uint64                  // number of texture and surface objects made
	outlet   outlet
	misuse   misuse
	orders   *orders // nil unless it is checked
	// unwritten has the places for which a copy of unwritten memory was reported.
	unwritten map[site]bool
	debug     *debugging // nil unless simtrun host has the debugger's terminal

	events   *os.File // the file that represents the process in handles of events; nil before the first handle
	eventKey ipcKey   // its key

	hasStreams bool              // a stream has been created
	shares     bool              // another process has a handle of memory
	background *backgroundLaunch // the launch in the background; nil if there is none
	deferred   []*deferred       // work of streams that waits for earlier work, in the order of the calls
	changed    sync.Cond         // signals changes of background and deferred
	waiters    int               // calls that wait for changed
	watching   bool              // a goroutine polls the values for which streams wait

	constants  map[string]*C.char // texts that were given to programs, which may keep them
	binaries   map[string]*loaded // that were opened, by file
	semaphores sync.Pool          // unused semaphores, which are never destroyed
}

var dev = device{objects: make(map[handle]any), next: 0x10000, allocs: make(map[uint64]*allocation), inGraphs: make(map[uint64]*graphMemory), conditions: make(map[uint64]*condition), programs: make(map[[sha256.Size]byte]*simtrun.Program), images: make(map[uint64]*imageObject), constants: make(map[string]*C.char), binaries: make(map[string]*loaded)}

func init() { dev.changed.L = &dev.mu }

// add assigns a handle to an object.
func (d *device) add(o any) handle {
	d.next += 16
	d.objects[d.next] = o
	return d.next
}

// object returns the object of type T with a handle; nil if there is none.
func object[T any](h C.uintptr_t) *T {
	o, _ := dev.objects[handle(h)].(*T)
	return o
}

// global runs f for a call that needs no context.
func global(f func() result) (res C.int) {
	dev.lock()
	defer dev.mu.Unlock()
	defer recovered(&res)
	if !dev.ready {
		return C.int(errorNotInitialized)
	}
	return C.int(f())
}

// in runs f for a call in the current context. After a kernel has failed in the context, every call returns its
// error.
func in(current C.uintptr_t, f func(c *cudaContext) result) (res C.int) {
	dev.lock()
	defer dev.mu.Unlock()
	defer recovered(&res)
	debug.SetPanicOnFault(true)
	dev.misuse.why, dev.misuse.rule = "", ""
	c, r := dev.context(current)
	if r != success {
		return C.int(r)
	}
	if c.failed != success {
		return C.int(c.failed)
	}
	return C.int(f(c))
}

// context returns the current context of a thread, by its handle.
func (d *device) context(current C.uintptr_t) (*cudaContext, result) {
	if !d.ready {
		return nil, errorNotInitialized
	}
	if current == 0 {
		return nil, errorInvalidContext
	}
	c := object[cudaContext](current)
	if c == nil {
		return nil, errorContextIsDestroyed
	}
	return c, success
}

// recovered turns a panic into an error, so that it does not end the program: a fault at an address that the program
// passed as its own memory, or a bug of simtrun.
func recovered(res *C.int) {
	p := recover()
	if p == nil {
		return
	}
	dev.outlet.say("%s", saidOf(p))
	if *res = C.int(errorUnknown); isFault(p) {
		dev.misuse.why = saidOf(p)
		*res = C.int(errorInvalidValue)
	}
}

func isFault(p any) bool {
	_, ok := p.(interface{ Addr() uintptr })
	return ok
}

// bug returns the text of a panic for an error that must not happen; doing says what failed.
func bug(doing string, p any) string {
	const prefix = "simtrun bug: "
	text := strings.TrimPrefix(fmt.Sprint(p), prefix)
	if doing != "" {
		text = doing + ": " + text
	}
	return prefix + text
}

// saidOf describes the value of a panic.
func saidOf(p any) string {
	if fault, ok := p.(interface{ Addr() uintptr }); ok {
		return fmt.Sprintf("the program has no memory at %#x, which it gave the driver", fault.Addr())
	}
	return fmt.Sprintf("%s\n%s", bug("", p), debug.Stack())
}

//export go_cuInit
func go_cuInit(_ C.uintptr_t, flags C.uint) (res C.int) {
	dev.lock()
	defer dev.mu.Unlock()
	defer recovered(&res)
	switch {
	case flags != 0:
		return C.int(errorInvalidValue)
	case dev.ready:
		return C.int(success)
	}
	if err := dev.init(); err != nil {
		dev.outlet.say("%v", err)
		return C.int(errorNoDevice)
	}
	return C.int(success)
}

// gcPercent makes garbage collection rarer than Go's default. Collection would dominate the time of small launches,
// and little memory stays in use.
const gcPercent = 400

// init makes the device according to the environment.
func (d *device) init() error {
	if err := d.outlet.open(getenv(cuda.EnvLog)); err != nil {
		return err
	}
	o, err := hostlink.ParseSettings(getenv, variable)
	if err != nil {
		return err
	}
	d.gpu = o.GPU
	o.Machine.Stdout, o.Machine.Foreign = stdout{}, hostMemory
	if d.mem, err = simtrun.NewMemory(o.Machine); err != nil {
		return err
	}
	debug.SetGCPercent(gcPercent)
	d.opts, d.ready = *o, true
	d.misuse.open()
	if o.Stream {
		d.orders = newOrders()
	}
	d.unwritten = make(map[site]bool)
	if d.debug, err = openDebugging(getenv, o); err != nil {
		return err
	}
	if d.debug != nil {
		C.reports_calls = 1
	}
	noteCallers(C.reports_calls != 0 || o.Stream || o.Init, o.Stream || o.Init)
	if d.debug != nil {
		return d.debug.begin()
	}
	return nil
}

// constant returns a text for programs that is never freed.
func (d *device) constant(text string) *C.char {
	if d.constants[text] == nil {
		d.constants[text] = C.CString(text)
	}
	return d.constants[text]
}

// set writes a result unless the program passed NULL.
func set[T any](to *T, v T) {
	if to != nil {
		*to = v
	}
}
