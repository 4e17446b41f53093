package cuda

// Rules of findings about programs of the host; docs/rules.md describes each.
const (
	RuleCall = "api-failed" // a call of the driver failed
	RuleLeak = "mem-leak"   // memory was not freed
)

// RuleFree is the rule of addresses that a program frees and that are not those of allocations. Kernels can break it,
// too.
const RuleFree = "mem-free"
