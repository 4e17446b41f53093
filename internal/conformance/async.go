package conformance

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

var asyncMakers = map[string]trialMaker{
	"cp":       asyncCopies,
	"mbarrier": mbarriers,

	"tensormap": tensorTrials,

	"elect": elections,
}

// asyncCopies are the trials of cp.async, and of instructions on its groups.
func asyncCopies(f form) []trial {
	switch {
	case f.has("cp_mask"), f.has("ignore_oob"):
		return partialCopies(f)
	case f.has("tensor"):
		return tensorTrials(f)
	case f.has("prefetch"):
		return ordering(form{text: f.text + " [%out], 16"})
	case f.has("bulk"):
		return bulkCopies(f)
	case f.has("mbarrier"):
		return copyArrivals(f)
	case f.has("commit_group"), f.has("wait_group"), f.has("wait_all"):
		return copyGroups(f)
	}
	var all []trial
	for _, bytes := range []int{4, 8, 16} {
		if f.has("cg") && bytes != 16 {
			continue
		}
		for _, how := range []string{"whole", "sized", "constant", "ignored"} {
			all = append(all, asyncCopy(f, bytes, how))
		}
	}
	return all
}

// asyncCopy has each lane copy another lane's share of in to a third lane's share of shared memory, which was filled
// with ones, and then all of shared memory to out. how says which bytes of the source are read: all, a number in a
// register or a constant, or none where a predicate holds.
func asyncCopy(f form, bytes int, how string) trial {
	in, want := copiedShares(bytes, how)
	return trial{src: asyncCopyKernel(f, bytes, how), buffers: [][]byte{in, make([]byte, len(want))}, check: bytesMatch(want)}
}

const someBytes = 3 // the size of the source where it is a constant

// copiedShares are the shares of in, each ending with the number of bytes that its lane reads, and the copied bytes.
func copiedShares(bytes int, how string) (in, want []byte) {
	r := rand.New(rand.NewPCG(uint64(bytes), hash(how)))
	in = randomBytes(fmt.Sprint("copies", bytes, how), 32*chunk)
	want = slices.Repeat([]byte{0xff}, 32*chunk)
	for lane := range 32 {
		n := bytes
		switch how {
		case "sized":
			n = []int{0, 1, bytes - 1, bytes, r.IntN(bytes + 1)}[r.IntN(5)]
		case "constant":
			n = someBytes
		case "ignored":
			n *= r.IntN(2)
		}
		binary.LittleEndian.PutUint32(in[lane*chunk+chunk-4:], uint32(n))
	}
	for lane := range 32 {
		n := int(binary.LittleEndian.Uint32(in[lane*chunk+chunk-4:]))
		to := want[(lane*5+1)%32*chunk:]
		clear(to[:bytes])
		copy(to[:n], in[shareOf(lane)*chunk:])
	}
	return in, want
}

func asyncCopyKernel(f form, bytes int, how string) string {
	w := &kernelText{}
	lanePointers(w, chunk)
	w.line(".shared .align 16 .b8 v[1024];")
	w.line(".reg .b32 %%n, %%to, %%share, %%ones;")
	w.line(".reg .b64 %%policy;")
	w.line(".reg .pred %%none;")
	w.line("ld.global.u32 %%n, [%%own+%d];", chunk-4)
	w.line("setp.eq.u32 %%none, %%n, 0;")
	w.line("mov.u32 %%to, v;")
	w.line("mad.lo.u32 %%to, %%i, %d, %%to;", chunk)
	w.line("mov.u32 %%ones, -1;")
	for at := 0; at < chunk; at += 4 {
		w.line("st.shared.u32 [%%to+%d], %%ones;", at)
	}
	w.line("bar.sync 0;")
	w.line("mad.lo.u32 %%share, %%i, 7, 3;")
	w.line("and.b32 %%share, %%share, 31;")
	w.line("mad.wide.u32 %%mine, %%share, %d, %%in;", chunk)
	w.line("mad.lo.u32 %%share, %%i, 5, 1;")
	w.line("and.b32 %%share, %%share, 31;")
	w.line("mov.u32 %%to, v;")
	w.line("mad.lo.u32 %%to, %%share, %d, %%to;", chunk)
	behind := map[string]string{"whole": "", "sized": ", %n", "constant": fmt.Sprint(", ", someBytes), "ignored": ", %none"}[how]
	if f.has("L2::cache_hint") {
		w.line("mov.u64 %%policy, 0;")
		behind += ", %policy"
	}
	w.line("%s [%%to], [%%mine], %d%s;", f.text, bytes, behind)
	w.line("cp.async.wait_all;")
	w.line("bar.sync 0;")
	w.line("mov.u32 %%to, v;")
	w.line("mad.lo.u32 %%to, %%i, %d, %%to;", chunk)
	for at := 0; at < chunk; at += 4 {
		w.line("ld.shared.u32 %%n, [%%to+%d];", at)
		w.line("st.global.u32 [%%out+%d], %%n;", at)
	}
	return header + ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n" + w.String() + "\tret;\n}\n"
}

