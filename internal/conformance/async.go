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
}

// asyncCopies are the trials of cp.async, and of what is done with its groups.
func asyncCopies(f form) []trial {
	switch {
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

// asyncCopy has each lane copy another lane's share of in to a third lane's share of shared
// memory, which was filled with ones, and then all of shared memory to out. How says which
// bytes of the source are read: all, or as many as a register or a constant says, or none
// where a predicate holds.
func asyncCopy(f form, bytes int, how string) trial {
	r := rand.New(rand.NewPCG(uint64(bytes), hash(how)))
	in := randomBytes(fmt.Sprint("copies", bytes, how), 32*chunk)
	const some = 3
	want := slices.Repeat([]byte{0xff}, 32*chunk)
	w := &kernelText{}
	for lane := range 32 {
		n := bytes
		switch how {
		case "sized":
			n = []int{0, 1, bytes - 1, bytes, r.IntN(bytes + 1)}[r.IntN(5)]
		case "constant":
			n = some
		case "ignored":
			n *= r.IntN(2)
		}
		binary.LittleEndian.PutUint32(in[lane*chunk+chunk-4:], uint32(n)) // the lane's own share has how many
	}
	for lane := range 32 {
		n := int(binary.LittleEndian.Uint32(in[lane*chunk+chunk-4:]))
		to := want[(lane*5+1)%32*chunk:]
		clear(to[:bytes])
		copy(to[:n], in[shareOf(lane)*chunk:])
	}
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
	behind := map[string]string{"whole": "", "sized": ", %n", "constant": fmt.Sprint(", ", some), "ignored": ", %none"}[how]
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
	return trial{src: header + ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n" + w.String() + "\tret;\n}\n",
		buffers: [][]byte{in, make([]byte, len(want))}, check: bytesMatch(want)}
}

// copyGroups has four groups of copies in flight: what a thread has copied it sees behind the
// wait, in whatever group it was.
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
