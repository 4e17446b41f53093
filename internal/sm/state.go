package sm

// State is what a resident warp does in a cycle. Names and meanings are those of Nsight Compute (Kernel Profiling
// Guide, warp scheduler states). A warp is in exactly one state in every cycle; until a
// barrier lets it go on, it is at the barrier; if it waits for several other things, in the state of its longest wait.
type State uint8

const (
	Selected         State = iota // an instruction was issued
	NotSelected                   // it could have issued, but another warp did
	Wait                          // for a result of fixed latency
	ShortScoreboard               // for a result of shared memory, special functions or an exchange between lanes
	LongScoreboard                // for a result of global or local memory
	MathPipeThrottle              // for a pipe of arithmetic
	MIOThrottle                   // for the pipe of shared memory, or of special functions
	LGThrottle                    // for the pipe of global and local memory
	TexThrottle                   // for the pipe of textures
	AtBarrier                     // for other warps of its CTA
	Membar                        // for a fence
	BranchResolving               // for the target of a branch
	NoInstruction                 // for instructions to be fetched
	DispatchStall                 // for the dispatcher
	Drain                         // has ended, and its stores have not left the SM
	IMCMiss                       // for a constant
	Sleeping                      // all its lanes sleep
	Misc                          // for something else
	NumStates
)

var stateNames = [NumStates]string{"selected", "not_selected", "wait", "short_scoreboard", "long_scoreboard", "math_pipe_throttle", "mio_throttle", "lg_throttle", "tex_throttle",
	"barrier", "membar", "branch_resolving", "no_instruction", "dispatch_stall", "drain", "imc_miss", "sleeping", "misc"}

// String is the state's name in Nsight Compute.
func (s State) String() string { return stateNames[s] }

var stateDocs = [NumStates]string{
	Selected:         "The scheduler issued an instruction of the warp in this cycle.",
	NotSelected:      "The warp could have issued, but the scheduler chose another warp.",
	Wait:             "The warp waits for a result of fixed latency, such as that of an addition.",
	ShortScoreboard:  "The warp waits for a result of shared memory, of a special function, or of an exchange between lanes.",
	LongScoreboard:   "The warp waits for data from global or local memory, from a texture, or for an asynchronous copy.",
	MathPipeThrottle: "The warp's next instruction waits for an arithmetic pipe that is busy.",
	MIOThrottle:      "The warp's next instruction waits for the queue of shared memory and special functions.",
	LGThrottle:       "The warp's next instruction waits for the queue of global and local memory.",
	TexThrottle:      "The warp's next instruction waits for the queue of the texture unit.",
	AtBarrier:        "The warp waits at a barrier for other warps of its CTA.",
	Membar:           "The warp waits for a memory fence to complete.",
	BranchResolving:  "The warp waits for the target of a branch; branches are not predicted.",
	NoInstruction:    "The warp waits for instructions to be fetched.",
	DispatchStall:    "The dispatcher holds back the warp's instruction.",
	Drain:            "The warp has ended, and its stores have not yet left the SM.",
	IMCMiss:          "The warp waits for a constant that the constant cache lacks.",
	Sleeping:         "All lanes of the warp sleep (nanosleep).",
	Misc:             "The warp waits for something else.",
}

// Doc returns a sentence that defines the state.
func (s State) Doc() string { return stateDocs[s] }

// moment is a cycle and the state of a warp that waits for it. The later of two moments is the larger number.
type moment int64

const (
	stateBits        = 5
	never     moment = 1<<63 - 1
)

func at(cycle int64, s State) moment { return moment(cycle<<stateBits | int64(s)) }

func (m moment) cycle() int64 { return int64(m) >> stateBits }
func (m moment) state() State { return State(m & (1<<stateBits - 1)) }
