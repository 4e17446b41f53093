// Package native compiles functions to machine code of the host: straight-line regions that are executed subvector by
// subvector, scalars for values that are affine in the lane, and branches that all lanes take alike. It leaves
// everything else to the engine, and computes what the lane functions compute, bit for bit.
//
// # Stages
//
// Compiler.Compile lists the passes and the reasons of their order. Each stage has files of its own, and a text that
// simtrun asm --code prints:
//
//   - The plan (plan.go; steps.go, slots.go, live.go, class.go) says for each instruction what becomes of it, and for
//     each slot how its value differs between lanes: a scalar is an affine function of the lane within each subvector
//     of eight lanes. Registers are known by their slots.
//   - Regions (region.go) are cut from basic blocks: straight-line code that is executed as a whole or not at all. Arms
//     of branches that are if-converted (if_conversion.go) are regions, too. A region that only loads may defer its
//     bounds checks (deferred_check.go). With AVX-512, a loop keeps what it carries from block to block in registers
//     (loop.go).
//   - Code (emit.go, registers.go): the scalar phase of a region computes its scalars, once for all four subvectors,
//     and checks the bounds of accesses at scalar addresses. If a check fails, nothing of the region has been
//     executed, and lane functions find the fault. The subvector phase does the rest in a loop over subvectors, or over
//     pairs of them with AVX-512. Branches are in control.go.
//   - Entries and exits (exits.go) pass scalars between slots and spill slots: an entry checks that slots hold what
//     code assumes, and an exit writes back what is only in spill slots.
//
// # The life of compiled code
//
// A function with calls of small functions is compiled with their instructions in the place of the calls
// (program.Expansion, inline.go). PCs that the compiler's callers see are those of the function itself.
//
// Engine.exec (interp/native.go) replaces Path.Exec. When lane functions have executed enough instructions of a
// function, a Compiler compiles it, and exec enters the code when a path is at the start of a region. Code asks for
// the lane functions of instructions on registers that have no template (lane_function.go, jit.Request), and resumes.
// It leaves other unsupported instructions to the engine, and is entered again after them. Where code exits, scalars
// are written to their slots; where it is entered, code checks that the slots hold what it assumes to be scalar.
//
// A function has up to three versions: for warps with all lanes active, for lanes that have diverged, up to their
// reconvergence PC (divergent.go), and for any active mask. The last two, partial code, are compiled when they are
// first needed (partial_mask.go), and merge all results under the mask. If several threads execute a launch, there are
// further versions that note what is accessed (access_notes.go). If observers may be notified late of accesses and
// branches, code leaves a trail of these (trail.go), which the engine follows after each exit (interp/trail.go).
//
// A function that is too long to be analysed as a whole is compiled in parts (long_functions.go), each when it is hot:
// code for a part leaves all other instructions to the engine, which goes on in the code for another part
// (interp/native_parts.go). A function that the compiler fails to compile is a Refusal: the Go loop executes it, it is
// not tried again, and the summary of the run names it.
//
// Products of matrices, accesses of a whole warp to matrices and fetches from textures are routines that code calls
// between regions. Those of textures are not part of the function: they are written when the texture is known, and code
// finds them by the Hint of the instruction (fetch.go, jit.Fetch).
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
// A model of the CPU can execute code instead of the host's (interp.Config.Evaluate, package evaluate), so that code of
// every level is executed on every host, arm64 too. evaluate_test.go evaluates workloads and random kernels at all
// levels, and compares each entry with the host's CPU where it has the level. All tests of this package, of interp and
// of lanes/jit do so with -evaluate.
//
// The tests of this package compare listings of each stage (testdata/stages), and execute kernels by lane functions and
// as compiled code: bodies, loops and arms (text in testdata), accesses, calls, turns, and random kernels with many
// live values. They execute 95 % of the statements here and 73 % of those of lanes/jit, whose own tests try each
// template with all kinds of operands. The tests of interp have what surrounds code: when a function is compiled, what
// is said of functions that are not, and verification itself. Those of functional compare schedules (its package
// documentation).
package native
