package debugger

import (
	"strings"
	"testing"

	"github.com/simtrun/simtrun/divergence"
)

// partingKernel is a kernel in which lanes 16 to 31 take another branch.
const partingKernel = `.entry k(.param .u64 out)
{
	mov.u32 %r1, %laneid;
	mov.u32 %r2, 7;
	setp.gt.u32 %p1, %r1, 15;
	@%p1 bra HIGH;
	mul.lo.u32 %r2, %r1, %r1;
	add.u32 %r2, %r2, 1;
HIGH:
	ret;
}
`

// TestInactiveLanesAreDimmed checks that text about inactive lanes is dimmed if the output supports it; marks and
// widths are unchanged.
func TestInactiveLanesAreDimmed(t *testing.T) {
	b := newBench(t, partingKernel, 32, divergence.ReconvergenceStack)
	b.do("u 8")
	if got := b.do("info mask"); !strings.Contains(got, "active   0000ffff") {
		t.Fatal(got)
	}
	plain := make(map[string]string)
	lines := []string{"p r1", "p r2", "info lanes", "info stack", "heat", "display r1"}
	for _, line := range lines[:5] {
		plain[line] = b.do(line)
	}
	b.cfg.Dim = func(text string) string { return "<" + text + ">" }
	for line, want := range map[string]string{
		"p r1":       "<[16-31: lane]>",
		"info lanes": "  <16-31     waiting to reconverge at L10>",
		"info stack": "<-         ffff0000",
		"heat":       "l16-31  ####<.>",
	} {
		got := b.do(line)
		if !strings.Contains(got, want) {
			t.Errorf("%s:\n%s\nwant %s", line, got, want)
		}
		if bare := strings.NewReplacer("<", "", ">", "").Replace(got); bare != strings.NewReplacer("<", "", ">", "").Replace(plain[line]) {
			t.Errorf("%s: beside the marks:\n%s\nwithout them:\n%s", line, bare, plain[line])
		}
	}
}

// TestOutputKeepsToWidth checks that values, heat and help keep to the width.
func TestOutputKeepsToWidth(t *testing.T) {
	const columns = 40
	b := newBench(t, partingKernel, 32, divergence.ReconvergenceStack)
	b.cfg.Columns = func() int { return columns }
	b.do("until HIGH")
	for _, line := range []string{"p r2", "p r1 * r1 * r1 * r1", "p r1 & 1", "p/x r1", "p r1 % 3 == 0", "heat", "help cond", "help print"} {
		got := b.do(line)
		if !strings.Contains(got, "\n") {
			t.Errorf("%s: one line: %s", line, got)
		}
		for row := range strings.Lines(got) {
			if row = strings.TrimSuffix(row, "\n"); len(row) > columns && !strings.HasPrefix(row, "heat ") {
				t.Errorf("%s: %d columns: %q", line, len(row), row)
			}
		}
	}
	var lanes []string
	for row := range strings.Lines(b.do("p r2")) {
		lanes = append(lanes, strings.Fields(row)[1:]...)
	}
	if want := "1 2 5 10 17 26 37 50"; !strings.Contains(strings.Join(lanes, " "), want) {
		t.Errorf("%q does not hold %s", lanes, want)
	}
}
