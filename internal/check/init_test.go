package check_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/check"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

// initPrologue begins the kernels of initCases.
const initPrologue = `.global .u32 v; .global .b8 f[3] = {37, 100, 0}; .global .b8 g[6] = {37, 100, 37, 102, 0, 0};
.extern .func (.param .b32 q) __nv_sinf(.param .b32 a); .extern .func (.param .u64 q) malloc(.param .u64 a);
.extern .func (.param .u32 q) vprintf(.param .u64 a, .param .u64 b);
.func (.param .u32 q) unset() { ret; } .func (.param .u32 q) same(.param .u32 a) { .reg .u32 %x; ld.param.u32 %x, [a]; st.param.u32 [q], %x; ret; }
.func (.param .u32 q) seven(.param .u32 a) { st.param.u32 [q], 7; ret; }
.entry k(.param .u64 out, .param .u64 in) { .shared .align 16 .b32 s[128]; .local .align 8 .b32 l[4];
ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in]; mov.u32 %r1, %tid.x; mov.u32 %r2, s; mad.lo.u32 %r2, %r1, 4, %r2;
mad.wide.u32 %rd1, %r1, 4, %rd1; mad.wide.u32 %rd2, %r1, 4, %rd2;
`

// checkInit runs a kernel of 32 threads with a written and an unwritten buffer, and returns the findings.
func checkInit(t *testing.T, source string, cfg interp.Config) []interp.Warning {
	t.Helper()
	var found []interp.Warning
	k := kerneltest.Kernel{Source: source, Words: []int{256, 64}, Config: cfg}
	k.Driver = func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
		for _, r := range m.Regions() {
			if r.Name == "buffer 1" {
				r.SetUnwritten()
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

// TestInit: the verdicts of initCases, under each model of divergence, and in compiled code.
func TestInit(t *testing.T) {
	for _, c := range initCases {
		for _, model := range kerneltest.Models {
			var stdout bytes.Buffer
			cfg := interp.Config{Divergence: model, Stdout: &stdout}
			if model == divergence.IndependentThreads && !testing.Short() {
				cfg.Compile = interp.CompileAlways
			}
			found := checkInit(t, initPrologue+c.body+"ret;\n}\n", cfg)
			text := initText(found)
			if c.want == "" && len(found) > 0 || c.want != "" && (len(found) != 1 || !strings.Contains(text, c.want)) {
				t.Errorf("%s, %v: got %q, want %q", c.name, model, text, c.want)
			}
		}
	}
}