// copyGroups has four groups of copies in flight: after the wait a thread sees its copied data, in any group.
func copyGroups(f form) []trial {
	w := &kernelText{}
	w.line(".shared .align 16 .b32 s[128];")
	w.line("mov.u32 %%r2, s;")
	w.line("mad.lo.u32 %%r2, %%r0, 16, %%r2;")
	w.line("ld.param.u64 %%rd1, [in];")
	w.line("mad.wide.u32 %%rd1, %%r0, 16, %%rd1;")
	for i := range 4 {
		w.line("cp.async.ca.shared.global [%%r2+%d], [%%rd1+%d], 4;", 4*i, 4*i)
		w.line("cp.async.commit_group;")
	}
	switch {
	case f.has("wait_group"):
		w.line("%s 1;", f.text)
		w.line("ld.shared.u32 %%r3, [%%r2];")
		w.line("ld.shared.u32 %%r4, [%%r2+8];")
		w.line("%s 0;", f.text)
	default:
		w.line("cp.async.wait_all;")
		w.line("ld.shared.u32 %%r3, [%%r2];")
		w.line("ld.shared.u32 %%r4, [%%r2+8];")
	}
	w.line("ld.shared.u32 %%r5, [%%r2+12];")
	w.line("sub.u32 %%r1, %%r3, %%r4;")
	w.line("xor.b32 %%r1, %%r1, %%r5;")
	tr := perThread(w.String(), 32, nil)
	in := randomBytes("groups", 32*16)
	word := func(lane, i int) uint32 { return binary.LittleEndian.Uint32(in[lane*16+4*i:]) }
	tr.src = strings.Replace(tr.src, "k(", "k(.param .u64 in, ", 1)
	tr.buffers = append([][]byte{in}, tr.buffers...)
	tr.check = wordsMatch(func(lane int) uint32 { return word(lane, 0) - word(lane, 2) ^ word(lane, 3) })
	return []trial{tr}
}

// elections: the lowest of the executing lanes is elected, among all lanes or some.
func elections(f form) []trial {
	return []trial{
		perThread(f.text+" %r1|%p1, -1;\n\tselp.u32 %r2, 100, 7, %p1;\n\tadd.u32 %r1, %r1, %r2;", 32, func(i int) uint32 { return uint32(7 + 93*b2i(i == 0)) }),
		perThread("setp.ge.u32 %p2, %r0, 11;\n\tmov.u32 %r1, 50;\n\t@%p2 "+f.text+" %r1|%p1, 0xfffff800;\n\t@%p1 add.u32 %r1, %r1, 100;", 32, func(i int) uint32 {
			return uint32(50 - 39*b2i(i >= 11) + 100*b2i(i == 11))
		}),
	}
}

