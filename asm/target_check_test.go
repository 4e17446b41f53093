package asm

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/packed"
)

// TestInstructionsMustFitTarget pairs headers with an instruction and the expected error; "" if they fit.
func TestInstructionsMustFitTarget(t *testing.T) {
	const body = "\n.entry k() {\n\t"
	for _, c := range []struct{ header, instruction, want string }{
		{".version 6.0\n.target sm_50", "wgmma.fence.sync.aligned;", "k.s:4:2: wgmma.fence.sync.aligned needs .version 8.0 and .target sm_90a; this file has .version 6.0 and .target sm_50"},
		{".version 9.1\n.target sm_90a", "tcgen05.wait::ld.sync.aligned;", "k.s:4:2: tcgen05.wait::ld.sync.aligned needs .target sm_100a, sm_100f or higher in the family, or sm_110a, sm_110f or higher in the family; this file has .target sm_90a"},
		{".version 6.0\n.target sm_70", "redux.sync.add.s32 %r1, %r2, -1;", "k.s:4:2: redux.sync.add.s32 needs .version 7.0 and .target sm_80 or higher; this file has .version 6.0 and .target sm_70"},
		{".version 7.0\n.target sm_80", "redux.sync.add.s32 %r1, %r2, -1;", ""},
		{".version 7.0\n.target sm_80, debug", "bmsk.clamp.b32 %r1, %r2, 3;", "k.s:4:2: bmsk.clamp.b32 needs .version 7.6; this file has .version 7.0"},
		{".version 7.8\n.target sm_90", "setmaxnreg.inc.sync.aligned.u32 40;", "needs .version 8.0 and .target sm_90a, or sm_100a, sm_100f or higher in the family"},
		{".target sm_50", "fma.rn.bf16x2 %r1, %r2, %r3, %r4;", "k.s:3:2: fma.rn.bf16x2 needs .target sm_80 or higher; this file has .target sm_50"},
		{".version 6.0", "fma.rn.bf16x2 %r1, %r2, %r3, %r4;", "k.s:3:2: fma.rn.bf16x2 needs .version 7.0; this file has .version 6.0"},
		{"", "wgmma.fence.sync.aligned;", ""},
		{".version 7.8\n.target sm_80", "mov.u32 %r1, %cluster_ctarank;", "k.s:4:2: %cluster_ctarank needs .target sm_90 or higher; this file has .target sm_80"},
		{".version 8.1\n.target sm_80", "multimem.cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], 64;", "k.s:4:2: multimem.cp.async.bulk.global.shared::cta.bulk_group needs .version 9.1 and .target sm_90 or higher; this file has .version 8.1 and .target sm_80"},
		{".version 8.5\n.target sm_100a", "ret;", "k.s:2:1: .target sm_100a needs .version 8.6; this file has .version 8.5"},
		{".version 8.7\n.target sm_101a", "tcgen05.wait::ld.sync.aligned;", ""},
		{".version 9.0\n.target sm_91", "ret;", "k.s:2:1: .target sm_91: PTX 9.2 has no such target"},
		{".version 7.9\n.target sm_80", "ret;", "k.s:1:1: .version 7.9: PTX has no such version; the latest that simtrun knows is 9.2"},
		{".version 9.5\n.target sm_107f", "ret;", ""},
		{".version 1.4\n.target sm_10, map_f64_to_f32", "ret;", ""},
		{".version 3.2\n.target texmode_independent", "ret;", ""},
	} {
		m, err := Parse("k.s", []byte(strings.TrimPrefix(c.header+body+c.instruction+"\n}\n", "\n")))
		if err != nil {
			t.Fatalf("%s, %s: %v", c.header, c.instruction, err)
		}
		if err = CheckTarget(m); c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q, %s: %v, want %s", c.header, c.instruction, err, c.want)
		}
	}
}

