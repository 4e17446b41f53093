// Package check finds errors in launches that end normally: data races between threads, in global and in shared
// memory, uses of undefined shuffle results and of unwritten values, and missing waits and fences for
// asynchronous instructions.
//
// # Happens before
//
// Two accesses conflict if they are of different threads, have a byte in common, and at least one of them writes. They
// race unless one happens before the other, or they are morally strong: both atomic, volatile or of a memory order
// other than weak, of one size, and of scopes that include each other (PTX ISA 8.7). Neither the values nor the order
// in which warps happened to run matter, except that only executed code is examined. Happens-before follows from:
//
//   - program order of one thread;
//   - barriers of a CTA: accesses of threads before they arrive happen before accesses of the waiting threads after
//     the barrier. This holds for bar.sync, bar.red and bar.arrive, at which threads arrive and do not wait (9.7.13.1).
//     The exit of a thread is not an arrival;
//   - barriers of a cluster: the same, unless threads arrive with .relaxed (9.7.13.4);
//   - bar.warp.sync: the same for the lanes of a warp (9.7.13.2). Neither lock step nor shuffles, votes and other
//     collectives order memory;
//   - release and acquire patterns that synchronise (8.8, 8.9.4). A release is an access with .release or .acq_rel, or
//     a fence or membar before a strong write; an acquire is an access with .acquire or .acq_rel, or a strong read
//     before a fence or membar, of the same thread. The read must observe the written value, or a value that atomics
//     derived from it, and all scopes must include the other side. Everything before the release happens before
//     everything after the acquire;
//   - mbarriers: arrivals and bulk copies that signal one are releases, and waits are acquires, of CTA scope. A wait
//     acquires what has arrived in phases that are complete;
//   - observation (8.9.2, 8.9.5): a strong write happens before everything after a strong read of it, but accesses
//     before the write do not. Reads that decide nothing neither acquire nor observe: see decisions;
//   - fence.sc and membar of a scope beyond the CTA: the first happens before the second if a chain of all of the
//     above, including reads of strong writes, leads from one to the other. All such fences are in one order (8.9.3,
//     Fence-SC), and the chain determines it.
//
// In launches without clusters, cluster scope is CTA scope; in others it is GPU scope. A compare-and-swap counts as a
// write even if it does not swap. Every launch starts without history.
//
// # Lock step
//
// Morally strong accesses do not race. Volatile or relaxed loads and stores of two lanes of one warp are reported
// nevertheless if only lock step orders them, that is, if three things hold: one of the two changes the value; both
// lanes executed one of the two in the same split; and the lanes were not made to execute the two in this order by
// happens-before, an instruction with .sync or a polling loop. Atomics, accesses with .acquire or .release, and polling
// loads are synchronisation and are not reported; nor are other loads from the address that such a load polls.
//
// # What is kept
//
// Happens-before is tracked by vector clocks and epochs of warps and their lanes, as in FastTrack (Flanagan and Freund,
// "FastTrack: Efficient and Precise Dynamic Race Detection", PLDI 2009). The epoch of a warp ends at each release: at
// a barrier, a fence, or an access that releases. A record has the lanes of a warp that accessed a location, the
// instruction, and the epoch. The vector clock of a thread has, for each lane of each warp, the last epoch with
// accesses that happen before the thread's next access: in a clock of the warps of its CTA, and a clock of the grid
// for other CTAs. Clocks are immutable and shared by threads with equal clocks, so that a barrier costs one clock for
// all of them. Lanes of a warp with the same clock are a group. A location to which a thread has released has a
// release clock, which strong reads acquire.
//
// Shadow memory has a cell with records for each word, or for each byte of a word with narrower accesses. A record is
// dropped when every access that could race with it would also race with a later one of the same instruction, or when
// a barrier for all threads that share the memory has completed since. Equivalent records are combined: of several
// lanes, of several reading warps, or of several instructions of one thread. If only barriers order many warps or
// CTAs, two records are enough to find a race of each pair of instructions. Most cells have one or two. Words that half
// warps have only accessed as a whole row have common records, and a row is checked at once. Accesses to shared memory
// that only barriers can order are deferred until threads conflict (deferred.go), and so are reads of regions of global
// memory that nothing writes (read_log.go).
//
// # What is reported
//
// Races are grouped by their two instructions, and the worst of a group is reported: whether there are others depends
// on the order of the run. The two instructions are in the order of the text, or of the iterations of a loop. The fix
// of a race is derived from the flow graph, and races with a common fix are one finding.
//
// Copies by cp.async are accesses of the thread at the position of the instruction. In addition, accesses to their
// destinations before the thread has waited for them are reported.
//
// Accesses to the shared memory of another CTA of the cluster must happen after its start and before its end. It is not
// enough that the CTAs ran in that order: an event in that CTA or a barrier of the cluster must happen before the
// access, and the access before the exit of one of its threads. Barriers at which threads arrive with .relaxed count.
//
// # What is missed
//
// Every reported race is one, with one exception: sequentially consistent fences of scope .cta only count as acquire
// and release. A race may be missed if a cell would need more records than its maximum, which is 16 in global memory
// of launches in which accesses order threads, and 64 otherwise, and if strong stores of several threads, other than
// atomics, overwrite each other. Dropped records count as ordered. Local memory and parameters are accessed by one
// thread, and constants are never written; external functions are not examined.
package check
