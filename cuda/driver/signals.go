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
	"time"
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

// aside is work that a thread of Go does while the thread of the program that asked for it waits in C (signals.c).
type aside struct {
	wake *C.sem_t // posted when the work is done, and at SIGINT
	done chan any // the panic of the work, or nil
}

// semaphores are free. They are never destroyed: a handler in another thread may still post one.
var semaphores sync.Pool

// doAside begins f on a thread of Go.
func doAside(f func()) *aside {
	a := &aside{done: make(chan any, 1)}
	if s, _ := semaphores.Get().(*C.sem_t); s != nil {
		a.wake = s
	} else {
		a.wake = C.signals_semaphore()
	}
	go func() {
		debug.SetPanicOnFault(true)
		defer func() {
			p := recover()
			if p != nil && !isFault(p) {
				p = fmt.Sprintf("%v\n%s", p, debug.Stack())
			}
			a.done <- p
			C.sem_post(a.wake)
		}()
		f()
	}()
	return a
}

// wait waits until the work is done or SIGINT has come, for at most a time if that is not negative. A panic of the work is one of wait's.
func (a *aside) wait(most time.Duration) (done bool) {
	ms := C.long(-1)
	if most >= 0 {
		ms = C.long((most + time.Millisecond - 1) / time.Millisecond)
	}
	C.signals_wait(a.wake, ms)
	select {
	case p := <-a.done:
		for C.sem_trywait(a.wake) == 0 { // what SIGINT has posted
		}
		semaphores.Put(a.wake)
		if p != nil {
			panic(p)
		}
		return true
	default:
		return false
	}
}

// waitAside does f on a thread of Go, and waits until it is done.
func waitAside(f func()) {
	for a := doAside(f); !a.wait(-1); {
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
