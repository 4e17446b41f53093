package interp

import (
	"errors"
	"fmt"

	"github.com/simtrun/simtrun/memory"
)

// Rule names the kind of a fault, a hang or a warning. Messages show it in brackets; it is part of the interface.
type Rule string

// The rules. Those of bad accesses are the texts of package memory's errors.
const (
	RuleAssert         Rule = "assert"            // __assertfail was called
	RuleBranchTarget   Rule = "branch-target"     // brx.idx: the index is past the list
	RuleCallDepth      Rule = "call-depth"        // too many calls are open
	RuleCallExtern     Rule = "call-extern"       // a call of a function that no module defines
	RuleCallTarget     Rule = "call-target"       // an indirect call of an address that is not such a function
	RuleCopySize       Rule = "copy-size"         // more bytes of a source than are copied
	RuleDivZero        Rule = "div-zero"          // an integer divided by zero
	RuleFree           Rule = "mem-free"          // free of an address that malloc did not return
	RuleMbarrier       Rule = "mbarrier-state"    // an operation on memory that is not an mbarrier
	RuleMbarrierInit   Rule = "mbarrier-init"     // an existing mbarrier is initialised
	RuleMetadata       Rule = "matrix-metadata"   // metadata of a sparse matrix that PTX leaves undefined
	RuleMbarrierOver   Rule = "mbarrier-count"    // a count of an mbarrier leaves its range
	RulePrintf         Rule = "printf-format"     // a format that C does not define, or a missing value
	RuleTrap           Rule = "trap"              // trap was executed
	RuleDeadlock       Rule = "sync-deadlock"     // all warps of a CTA wait
	RuleLivelock       Rule = "sync-spin"         // no warp makes progress
	RuleSteps          Rule = "sync-steps"        // a warp's instructions, or a launch's, reached the limit
	RuleDiverged       Rule = "sync-diverged"     // a barrier inside divergent code
	RuleOrder          Rule = "sync-order"        // results may depend on the order of warps
	RuleMismatch       Rule = "sync-mismatch"     // warps at one barrier disagree about it
	RuleExited         Rule = "sync-exited"       // threads exit that a barrier for a number of threads waits for
	RuleCluster        Rule = "sync-cluster"      // arrivals at a cluster's barrier do not match waits; a wrong CTA
	RuleWarpgroup      Rule = "sync-warpgroup"    // warps of a warpgroup execute different instructions
	RuleRegisters      Rule = "sync-registers"    // setmaxnreg.inc would lower the number of registers, or .dec raise it
	RuleShuffle        Rule = "sync-shuffle"      // the undefined result of a shuffle is used
	RuleProductResult  Rule = "product-result"    // a register of a pending wgmma is used
	RuleProductFence   Rule = "product-fence"     // wgmma.fence is missing
	RuleProxyFence     Rule = "proxy-fence"       // fence.proxy.async is missing
	RuleNonCoherent    Rule = "nc-written"        // a load by the read-only path of memory that the launch has written
	RuleTensorUnwaited Rule = "tensor-unwaited"   // a register of a pending tcgen05.ld is used
	RuleMaskSelf       Rule = "sync-mask-self"    // a lane is not in the mask of the instruction that it executes
	RuleMaskMissing    Rule = "sync-mask-missing" // lanes of a mask cannot arrive
	RuleInitRegister   Rule = "init-register"     // an unwritten register is used
	RuleInitShared     Rule = "init-shared"       // unwritten shared memory is used
	RuleInitLocal      Rule = "init-local"        // unwritten local memory is used
	RuleInitGlobal     Rule = "init-global"       // unwritten global memory is used
	RuleInitParam      Rule = "init-param"        // an unwritten .param variable of a call is used
	RuleImageHandle    Rule = "image-handle"      // not a texture, sampler or surface, or one that is not bound
	RuleImageFormat    Rule = "image-format"      // a texture or surface of a kind that the instruction does not support
	RuleTensorAlloc    Rule = "tensor-alloc"      // an invalid allocation or deallocation of tensor memory
	RuleTensorAccess   Rule = "tensor-access"     // an access to tensor memory that is not allocated, or by another warp
	RuleTensorDescr    Rule = "tensor-descriptor" // an invalid descriptor of tcgen05
	// not a tensor map, or one that the instruction or the driver does not accept
	RuleTensorMap  Rule = "tensor-map"
	RuleHostMemory Rule = "host-memory" // more of the host's memory than --memory allows
)

// violation is the cause of a fault that breaks a rule.
type violation struct {
	rule  Rule
	msg   string
	cause error // an error for errors.Is to find; nil for most
}

// Unwrap returns that error.
func (v *violation) Unwrap() error { return v.cause }

// violated returns a violation of a rule.
//
//go:noinline
func violated(rule Rule, format string, args ...any) error {
	return &violation{rule: rule, msg: fmt.Sprintf(format, args...)}
}

// Error returns the message with the rule in brackets.
func (v *violation) Error() string { return withRule(v.msg, v.rule) }

// withRule returns a message with its rule in brackets, if it has one.
func withRule(msg string, r Rule) string {
	if r == "" {
		return msg
	}
	return fmt.Sprintf("%s [%s]", msg, r)
}

// ruleOf returns the rule that the cause of a fault breaks, or "".
func ruleOf(err error) Rule {
	if v, ok := errors.AsType[*violation](err); ok {
		return v.rule
	}
	if a, ok := errors.AsType[*memory.AccessError](err); ok {
		return Rule(a.Err.Error())
	}
	if _, ok := errors.AsType[*memory.BudgetError](err); ok {
		return RuleHostMemory
	}
	return ""
}
