package conformance

import (
	"encoding/binary"
	"strings"
)

// partialCopies are bulk copies of some bytes, those to memory with one member, and memory that is filled: each thread
// has a share of the buffers and of shared memory, which begins as that of the buffer that is not copied.
func partialCopies(f form) []trial {
	in, out := randomBytes("partial", 32*bulkShare), randomBytes("before", 32*bulkShare)
	want := append([]byte(nil), out...)
	for lane := range 32 {
		share := in[lane*bulkShare:][:bulkShare]
		f.partial(lane, want[lane*bulkShare:][:bulkShare], share)
	}
	if f.has("ignore_oob") {
		in = in[:len(in)-8] // beyond which the last thread's copy ends
	}
	tr := perThread(f.partialBody(), 32, nil)
	tr.src = strings.Replace(tr.src, "k(", "k(.param .u64 in, ", 1)
	tr.src = strings.Replace(tr.src, "mad.wide.u32 %out, %r0, 4, %out;", "", 1)
	tr.buffers = [][]byte{in, out}
	tr.check = bytesMatch(want)
	return []trial{tr}
}

// sizeOf returns how many bytes a thread's instruction moves.
func (f *form) sizeOf(lane int) int {
	switch {
	case f.op == "st":
		return lane % 14 * 8
	case f.has("ignore_oob"):
		return 16 + lane%8*16
	}
	return lane % 8 * 16
}

// partialEdges returns how many bytes at the ends of a thread's source are not copied.
func partialEdges(lane int) (first, last int) { return lane % 16, (lane*5 + 13) % 16 }

// partial computes what a thread's share of out becomes.
func (f *form) partial(lane int, to, from []byte) {
	n := f.sizeOf(lane)
	first, last := partialEdges(lane)
	mask := binary.LittleEndian.Uint16(from)
	switch {
	case f.op == "st":
		copy(to, from)
		clear(to[8*(lane%3):][:n])
	case f.has("reduce"):
		for at := 0; at < n; at += 4 {
			binary.LittleEndian.PutUint32(to[at:], binary.LittleEndian.Uint32(to[at:])+binary.LittleEndian.Uint32(from[at:]))
		}
	default:
		for i := range n {
			if (!f.has("cp_mask") || mask>>(i%16)&1 != 0) && (!f.has("ignore_oob") || i >= first && i < n-last) {
				to[i] = from[i]
			}
		}
	}
}

// partialBody is the code of the threads of partialCopies.
func (f *form) partialBody() string {
	w := &kernelText{}
	w.line(".shared .align 128 .b8 s[%d];", 32*bulkShare)
	w.line(".shared .align 8 .b64 bars[32];")
	w.line("ld.param.u64 %%rd1, [in];")
	w.line("ld.param.u64 %%rd2, [out];")
	w.line("mad.wide.u32 %%rd1, %%r0, %d, %%rd1;", bulkShare)
	w.line("mad.wide.u32 %%rd2, %%r0, %d, %%rd2;", bulkShare)
	w.line("mov.u32 %%r2, s;")
	w.line("mad.lo.u32 %%r2, %%r0, %d, %%r2;", bulkShare)
	w.line("mov.u32 %%r3, bars;")
	w.line("mad.lo.u32 %%r3, %%r0, 8, %%r3;")
	w.line("ld.global.u16 %%h1, [%%rd1];")
	source := "%rd1"
	if f.has("ignore_oob") {
		source = "%rd2"
	}
	for at := 0; at < bulkShare; at += 4 {
		w.line("ld.global.u32 %%r5, [%s+%d];", source, at)
		w.line("st.shared.u32 [%%r2+%d], %%r5;", at)
	}
	w.line("fence.proxy.async.shared::cta;")
	switch {
	case f.op == "st":
		f.clearBody(w)
	case f.has("ignore_oob"):
		w.line("rem.u32 %%r4, %%r0, 8;")
		w.line("mad.lo.u32 %%r4, %%r4, 16, 16;")
		w.line("rem.u32 %%r6, %%r0, 16;")
		w.line("mad.lo.u32 %%r7, %%r0, 5, 13;")
		w.line("rem.u32 %%r7, %%r7, 16;")
		w.line("mbarrier.init.shared.b64 [%%r3], 1;")
		w.line("mbarrier.arrive.expect_tx.shared.b64 _, [%%r3], %%r4;")
		w.line("%s [%%r2], [%%rd1], %%r4, %%r6, %%r7, [%%r3];", f.text)
		w.line("WAIT: mbarrier.try_wait.parity.shared.b64 %%p1, [%%r3], 0;")
		w.line("@!%%p1 bra WAIT;")
	default:
		w.line("rem.u32 %%r4, %%r0, 8;")
		w.line("shl.b32 %%r4, %%r4, 4;")
		mask := ""
		if f.has("cp_mask") {
			mask = ", %h1"
		}
		w.line("%s [%%rd2], [%%r2], %%r4%s;", f.text, mask)
		w.line("cp.async.bulk.commit_group;")
		w.line("cp.async.bulk.wait_group 0;")
	}
	if f.op == "st" || f.has("ignore_oob") {
		for at := 0; at < bulkShare; at += 4 {
			w.line("ld.shared.u32 %%r5, [%%r2+%d];", at)
			w.line("st.global.u32 [%%rd2+%d], %%r5;", at)
		}
	}
	w.line("ret;")
	return w.String()
}

// clearBody fills memory: by a generic address with a size of 64 bits, or by one in shared memory with 32.
func (f *form) clearBody(w *kernelText) {
	w.line("rem.u32 %%r4, %%r0, 14;")
	w.line("shl.b32 %%r4, %%r4, 3;")
	w.line("rem.u32 %%r6, %%r0, 3;")
	w.line("mad.lo.u32 %%r6, %%r6, 8, %%r2;")
	w.line("cvt.u64.u32 %%rd4, %%r6;")
	w.line("cvta.shared.u64 %%rd4, %%rd4;")
	w.line("cvt.u64.u32 %%rd5, %%r4;")
	if f.has("shared") {
		w.line("%s [%%r6], %%r4, 0;", f.text)
	} else {
		w.line("%s [%%rd4], %%rd5, 0;", f.text)
	}
}
