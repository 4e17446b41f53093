// Package functional runs launches without a clock. It decides in which order the CTAs of a grid, the warps of a CTA
// and the splits of a warp execute, and finds deadlocks and livelocks.
//
// # Who runs next
//
// Go decides which warp runs next, and machine code makes the same decision where leaving code for each decision would
// take longer than what is executed between them. One rule ties both:
//
//	After n warp instructions of a launch, the CTA, the warp, its lanes and their PC that execute instruction n+1 are
//	those of the Go loop alone, wherever code was entered and left before.
//
// So whenever code exits, the session continues as if Go had decided. The decisions that code repeats, with their
// places:
//
//	decision                       Go                                   machine code (lanes/jit)
//	the next warp of the CTA       ctaSlice, runCTA (slice.go)          TurnRoutine, Emit.EndTurn (turns.go)
//	the end of a time slice        schedule.deadline (schedule.go)      Context.Budget and Least
//	the release of a barrier       Engine.arriveAt (interp/barrier.go)  Emit.endPass (turns.go)
//	the next CTA                   Session.startAt (resident.go)        StartRoutine (turns.go)
//	the side that executes first   divergence.ITS.Diverge               DivergeRoutine (diverge.go)
//	the quantum of a side          Session.quantumEnd (quantum.go)      Context.Quantum and Withheld, Extend
//	reconvergence                  divergence.ITS.Advance               ArriveRoutine (diverge.go)
//
// Code leaves every other decision to Go: Session.takeTurns (turns.go) enters it only if all warps are in a state in
// which runWarp would simply run them. What code has decided becomes Go's state in two places: Engine.endTurn
// (interp/turns.go) brings warps to the state that runWarp would have left, and Engine.diverged (interp/native.go)
// makes splits of the lanes that wait in frames of the Context (jit.Frame).
//
// Two tests run all of programs/*.s both ways. TestCodeIsEnteredWhereGoWouldBe checks the rule at each entry to code.
// TestCompiledProgramsRunInTheSameOrder looks into code: threads record in which order they reach each label, and
// continue behind each branch, barrier and exchange.
//
// # Launches on several threads
//
// Session.runInParallel (parallel.go) makes a worker (worker.go) for each thread of the host (interp.Config.Threads):
// a session with an Engine, observers and one resident CTA of its own. A worker claims the next CTA, runs it to its
// end with the time slices that it would have had on one thread, and claims another. As the Watcher of its engine it
// is notified of accesses to global memory, and keeps them in a memory.Footprint, a byte for each word, in which
// compiled code marks accesses itself (internal/lanes/jit/access_notes.go). A memory.Backup keeps the contents of pages
// before they are written.
//
// From time to time, at the end of a time slice, all workers halt, and team.check compares their footprints. If two
// of them have a word in common that one has written, or if a CTA did something whose outcome depends on the order of
// CTAs, memory is restored to the latest state that a launch on one thread also reaches (team.commit), and the
// launch goes on in order from there. The comment of team proves why nothing else depends on the order. At the end
// the counters of workers and of their observers are summed (interp.Summer).
package functional
