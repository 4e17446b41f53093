package cuda

// Rules of findings about programs of the host; docs/rules.md describes each.
const (
	RuleCall = "api-failed" // a call of the driver failed
	RuleLeak = "mem-leak"   // memory was not freed
	RuleCopy = "init-copy"  // memory that was never written is copied to the host
	// races between the work of streams, of graphs and of the host
	RuleStream = "stream-race" // two operations in no order access the same memory
	RuleHost   = "stream-host" // the host changes memory of an asynchronous copy
)

// RuleFree is the rule of addresses that a program frees and that are not those of allocations. Kernels can break it,
// too.
const RuleFree = "mem-free"
