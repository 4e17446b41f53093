package isa

import "fmt"

// maxCopy is the most bytes that a lane copies by cp.async.
const maxCopy = 16

// legalCopy reports whether a combination of modifiers of cp.async is legal.
func legalCopy(v *Variant) bool {
	return v.Mods.MemSpace() == Shared && v.Mods[From] == FromGlobal
}

// checkCopy checks the size of cp.async and the operands after it.
func checkCopy(in *Instr) string {
	size := in.Args[2].Bits
	switch {
	case in.Mods[CopyCache] == CopyCG && size != maxCopy:
		return fmt.Sprintf("%d bytes; .cg copies %d", size, maxCopy)
	case size != 4 && size != 8 && size != maxCopy:
		return fmt.Sprintf("%d bytes; .ca copies 4, 8 or %d", size, maxCopy)
	}
	if len(in.Args) > 3 && in.Args[3].Kind == ImmOperand && in.Args[3].Bits > size {
		return fmt.Sprintf("%d bytes of the source for %d that are copied", in.Args[3].Bits, size)
	}
	return cachePolicy(in)
}

// copiesToGlobal is the Legal of bulk copies from shared to global memory.
func copiesToGlobal(v *Variant) bool {
	return v.Mods[Completion] == BulkGroup && v.Mods[SpaceG] == SpaceGlobal && v.Mods[From] == FromSharedCTA
}

// maskedPolicy is cachePolicy where the policy stands before a mask.
func maskedPolicy(in *Instr) string {
	switch has := in.Args[len(in.Args)-2].Kind != NoOperand; {
	case has && in.Mods[CacheHint] == 0:
		return "a cache policy needs .L2::cache_hint"
	case !has && in.Mods[CacheHint] != 0:
		return ".L2::cache_hint needs a cache policy, of 64 bits, before the mask"
	}
	return ""
}

