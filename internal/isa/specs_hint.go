package isa

import (
	"math"

	"github.com/simtrun/simtrun/internal/lanes"
)

// Instructions that are hints for the management of caches and launches. They have no effect on results.

// policyBytes is the only number of bytes that discard and applypriority accept.
const policyBytes = 128

// aboutLine is the Check of discard and applypriority.
func aboutLine(in *Instr) string {
	if in.Args[1].Bits != policyBytes {
		return "the size is 128 bytes"
	}
	return ""
}

// inGlobalOrGeneric is the Legal of hints about global memory.
func inGlobalOrGeneric(v *Variant) bool {
	s := v.Mods.MemSpace()
	return s == Generic || s == Global
}

// policyRow is a row of createpolicy.
func policyRow(kind, mods, form, doc string, check func(in *Instr) string) *Spec {
	return &Spec{Name: "createpolicy", With: kind, Mods: mods, Form: form, Needs: "7.4 sm_80", Cost: on(ALU), Check: check,
		Doc: doc + " Policies are hints, which simtrun accepts and ignores: d is 0.",
		Bind: func(v *Variant) lanes.Func {
			if v.Type() != B64 || !inGlobalOrGeneric(v) {
				return nil
			}
			return lanes.Zero64
		}}
}

var hintSpecs = []*Spec{
	{Name: "applypriority", Mods: "[space] priority", Form: "[a], i:imm", Needs: "7.4 sm_80", Kind: Nop, Cost: on(LSU, CostStoreGlobal).of(OpAccess), Check: aboutLine,
		Doc:      "A hint, which simtrun accepts and ignores.",
		examples: []string{"applypriority.global.L2::evict_normal [%rd1], 128;"},
		Legal:    func(v *Variant) bool { return inGlobalOrGeneric(v) && v.Mods[Priority] == PriorityNormal }},
	{Name: "discard", Mods: "[space] oflevel", Form: "[a], i:imm", Needs: "7.4 sm_80", Kind: Nop, Cost: on(LSU, CostStoreGlobal).of(OpAccess), Check: aboutLine,
		Doc:      "Permits the GPU to discard the 128 bytes at a. simtrun keeps them.",
		examples: []string{"discard.global.L2 [%rd1], 128;"},
		Legal:    inGlobalOrGeneric},
	policyRow("", "fractional priority [priority2] type", "d, ?a:f32", "d = a cache policy: the fraction a of all accesses (above 0, at most 1) has the first priority, the rest the second.", func(in *Instr) string {
		if len(in.Args) > 1 && in.Args[1].Kind == ImmOperand {
			if part := math.Float32frombits(uint32(in.Args[1].Bits)); !(part > 0 && part <= 1) {
				return "the part is above 0, and at most 1"
			}
		}
		return ""
	}).
		show("createpolicy.fractional.L2::evict_last.b64 %rd1, 1.0;"),
	policyRow("range", "range [space] priority [priority2] type", "d, [a], b:u32, c:u32", "d = a cache policy for c bytes around a: the b bytes from a on have the first priority, the rest the second.", nil).
		show("createpolicy.range.L2::evict_last.L2::evict_first.b64 %rd1, [%rd2], 0x100000, 0x200000;"),
	policyRow("cvt", "cvt oflevel type", "d, a", "d = the cache policy of the access property a.", nil).
		show("createpolicy.cvt.L2.b64 %rd1, %rd2;"),
	{Name: "griddepcontrol", Mods: "dependency", Needs: "7.8 sm_90", Kind: Nop, Cost: on(CBU),
		Doc: "Controls kernels that start before the kernels they depend on have ended. In simtrun no kernel starts early, so .wait returns at once."},
}
