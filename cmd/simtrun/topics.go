package main

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simtrun/simtrun/cuda"
)

// helpTopics returns the help pages that are not about a command.
func helpTopics() []*cobra.Command {
	return []*cobra.Command{
		{Use: "directives", Short: "Run headers and run scripts", Long: directivesHelp},
		{Use: "values", Short: "Contents of buffers, arguments, random numbers", Long: valuesHelp},
		{Use: "environment", Short: "Environment variables", Long: environmentHelp()},
		{Use: checksPage, Short: "What --check looks for", Long: checksHelp},
		{Use: "ci", Short: "Findings in CI: suppressions, baselines", Long: ciHelp},
		{Use: exitPage, Aliases: []string{"exit"}, Short: "Exit statuses", Long: exitHelp},
	}
}

const directivesHelp = `Directives describe a run. They are written

  in the source, as comments at the start of a line:   //sim:grid 132x4
  in a run script, one per line, with # comments:      grid 132x4
  on the command line, as flags:                       --grid 132x4

Scripts override headers, and flags override both. buffer, address, heap,
texture, surface, sampler, tensormap, launch and matrix do not exist as flags.

  kernel NAME                 the kernel to launch, by its symbol or its C++ name;
                              default: the first one
  grid X[xY[xZ]]              blocks of the grid; default: 1
  block X[xY[xZ]]             threads of a block; default: .reqntid, or 32
  cluster X[xY[xZ]]           blocks of a cluster; default:
                              .reqnctapercluster, or no clusters
  shared BYTES                dynamic shared memory of a block
  cooperative                 all blocks are resident at once and may wait for
                              each other, as with cudaLaunchCooperativeKernel
  arg NAME = A                an argument, by the parameter's name or index
  buffer NAME = INIT          a buffer, for several arguments or launches
  symbol NAME = A             set a .global or .const variable before the run
  address NAME = ADDRESS [heap]
                              the address of a buffer, a variable or the first
                              function: a multiple of 16. heap: the kernel may
                              pass the address to free
  heap ADDRESS BYTES          malloc allocates from this address on, at most BYTES
                              bytes in all
  texture NAME = BUFFER KIND EXTENT [format=F] [filter=linear] [address=A]
         [normalized] ...     a texture of a buffer's texels: a handle as an
                              argument, or a .texref of the module
                              (docs/textures.md)
  surface NAME = BUFFER KIND EXTENT [format=F]
                              the same for a surface
  sampler NAME = [filter=linear] [address=A] ...
                              a sampler, for the independent texture mode
  tensormap NAME = BUFFER SIZES box=SIZES [type=T] [strides=B,B] [swizzle=128]
         [fill=nan] ...       a tensor map of a buffer, for cp.async.bulk.tensor:
                              an argument, or the value of a symbol
                              (docs/tensormaps.md)
  launch KERNEL [grid=G] [block=B] [cluster=C] [shared=BYTES] [cooperative]
         [process=NAME] [percent=N] [stream=NAME] [args=A,B,...]
                              replaces the seven directives from kernel to arg:
                              for several launches, in order, or concurrent in
                              several streams. Launches share buffers and
                              variables. Launches of several processes (MPS) do
                              not: dump, save and expect call a process's own
                              PROCESS/NAME. In args, list: separates its values
                              by ;
  dump NAME[:TYPE[:COUNT]]    print a buffer or variable after the last launch.
                              A parameter's index stands for its buffer
  save NAME = FILE            write it to a file: raw little-endian bytes, or a
                              NumPy array if FILE ends in .npy
  expect NAME[I:J] == V ...   compare elements I to J-1 with one value each, or
  expect NAME == INIT         one value for all; or with an INIT, such as @FILE.
        [type=T] [abs=E] [rel=E] [ulp=N]
                              the type of elements, and tolerances: an element
                              must be within one of them.
                              NaN equals NaN; bits (0f80000000) compare as bits
  expect metric NAME == V     check a counter of the launches (simtrun metrics),
  expect metric NAME@LABEL == V
        [abs=E] [rel=E]       or of the instruction at a label. A header's are
                              skipped if flags or a script change the launches;
                              those on time are skipped without a clock
  expect none                 for other data: skip the expectations of the header
                              and, as a flag, those of the script
  matrix gpu=a100,h100 divergence=its,stack path-order=taken,fallthrough
                              machines on which simtrun test runs the file
  shared-init pattern|zero    initial contents of shared memory: bytes 0xab, or
                              zeros
  max-steps N                 limit on the instructions of one warp
  max-launch-steps N          limit on the instructions of all warps until the
                              next block completes
  memory SIZE                 limit on host memory, such as 512M (not in a header)
  gpu NAME                    a GPU that simtrun gpu --list shows; in a script
                              also a TOML file
  cc OPTIONS                  options of nvcc or clang for a .cu, such as -DN=4
                              -O0 -Iinc; in a header, inc is relative to its file
  regs N                      registers per thread
  divergence M, path-order P, functional, sched NAME, icache STATE
                              as the flags
  cta-order P, cost C, dual-issue
                              as the flags (not in a header)

A header is not trusted: it can read only files below the source's own folder,
and cannot write files. A script may also contain any long flag, without dashes.
File names in scripts and flags are relative to the working directory.

See 'simtrun help values' for A, INIT and TYPE.`

