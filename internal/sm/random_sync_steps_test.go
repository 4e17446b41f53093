package sm_test

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// The steps of a syncGrower. Each begins when the threads that it is about have waited for each other, and ends so.

// copies copies inputs to the threads' slots, in groups of which the last ones may be waited for later.
func (g *syncGrower) copies() {
	half, groups := g.IntN(2), 1+g.IntN(slotWords)
	m, d := 1+g.IntN(9), g.IntN(inputs)
	g.emit("mad.lo.u32 %%r22, %%r10, %d, %d", m, d)
	g.emit("mad.lo.u32 %%r22, %%r11, 5, %%r22")
	g.emit("and.b32 %%r22, %%r22, %d", inputs/slotWords-1)
	g.emit("mad.wide.u32 %%rd10, %%r22, 16, %%rd2")
	copyWord := func(word, given int) {
		g.each(func(c, t int) {
			from := (t*m + d + 5*c) % (inputs / slotWords) * slotWords
			var bytes [4]byte
			binary.LittleEndian.PutUint32(bytes[:], g.in[from+word])
			clear(bytes[given:])
			g.tile[c][g.place(half, t, word)] = binary.LittleEndian.Uint32(bytes[:])
		})
	}
	words := groups
	if g.IntN(3) == 0 {
		words, groups = slotWords, 1
		given := g.IntN(17)
		g.emit("mov.u32 %%r23, %d", given)
		g.emit("cp.async.%s.shared.global%s [%%r17+%d], [%%rd10], 16, %%r23", g.pick("ca", "cg"), g.pick("", ".L2::128B"), 4*g.place(half, 0, 0))
		for word := range slotWords {
			copyWord(word, max(0, min(4, given-4*word)))
		}
		g.emit("cp.async.commit_group")
	} else {
		for word := range groups {
			given, text := 4, ""
			switch g.IntN(4) {
			case 0:
				given = g.IntN(5)
				text = fmt.Sprint(", ", given)
			case 1:
				given = 0
				g.emit("setp.ne.u32 %%p4, %%r12, 12345")
				text = ", %p4"
			}
			g.emit("cp.async.ca.shared.global [%%r17+%d], [%%rd10+%d], 4%s", 4*g.place(half, 0, word), 4*word, text)
			g.emit("cp.async.commit_group")
			copyWord(word, given)
		}
	}
	if g.IntN(3) == 0 {
		g.emit("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [bars+%d]", 8*copyBar)
		g.wait(copyBar)
	} else {
		left := g.IntN(groups)
		g.emit("cp.async.wait_group %d", left)
		word := g.IntN(words - left)
		if words > groups {
			word = g.IntN(words)
		}
		g.emit("add.u32 %%r20, %%r17, %d", 4*g.place(half, 0, word))
		g.addTile("ld.shared", func(c, t int) (int, int) { return c, g.place(half, t, word) })
		g.emit("%s", g.pick("cp.async.wait_all", "cp.async.wait_group 0"))
		g.join()
	}
	word := g.IntN(words)
	other := g.other(half, word)
	g.addTile("ld.shared", func(c, t int) (int, int) { return c, g.place(half, other(t), word) })
	g.join()
}

// chunks returns the pieces in which slots are copied, as first slot and number; a slot has 16 bytes.
func (g *syncGrower) chunks() (all [][2]int) {
	first := g.IntN(g.threads)
	for range 1 + g.IntN(3) {
		if first >= g.threads {
			break
		}
		n := 1 + g.IntN(g.threads-first)
		all = append(all, [2]int{first, n})
		first += n
	}
	return all
}

// bulkIn has thread 0 copy inputs to slots, in bulk.
func (g *syncGrower) bulkIn() {
	half, chunks := g.IntN(2), g.chunks()
	slots := 0
	for _, c := range chunks {
		slots += c[1]
	}
	g.emit("fence.proxy.async")
	g.join()
	skip := g.label()
	g.emit("@!%%p1 bra %s", skip)
	if g.IntN(2) == 0 {
		g.emit("mbarrier.arrive.expect_tx.shared::cta.b64 _, [bars+%d], %d", 8*oneBar, 16*slots)
	} else {
		g.emit("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bars+%d], %d", 8*oneBar, 16*slots)
		g.emit("mbarrier.arrive.shared::cta.b64 _, [bars+%d]", 8*oneBar)
	}
	for _, c := range chunks {
		from := g.IntN(inputs/slotWords - c[1])
		g.emit("cp.async.bulk.%s.global.mbarrier::complete_tx::bytes [tile+%d], [%%rd2+%d], %d, [bars+%d]",
			g.pick("shared::cluster", "shared::cta"), 4*g.place(half, c[0], 0), 16*from, 16*c[1], 8*oneBar)
		for cta := range g.ctas {
			copy(g.tile[cta][g.place(half, c[0], 0):], g.in[slotWords*from:][:slotWords*c[1]])
		}
	}
	fmt.Fprintf(&g.text, "%s:\n", skip)
	if g.forgets {
		g.parity[oneBar] ^= 1
		g.forgotten = true
		g.emit("bar.sync 0")
	} else {
		g.wait(oneBar)
	}
	word := g.IntN(slotWords)
	other := g.other(half, word)
	g.addTile("ld.shared", func(c, t int) (int, int) { return c, g.place(half, other(t), word) })
	g.join()
}

