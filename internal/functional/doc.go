// Package functional runs launches without a clock. It decides in which order the CTAs of a grid, the warps of a CTA
// and the splits of a warp execute, and finds deadlocks and livelocks.
//
// # Launches on several threads
//
// Session.runInParallel (parallel.go) makes a worker for each thread of the host (interp.Config.Threads): a session
// with an Engine, observers and one resident CTA of its own. A worker claims the next CTA, runs it to its end with
// the time slices that it would have had on one thread, and claims another. As the Watcher of its engine it is
// notified of accesses to global memory, and keeps them in a memory.Footprint, a byte for each word, in which
// compiled code marks accesses itself (internal/lanes/jit/note.go). A memory.Backup keeps the contents of pages
// before they are written.
//
// From time to time, at the end of a time slice, all workers halt, and team.check compares their footprints. If two
// of them have a word in common that one has written, or if a CTA did something whose outcome depends on the order of
// CTAs, memory is restored to the latest state that a launch on one thread also reaches (team.commit), and the
// launch goes on in order from there. The comment of team proves why nothing else depends on the order. At the end
// the counters of workers and of their observers are summed (interp.Summer).
package functional
