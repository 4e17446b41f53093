// Package sm runs launches with a clock: the SMs of a GPU, to which the GigaThread engine hands thread blocks, and
// whose warp schedulers issue what package interp executes. It decides when an instruction is executed, and never
// what it does. docs/clock.md describes the model.
//
// # The life of a cycle
//
// A Session is one launch, or the launches of several streams side by side. It lets each SM run for a window of
// cycles (multiprocessor.run), and then exchanges their requests and messages; CTAs that have ended make room
// for the next (distributor.go). In a cycle a scheduler with something to do takes a step. wakeUp takes the warps
// that are due out of the wheel, eligible drops those whose pipe is busy, Policy.pick chooses one, and issue ends the
// interval of its states, keeps the pipe busy and, at the last machine instruction of a PTX instruction, calls
// execute. That calls Engine.Issue, the same step that the debugger takes, and its Effect says which latencies,
// barriers and exits follow. proceed computes when the warp's next instruction has everything it waits for, and puts
// the warp into the wheel. An instruction that a warp has executed ahead, in a region (region.go), needs neither: if it
// only computes, computed is all that follows its issue. The cost of each instruction was looked up when the launch
// began (newCode in lower.go).
//
// A memory instruction is executed when it is issued. Its time is a flight (flight.go), on which registers wait in the
// scoreboard. enqueue puts it into its scheduler's queue, takeMemory into the SM's memory pipe, and load looks up its
// lines in the L1 (lsu.go, cache.L1); textures have a queue and a pipe beside them (texture.go). A miss is a
// cache.Request in the SM's outbox; at the end of the window serve lets cache.System answer the requests of all SMs
// (exchange.go). When nothing of the flight is missing, land marks its registers ready and wakes the warp that waits
// for them. Stores to global memory stay in the engine's memory.Journal until Session.apply at the end of the epoch. A
// worker pool runs the SMs of a window (worker.go). A Recorder (observe.go) is notified of each issue, with the
// states of the warp before it, SM by SM.
//
// With clusters one thread runs all SMs of a GPC, cycle by cycle (cluster.go), because a store to another CTA's
// shared memory takes effect at once. chooseCluster finds SMs for all CTAs of a cluster, and wakeCluster wakes the
// warps that waited at its barrier.
package sm
