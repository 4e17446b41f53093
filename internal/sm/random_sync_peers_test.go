package sm_test

import "fmt"

// The steps of a syncGrower that use other CTAs' shared memory.

// toPeer makes an address in a register one in the CTA with the rank after the own by d.
func (g *syncGrower) toPeer(reg string, d int) {
	g.emit("add.u32 %%r24, %%r14, %d", d)
	g.emit("rem.u32 %%r24, %%r24, %d", g.size)
	g.emit("mapa.shared::cluster.u32 %s, %s, %%r24", reg, reg)
}

// readPeer reads another CTA's slots.
func (g *syncGrower) readPeer() {
	half, word, d := g.IntN(2), g.IntN(slotWords), g.IntN(g.size)
	g.store(half, word)
	g.joinCluster()
	other := g.other(half, word)
	g.toPeer("%r20", d)
	g.addTile("ld.shared::cluster", func(c, t int) (int, int) { return g.peer(c, d), g.place(half, other(t), word) })
	g.joinCluster()
}

// writePeer writes another CTA's slots.
func (g *syncGrower) writePeer() {
	half, word, d, r := g.IntN(2), g.IntN(slotWords), g.IntN(g.size), g.IntN(syncRegs)
	g.joinCluster()
	g.emit("add.u32 %%r25, %%r17, %d", 4*g.place(half, 0, word))
	g.toPeer("%r25", d)
	g.emit("st.shared::cluster.u32 [%%r25], %%r%d", r)
	g.each(func(c, t int) { g.tile[g.peer(c, d)][g.place(half, t, word)] = g.regs[c][t][r] })
	g.joinCluster()
	other := g.other(half, word)
	g.addTile("ld.shared", func(c, t int) (int, int) { return c, g.place(half, other(t), word) })
	g.joinCluster()
}

// storeAsync writes another CTA's slots, which completes transactions there.
func (g *syncGrower) storeAsync() {
	half, word, d, r := g.IntN(2), g.IntN(slotWords), g.IntN(g.size), g.IntN(syncRegs)
	g.emit("@%%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bars+%d], %d", 8*peerBar, 4*g.threads)
	g.joinCluster()
	g.emit("add.u32 %%r25, %%r17, %d", 4*g.place(half, 0, word))
	g.emit("add.u32 %%r26, %%r16, %d", 8*peerBar)
	g.toPeer("%r25", d)
	g.toPeer("%r26", d)
	g.emit("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%%r25], %%r%d, [%%r26]", r)
	g.each(func(c, t int) { g.tile[g.peer(c, d)][g.place(half, t, word)] = g.regs[c][t][r] })
	g.wait(peerBar)
	other := g.other(half, word)
	g.addTile("ld.shared", func(c, t int) (int, int) { return c, g.place(half, other(t), word) })
	g.joinCluster()
}

// bulkToPeer copies slots of one half to the other half of another CTA, in bulk.
func (g *syncGrower) bulkToPeer() {
	half, word, d, n := g.IntN(2), g.IntN(slotWords), g.IntN(g.size), 1+g.IntN(g.threads)
	g.store(half, word)
	g.emit("@%%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bars+%d], %d", 8*peerBar, 16*n)
	g.emit("fence.proxy.async")
	g.joinCluster()
	skip := g.label()
	g.emit("@!%%p1 bra %s", skip)
	g.emit("add.u32 %%r25, %%r12, %d", 4*g.place(1-half, 0, 0))
	g.emit("add.u32 %%r26, %%r16, %d", 8*peerBar)
	g.toPeer("%r25", d)
	g.toPeer("%r26", d)
	op := g.pick("", "add", "max", "and", "or", "xor")
	if op == "" {
		g.emit("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%%r25], [tile+%d], %d, [%%r26]", 4*g.place(half, 0, 0), 16*n)
	} else {
		g.emit("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.%s.%s [%%r25], [tile+%d], %d, [%%r26]", op, typeOf(op), 4*g.place(half, 0, 0), 16*n)
	}
	fmt.Fprintf(&g.text, "%s:\n", skip)
	for c := range g.ctas {
		from, to := g.tile[c][g.place(half, 0, 0):], g.tile[g.peer(c, d)][g.place(1-half, 0, 0):]
		for i := range slotWords * n {
			if op == "" {
				to[i] = from[i]
			} else {
				to[i] = reduceWord(op, to[i], from[i])
			}
		}
	}
	g.wait(peerBar)
	word = g.IntN(slotWords)
	other := g.other(1-half, word)
	g.addTile("ld.shared", func(c, t int) (int, int) { return c, g.place(1-half, other(t), word) })
	g.joinCluster()
}

