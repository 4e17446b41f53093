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
)

// result is a CUresult.
type result int32

// Error is the name and the text of a result.
func (r result) Error() string { return errorTexts[r].name + ": " + errorTexts[r].text }

// handle is what a program has for an object of the driver. Handles are not given out again, so that one of what was destroyed
// is known to be invalid.
type handle = uintptr

// device is the GPU and all that programs have made there. There is one.
type device struct {
	mu         sync.Mutex
	ready      bool
	opts       options
	gpu        *gpu.Config
	mem        *simtrun.Memory
	objects    map[handle]any
	next       handle
	primary    *cudaContext // the primary context, while it is retained or current; else nil
	flags      uint32       // of the primary context
	pool       handle       // the default pool; 0 before it is asked for
	chosenPool handle       // from which streams allocate; 0 for the default pool
	allocs     map[uint64]*allocation
	used       [kinds]uint64 // bytes of allocations, by kind
	serial     uint64        // of allocations
	highest    uint64        // the end of the highest of them in device memory
	ranges     []*addressRange
	// inGraphs is memory that nodes of graphs allocate, by address, and mostInGraphs the most of it that there was.
	inGraphs     map[uint64]*graphMemory
	mostInGraphs uint64
	conditions   map[uint64]*condition // of graphs, by handle
	// programs are those that were loaded, by the hash of their text: to load one again takes no time.
	programs map[[sha256.Size]byte]*simtrun.Program
	images   map[uint64]*imageObject // by the handles of kernels
	made     uint64                  // texture and surface objects
	outlet   outlet
	misuse   misuse

	events   *os.File // the file that represents the process in handles of events; nil before the first handle
	eventKey ipcKey   // its key

	hasStreams bool        // a stream was created
	shares     bool        // another process has a handle of memory
	beside     *beside     // the launch that goes on beside the program; nil if there is none
	deferred   []*deferred // what streams are to do when what is before it is done, in the order in which it was asked for
	changed    sync.Cond   // beside or deferred
	waiters    int         // calls that wait for that
	watching   bool        // values for which streams wait are looked for
}

var dev = device{objects: make(map[handle]any), next: 0x10000, allocs: make(map[uint64]*allocation), inGraphs: make(map[uint64]*graphMemory), conditions: make(map[uint64]*condition), programs: make(map[[sha256.Size]byte]*simtrun.Program), images: make(map[uint64]*imageObject)}

func init() { dev.changed.L = &dev.mu }

// add gives an object a handle.
func (d *device) add(o any) handle {
	d.next += 16
	d.objects[d.next] = o
	return d.next
}

// object is the object of type T with a handle; nil if there is none.
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

// in runs f for a call in the context that is current. A context in which a kernel has failed answers every call with
// what it failed with.
func in(current C.uintptr_t, f func(c *cudaContext) result) (res C.int) {
	dev.lock()
	defer dev.mu.Unlock()
	defer recovered(&res)
	debug.SetPanicOnFault(true)
	dev.misuse.why = ""
	c, r := dev.context(current)
	if r != success {
		return C.int(r)
	}
	if c.failed != success {
		return C.int(c.failed)
	}
	return C.int(f(c))
}

// context is the context with the handle that is current in a thread.
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

// recovered makes of a panic an error that does not end the program: of a fault at an address where the program has said that memory
// of its own is, and of a bug of simtrun.
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

// saidOf is what is said of a panic.
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

// gcPercent has garbage collected less often than Go does: of launches of little work collection is what takes longest, and
// there is little that is kept.
const gcPercent = 400

// init makes the device as the environment has it.
func (d *device) init() error {
	if err := d.outlet.open(getenv(cuda.EnvLog)); err != nil {
		return err
	}
	o, err := optionsOf(getenv)
	if err != nil {
		return err
	}
	if d.gpu, _, err = gpu.Open(o.machine.GPU); err != nil {
		return fmt.Errorf("SIMTRUN_GPU: %w", err)
	}
	o.machine.Stdout, o.machine.Foreign = stdout{}, hostMemory
	if d.mem, err = simtrun.NewMemory(o.machine); err != nil {
		return err
	}
	debug.SetGCPercent(gcPercent)
	d.opts, d.ready = o, true
	d.misuse.open()
	return nil
}

// constants are texts that were given to programs, which keep them.
var constants = struct {
	sync.Mutex
	all map[string]*C.char
}{all: make(map[string]*C.char)}

// constant is a text for programs that never goes away.
func constant(text string) *C.char {
	constants.Lock()
	defer constants.Unlock()
	if constants.all[text] == nil {
		constants.all[text] = C.CString(text)
	}
	return constants.all[text]
}

// set writes an answer where the program wants it; many calls let it want none.
func set[T any](to *T, v T) {
	if to != nil {
		*to = v
	}
}