var asyncSpecs = []*Spec{
	{Name: "cp", With: "async", Mods: "async copycache space from [hint] [prefetch]", Form: "[a], [b:from], i:imm, ?c:size, ?e:b64", Kind: Copy, Cost: on(LSU, CostLoadGlobal).of(OpAccess),
		Needs: "7.0 sm_80; L2::cache_hint 7.4 sm_80; L2::64B/L2::128B/L2::256B 7.4",
		Doc: "Copies i bytes (4, 8 or 16) from global memory at b to shared memory at a, separately for each lane. If c is given, only c bytes are read and zeros fill the rest; if c is a predicate that holds, all bytes become zero. " +
			"The copy belongs to the thread's current group, and is complete after a wait for its group. .cg requires 16 bytes. Hints and the policy e have no effect.",
		examples: []string{"cp.async.ca.shared.global [%r1], [%rd1], 4;", "cp.async.cg.shared.global [%r1], [%rd1], 16, %r2;"},
		Legal:    legalCopy, Check: checkCopy},
	{Name: "cp", With: "async.commit_group", Mods: "async groupop", Needs: "7.0 sm_80", Kind: CopyGroup, Cost: on(CBU, CostWarpSync),
		Doc:   "Makes a group of the copies that the thread has issued since its previous cp.async.commit_group.",
		Legal: func(v *Variant) bool { return v.Mods[GroupOp] == CommitGroup }},
	{Name: "cp", With: "async.wait_group", Mods: "async groupop", Form: "i:imm", Needs: "7.0 sm_80", Kind: CopyGroup, Cost: on(CBU, CostWarpSync),
		Doc:   "Waits until all groups of the thread except the latest i are complete. Other threads see the copied data after a barrier.",
		Legal: func(v *Variant) bool { return v.Mods[GroupOp] == WaitGroup }},
	{Name: "cp", With: "async.wait_all", Mods: "async groupop", Needs: "7.0 sm_80", Kind: CopyGroup, Cost: on(CBU, CostWarpSync),
		Doc:   "Waits until all copies of the thread are complete, including those without a group.",
		Legal: func(v *Variant) bool { return v.Mods[GroupOp] == WaitAll }},
	{Name: "cp", With: "async.bulk.mbarrier::complete_tx::bytes", Mods: "async bulk space from completion [hint]", Form: "[a], [b:from], c:u32, [g:mbar], ?e:b64", Needs: "8.0 sm_90; shared::cta !shared::cluster 8.6 sm_90", Kind: Copy, Cost: on(LSU, CostLoadGlobal),
		Doc:      "Copies c bytes from b, in global or shared memory, to shared memory at a, and then subtracts c from the tx-count of the mbarrier at g. a, b and c are multiples of 16. The policy e has no effect.",
		examples: []string{"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], 1024, [%r2];"},
		Legal: func(v *Variant) bool {
			to, from := v.Mods[SpaceG], v.Mods[From]
			return v.Mods[Completion] == CompleteTx && (to == SpaceSharedCluster || to == SpaceSharedCTA && from == FromGlobal)
		}, Check: cachePolicy},
	{Name: "cp", With: "async.bulk.mbarrier::complete_tx::bytes.multicast::cluster", Mods: "async bulk space from completion multicast [hint]", Form: "[a], [b:from], c:u32, [g:mbar], h:u16, ?e:b64", Needs: "8.0 sm_90", Kind: Copy, Cost: on(LSU, CostLoadGlobal),
		Doc: "Copies c bytes from b in global memory to the shared memory of each CTA of the cluster whose bit in h is set: bit n stands for rank n. The destination in each CTA has the same offset as a in the executing CTA. " +
			"Then c is subtracted from the tx-count of the mbarrier in the same CTA that has the same offset as g in the executing CTA.",
		Legal: func(v *Variant) bool {
			return v.Mods[Completion] == CompleteTx && v.Mods[SpaceG] == SpaceSharedCluster && v.Mods[From] == FromGlobal
		}, Check: cachePolicy},
	{Name: "cp", With: "async.bulk.bulk_group", Mods: "async bulk space from completion [hint]", Form: "[a], [b:from], c:u32, ?e:b64", Needs: "8.0 sm_90", Kind: Copy, Cost: on(LSU, CostStoreGlobal),
		Doc:      "Copies c bytes from shared memory at b to global memory at a. a, b and c are multiples of 16. The copy belongs to the thread's current bulk group. The policy e has no effect.",
		examples: []string{"cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], 1024;"},
		Legal:    copiesToGlobal, Check: cachePolicy},
	{Name: "cp", With: "async.bulk.bulk_group.cp_mask", Mods: "async bulk space from completion [hint] cpmask", Form: "[a], [b:from], c:u32, ?e:b64, k:b16", Needs: "8.6 sm_100", Kind: Copy, Cost: on(LSU, CostStoreGlobal),
		Doc:      "cp.async.bulk.bulk_group for selected bytes: byte i of each 16 bytes is copied if bit i of k is set.",
		examples: []string{"cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%rd1], [%r1], 1024, %rs1;"},
		Legal:    copiesToGlobal, Check: maskedPolicy},
	{Name: "cp", With: "async.bulk.mbarrier::complete_tx::bytes.ignore_oob", Mods: "async bulk space from completion [hint] ignoreoob", Form: "[a], [b:from], c:u32, l:u32, r:u32, [g:mbar], ?e:b64", Needs: "9.2 sm_90", Kind: Copy, Cost: on(LSU, CostLoadGlobal),
		Doc: "Copies c bytes. The first l and the last r bytes, at most 15 each, may be out of the bounds of global memory and are not copied. The corresponding bytes of the destination keep their values; PTX leaves them open. " +
			"The tx-count of the mbarrier at g decreases by all c bytes.",
		examples: []string{"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.ignore_oob [%r1], [%rd1], 64, %r2, 4, [%r3];"},
		Legal: func(v *Variant) bool {
			return v.Mods[Completion] == CompleteTx && v.Mods[SpaceG] == SpaceSharedCTA && v.Mods[From] == FromGlobal
		}, Check: cachePolicy},
	{Name: "cp", With: "async.bulk.prefetch", Mods: "async bulk prefetchg oflevel space [hint]", Form: "[a], c:u32, ?e:b64", Needs: "8.0 sm_90", Kind: Nop, Cost: on(LSU, CostStoreGlobal),
		Doc:   "A hint, which simtrun accepts and ignores.",
		Legal: func(v *Variant) bool { return v.Mods.MemSpace() == Global }, Check: cachePolicy},
	{Name: "st", With: "bulk", Mods: "bulk [sem] [space]", Form: "[a], c:wide, i:imm", Needs: "8.6 sm_100", Kind: Clear, Cost: on(LSU, CostStoreShared),
		Doc:      "Fills c bytes of shared memory from a on with i, which is 0. a and c are multiples of 8.",
		examples: []string{"st.bulk.weak.shared::cta [%r1], 4096, 0;"},
		Legal: func(v *Variant) bool {
			s := v.Mods[SpaceG]
			return v.Mods[Sem] <= SemWeak && (s == 0 || s == SpaceSharedCTA)
		}, Check: func(in *Instr) string {
			if in.Args[2].Bits != 0 {
				return "memory can only be filled with 0"
			}
			return ""
		}},
	{Name: "cp", With: "async.bulk.commit_group", Mods: "async bulk groupop", Needs: "8.0 sm_90", Kind: CopyGroup, Cost: on(CBU, CostWarpSync),
		Doc:   "Makes a bulk group of the copies with .bulk_group that the thread has issued since its previous cp.async.bulk.commit_group.",
		Legal: func(v *Variant) bool { return v.Mods[GroupOp] == CommitGroup }},
	{Name: "cp", With: "async.bulk.wait_group", Mods: "async bulk groupop [read]", Form: "i:imm", Needs: "8.0 sm_90", Kind: CopyGroup, Cost: on(CBU, CostWarpSync),
		Doc:   "Waits until all bulk groups of the thread except the latest i are complete or, with .read, until they have read their sources.",
		Legal: func(v *Variant) bool { return v.Mods[GroupOp] == WaitGroup }},
}