// multicast copies inputs to some CTAs of the cluster at once.
func (g *syncGrower) multicast() {
	half, rank, n, mask := g.IntN(2), g.IntN(g.size), 1+g.IntN(g.threads), 1+g.IntN(1<<g.size-1)
	from := g.IntN(inputs/slotWords - n)
	g.emit("shr.u32 %%r20, %d, %%r14", mask)
	g.emit("and.b32 %%r20, %%r20, 1")
	g.emit("mul.lo.u32 %%r20, %%r20, %d", 16*n)
	g.emit("@%%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bars+%d], %%r20", 8*peerBar)
	g.emit("fence.proxy.async")
	g.joinCluster()
	g.emit("setp.eq.and.u32 %%p4, %%r14, %d, %%p1", rank)
	g.emit("mov.u16 %%rs1, %d", mask)
	g.emit("@%%p4 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [tile+%d], [%%rd2+%d], %d, [bars+%d], %%rs1",
		4*g.place(half, 0, 0), 16*from, 16*n, 8*peerBar)
	for c := range g.ctas {
		if mask>>(c%g.size)&1 != 0 {
			copy(g.tile[c][g.place(half, 0, 0):], g.in[slotWords*from:][:slotWords*n])
		}
	}
	g.wait(peerBar)
	word := g.IntN(slotWords)
	other := g.other(half, word)
	g.addTile("ld.shared", func(c, t int) (int, int) { return c, g.place(half, other(t), word) })
	g.joinCluster()
}

// reduceAsync reduces into another CTA's slots, which completes transactions there.
func (g *syncGrower) reduceAsync() {
	half, word, d, r := g.IntN(2), g.IntN(slotWords), 1+g.IntN(g.size-1), g.IntN(syncRegs)
	op := g.pick("add", "max", "and", "or", "xor")
	g.emit("@%%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bars+%d], %d", 8*peerBar, 4*g.threads)
	g.joinCluster()
	other := g.other(half, word)
	g.emit("add.u32 %%r26, %%r16, %d", 8*peerBar)
	g.toPeer("%r20", d)
	g.toPeer("%r26", d)
	g.emit("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.%s.%s [%%r20], %%r%d, [%%r26]", op, typeOf(op), r)
	g.each(func(c, t int) {
		w := &g.tile[g.peer(c, d)][g.place(half, other(t), word)]
		*w = reduceWord(op, *w, g.regs[c][t][r])
	})
	g.wait(peerBar)
	g.emit("add.u32 %%r20, %%r17, %d", 4*g.place(half, 0, word))
	g.addTile("ld.shared", func(c, t int) (int, int) { return c, g.place(half, t, word) })
	g.joinCluster()
}

// arriveAtPeer reads what the CTA has written whose threads have arrived.
func (g *syncGrower) arriveAtPeer() {
	half, word, d := g.IntN(2), g.IntN(slotWords), g.IntN(g.size)
	g.store(half, word)
	g.emit("add.u32 %%r26, %%r16, %d", 8*remoteBar)
	g.toPeer("%r26", d)
	g.emit("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%%r26]")
	l := g.label()
	fmt.Fprintf(&g.text, "%s:\n", l)
	g.emit("mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %%p2, [bars+%d], %d", 8*remoteBar, g.parity[remoteBar])
	g.emit("@!%%p2 bra %s", l)
	g.parity[remoteBar] ^= 1
	other := g.other(half, word)
	g.toPeer("%r20", g.size-d)
	g.addTile("ld.shared::cluster", func(c, t int) (int, int) { return g.peer(c, g.size-d), g.place(half, other(t), word) })
	g.joinCluster()
}
