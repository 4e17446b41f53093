package main

/*
#include "signals.h"
*/
import "C"

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
)

// A thread of the program has frames*frameBytes of Go's stack for handlers of signals (signals.c). The compiler puts variables of more than
// 128 KiB on the heap.
const frames, frameBytes = 4, 100 << 10

// growStack makes the stack on which it is called that large.
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

// semaphores are free. They are never destroyed.
var semaphores sync.Pool

// waitAside does f on a thread of Go, while the thread of the program that asked for it waits in C, where a handler may use all of its stack.
func waitAside(f func()) {
	wake, _ := semaphores.Get().(*C.sem_t)
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
	semaphores.Put(wake)
	if failed != nil {
		panic(failed)
	}
}

// spins is how often a call looks whether another has ended before it waits for that in C.
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
