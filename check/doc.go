// Package check finds what is wrong with a launch that comes to an end all the
// same: data races between its threads, in global and in shared memory.
//
// # The order of accesses
//
// Two accesses conflict if they are of different threads, have a byte in common,
// and at least one of them writes. They race unless one happens before the
// other, or they are morally strong: both atomic, volatile or of a named memory
// order, of one size, and of scopes that include each other (PTX ISA 8.7). What
// values are seen does not matter, nor how the launch happened to be scheduled
// but for one thing: only code that ran is looked at. What happens before what
// follows from:
//
//   - program order: of one thread;
//   - barriers of a CTA: who has arrived happens before who is released. That is
//     for bar.sync, bar.red and bar.arrive, which is not released (9.7.13.1).
//     A thread that ends does not arrive;
//   - bar.warp.sync: the lanes that meet at one (9.7.13.2). Neither lock step nor
//     shuffles, votes and other collectives order memory;
//   - release and acquire patterns that synchronise (8.8, 8.9.4). A release is an
//     access with .release or .acq_rel, or a fence or membar before a strong
//     write; an acquire is an access with .acquire or .acq_rel, or a strong read
//     before a fence or membar, of the same thread. The read must be of what the
//     write wrote, or of what atomics made of that, and all scopes must include
//     the other side. All that the releasing thread knows goes with it;
//   - observation (8.9.2, 8.9.5): a strong write happens before what comes after a
//     strong read of it, but nothing before the write does. Reads that decide
//     nothing neither acquire nor observe: see decisions;
//   - fence.sc and membar of a scope beyond the CTA: the first happens before the
//     second if there is a way from it to that by all of the above, reads of
//     strong writes among them. These fences are in one order (8.9.3, Fence-SC),
//     and it can be no other then.
//
// The scope of a cluster is that of its one CTA. A compare-and-swap writes whether it
// swaps or not. Every launch starts anew.
//
// # What is kept
//
// A warp has a clock, which ticks when it has told others of its accesses: at a
// barrier, a fence, a release. A record says which lanes of which warp accessed
// a place by which instruction, and when. What a thread knows is the clock up to
// which it knows each lane of the warps of its CTA (a crew) and of others (a
// world). Both are values that are never changed and shared by those who know the
// same, so that a barrier costs one of them for all. Lanes of a warp that know the
// same are a group.
//
// A place is a word, or a byte of a word to which there are narrower accesses. It
// remembers records. One goes when all that could race with it would race with a
// later one of the same instruction too, or when all threads that share the place
// have met since. Records that nothing tells apart are one: of several lanes, of
// several warps that read, of several instructions of one thread. Of what many
// warps or CTAs do that nothing but barriers orders, two are enough for a race of
// each pair of instructions. Mostly a place needs one or two.
//
// # What is reported
//
// Races are grouped by the two instructions, of which the worst counts: which ones
// there are beside depends on the order of the run. They are told in the order of the
// text, or of the rounds of a loop. What would mend them is found in the flow graph, and
// races that one change would mend are one finding.
//
// # What is missed
//
// A race is reported only if it is one, but for fences of scope .cta that are
// sequentially consistent: they count as acquire and release. It may be missed where
// a place would need more records than there may be: 16 in global memory of launches
// in which values that were read order threads, else 64. So it may where strong stores of
// several threads that are no atomics overwrite each other. What is forgotten counts as
// ordered. Local memory and parameters have one thread, and constants no writer; external
// functions are not looked at.
package check