// TestCompilersChooseTargetsThatFit: compilers write headers that allow all the instructions of a file. Large files are
// left out.
func TestCompilersChooseTargetsThatFit(t *testing.T) {
	files, err := filepath.Glob("../interp/testdata/*/*.ptx.gz")
	if err != nil || len(files) < 30 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		src, err := packed.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if len(src) > 200_000 {
			continue
		}
		m, err := Parse(file, src)
		if err != nil {
			t.Fatal(err)
		}
		if err := CheckTarget(m); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// TestFormatWritesAHeaderThatFits: what Format writes for a module without a header passes CheckTarget.
func TestFormatWritesAHeaderThatFits(t *testing.T) {
	for code, want := range map[string]string{
		"ret;":                               ".version 8.0\n.target sm_80\n",
		"min.xorsign.abs.f32 %f1, %f2, %f3;": ".version 8.0\n.target sm_86\n",
		"elect.sync %r1|%p1, -1;":            ".version 8.0\n.target sm_90\n",
		"wgmma.fence.sync.aligned;":          ".version 8.0\n.target sm_90a\n",
		"tcgen05.wait::ld.sync.aligned;":     ".version 8.6\n.target sm_100a\n",
		"tcgen05.wait::ld.sync.aligned;\nmov.u32 %r1, %cluster_ctarank;": ".version 8.6\n.target sm_100a\n",
		"add.rn.f32x2 %rd1, %rd2, %rd3;":                                 ".version 8.6\n.target sm_100\n",
		"cvt.rn.satfinite.e4m3x2.bf16x2 %rs1, %r1;":                      ".version 9.1\n.target sm_100a\n",
		"wgmma.fence.sync.aligned;\ntcgen05.wait::ld.sync.aligned;":      ".version 8.6\n.target sm_80\n", // of two families
	} {
		m := parse(t, ".entry k() {\n"+code+"\n}\n")
		text := Format(m)
		if !strings.HasPrefix(text, want) {
			t.Errorf("%s: %.40q, want %q", code, text, want)
		}
		if err := CheckTarget(parse(t, text)); err != nil && !strings.Contains(code, "wgmma.fence.sync.aligned;\ntcgen05") {
			t.Errorf("%s: %v", code, err)
		}
	}
}

// TestNewerVersionIsAWarning: a version newer than the latest known is accepted with a warning.
func TestNewerVersionIsAWarning(t *testing.T) {
	for version, want := range map[string]bool{"9.2": false, "9.3": true, "10.0": true} {
		m, err := Parse("k.s", []byte(".version "+version+"\n.target sm_90\n.entry k() { ret; }\n"))
		if err != nil {
			t.Fatal(err)
		}
		all := Warnings(m)
		if got := len(all) == 1 && all[0].Pos == (isa.Pos{File: "k.s", Line: 1, Col: 1}) && strings.Contains(all[0].Msg, "newer than 9.2"); got != want || len(all) > 1 {
			t.Errorf("%s: %v", version, all)
		}
	}
}

// TestModuleNeedsOneKernelForGPU: a module without .target is refused if none of its kernels can run on the GPU.
func TestModuleNeedsOneKernelForGPU(t *testing.T) {
	const old, recent = ".entry %s() { add.u32 %%r1, %%r1, 1; ret; }\n", ".entry %s() { fence.proxy.async; ret; }\n"
	for _, c := range []struct {
		source  string
		refused bool
	}{
		{fmt.Sprintf(old, "a"), false}, {fmt.Sprintf(recent, "b"), true},
		{fmt.Sprintf(old, "a") + fmt.Sprintf(recent, "b"), false}, {fmt.Sprintf(recent, "b") + fmt.Sprintf(old, "a"), false},
		{fmt.Sprintf(recent, "b") + fmt.Sprintf(recent, "c"), true},
	} {
		m, err := Parse("k.s", []byte(c.source))
		if err != nil {
			t.Fatal(err)
		}
		if err := CheckGPU(m, "v100", [2]int{7, 0}); (err != nil) != c.refused {
			t.Errorf("%s: %v", c.source, err)
		}
	}
}
