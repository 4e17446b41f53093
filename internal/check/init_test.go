package check_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/check"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/texture"
	"github.com/simtrun/simtrun/interp"
)

// initPrologue begins the kernels of testdata/uninitialised.txt.
const initPrologue = `.global .texref words; .global .u32 v; .global .b8 f[3] = {37, 100, 0}; .global .b8 g[6] = {37, 100, 37, 102, 0, 0};
.extern .func (.param .b32 q) __nv_sinf(.param .b32 a); .extern .func (.param .u64 q) malloc(.param .u64 a);
.extern .func (.param .u32 q) vprintf(.param .u64 a, .param .u64 b);
.func (.param .u32 q) unset() { ret; } .func (.param .u32 q) same(.param .u32 a) { .reg .u32 %x; ld.param.u32 %x, [a]; st.param.u32 [q], %x; ret; }
.func (.param .u32 q) seven(.param .u32 a) { st.param.u32 [q], 7; ret; }
.entry k(.param .u64 out, .param .u64 in) { .shared .align 16 .b32 s[128]; .local .align 8 .b32 l[4];
ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in]; mov.u32 %r1, %tid.x; mov.u32 %r2, s; mad.lo.u32 %r2, %r1, 4, %r2;
mad.wide.u32 %rd1, %r1, 4, %rd1; mad.wide.u32 %rd2, %r1, 4, %rd2;
`

// checkInit runs a kernel of one block with a written and an unwritten buffer, and returns the findings.
func checkInit(t *testing.T, source string, threads uint32, cfg interp.Config) []interp.Warning {
	t.Helper()
	var found []interp.Warning
	k := kerneltest.Kernel{Source: source, Block: kerneltest.Dim(threads, 1), Words: []int{256, 64}, Config: cfg}
	k.Driver = func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
		for _, r := range m.Regions() {
			if r.Name == "buffer 1" {
				r.SetUnwritten()
				words := texture.Shape{Kind: texture.D1, Width: 64, Height: 1, Depth: 1, Layers: 1, Levels: 1, Format: texture.Format{Channel: texture.U32, Channels: 1}}
				if err := m.Bind("words", &interp.Image{Type: isa.TexRef, Texture: texture.Texture{Shape: words, Sampler: texture.Sampler{Address: [3]texture.Address{texture.ClampEdge, texture.ClampEdge, texture.ClampEdge}}}, Region: r}); err != nil {
					t.Fatal(err)
				}
			}
		}
		c, err := check.AttachInit(m, &l)
		if err != nil {
			t.Fatal(err)
		}
		stats, err := functional.Run(t.Context(), m, l)
		found = c.Warnings(false)
		return stats, err
	}
	if _, _, err := k.Run(t); err != nil {
		t.Error(err)
	}
	return found
}

// initText is what reports of findings say.
func initText(all []interp.Warning) string {
	var b strings.Builder
	for _, w := range all {
		b.WriteString(w.Place.String() + " " + w.Msg + "\n" + strings.Join(w.Details(), "\n") + "\n")
	}
	return b.String()
}

// TestUninitialisedReadsAreFound: the verdicts of testdata/uninitialised.txt, under each model of divergence, and in
// compiled code.
func TestUninitialisedReadsAreFound(t *testing.T) {
	for _, c := range kerneltest.Cases(t, "testdata/uninitialised.txt", "finds") {
		want := c.Value(t, "finds")
		for _, model := range kerneltest.Models {
			var stdout bytes.Buffer
			cfg := interp.Config{Divergence: model, Stdout: &stdout}
			if model == divergence.IndependentThreads && !testing.Short() {
				cfg.Compile = interp.CompileAlways
			}
			found := checkInit(t, initPrologue+c.Body+"ret;\n}\n", 32, cfg)
			text := initText(found)
			if want == "" && len(found) > 0 || want != "" && (len(found) != 1 || !strings.Contains(text, want)) {
				t.Errorf("%s, %v: got %q, want %q", c.Name, model, text, want)
			}
		}
	}
}

// TestUnwrittenWarpgroupOperandsAreFound: products of a warpgroup, whose rows of A are in registers, and columns of B
// in shared memory. The last column is not written, or the rows of lanes 0 to 3 of each warp.
func TestUnwrittenWarpgroupOperandsAreFound(t *testing.T) {
	const column = "setp.lt.u32 %p1, %r1, 28;\nsetp.ge.u32 %p2, %r1, 32;\n@%p1 st.shared.u32 [%r2], 0;\n@%p2 st.shared.u32 [%r2], 0;\nbar.sync 0;\n"
	const row = "st.shared.u32 [%r2], 0;\nbar.sync 0;\nmov.u32 %r5, 0;\nand.b32 %r6, %r1, 28;\nsetp.ne.u32 %p1, %r6, 0;\nld.shared.u32 %r8, [s];\n@%p1 bra A;\nld.param.u64 %rd5, [in];\nld.global.u32 %r8, [%rd5];\nA:\n"
	const product = "mov.f32 %f0, 0f00000000;\nmov.f32 %f1, %f0;\nmov.f32 %f2, %f0;\nmov.f32 %f3, %f0;\nmov.b64 %rd9, 0x0000000800080000;\n" +
		"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, {%r8, %r9, %r8, %r9}, %rd9, 1, 1, 1, 0;\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n"
	for _, c := range []struct{ name, body, want string }{
		{"other columns", column + "mov.u32 %r8, 0;\nmov.u32 %r9, 0;\n" + product + "st.global.f32 [%rd1], %f0;\n", ""},
		{"the column", column + "mov.u32 %r8, 0;\nmov.u32 %r9, 0;\n" + product + "st.global.f32 [%rd1], %f1;\n", "lanes 3,7,11,15,19,23,27,31"},
		{"other rows", row + "mov.u32 %r9, 0;\n" + product + "st.global.f32 [%rd1], %f2;\n", ""},
		{"the row", row + "mov.u32 %r9, 0;\n" + product + "st.global.f32 [%rd1], %f0;\n", "warp 0 lanes 0-3"},
		{"the row, and D anew", row + "mov.u32 %r9, 0;\n" + product + "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, {%r9, %r9, %r9, %r9}, %rd9, 0, 1, 1, 0;\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n" + "st.global.f32 [%rd1], %f0;\n", ""},
	} {
		text := initText(checkInit(t, initPrologue+c.body+"ret;\n}\n", 128, interp.Config{}))
		if c.want == "" && text != "" || !strings.Contains(text, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, text, c.want)
		}
	}
}