// bulkOut has thread 0 copy slots to global memory, in bulk, and reduce them into others.
func (g *syncGrower) bulkOut() {
	_, copied, reduced := g.offsets()
	g.store(0, g.IntN(slotWords))
	g.emit("fence.proxy.async")
	g.join()
	skip := g.label()
	g.emit("@!%%p1 bra %s", skip)
	g.emit("mad.wide.u32 %%rd11, %%r11, %d, %%rd1", 4*g.half())
	for _, ch := range g.chunks() {
		at := slotWords * ch[0]
		if g.IntN(2) == 0 {
			g.emit("cp.async.bulk.global.shared::cta.bulk_group [%%rd11+%d], [tile+%d], %d", copied+4*at, 4*at, 16*ch[1])
			for c := range g.ctas {
				copy(g.copied[c*g.half()+at:], g.tile[c][at:][:slotWords*ch[1]])
			}
		} else {
			g.emit("cp.reduce.async.bulk.global.shared::cta.bulk_group.%s.%s [%%rd1+%d], [tile+%d], %d", g.reduction, typeOf(g.reduction), reduced+4*at, 4*at, 16*ch[1])
			for c := range g.ctas {
				for i := range slotWords * ch[1] {
					g.reduced[at+i] = reduceWord(g.reduction, g.reduced[at+i], g.tile[c][at+i])
				}
			}
		}
		if g.IntN(2) == 0 {
			g.emit("cp.async.bulk.commit_group")
		}
	}
	g.emit("cp.async.bulk.commit_group")
	g.emit("cp.async.bulk.wait_group 0")
	fmt.Fprintf(&g.text, "%s:\n", skip)
	g.join()
}

// typeOf returns the type of an operation on words.
func typeOf(op string) string {
	if op == "add" || op == "max" {
		return "u32"
	}
	return "b32"
}

func reduceWord(op string, a, b uint32) uint32 {
	switch op {
	case "add":
		return a + b
	case "max":
		return max(a, b)
	case "and":
		return a & b
	case "or":
		return a | b
	}
	return a ^ b
}

// named has some warps write slots that others read, with one named barrier for each direction.
func (g *syncGrower) named() {
	if g.warp < 2 {
		g.throughSlots()
		return
	}
	writers := 1 + g.IntN(1<<g.warp-2) // a mask
	half, word, r, d := g.IntN(2), g.IntN(slotWords), g.IntN(syncRegs), g.IntN(syncRegs)
	there, back := 1+g.IntN(7), 8+g.IntN(8)
	from := bits.TrailingZeros(uint(writers))
	n := min(32, g.threads-32*from)
	reads, skip := g.label(), g.label()
	g.emit("shr.u32 %%r20, %d, %%r15", writers)
	g.emit("and.b32 %%r20, %%r20, 1")
	g.emit("setp.ne.u32 %%p4, %%r20, 0")
	g.emit("@!%%p4 bra %s", reads)
	g.emit("st.shared.u32 [%%r17+%d], %%r%d", 4*g.place(half, 0, word), r)
	g.emit("bar.arrive %d, %d", there, 32*g.warp)
	g.emit("bar.sync %d, %d", back, 32*g.warp)
	g.emit("bra %s", skip)
	fmt.Fprintf(&g.text, "%s:\n", reads)
	g.emit("bar.sync %d, %d", there, 32*g.warp)
	g.emit("rem.u32 %%r20, %%r13, %d", n)
	g.emit("mad.lo.u32 %%r20, %%r20, 16, %%r12")
	g.emit("ld.shared.u32 %%r21, [%%r20+%d]", 4*g.place(half, 32*from, word))
	g.emit("xor.b32 %%r%d, %%r%d, %%r21", d, d)
	g.emit("bar.arrive %d, %d", back, 32*g.warp)
	fmt.Fprintf(&g.text, "%s:\n", skip)
	g.each(func(c, t int) {
		if writers>>(t/32)&1 != 0 {
			g.tile[c][g.place(half, t, word)] = g.regs[c][t][r]
		}
	})
	g.each(func(c, t int) {
		if writers>>(t/32)&1 == 0 {
			g.regs[c][t][d] ^= g.tile[c][g.place(half, 32*from+t%32%n, word)]
		}
	})
	g.join()
}

