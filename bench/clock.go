package main

import (
	"math"
	"time"
)

// clockGHz estimates the processor's clock from a chain of sums, each of which waits for
// the one before: a processor of today makes one in a cycle. The fastest of a few stretches of
// some 20 us is taken, as others only wait for the processor. Counters of cycles would be
// better, and are not there for everybody in virtual machines.
func clockGHz() float64 {
	const stretches, rounds = 8, 4096
	best := math.MaxInt64 * time.Nanosecond
	for range stretches {
		began := time.Now()
		sink = chain(rounds, sink)
		best = min(best, time.Since(began))
	}
	return rounds * perRound / float64(best.Nanoseconds())
}

const perRound = 16 // sums in a round

// sink keeps the compiler from leaving out the sums.
var sink uint64

// chain is sums with carries and without, in turn, so that they cannot be taken together. The
// end of the loop is counted beside the chain, not in it.
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