const valuesHelp = `TYPE is one of u8 s8 u16 s16 u32 s32 u64 s64 f16 bf16 f32 f64. N is a number of
elements.

INIT, the contents of a buffer:

  zeros:N:TYPE
  fill:N:TYPE:VALUE
  iota:N:TYPE[:START[:STEP]]      START + i*STEP; default: 0 and 1
  rand:N:TYPE:SEED[:LO:HI]        random numbers in [LO, HI)
  list:TYPE:V,V,...
  uninit:N:TYPE                   bytes 0xab, which --check init treats as unwritten
  @FILE[:OFFSET[:LENGTH]]         raw little-endian bytes of a file
  @FILE.npy                       a NumPy array in C order; its dtype is TYPE

A, an argument or the value of a variable:

  a number      decimal, 0x hexadecimal, nan, inf; 0f3f800000 and
                0d3ff0000000000000 give the bits of an f32 or f64
  NAME, NAME+BYTES                the address of a buffer or .global variable
  INIT                            a new buffer, named after the parameter
  hex:0011...[8=x;16=y+4]         an aggregate's bytes; the addresses of x and
                                  y+4 replace those at 8 and 16
  bytes:@FILE[:OFFSET[:LENGTH]]   an aggregate's bytes

Random numbers are the same everywhere. Element i is made from output i, counted
from 0, of the generator SplitMix64 started at SEED, with 64-bit arithmetic:

  z = SEED + (i+1) * 0x9e3779b97f4a7c15
  z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
  z = (z ^ z>>27) * 0x94d049bb133111eb
  z = z ^ z>>31

An integer is the high bits of z, or LO + (z * (HI-LO) >> 64). A floating-point
number is LO + (HI-LO) * u, rounded to TYPE, where u is the high p bits of z
divided by 2^p, and p is 11 for f16, 8 for bf16, 24 for f32, 53 for f64. LO and
HI are 0 and 1 by default. A number that would be rounded up to HI becomes the
number below HI.`

// testedClangs returns the versions of clang with which simtrun is tested, as text: "19 or 22".
func testedClangs() string {
	var versions []string
	for _, version := range cuda.TestedClangs {
		versions = append(versions, strconv.Itoa(version))
	}
	return strings.Join(versions, " or ")
}

func environmentHelp() string {
	return `SIMTRUN_LANES=LEVEL   how launches without a clock execute lanes; the results
                      are the same
    avx512            machine code for x86-64 with AVX-512 (F, BW, DQ, VL, CD)
    avx2              the same with AVX2
    go                the loop in Go, which observed and timed launches also use
    verify            first the loop in Go, then machine code of the best level:
                      the first difference ends the run with exit status 70 and
                      a listing. Uses one thread, and is several times slower.
                      verify-avx2: with machine code of that level

    The default is the best level of the machine, which simtrun version prints.
    Linux, macOS and Windows use machine code, unless the system refuses
    executable memory.

SIMTRUN_CLANG=PATH    the clang that compiles CUDA C++ (simtrun cc, and .cu
                      files). Default: the first tested version, ` + testedClangs() + `,
                      that knows the architecture; if there is none, another
                      clang that makes PTX, with a note

NO_COLOR=1            no colours, unless --color always

Programs that load simtrun's CUDA driver read these when they call cuInit.
simtrun host has a flag for most of them (simtrun help host), and
docs/host-reference.md describes each:

` + cuda.EnvGPU + `           the GPU to model
` + cuda.EnvCheck + `         checks: race, init, sync, api, leak, stream, all
` + cuda.EnvDivergence + `    its, stack or minpc
` + cuda.EnvSplit + `         a seed for forced divergence
` + cuda.EnvSharedInit + `   initial contents of shared memory: pattern or zero
` + cuda.EnvFunctional + `    0: with a clock, which gives events their times
` + cuda.EnvReport + `        a file that gets a line of JSON per launch
` + cuda.EnvMetrics + `       the metrics in the lines of that file
` + cuda.EnvSave + `          the folder to save launches to
` + cuda.EnvLog + `           the file to write findings to
` + cuda.EnvSuppressions + `  files that list allowed findings
` + cuda.EnvLaunchTimeout + `
                      limit on the time of a launch, such as 30s
` + cuda.EnvMaxSteps + `     limit on the instructions of one warp
` + cuda.EnvMemory + `        limit on host memory, in bytes or as in 16G
` + cuda.EnvThreads + `       number of host threads for a launch
` + cuda.EnvCommand + `       path of the command simtrun, which compiles for NVRTC

` + cuda.EnvLibrary + `=DIR  the folder of the driver library, for simtrun host
                      and simtrun cc`
}

