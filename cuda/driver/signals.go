package main

/*
#include "signals.h"
*/
import "C"

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// A thread of the program has frames*frameBytes of Go's stack for signal handlers (signals.c). It takes several frames
// because the compiler puts variables of more than 128 KiB on the heap.
const frames, frameBytes = 4, 100 << 10

// growStack makes the stack on which it is called large enough for that.
//
//export growStack
func growStack() { deepen(frames) }

//go:noinline
func deepen(more int) (sum byte) {
	var frame [frameBytes]byte
	if more > 1 {
		frame[more] = deepen(more - 1)
	}
	for i := 0; i < len(frame); i += pageBytes {
		sum += frame[i]
	}
	return sum
}

// waitAside calls f on a thread of Go. Meanwhile the calling thread of the program waits in C, where a signal handler
// may use all of the thread's stack.
func waitAside(f func()) {
	wake, _ := dev.semaphores.Get().(*C.sem_t)
	if wake == nil {
		wake = C.signals_semaphore()
	}
	var failed any
	go func() {
		debug.SetPanicOnFault(true)
		defer func() {
			if failed = recover(); failed != nil && !isFault(failed) {
				failed = fmt.Sprintf("%v\n%s", failed, debug.Stack())
			}
			C.sem_post(wake)
		}()
		f()
	}()
	C.signals_wait(wake)
	dev.semaphores.Put(wake)
	if failed != nil {
		panic(failed)
	}
}

// spins is the number of times that a call tries to take the lock before it waits for it in C.
const spins = 100

// lock locks the device for a call of the program.
func (d *device) lock() {
	for range spins {
		if d.mu.TryLock() {
			return
		}
		runtime.Gosched()
	}
	waitAside(d.mu.Lock)
}