// bulkCopies has each thread copy some bytes of its share of in to shared memory, wait for them at its own mbarrier,
// copy them on within shared memory, and then to out: by the form, in the place of the copy of its kind.
func bulkCopies(f form) []trial {
	in, want := randomBytes("bulk", 32*bulkShare), make([]byte, 32*bulkShare)
	for lane := range 32 {
		n := lane % 7 * 16
		copy(want[lane*bulkShare:][:n], in[lane*bulkShare+16:])
	}
	tr := perThread(bulkBody(f), 32, nil)
	tr.src = strings.Replace(tr.src, "k(", "k(.param .u64 in, ", 1)
	tr.src = strings.Replace(tr.src, "mad.wide.u32 %out, %r0, 4, %out;", "", 1)
	tr.buffers = [][]byte{in, make([]byte, len(want))}
	tr.check = bytesMatch(want)
	return []trial{tr}
}

const bulkShare = 128 // bytes of a thread

// bulkBody is the code of the threads of bulkCopies.
func bulkBody(f form) string {
	w := &kernelText{}
	by := func(plain string) string {
		text := strings.NewReplacer("shared::cta", "shared", ".L2::cache_hint", "").Replace(f.text)
		if text == strings.ReplaceAll(plain, "shared::cta", "shared") || strings.ReplaceAll(text, "shared.global", "shared::cluster.global") == plain {
			return f.text
		}
		return plain
	}
	w.line(".shared .align 128 .b8 s[%d];", 32*bulkShare)
	w.line(".shared .align 128 .b8 u[%d];", 32*bulkShare)
	w.line(".shared .align 8 .b64 bars[32];")
	w.line("ld.param.u64 %%rd1, [in];")
	w.line("ld.param.u64 %%rd2, [out];")
	w.line("mad.wide.u32 %%rd1, %%r0, %d, %%rd1;", bulkShare)
	w.line("mad.wide.u32 %%rd2, %%r0, %d, %%rd2;", bulkShare)
	w.line("mov.u32 %%r2, s;")
	w.line("mad.lo.u32 %%r2, %%r0, %d, %%r2;", bulkShare)
	w.line("mov.u32 %%r3, bars;")
	w.line("mad.lo.u32 %%r3, %%r0, 8, %%r3;")
	w.line("mov.u32 %%r6, u;")
	w.line("mad.lo.u32 %%r6, %%r0, %d, %%r6;", bulkShare)
	w.line("mbarrier.init.shared.b64 [%%r3], 1;")
	w.line("rem.u32 %%r4, %%r0, 7;") // 0 to 6 units of 16 bytes
	w.line("shl.b32 %%r4, %%r4, 4;")
	w.line("mov.u64 %%rd3, 0;")
	hint := ""
	if f.has("L2::cache_hint") {
		hint = ", %rd3"
	}
	hintOf := func(text string) string {
		if text == f.text {
			return hint
		}
		return ""
	}
	w.line("mbarrier.arrive.expect_tx.shared.b64 _, [%%r3], %%r4;")
	load := by("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes")
	w.line("%s [%%r2+16], [%%rd1+16], %%r4, [%%r3]%s;", load, hintOf(load))
	w.line("FIRST: mbarrier.try_wait.parity.shared.b64 %%p1, [%%r3], 0;")
	w.line("@!%%p1 bra FIRST;")
	w.line("mbarrier.arrive.expect_tx.shared.b64 _, [%%r3], %%r4;")
	w.line("%s [%%r6], [%%r2+16], %%r4, [%%r3];", by("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes"))
	w.line("SECOND: mbarrier.try_wait.parity.shared.b64 %%p1, [%%r3], 1;")
	w.line("@!%%p1 bra SECOND;")
	store := by("cp.async.bulk.global.shared::cta.bulk_group")
	w.line("%s [%%rd2], [%%r6], %%r4%s;", store, hintOf(store))
	w.line("%s;", by("cp.async.bulk.commit_group"))
	for _, wait := range []string{"cp.async.bulk.wait_group.read", "cp.async.bulk.wait_group"} {
		w.line("%s 0;", by(wait))
	}
	w.line("ret;")
	return w.String()
}
