package sass_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/sass"
)

// nvdisasm is what nvdisasm -gp -hex prints of a kernel, with the lines around its code that do not matter.
const nvdisasm = `	.headerflags	@"EF_CUDA_SM90 EF_CUDA_64BIT_ADDRESS"
//--------------------- .text.k                   --------------------------
	.section	.text.k,"ax",@progbits
        .global         k
.text.k:
	//## File ".nv_debug_ptx_txt", line 19
        /*0000*/                   LDC R1, c[0x0][0x28] ;                        /* 0x00000a00ff017b82 */
                                                                                 /* 0x000fe20000000800 */
        /*0010*/                   S2R R0, SR_TID.X ;                            /* 0x0000000000007919 */
                                                                                 /* 0x000e220000002100 */
.L_x_0:
	//## File "/tmp/k.cu", line 7 inlined at "/tmp/k.cu", line 20
	//## File "/tmp/k.cu", line 20
        /*0020*/                   IMAD.WIDE.U32 R2, R0, 0x4, R2 ;               /* 0x0000000400027825 */
                                                                                 /* 0x001fc800078e0002 */
        /*0030*/              @!P0 LDG.E.128 R4, desc[UR4][R2.64+0x10] ;         /* 0x0000000402048981 */
                                                                                 /* 0x000ea8000c1e1d00 */
        /*0040*/               @P1 BRA ` + "`(.L_x_0)" + ` ;                                /* 0xfffffffc00fc1947 */
                                                                                 /* 0x000fea000383ffff */
        /*0050*/                   EXIT ;                                        /* 0x000000000000794d */
                                                                                 /* 0x000fea0003800000 */
.L_x_1:
        /*0060*/                   BRA ` + "`(.L_x_1)" + ` ;                                /* 0xfffffffc00fc7947 */
                                                                                 /* 0x000fc0000383ffff */
        /*0070*/                   NOP ;                                         /* 0x0000000000007918 */
                                                                                 /* 0x000fc00000000000 */
.L_x_2:
`

// cuobjdump is what cuobjdump -sass prints of the same, with fewer instructions, and of another function.
const cuobjdump = `
Fatbin elf code:
================
arch = sm_90

	code for sm_90
		Function : k
	.headerflags	@"EF_CUDA_SM90"
        /*0000*/                   IADD3 R1, R1, 0x1, RZ ;                       /* 0x0000000101017810 */
                                                                                 /* 0x000fca0007ffe0ff */
        /*0010*/               @P0 BRA 0x0 ;                                     /* 0xfffffffc00e00947 */
                                                                                 /* 0x000fea000383ffff */
        /*0020*/                   EXIT ;                                        /* 0x000000000000794d */
                                                                                 /* 0x000fea0003800000 */
        /*0030*/                   BRA 0x30;                                     /* 0xfffffffc00f07947 */
                                                                                 /* 0x000fc0000383ffff */
		..........

		Function : other
        /*0000*/                   EXIT ;
`

func parse(t *testing.T, text string) []*sass.Function {
	t.Helper()
	all, err := sass.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestParseReadsNvdisasm(t *testing.T) {
	all := parse(t, nvdisasm)
	if len(all) != 1 || all[0].Name != "k" {
		t.Fatalf("%d functions", len(all))
	}
	classes := []isa.CostClass{isa.CostLoadConstant, isa.CostReadSpecial, isa.CostProductWide, isa.CostLoadGlobal, isa.CostBranch, isa.CostExit}
	stalls := []int{1, 1, 4, 4, 5, 5} // bits 105 to 108
	for i, in := range all[0].Instrs {
		if in.Class != classes[i] || in.Stall != stalls[i] {
			t.Errorf("%s: class %s, stall %d", in.Text, in.Class, in.Stall)
		}
	}
	code := all[0].Instrs
	if len(code) != len(classes) || code[4].Target != 2 || !code[3].Guarded || code[0].Constant != 0x28 || !code[3].Reads(&code[2]) || code[2].Reads(&code[0]) {
		t.Errorf("%+v", code)
	}
	if got, want := code[1].Lines, []sass.Line{{"", 19}}; !slices.Equal(got, want) {
		t.Errorf("lines %v, want %v", got, want)
	}
	if got, want := code[3].Lines, []sass.Line{{"/tmp/k.cu", 7}, {"/tmp/k.cu", 20}}; !slices.Equal(got, want) {
		t.Errorf("lines %v, want %v", got, want)
	}
	if got, want := all[0].Blocks(), []sass.Block{{0, 2, false}, {2, 5, true}, {5, 6, false}}; !slices.Equal(got, want) {
		t.Errorf("blocks %v, want %v", got, want)
	}
}

func TestFunctionsAreFoundByName(t *testing.T) {
	all := parse(t, cuobjdump)
	if len(all) != 2 || sass.Find(all, "other") != all[1] || sass.Find(all, "none") != nil {
		t.Fatalf("%d functions", len(all))
	}
	if got, want := all[0].Blocks(), []sass.Block{{0, 2, true}, {2, 3, false}}; !slices.Equal(got, want) {
		t.Errorf("blocks %v, want %v", got, want)
	}
	if stall := all[1].Instrs[0].Stall; stall != 0 {
		t.Errorf("stall %d without an encoding", stall)
	}
}

func TestParseErrorsAreExplained(t *testing.T) {
	for text, want := range map[string]string{
		"":                     "no machine instructions",
		"add.s32 %r1, %r2, 1;": "no machine instructions",
		"\tFunction : k\n /*0008*/ MOV R1, c[0x0][0x20] ;\n /*0010*/ EXIT ;\n": "line 3: machine code for GPUs before Volta is not supported yet",
	} {
		if _, err := sass.Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(".text.k:\n.L_1:\n//## File \"k\", line 7\n/*0010*/ @P0 BRA `(.L_1) ; /* 0x0000000000000000 */\n/* 0x0000000000000000 */\n")
	f.Add("Function : k\n/*0000*/ LDC R1, c[0x0][0x2] ;\n/*0010*/ BRA 0x0 ;\n/*0020*/ EXIT;\n")
	f.Fuzz(func(t *testing.T, text string) {
		all, err := sass.Parse(text)
		for _, fn := range all {
			end := 0
			for _, b := range fn.Blocks() {
				if b.Start != end || b.End <= b.Start {
					t.Errorf("block %v after %d", b, end)
				}
				end = b.End
			}
			if end != len(fn.Instrs) || err != nil {
				t.Errorf("blocks end at %d of %d instructions; %v", end, len(fn.Instrs), err)
			}
		}
	})
}
