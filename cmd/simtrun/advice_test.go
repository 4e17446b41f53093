package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/report"
)

// TestAdviceBoundsGains does what advice says, and compares what that gains with the bound.
func TestAdviceBoundsGains(t *testing.T) {
	for _, c := range []struct {
		kernel, rule string
		old, new     string // in the source
		least        float64
	}{
		{"strided_copy", "sectors", "%rd3, %r3, 32;", "%rd3, %r3, 4;", 0.1},
		{"conflicts", "bank-conflicts", "%r5, %r1, 32, %r2;", "%r5, %r2, 32, %r1;", 0.5},
		{"double_tail", "occupancy", "//sim:shared 100000", "//sim:shared 76800", 0.3},
		{"double_tail", "stall-wait", "fma.rn.f64      %fd1, %fd1, %fd2, %fd2;\n    add.u32", "fma.rn.f64      %fd3, %fd3, %fd2, %fd2;\n    add.u32", 0.05},
	} {
		source, err := os.ReadFile("../../docs/profile/" + c.kernel + ".s")
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(source), c.old) {
			t.Fatalf("%s lacks %q", c.kernel, c.old)
		}
		run := func(text string) *report.Launch {
			path := filepath.Join(t.TempDir(), c.kernel+".s")
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			d, _ := saved(t, path)
			return &d.Launches[0]
		}
		before, after := run(string(source)), run(strings.ReplaceAll(string(source), c.old, c.new))
		i := slices.IndexFunc(before.Advice, func(a report.Advice) bool { return a.Rule == c.rule })
		if i < 0 {
			t.Errorf("%s: no advice %s: %+v", c.kernel, c.rule, before.Advice)
			continue
		}
		gain, all := float64(before.Time.Cycles-after.Time.Cycles), float64(before.Time.Cycles)
		t.Logf("%s %s: of %.0f cycles it gains %.0f, at most %.0f", c.kernel, c.rule, all, gain, before.Advice[i].Gain)
		if gain > before.Advice[i].Gain || gain < c.least*all {
			t.Errorf("%s %s: of %.0f cycles it gains %.0f, at most %.0f", c.kernel, c.rule, all, gain, before.Advice[i].Gain)
		}
		if slices.ContainsFunc(after.Advice, func(a report.Advice) bool { return a.Rule == c.rule && a.Gain >= before.Advice[i].Gain }) {
			t.Errorf("%s: advice %s is still there: %+v", c.kernel, c.rule, after.Advice)
		}
	}
}
