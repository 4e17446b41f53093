package trace

// event is what a line of a trace says.
type event uint8

const (
	diverge event = iota
	reconverge
	newSplit // lanes diverge without a branch, at a guarded call for example
	barrier
	release
	exit
	call
	returned
	instruction
	load
	store
	atomic
	write
	collective
	fence
	cluster  // a barrier of a cluster
	group    // of asynchronous copies: made or waited for
	mbarrier // what an operation has left of it
	numEvents
)

var eventNames = [numEvents]string{"diverge", "reconverge", "split", "barrier", "release", "exit", "call", "return",
	"instr", "load", "store", "atomic", "write", "collective", "fence", "cluster", "group", "mbarrier"}

// String is the event's name in a trace.
func (e event) String() string { return eventNames[e] }

// emitted are the events of each kind of trace.
var emitted = [numKinds][numEvents]bool{
	Mask:  {diverge: true, reconverge: true, newSplit: true, barrier: true, release: true, exit: true, call: true, returned: true},
	Instr: {instruction: true},
	Mem:   {load: true, store: true, atomic: true},
	Regs:  {write: true},
	Sync:  {barrier: true, collective: true, release: true, fence: true, cluster: true, group: true, mbarrier: true},
}

// shown are the events whose lines end with the instruction. The others are
// about the place, before its instruction.
var shown = [numEvents]bool{diverge: true, barrier: true, exit: true, call: true, returned: true, instruction: true,
	load: true, store: true, atomic: true, write: true, collective: true, fence: true, cluster: true, group: true, mbarrier: true}