// someWarps has the first warps arrive at an mbarrier, for which all others wait.
func (g *syncGrower) someWarps() {
	half, word, r := g.IntN(2), g.IntN(slotWords), g.IntN(syncRegs)
	skip := g.label()
	g.emit("setp.lt.u32 %%p4, %%r10, %d", g.subset)
	g.emit("@!%%p4 bra %s", skip)
	g.emit("st.shared.u32 [%%r17+%d], %%r%d", 4*g.place(half, 0, word), r)
	if g.subset%2 == 0 && g.IntN(2) == 0 { // even lanes arrive for two, when the others have written
		g.emit("bar.warp.sync %%r60")
		g.emit("and.b32 %%r20, %%r13, 1")
		g.emit("setp.eq.u32 %%p5, %%r20, 0")
		g.emit("@%%p5 mbarrier.arrive.release.cta.shared::cta.b64 _, [bars+%d], 2", 8*subsetBar)
	} else {
		g.emit("mbarrier.arrive.shared::cta.b64 %%rd9, [bars+%d]", 8*subsetBar)
	}
	fmt.Fprintf(&g.text, "%s:\n", skip)
	g.each(func(c, t int) {
		if t < g.subset {
			g.tile[c][g.place(half, t, word)] = g.regs[c][t][r]
		}
	})
	g.wait(subsetBar)
	d := g.IntN(g.subset)
	g.emit("add.u32 %%r20, %%r10, %d", d)
	g.emit("rem.u32 %%r20, %%r20, %d", g.subset)
	g.emit("mad.lo.u32 %%r20, %%r20, 16, %%r12")
	g.emit("add.u32 %%r20, %%r20, %d", 4*g.place(half, 0, word))
	g.addTile("ld.shared", func(c, t int) (int, int) { return c, g.place(half, (t+d)%g.subset, word) })
	g.join()
}

// reduceAtBarrier reduces a predicate at a barrier.
func (g *syncGrower) reduceAtBarrier() {
	r, d, bit := g.IntN(syncRegs), g.IntN(syncRegs), g.IntN(6)
	g.predicate("%p4", r, bit)
	op, counts, id, not := g.IntN(3), make([]uint32, g.ctas), g.IntN(16), g.IntN(2) == 0
	g.do(func() { clear(counts) })
	g.each(func(c, t int) { counts[c] += g.regs[c][t][r] >> bit & 1 })
	if op == 0 {
		g.emit("barrier.cta.red.popc.aligned.u32 %%r21, %d, %d, %%p4", id, 32*g.warp)
	} else {
		g.emit("bar.red.%s.pred %%p5, %d, %s%%p4", []string{"", "and", "or"}[op], id, map[bool]string{true: "!"}[not])
		g.emit("selp.u32 %%r21, 1, 0, %%p5")
		g.do(func() {
			for c, n := range counts {
				if not {
					n = uint32(g.threads) - n
				}
				counts[c] = 0
				if op == 1 && n == uint32(g.threads) || op == 2 && n > 0 {
					counts[c] = 1
				}
			}
		})
	}
	g.emit("add.u32 %%r%d, %%r%d, %%r21", d, d)
	g.each(func(c, t int) { g.regs[c][t][d] += counts[c] })
	g.join()
}

// predicate sets a predicate to a bit of a register.
func (g *syncGrower) predicate(p string, r, bit int) {
	g.emit("shr.u32 %%r20, %%r%d, %d", r, bit)
	g.emit("and.b32 %%r20, %%r20, 1")
	g.emit("setp.ne.u32 %s, %%r20, 0", p)
}

// sharedAtomics counts in other threads' slots: of the CTA, or of another one.
func (g *syncGrower) sharedAtomics() {
	half, word, r, d := g.IntN(2), g.IntN(slotWords), g.IntN(syncRegs), 0
	if g.size > 1 && g.IntN(2) == 0 {
		d = 1 + g.IntN(g.size-1)
	}
	op := g.pick("add", "max", "and", "or", "xor")
	typ := typeOf(op)
	g.store(half, word)
	space := g.pick(".shared", ".shared::cta")
	if d == 0 {
		g.join()
	} else {
		g.joinCluster()
		space = ".shared::cluster"
	}
	other := g.other(half, word)
	if d > 0 {
		g.toPeer("%r20", d)
	}
	if g.IntN(2) == 0 {
		g.emit("atom%s.%s.%s %%r21, [%%r20], %%r%d", space, op, typ, r)
	} else {
		g.emit("red%s.%s.%s [%%r20], %%r%d", space, op, typ, r)
	}
	g.each(func(c, t int) {
		w := &g.tile[g.peer(c, d)][g.place(half, other(t), word)]
		*w = reduceWord(op, *w, g.regs[c][t][r])
	})
	if d == 0 {
		g.join()
	} else {
		g.joinCluster()
	}
	g.emit("add.u32 %%r20, %%r17, %d", 4*g.place(half, 0, word))
	g.addTile("ld.shared", func(c, t int) (int, int) { return c, g.place(half, t, word) })
	g.join()
}
