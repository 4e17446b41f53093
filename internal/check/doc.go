// Package check finds errors in launches that end normally: data races between
// threads, in global and in shared memory, and uses of undefined shuffle results.
//
// # Happens before
//
// Two accesses conflict if they are of different threads, have a byte in common,
// and at least one of them writes. They race unless one happens before the
// other, or they are morally strong: both atomic, volatile or of a memory order
// other than weak, of one size, and of scopes that include each other (PTX ISA 8.7).
// The values do not matter, nor does the order in which warps happened to run, but
// for one thing: only code that was executed is looked at. What happens before what
// follows from:
//
//   - program order: of one thread;
//   - barriers of a CTA: what threads did before they arrived happens before what
//     the threads do that waited. That is for bar.sync, bar.red and bar.arrive, at
//     which threads arrive and do not wait (9.7.13.1). The exit of a thread is no
//     arrival;
//   - barriers of a cluster: what threads did before they arrived, unless by .relaxed, happens
//     before what the threads do that waited (9.7.13.4);
//   - bar.warp.sync: the same for the lanes of one (9.7.13.2). Neither lock step
//     nor shuffles, votes and other collectives order memory;
//   - release and acquire patterns that synchronise (8.8, 8.9.4). A release is an
//     access with .release or .acq_rel, or a fence or membar before a strong
//     write; an acquire is an access with .acquire or .acq_rel, or a strong read
//     before a fence or membar, of the same thread. The read must be of what the
//     write wrote, or of what atomics made of that, and all scopes must include
//     the other side. All that happens before the release happens before what is
//     after the acquire;
//   - mbarriers: arrivals, and bulk copies of which one is told, are releases, and waits are
//     acquires, of the CTA. A wait also acquires what has arrived for a later phase;
//   - observation (8.9.2, 8.9.5): a strong write happens before what is after a
//     strong read of it, but what is before the write does not. Reads that decide
//     nothing neither acquire nor observe: see decisions;
//   - fence.sc and membar of a scope beyond the CTA: the first happens before the
//     second if a chain of all of the above, reads of strong writes among them,
//     leads from one to the other. All such fences are in one order (8.9.3,
//     Fence-SC), which can be no other then.
//
// The scope of a cluster is that of the CTA in launches without clusters, else that of the GPU. A compare-and-swap
// writes whether it swaps or not. Every launch starts anew.
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
// Happens-before is tracked by vector clocks and epochs, as in FastTrack (Flanagan and
// Freund, "FastTrack: Efficient and Precise Dynamic Race Detection", PLDI 2009), of
// warps and their lanes. The epoch of a warp ends at each release: at a barrier, a
// fence, an access that releases. A record says which lanes of which warp accessed a
// location by which instruction, and in which epoch. The vector clock of a thread has
// the last epoch of each lane of each warp whose accesses happen before what the thread
// does next: a clock of the warps of its CTA, and a clock of the grid for other CTAs.
// Clocks are values that are never changed, and shared by threads that have them in
// common, so that a barrier costs one clock for all of them. Lanes of a warp that have
// the same clock are a group. A location that is released to has a release clock, which
// strong reads acquire.
//
// Shadow memory has a cell for each word, or for each byte of a word to which there are
// narrower accesses, with records. A record goes when all that could race with it would
// race with a later one of the same instruction too, or when a barrier for all threads
// that share the memory has completed since. Records that nothing tells apart are one:
// of several lanes, of several warps that read, of several instructions of one thread.
// Of what many warps or CTAs do that nothing but barriers orders, two are enough for a
// race of each pair of instructions. Most cells have one or two.
//
// # What is reported
//
// Races are grouped by the two instructions, and of a group the worst counts: whether
// there are others depends on the order of the run. The two are in the order of the
// text, or of the iterations of a loop. What would mend a race is found in the flow
// graph, and races that one change would mend are one finding.
//
// Copies by cp.async are accesses of the thread at the place of the instruction. In addition
// all that touches their destinations before the thread has waited for them is reported.
//
// Accesses to the shared memory of another CTA of the cluster must happen after its start and before its end. It is not
// enough that the CTAs ran in that order: an event in that CTA or a barrier of the cluster must happen before the
// access, and the access before the exit of one of its threads. Barriers at which threads arrive with .relaxed count.
//
// # What is missed
//
// A race is reported only if it is one, but for fences of scope .cta that are
// sequentially consistent: they count as acquire and release. A race may be missed
// where a cell would need more records than it may have, 16 in global memory of
// launches in which accesses order threads, else 64, and where strong stores of several
// threads, which are no atomics, overwrite each other. What is forgotten counts as
// ordered. Local memory and parameters have one thread, and constants no writer;
// external functions are not looked at.
package check