// checksPage is the name of the page of help about checks: check alone is a flag.
const checksPage = "checks"

const checksHelp = `--check LIST looks for more faults. LIST has names separated by commas:

  mem      accesses out of bounds, misaligned, to freed memory; always on
  race     data races in shared and global memory
  init     uses of values that were never written
  sync     undefined results of shuffles, missing waits and proxy fences
  api      driver calls that fail; simtrun host only
  leak     memory that is never freed; simtrun host only
  stream   races between launches, copies and the host; simtrun host only
  all      all of them

The tools of compute-sanitizer are accepted as names: memcheck, racecheck, initcheck,
synccheck. A run with race, init, sync or stream has no clock.

  simtrun run kernel.cu --check race,init
  simtrun host --check all ./prog

'simtrun explain RULE' explains a finding, 'simtrun help ci' says how to allow one.
docs/check.md describes the checks.`

// exitPage is the name of the page of help about exit statuses: exit alone is an instruction.
const exitPage = "exit-status"

const exitHelp = `  0     success: no finding that fails the run, and all expectations are met
  1     findings, such as races; unmet expectations; golden tests that fail; results
        that depend on the order of threads (explore); runs, memory or layouts that
        differ (diff, verify, fmt -l); failed points of a sweep; no launch, with
        --require-launch
  2     a wrong command line, a missing file, or a launch that the kernel or the GPU
        does not allow
  3     the program does not compile or assemble, or its header has a mistake
  4     a fault: an access past the end of a buffer, a trap
  5     a hang: a deadlock, a livelock, or a limit of steps or time, such as --timeout
  70    a bug in simtrun
  74    results could not be written
  75    interrupted, or points are missing (sweep -o, sweep --merge): repeat the
        command to continue
  130   interrupted (SIGINT)
  143   terminated (SIGTERM)

If several apply, the status is the first of 70, 74, 75, 130, 143, 2, 3, 4, 5, 1.
With --error-exitcode N it is N for findings, faults and hangs, instead of 1, 4 and 5.

simtrun host ends with the first status that applies:
  2     the command line is wrong, or a command of -x or -e failed
  5     --timeout has ended the program
  N     findings fail the run, and --error-exitcode N is given
  own   the status of the program, if it is not 0; 128 + N if signal N ended it
  4     a launch had a fault
  5     a launch hung
  1     other findings fail the run; or no launch, with --require-launch
  0     otherwise

Output names the rule of a finding in brackets: simtrun explain RULE.`

const ciHelp = `Findings of the severity that --fail-on names, or of a higher one, fail a command.
Faults and hangs always fail it. Findings can be allowed in three ways:

  in the source, by a comment on the line, or alone on the line before, with a reason:
    x[i] = old;  //sim:allow race-raw any of the values is good enough

  in a file for --suppressions, by a line RULE PLACE REASON; # begins a comment:
    race-raw   kernels/sum.cu:12   one result of several is enough
    race-*     vendor/*.cuh        reported to the vendor
    div-zero   kernel=normalise    the host checks the divisor
    race-waw   id=fe78a195abdde7ab both threads write the same pixel

  in a file for --baseline, which an earlier run wrote with --sarif

A race is allowed if either of its accesses is. A suppression that matches no finding
is reported. docs/ci.md has more; simtrun help exit-status lists exit statuses.`
