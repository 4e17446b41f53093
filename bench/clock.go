package main

import (
	"math"
	"runtime"
	"time"
)

// clockGHz estimates the processor's clock from a chain of dependent additions: modern processors execute one per
// cycle. It uses the fastest of a few periods of some 20 us, because disturbances only slow the chain down. Cycle
// counters would be better, but are often not available in virtual machines.
func clockGHz() float64 {
	const stretches, rounds = 8, 4096
	best, seed := math.MaxInt64*time.Nanosecond, uint64(0)
	for range stretches {
		began := time.Now()
		seed = chain(rounds, seed)
		best = min(best, time.Since(began))
	}
	runtime.KeepAlive(seed)
	return rounds * perRound / float64(best.Nanoseconds())
}

const perRound = 16 // additions in an iteration

// chain alternates additions with and without carry, so that they cannot be combined. The loop's own instructions are
// independent of the chain, and not counted.
//
//go:noinline
func chain(rounds int, seed uint64) uint64 {
	x, y := seed, uint64(1)
	for range rounds {
		x ^= y
		y += x
		x ^= y
		y += x
		x ^= y
		y += x
		x ^= y
		y += x
		x ^= y
		y += x
		x ^= y
		y += x
		x ^= y
		y += x
		x ^= y
		y += x
	}
	return x ^ y
}
