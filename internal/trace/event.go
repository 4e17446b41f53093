package trace

// event is the kind of a line of a trace.
type event uint8

const (
	diverge event = iota
	reconverge
	newSplit // lanes diverge without a branch, for example at a guarded call
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
	group    // groups of asynchronous copies, committed or waited for
	mbarrier // state after an operation
	numEvents
)

var eventNames = [numEvents]string{"diverge", "reconverge", "split", "barrier", "release", "exit", "call", "return",
	"instr", "load", "store", "atomic", "write", "collective", "fence", "cluster", "group", "mbarrier"}

// String returns the event's name in a trace.
func (e event) String() string { return eventNames[e] }

// emitted are the events in each kind of trace.
var emitted = [numKinds][numEvents]bool{
	Mask:  {diverge: true, reconverge: true, newSplit: true, barrier: true, release: true, exit: true, call: true, returned: true},
	Instr: {instruction: true},
	Mem:   {load: true, store: true, atomic: true},
	Regs:  {write: true},
	Sync:  {barrier: true, collective: true, release: true, fence: true, cluster: true, group: true, mbarrier: true},
}

// shown are the events with the instruction at the end of their lines. The others are about the place before an
// instruction.
var shown = [numEvents]bool{diverge: true, barrier: true, exit: true, call: true, returned: true, instruction: true,
	load: true, store: true, atomic: true, write: true, collective: true, fence: true, cluster: true, group: true, mbarrier: true}
