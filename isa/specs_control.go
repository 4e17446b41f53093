package isa

import "github.com/simtrun/simtrun/lanes"

var controlSpecs = []*Spec{
	{Name: "bra", Mods: "[uni]", Form: "t:label", Kind: Branch, Latency: Control,
		Doc: "Continue at t: each lane of the guard by itself. .uni is a promise that is not relied on."},
	{Name: "ret", Mods: "[uni]", Kind: Exit, Latency: Control, Doc: "End the thread, in a kernel."},
	{Name: "exit", Kind: Exit, Latency: Control, Doc: "End the thread."},
	{Name: "bar", Mods: "bar", Form: "a:u32, ?b:u32", Kind: Barrier, Latency: Control,
		Doc: "bar.sync: wait at barrier a, 0 to 15, until all warps of the CTA, or b threads counted in whole warps, have arrived."},
	{Name: "barrier", Mods: "bar [aligned]", Form: "a:u32, ?b:u32", Kind: Barrier, Latency: Control,
		Doc: "The same as bar."},
	{Name: "shfl", Mods: "[sync] shfl type", Form: "d|q:pred, a, b:u32, c:u32, ?e:b32", Kind: Shuffle, Latency: MemoryPipe,
		Doc: "d = a of another lane: b lanes below (.up) or above (.down), the lane number xor b (.bfly), or b itself (.idx), within segments given by c; q = whether that lane exists. e is the mask of lanes that take part.",
		Bind: func(v *Variant) lanes.Func {
			if v.Type() != B32 {
				return nil
			}
			return [...]lanes.Func{nil, lanes.ShflUp, lanes.ShflDown, lanes.ShflBfly, lanes.ShflIdx}[v.Mods[ShflMode]]
		},
		Check: memberMask(6)},
	{Name: "vote", Mods: "[sync] vote type", Form: "d, a:pred, ?e:b32", Kind: Vote, Latency: ALU,
		Doc: "d = whether a holds for all, any, or equally in all lanes that take part; or the mask of lanes where it holds (.ballot). e is the mask of lanes that take part.",
		Bind: func(v *Variant) lanes.Func {
			switch mode := v.Mods[VoteMode]; {
			case mode == VoteBallot && v.Type() == B32:
				return lanes.VoteBallot
			case v.Type() == Pred && mode != VoteBallot:
				return [...]lanes.Func{nil, lanes.VoteAll, lanes.VoteAny, lanes.VoteUni}[mode]
			}
			return nil
		},
		Check: memberMask(3)},
	{Name: "activemask", Mods: "type", Form: "d", Kind: Compute, Latency: ALU,
		Doc:  "d = the mask of the lanes that execute this together, guard included.",
		Exec: Exec{B32: activeMask}},
}

func activeMask(f *lanes.File, in *lanes.Op, m lanes.Mask) {
	d := lanes.Out[uint32](f, in.D, m)
	for i := range d {
		d[i] = uint32(m)
	}
	lanes.Merge[uint32](f, in.D, m)
}

// memberMask checks that an instruction has a mask of lanes, as the last of n
// operands, when and only when it is .sync.
func memberMask(n int) func(*Instr) string {
	return func(in *Instr) string {
		switch has := len(in.Args) == n; {
		case has && in.Mods[Sync] == 0:
			return "only the .sync form takes a mask of lanes"
		case !has && in.Mods[Sync] != 0:
			return "the .sync form needs a mask of lanes as its last operand"
		}
		return ""
	}
}
