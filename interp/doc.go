// Package interp executes warp instructions: what each does to registers, memory, control flow, barriers and calls. A
// driver, package functional or sm, decides in which order warps execute.
//
// A Machine is memory with a module loaded into it, and a Grid is a launch that it has accepted. A CTA and the
// warp.States of its warps hold everything that a launch changes besides memory, and can be copied. An Engine is what
// one thread of the host needs to execute them. A CTA that has ended leaves its warps, registers and shared memory to
// the next one, so that a long launch allocates nothing.
//
// # Barriers
//
// For bar.sync, Engine.follow calls arriveAt: Control.Park makes the lanes wait, and the CTA's barrier counts the
// warp. When the barrier is complete, release wakes all waiting warps in the order of their numbers and notifies
// observers. Run returns AtBarrier, at which functional ends the warp's time slice; a failed wait at an mbarrier ends
// it, too (Engine.Waits). Lanes that exit are counted out of every barrier by stopWaiting. When no warp of a CTA can
// run, the driver asks Engine.Deadlock for the lanes that wait, and where.
//
// barrier.cluster is atCluster's. The Cluster counts the live lanes and the arrived lanes of all its CTAs. The CTAs
// of a cluster start together, in successive slots, and end together. An address in the shared memory of another CTA
// of the cluster is found by locatePeer.
//
// # Calls
//
// The control state numbers frames; a frame is one activation of a function. warp.State.Windows holds what a frame
// owns: a window of registers, .param variables and part of local memory. Engine.call makes a frame for each distinct
// target, copies the arguments lane by lane, and leaves the caller's lanes waiting at the instruction after the call.
// The number of a frame belongs to one function, so that its layout is computed once.
//
// A function that no module defines has no frame. vprintf and its like are in a table in external.go. Functions of
// libdevice are added when the module is indexed: one with a PTX body is called like any other, and one written
// in Go is executed lane by lane (Engine.serve).
//
// # Matrices and tensor memory
//
// Instructions that a whole warp executes together (isa.Spec.WholeWarp) go to Engine.wholeWarp. Usually all 32 lanes
// are there; otherwise those that arrive wait for the rest. lanes.Product computes. wgmma reads its matrices from
// shared memory by way of a memory.SharedMatrix. Each warp of a warpgroup computes when it arrives, and a warp that
// waits for products of others waits as at a barrier (orderProducts).
//
// tcgen05 is Engine.tensorMemory's. A CTA has a tensorMemory from its first tcgen05.alloc on. A warp that asks for
// more columns than are free waits as at a barrier, until a tcgen05.dealloc frees them (serveTensor). With
// .cta_group::2 the other CTA of the pair has to ask, too. Tensor memory has no address space, so that observers are
// not notified of accesses to it; Engine.Hidden counts its changes for proofs of livelock.
//
// # Asynchronous copies
//
// cp.async has a program.Copy in its Info. accessByLane passes it to Engine.copy, which copies at once and notifies
// observers of a load and a store (Access.Kind). Engine.bulk copies in pieces for one lane, to one place or, with
// .multicast::cluster, to several; box copies the rows of a tensor map. st.async and red.async store registers
// (storeAsync). The state of an mbarrier is its 8 bytes (lanes.Mbarrier). wait_group only notifies a CopyObserver;
// with a clock, sm waits for the copies' flights. Package check finds copies that were not waited for.
//
// # Textures and surfaces
//
// A texture or surface instruction has an Image in its Info: the slots of its handle, sampler and coordinates.
// If all lanes use one texture, with one level and without samples, Engine.fetch reads it by a texture.Reader, which
// is kept for the next time. Compiled code then fetches itself while lanes use the same handles, by a routine that
// Engine.serveCode puts into the Hint of the instruction (texture_code.go). Otherwise accessImage finds the texture of
// each lane. A surface then takes the way of any other access. For a texture texture.Footprint finds the texels of each
// lane, which are read one after the other, and Texture.Value filters them.
package interp
