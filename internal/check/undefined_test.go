package check_test

import (
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/check"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

// tree reduces %r1 over lanes to its maximum, by shuffles with the given offsets; lane 0 stores the result.
func tree(mask string, steps ...string) string {
	var b strings.Builder
	for _, s := range steps {
		b.WriteString("shfl.sync.down.b32 %r2, %r1, " + s + ", 31, " + mask + ";\nmax.s32 %r1, %r1, %r2;\n")
	}
	return b.String() + "setp.ne.u32 %p1, %laneid, 0;\n@%p1 bra END;\nst.global.u32 [%rd1], %r1;\nEND:\n"
}

// TestShuffleSources: an undefined shuffle result is a finding if a branch, an address or a store to global memory
// depends on it in its lane, and otherwise is not.
func TestShuffleSources(t *testing.T) {
	const (
		part   = "setp.ge.u32 %p9, %laneid, 11;\n@%p9 bra END;\n" // lanes 0 to 10 go on
		beyond = "shfl.sync.down.b32 %r2|%p2, %r1, 8, 31, 0x7ff;\n"
		store  = "st.global.u32 [%rd1], %r2;\nEND:\n"
	)
	for _, c := range []struct {
		name    string
		threads uint32
		body    string
		want    string // parts of the finding; "" for none
	}{
		{"whole warp", 32, tree("-1", "16", "8", "4", "2", "1"), ""},
		{"a part, by a tree that is too wide", 32, part + tree("0x7ff", "8", "4", "2", "1"), "lanes 3-10 read lanes 11-18, which are not in the mask 000007ff"},
		{"16 threads, by a tree of 8", 16, tree("0xffff", "8", "4", "2", "1"), ""},
		{"16 threads, by a tree of 16", 16, tree("-1", "16", "8", "4", "2", "1"), "lanes 0-15 read lanes 16-31, which the block does not have"},
		{"16 threads, some of which have ended", 16, part + tree("-1", "8", "4", "2", "1"), "lanes 3-10 read lanes 11-18, which have ended or do not exist"},
		{"one lane of one that has ended", 16, part + "shfl.sync.down.b32 %r2, %r1, 1, 31, -1;\n" + store, "lane 10 reads lane 11, which has ended"},
		{"one lane that is not in the mask", 32, part + "shfl.sync.down.b32 %r2, %r1, 1, 31, 0x7ff;\n" + store, "lane 10 reads lane 11, which is not in the mask 000007ff"},
		{"used at once", 32, part + beyond + store, "k.s:8:1"},
		{"not used", 32, part + beyond + "END:\n", ""},
		{"overwritten", 32, part + beyond + "mov.u32 %r2, 5;\n" + store, ""},
		{"selected where it is defined", 32, part + beyond + "setp.lt.u32 %p3, %laneid, 3;\nselp.b32 %r2, %r2, 0, %p3;\n" + store, ""},
		{"selected one lane too many", 32, part + beyond + "setp.lt.u32 %p3, %laneid, 4;\nselp.b32 %r2, %r2, 0, %p3;\n" + store, "lane 3 (00000008)"},
		{"guarded where it is defined", 32, part + beyond + "mov.u32 %r3, 0;\nsetp.lt.u32 %p3, %laneid, 3;\n@%p3 mov.u32 %r3, %r2;\nst.global.u32 [%rd1], %r3;\nEND:\n", ""},
		{"masked", 32, part + beyond + "setp.lt.u32 %p3, %laneid, 3;\nselp.b32 %r3, -1, 0, %p3;\nand.b32 %r2, %r2, %r3;\n" + store, ""},
		{"in a condition that another decides", 32, part + beyond + "setp.lt.u32 %p3, %laneid, 3;\nsetp.gt.and.s32 %p4, %r2, 7, %p3;\n@%p4 bra END;\nEND:\n", ""},
		{"in a condition of two predicates", 32, part + beyond + "setp.ge.u32 %p3, %laneid, 3;\nsetp.gt.s32 %p4, %r2, 7;\nor.pred %p4, %p3, %p4;\n@%p4 bra END;\nEND:\n", ""},
		{"in a condition", 32, part + beyond + "setp.gt.s32 %p4, %r2, 7;\n@%p4 bra END;\nEND:\n", "@%p4 bra END;"},
		{"an address", 32, part + beyond + "and.b32 %r2, %r2, 3;\nmul.wide.u32 %rd2, %r2, 4;\nadd.u64 %rd2, %rd2, %rd1;\nld.global.u32 %r3, [%rd2];\nEND:\n", "ld.global.u32 %r3, [%rd2];"},
		{"whether the lane exists is defined", 32, part + beyond + "@%p2 bra END;\nEND:\n", ""},
		{"by way of another shuffle", 32, part + beyond + "shfl.sync.idx.b32 %r2, %r2, 3, 31, 0x7ff;\n" + store, "lanes 0-10 (000007ff)"},
		{"a defined lane by another shuffle", 32, part + beyond + "shfl.sync.idx.b32 %r2, %r2, 2, 31, 0x7ff;\n" + store, ""},
		{"by way of a parameter of libdevice", 32, part + beyond + "{ .param .b32 a; .param .b32 b; .param .b32 r;\nst.param.b32 [a], %r2;\nst.param.b32 [b], 1;\ncall (r), __nv_max, (a, b);\nld.param.b32 %r2, [r]; }\n" + store, "used"},
		{"up from below", 32, "shfl.sync.up.b32 %r2, %r1, 1, 0, -1;\n" + store, ""},
		{"segments of 8", 32, "shfl.sync.bfly.b32 %r2, %r1, 4, 0x181f, -1;\n" + store, ""},
		{"halves with their own masks", 32, "setp.lt.u32 %p9, %laneid, 16;\nselp.b32 %r4, 0xffff, 0xffff0000, %p9;\nshfl.sync.bfly.b32 %r2, %r1, 8, 0x1f, %r4;\n" + store, ""},
		{"a condition of other lanes only", 32, part + beyond + "setp.gt.s32 %p4, %r2, 7;\nsetp.ge.u32 %p3, %laneid, 3;\n@%p3 bra END;\n@%p4 bra END;\nEND:\n", ""},
		{"guarded by a condition of other lanes only", 32, part + beyond + "setp.gt.s32 %p4, %r2, 7;\nmov.u32 %r3, 0;\nsetp.ge.u32 %p3, %laneid, 3;\n@%p3 bra ALL;\n@%p4 mov.u32 %r3, 1;\nALL:\nst.global.u32 [%rd1], %r3;\nEND:\n", ""},
		{"a source that is defined when it arrives", 32, part + beyond + "setp.lt.u32 %p3, %laneid, 3;\n@%p3 bra READ;\nmov.u32 %r2, 1;\nREAD:\nshfl.sync.idx.b32 %r3, %r2, 5, 31, 0x7ff;\nst.global.u32 [%rd1], %r3;\nEND:\n", ""},
		{"a source at another instruction that is defined when it arrives", 32, part + beyond + "setp.lt.u32 %p3, %laneid, 3;\n@%p3 bra READ;\nmov.u32 %r2, 1;\nshfl.sync.idx.b32 %r3, %r2, 5, 31, 0x7ff;\nbra OUT;\nREAD:\nshfl.sync.idx.b32 %r3, %r2, 5, 31, 0x7ff;\nOUT:\nst.global.u32 [%rd1], %r3;\nEND:\n", ""},
		{"a source that is undefined when it arrives", 32, part + "setp.lt.u32 %p3, %laneid, 3;\n@%p3 bra READ;\nshfl.sync.down.b32 %r1, %r1, 8, 31, 0x7f8;\nshfl.sync.idx.b32 %r3, %r1, 5, 31, 0x7ff;\nbra OUT;\nREAD:\nshfl.sync.idx.b32 %r3, %r1, 5, 31, 0x7ff;\nOUT:\nst.global.u32 [%rd1], %r3;\nEND:\n", "lanes 0-10"},
		{"a source that ends before it arrives", 32, part + "mov.u32 %r2, 0;\nsetp.lt.u32 %p3, %laneid, 3;\n@%p3 bra READ;\nbra END;\nREAD:\nshfl.sync.idx.b32 %r2, %r1, 5, 31, 0x7ff;\nst.global.u32 [%rd1], %r2;\nEND:\n", "lanes 0-2 read lane 5, which has ended"},
		{"without .sync", 32, part + "shfl.down.b32 %r2, %r1, 8, 31;\n" + store, "which do not execute the shuffle together with them"},
		{"across halves", 32, "setp.lt.u32 %p9, %laneid, 16;\nselp.b32 %r4, 0xffff, 0xffff0000, %p9;\nshfl.sync.bfly.b32 %r2, %r1, 16, 0x1f, %r4;\n" + store, "lanes 16-31 read lanes 0-15, which are not in the mask ffff0000"},
	} {
		var found []interp.Warning
		k := kerneltest.Kernel{Source: ".extern .func (.param .b32 r) __nv_max(.param .b32 a, .param .b32 b);\n.entry k(.param .u64 out) {\nld.param.u64 %rd1, [out];\nmov.u32 %r1, %laneid;\n" + c.body + "ret;\n}\n",
			Block: kerneltest.Dim(c.threads, 1), Words: []int{4}}
		k.Driver = func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
			s, err := check.AttachShuffles(m, &l)
			if err != nil {
				t.Fatal(err)
			}
			stats, err := functional.Run(t.Context(), m, l)
			found = s.Warnings()
			return stats, err
		}
		if _, _, err := k.Run(t); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		var text strings.Builder
		for _, w := range found {
			text.WriteString(w.Place.Code.String() + " " + w.Msg + "\n" + strings.Join(w.Details(), "\n"))
		}
		if c.want == "" && len(found) > 0 || c.want != "" && !strings.Contains(text.String(), c.want) {
			t.Errorf("%s: got %q, want %q", c.name, text.String(), c.want)
		}
	}
}
