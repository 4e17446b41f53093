// Package native compiles functions to machine code of the host: straight-line regions that are executed subvector by
// subvector, scalars for values that are affine in the lane, and branches that all lanes take alike. It leaves
// everything else to the engine, and computes what the lane functions compute, bit for bit.
//
// # The life of compiled code
//
// Engine.exec (interp/native.go) replaces Path.Exec. When lane functions have executed 300 instructions for each
// instruction of a function, a Compiler compiles it, and exec enters the code when a path is at the start of a
// region. Code leaves unsupported instructions to the engine, and is entered again after them.
//
// Registers are known by their slots. liveness.find finds which are live, classes.find which are scalar: an affine
// function of the lane within each subvector of eight lanes, with a stride known at compile time or kept with the
// value (class.go). runFrom cuts basic blocks into straight-line regions, which the code calls runs (run.go). For
// each run, scalarPhase emits the scalars, once for all four subvectors, and the bounds checks of accesses at scalar
// addresses. If a check fails, nothing of the run has been executed, and lane functions find the fault. Then
// stripPhase emits the rest as a loop over the subvectors, or over pairs of them with AVX-512.
//
// A run that only loads may defer its bounds checks (a late run, deferred_check.go): it may compute the addresses of
// its lanes itself, and checks them right before the load. A scalar stays in a register file of the code's own. Where
// code exits, scalars are written to their slots; where it is entered, code checks that the slots hold what it
// assumes to be scalar.
//
// A function has up to three versions: for warps with all lanes active, for lanes that have diverged, up to their
// reconvergence PC (divergent.go), and for any active mask. The last two are compiled when they are first needed
// (partial_mask.go), and merge all results under the mask. A short side of a branch is executed under its mask, in
// the code at the branch (if_conversion.go). If several threads execute a launch, there are further versions that
// note what is accessed. With AVX-512, a loop keeps what it carries from block to block in registers (loop.go).
//
// A function that is too long, or that the compiler fails to compile, is a Refusal: the Go loop executes it, it is not
// tried again, and the summary of the run names it.
//
// # Time slices in code
//
// Between barriers warps take their time slices without leaving code. Before each round over the warps of a CTA,
// Session.takeTurns (internal/functional/turns.go) checks that each warp would just run. Engine.TakeTurns
// (interp/turns.go) then enters code that goes from warp to warp and from barrier to barrier (jit.Turn), and
// afterwards puts each warp where the driver would have put it. A CTA that replaces one that has ended starts the
// same way (Session.startInTurns, jit.Starts).
//
// # Tests
//
// With SIMTRUN_LANES=verify, lane functions execute first what code is about to execute, each time that it is entered,
// and registers, memory, lanes and the exit are compared (interp/verify.go). The tests of instruction forms, programs,
// workloads and random kernels run that way, too.
//
// The tests of this package compile the benchmark's kernels and count allocations; they execute nothing. That code
// computes what lane functions compute is tested in interp, which has the engine that code leaves to:
// interp/native_*_test.go, turns_test.go and testdata/bodies. They execute 97 % of the statements here:
//
//	go test ./interp -run 'Compiled|Loops|Sides|Turns|Rest'
package native
