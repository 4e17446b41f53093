package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/report"
	"github.com/simtrun/simtrun/internal/short"
)

// TestAdviceBoundsGains follows each piece of advice and compares the gain with the bound that the advice gives.
func TestAdviceBoundsGains(t *testing.T) {
	short.Skip(t)
	for _, c := range []struct {
		kernel, rule string
		old, new     string // replacement in the source
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

// adviceCase is a kernel, a change that follows a piece of advice on it, and the least gain, as a fraction of the
// launch's cycles and of the bound.
type adviceCase struct {
	rule           string
	before, after  string // headers and bodies
	least, ofBound float64
}

// work is a loop in which each thread of the grid runs its share of n rounds of a body.
func work(header, body string) string {
	return "//sim:arg x = zeros:8192:u32\n" + header + `
.const .u32 table[32];
.entry k(.param .u64 x, .param .u32 n)
{
	.shared .u32 tile[1024];
	ld.param.u64 %rd1, [x];
	ld.param.u32 %r1, [n];
	mov.u32 %r2, %tid.x;
	mov.u32 %r3, %ctaid.x;
	mov.u32 %r4, %ntid.x;
	mov.u32 %r5, %nctaid.x;
	mad.lo.u32 %r6, %r3, %r4, %r2;
	mul.lo.u32 %r7, %r5, %r4;
	and.b32 %r8, %r2, 31;
	mul.wide.u32 %rd2, %r2, 4;
	mov.u64 %rd3, tile;
	add.u64 %rd4, %rd3, %rd2;
	add.u64 %rd5, %rd1, %rd2;
LOOP:
` + body + `
	add.u32 %r6, %r6, %r7;
	setp.lt.u32 %p1, %r6, %r1;
	@%p1 bra LOOP;
	ret;
}
`
}

// branches is a branch with two sides; lanes for which a number is less than a limit take the first.
func branches(less string) string {
	side := func(label string) string {
		return strings.Repeat("\tfma.rn.f32 %f1, %f1, %f2, %f3;\n", 16) + "\tbra " + label + ";\n"
	}
	return "\trem.u32 %r9, %r2, 128;\n\tsetp.lt.u32 %p2, " + less + ";\n\t@%p2 bra LESS;\n" + side("MEET") + "LESS:\n" + side("MEET") + "MEET:\n"
}

// exits is work for the lanes for which the condition does not hold; the others exit at once.
func exits(header, condition, body string) string {
	text := work(header, "\tmov.u32 %r9, 0;\nIN:\n"+body+"\tadd.u32 %r9, %r9, 1;\n\tsetp.lt.u32 %p3, %r9, 50;\n\t@%p3 bra IN;\n")
	return strings.Replace(text, "LOOP:\n", "\t"+condition+"\n\t@%p1 ret;\nLOOP:\n", 1)
}

// constants loads constants at an index.
func constants(index string) string {
	one := "\tld.const.u32 %r9, [%rd6];\n\tadd.u32 %r10, %r10, %r9;\n"
	return "\tmov.u32 %r11, " + index + ";\n\tmul.wide.u32 %rd7, %r11, 4;\n\tmov.u64 %rd6, table;\n\tadd.u64 %rd6, %rd6, %rd7;\n" + one
}

// parameters is a kernel that loads words of a large parameter, that many bytes apart: each line of constants is cold
// once on each SM.
func parameters(stride int) string {
	const size = 4000
	var loads strings.Builder
	for i := range 15 {
		fmt.Fprintf(&loads, "\tld.param.u32 %%r%d, [large+%d];\n\tadd.u32 %%r1, %%r1, %%r%[1]d;\n", 20+i, stride*i)
	}
	return fmt.Sprintf("//sim:grid 132\n//sim:block 32\n//sim:arg x = zeros:32:u32\n//sim:arg large = hex:%s\n", strings.Repeat("00", size)) +
		fmt.Sprintf(".entry k(.param .u64 x, .param .align 8 .b8 large[%d])\n{\n", size) +
		"\tld.param.u64 %rd1, [x];\n\tmov.u32 %r2, %tid.x;\n\tmul.wide.u32 %rd2, %r2, 4;\n\tadd.u64 %rd1, %rd1, %rd2;\n\tmov.u32 %r1, 0;\n" +
		loads.String() + "\tst.global.u32 [%rd1], %r1;\n\tret;\n}\n"
}

// fromL2 loads past L1 at addresses that many bytes apart.
func fromL2(what string, bytes int) string {
	return fmt.Sprintf("\tmul.wide.u32 %%rd6, %%r2, %d;\n\tadd.u64 %%rd6, %%rd1, %%rd6;\n", bytes) + strings.Repeat("\tld.global.cg."+what+", [%rd6];\n", 4)
}

// stores is n stores, each to lines of its own.
func stores(n int) (text string) {
	for i := range n {
		text += fmt.Sprintf("\tst.global.u32 [%%rd5+%d], %%r9;\n", 1024*i)
	}
	return text
}

// doubles is n independent products of doubles.
func doubles(n int) (text string) {
	for i := range n {
		text += fmt.Sprintf("\tfma.rn.f64 %%fd%d, %%fd%[1]d, %%fd0, %%fd0;\n", i+1)
	}
	return text
}

// uneven is work followed by a barrier. The first of eight warps has more work than the others, which have the given
// number of rounds.
func uneven(rounds int) string {
	first := 32 - 7*rounds
	return fmt.Sprintf("\tmov.u32 %%r9, 0;\n\tsetp.lt.u32 %%p2, %%r2, 32;\n\tselp.u32 %%r10, %d, %d, %%p2;\nIN:\n\tfma.rn.f32 %%f1, %%f1, %%f2, %%f3;\n\tadd.u32 %%r9, %%r9, 1;\n\tsetp.lt.u32 %%p3, %%r9, %%r10;\n\t@%%p3 bra IN;\n\tbar.sync 0;\n", first, max(1, rounds))
}

// Accesses to shared memory at %rd6: with results that nothing waits for, or that the next instruction waits for, and
// between barriers.
const (
	storeShared = "\tst.volatile.shared.u32 [%rd6], %r1;\n"
	loadShared  = "\tld.volatile.shared.u32 %r10, [%rd6];\n\tadd.u32 %r11, %r11, %r10;\n"
	between     = storeShared + "\tbar.sync 0;\n\tld.volatile.shared.u32 %r10, [%rd4];\n\tbar.sync 0;\n"
)

// inBanks is a body in which lanes access words of shared memory that many bytes apart.
func inBanks(stride int, body string) string {
	return fmt.Sprintf("\tmul.wide.u32 %%rd6, %%r8, %d;\n\tadd.u64 %%rd6, %%rd3, %%rd6;\n", stride) + body
}

// inSectors stores words of global memory that many bytes apart.
func inSectors(stride int) string {
	return fmt.Sprintf("\tand.b32 %%r9, %%r2, 1023;\n\tmul.wide.u32 %%rd6, %%r9, %d;\n\tadd.u64 %%rd6, %%rd1, %%rd6;\n\tst.global.u32 [%%rd6], %%r1;\n", stride)
}

// TestEveryAdviceGainsAsPromised follows the advice of every rule: the gain is at most the bound, and close enough to
// it that the bound means something.
func TestEveryAdviceGainsAsPromised(t *testing.T) {
	const chain = "\tfma.rn.f32 %f1, %f1, %f2, %f3;\n\tfma.rn.f32 %f1, %f1, %f2, %f3;\n\tfma.rn.f32 %f1, %f1, %f2, %f3;\n\tfma.rn.f32 %f1, %f1, %f2, %f3;\n"
	grid := func(blocks, threads, n int) string {
		return fmt.Sprintf("//sim:grid %d\n//sim:block %d\n//sim:arg n = %d", blocks, threads, n)
	}
	repeat := strings.Repeat
	for i, c := range []adviceCase{
		{"few-blocks", work(grid(4, 128, 1<<18), chain), work(grid(132, 128, 1<<18), chain), 0.9, 0.9},
		{"few-blocks", work(grid(1, 32, 1<<19), chain), work(grid(1056, 128, 1<<19), chain), 0.99, 0.9},
		{"residency", work(grid(132, 32, 1<<20), chain), work(grid(1056, 128, 1<<20), chain), 0.5, 0.5},
		{"tail", work(grid(265, 1024, 1<<21), chain), work(grid(264, 1024, 1<<21), chain), 0.05, 0.1},
		{"tail", work(grid(132, 128, 1<<20), strings.Replace(chain, "\tfma", "\tmov.u32 %r9, 0;\n\tsetp.lt.u32 %p2, %r3, 66;\n\tselp.u32 %r10, 16, 4, %p2;\nIN:\n\tfma", 1)+"\tadd.u32 %r9, %r9, 1;\n\tsetp.lt.u32 %p3, %r9, %r10;\n\t@%p3 bra IN;\n"),
			work(grid(132, 128, 1<<20), strings.Replace(chain, "\tfma", "\tmov.u32 %r9, 0;\n\tsetp.lt.u32 %p2, %r3, 66;\n\tselp.u32 %r10, 10, 10, %p2;\nIN:\n\tfma", 1)+"\tadd.u32 %r9, %r9, 1;\n\tsetp.lt.u32 %p3, %r9, %r10;\n\t@%p3 bra IN;\n"), 0.2, 0.5},
		{"divergence", work(grid(132, 1024, 1<<21), branches("%r8, 16")), work(grid(132, 1024, 1<<21), branches("%r9, 64")), 0.2, 0.4},
		{"early-exit", exits(grid(4224, 128, 1), "and.b32 %r9, %r2, 3;\n\tsetp.ne.u32 %p1, %r9, 0;", chain), exits(grid(1056, 128, 1), "mov.u32 %r9, 3;\n\tsetp.ne.u32 %p1, %r9, 3;", chain), 0.4, 0.5},
		{"block-size", work(grid(2112, 36, 1<<20), repeat(chain, 4)), work(grid(1188, 64, 1<<20), repeat(chain, 4)), 0.2, 0.4},
		{"constants", work(grid(132, 128, 1<<17), constants("%r8")), work(grid(132, 128, 1<<17), constants("0")), 0.3, 0.5},
		{"contention", work(grid(132, 128, 1<<19), "\tred.shared.add.u32 [%rd3], 2;\n"), work(grid(132, 128, 1<<19), "\tmov.u32 %r9, 64;\n\tsetp.eq.u32 %p2, %r8, 0;\n\t@%p2 red.shared.add.u32 [%rd3], %r9;\n"), 0.3, 0.4},
		{"busy", work(grid(132, 1024, 1<<21), doubles(8)), work(grid(132, 1024, 1<<21), doubles(3)), 0.2, 0.4},
		{"busy", work(grid(132, 1024, 1<<20), fromL2("v4.u32 {%r9, %r10, %r11, %r12}", 16)), work(grid(132, 1024, 1<<20), fromL2("u32 %r9", 4)), 0.2, 0.3},
		{"stall-drain", work(grid(1056, 256, 1), stores(8)), work(grid(1056, 256, 1), stores(2)), 0.2, 0.2},
		{"stall-math_pipe_throttle", work(grid(132, 1024, 1<<21), doubles(24)), work(grid(132, 1024, 1<<21), doubles(9)), 0.2, 0.4},
		// Volatile loads stay where they are: an assembler loads early what it may.
		{"stall-short_scoreboard", work(grid(132, 128, 1<<20), "\tld.volatile.shared.u32 %r9, [%rd4];\n\tadd.u32 %r10, %r10, %r9;\n\tld.volatile.shared.u32 %r9, [%rd4+128];\n\tadd.u32 %r10, %r10, %r9;\n"),
			work(grid(132, 128, 1<<20), "\tld.volatile.shared.u32 %r9, [%rd4];\n\tld.volatile.shared.u32 %r11, [%rd4+128];\n\tadd.u32 %r10, %r10, %r9;\n\tadd.u32 %r10, %r10, %r11;\n"), 0.2, 0.3},
		{"stall-long_scoreboard", work(grid(132, 128, 1<<18), "\tld.volatile.global.u32 %r9, [%rd5];\n\tadd.u32 %r10, %r10, %r9;\n\tld.volatile.global.u32 %r9, [%rd5+512];\n\tadd.u32 %r10, %r10, %r9;\n"),
			work(grid(132, 128, 1<<18), "\tld.volatile.global.u32 %r9, [%rd5];\n\tld.volatile.global.u32 %r11, [%rd5+512];\n\tadd.u32 %r10, %r10, %r9;\n\tadd.u32 %r10, %r10, %r11;\n"), 0.2, 0.3},
		{"stall-lg_throttle", work(grid(528, 256, 1<<18), repeat("\tst.global.u32 [%rd5], %r9;\n\tst.global.u32 [%rd5+4], %r9;\n\tst.global.u32 [%rd5+8], %r9;\n\tst.global.u32 [%rd5+12], %r9;\n", 2)),
			work(grid(528, 256, 1<<18), "\tand.b64 %rd6, %rd5, -16;\n"+repeat("\tst.global.v4.u32 [%rd6], {%r9, %r9, %r9, %r9};\n", 2)), 0.1, 0.2},
		{"stall-mio_throttle", work(grid(528, 256, 1<<19), repeat("\tst.shared.u32 [%rd4], %r9;\n", 8)), work(grid(528, 256, 1<<19), repeat("\tst.shared.u32 [%rd4], %r9;\n", 2)), 0.2, 0.4},
		{"stall-barrier", work(grid(132, 256, 1<<17), uneven(0)), work(grid(132, 256, 1<<17), uneven(4)), 0.1, 0.2},
		{"stall-membar", work(grid(132, 128, 1<<16), "\tst.global.u32 [%rd5], %r9;\n\tfence.acq_rel.gpu;\n"), work(grid(132, 128, 1<<16), "\tst.global.u32 [%rd5], %r9;\n\tfence.acq_rel.cta;\n"), 0.2, 0.4},
		{"stall-branch_resolving", work(grid(132, 128, 1<<19), "\tadd.u32 %r9, %r9, 1;\n"), work(grid(132, 128, 1<<17), repeat("\tadd.u32 %r9, %r9, 1;\n", 4)), 0.2, 0.4},
		{"stall-branch_resolving", work(grid(132, 128, 1<<20), "\tadd.u32 %r9, %r9, 1;\n"), work(grid(132, 128, 1<<14), repeat("\tadd.u32 %r9, %r9, 1;\n", 64)), 0.2, 0.6},
		{"stall-sleeping", work(grid(132, 128, 1<<16), "\tnanosleep.u32 400;\n"), work(grid(132, 128, 1<<16), "\tnanosleep.u32 100;\n"), 0.4, 0.5},
		{"stall-imc_miss", parameters(256), parameters(4), 0.2, 0.4},
		// Few blocks: what happens on their SMs counts, not what happens on an SM on average.
		{"bank-conflicts", work(grid(1, 256, 256), inBanks(128, storeShared)), work(grid(1, 256, 256), inBanks(4, storeShared)), 0.3, 0.7},
		{"bank-conflicts", work(grid(1, 1024, 1<<13), inBanks(128, storeShared)), work(grid(1, 1024, 1<<13), inBanks(4, storeShared)), 0.8, 0.9},
		{"bank-conflicts", work(grid(1, 1024, 1<<13), inBanks(128, between)), work(grid(1, 1024, 1<<13), inBanks(4, between)), 0.7, 0.8},
		{"bank-conflicts", work(grid(1, 256, 256), inBanks(128, loadShared)), work(grid(1, 256, 256), inBanks(4, loadShared)), 0.3, 0.8},
		{"bank-conflicts", work(grid(1, 32, 640), inBanks(128, loadShared)), work(grid(1, 32, 640), inBanks(4, loadShared)), 0.4, 0.9},
		{"bank-conflicts", work(grid(200, 128, 102400), inBanks(128, storeShared)), work(grid(200, 128, 102400), inBanks(4, storeShared)), 0.4, 0.7},
		{"sectors", work(grid(1, 512, 1<<12), inSectors(32)), work(grid(1, 512, 1<<12), inSectors(4)), 0.6, 0.8},
		{"sectors", work(grid(1, 256, 2560), inSectors(32)), work(grid(1, 256, 2560), inSectors(4)), 0.6, 0.8},
		{"constants", work(grid(1, 128, 1000), constants("%r8")), work(grid(1, 128, 1000), constants("0")), 0.3, 0.5},
		{"contention", work(grid(3, 128, 1<<13), "\tred.shared.add.u32 [%rd3], 2;\n"), work(grid(3, 128, 1<<13), "\tmov.u32 %r9, 64;\n\tsetp.eq.u32 %p2, %r8, 0;\n\t@%p2 red.shared.add.u32 [%rd3], %r9;\n"), 0.3, 0.4},
		{"divergence", work(grid(1, 1024, 1<<14), branches("%r8, 16")), work(grid(1, 1024, 1<<14), branches("%r9, 64")), 0.2, 0.4},
		{"stall-barrier", work(grid(1, 256, 1000), uneven(0)), work(grid(1, 256, 1000), uneven(4)), 0.1, 0.2},
		// 8 of 132 SMs have a second block.
		{"busy", work(grid(140, 1024, 1<<20), fromL2("v4.u32 {%r9, %r10, %r11, %r12}", 16)), work(grid(140, 1024, 1<<20), fromL2("u32 %r9", 4)), 0.2, 0.3},
	} {
		if !short.Skips(i) && !short.Waits(i, 8) {
			checkAdvice(t, &c)
		}
	}
}

// checkAdvice runs a case.
func checkAdvice(t *testing.T, c *adviceCase) {
	t.Helper()
	run := func(text string) *report.Launch {
		path := filepath.Join(t.TempDir(), "k.s")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		d, _ := saved(t, path)
		if len(d.Launches) == 0 {
			t.Fatalf("%s: %s\n%s", c.rule, d.Summary.Message, text)
		}
		return &d.Launches[0]
	}
	before, after := run(c.before), run(c.after)
	i := slices.IndexFunc(before.Advice, func(a report.Advice) bool { return a.Rule == c.rule })
	if i < 0 {
		t.Errorf("no advice %s: %+v", c.rule, before.Advice)
		return
	}
	advice := &before.Advice[i]
	gain, all := float64(before.Time.Cycles-after.Time.Cycles), float64(before.Time.Cycles)
	t.Logf("%s: of %.0f cycles it gains %.0f, at most %.0f: %s: %s", c.rule, all, gain, advice.Gain, advice.What, advice.Change)
	if gain > advice.Gain+0.5 || gain < c.least*all || gain < c.ofBound*advice.Gain {
		t.Errorf("%s: of %.0f cycles it gains %.0f, at most %.0f", c.rule, all, gain, advice.Gain)
	}
}

// TestAdviceLeavesMatrices checks that there is no advice on the sectors of wmma.load, because the program cannot
// choose its lanes.
func TestAdviceLeavesMatrices(t *testing.T) {
	path := filepath.Join(t.TempDir(), "k.s")
	source := kernelText(t, "advice_leaves_matrices.s")
	if err := os.WriteFile(path, []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	d, _ := saved(t, path)
	if i := slices.IndexFunc(d.Launches[0].Advice, func(a report.Advice) bool { return a.Rule == "sectors" }); i >= 0 {
		t.Errorf("advice: %s", d.Launches[0].Advice[i].What)
	}
}

// TestAdviceLetsOneLaneArrive checks for the advice that one lane should arrive for all, when all lanes arrive one by
// one.
func TestAdviceLetsOneLaneArrive(t *testing.T) {
	path := filepath.Join(t.TempDir(), "k.s")
	source := kernelText(t, "advice_on_mbarriers.s")
	if err := os.WriteFile(path, []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	d, _ := saved(t, path)
	i := slices.IndexFunc(d.Launches[0].Advice, func(a report.Advice) bool { return a.Rule == "contention" })
	if i < 0 || d.Launches[0].Advice[i].What != "32.0 lanes arrive at one mbarrier, in turn" || d.Launches[0].Advice[i].Change != "one lane arrives for its warp" {
		t.Errorf("advice: %+v", d.Launches[0].Advice)
	}
}

// TestSmallLaunchGetsSourceAdviceFirst checks that for a launch of one block, advice on its source comes before advice
// on SMs without a block.
func TestSmallLaunchGetsSourceAdviceFirst(t *testing.T) {
	conflicts := strings.Repeat("\tld.shared.u32 %r10, [%rd6];\n\tadd.u32 %r11, %r11, %r10;\n", 16)
	for rule, body := range map[string]string{
		"bank-conflicts": "\tmul.wide.u32 %rd6, %r8, 32;\n\tadd.u64 %rd6, %rd3, %rd6;\n" + conflicts,
		"sectors":        "\tmul.wide.u32 %rd6, %r2, 64;\n\tadd.u64 %rd6, %rd1, %rd6;\n\tld.global.u32 %r10, [%rd6];\n\tst.global.u32 [%rd6], %r10;\n",
		"divergence":     branches("%r8, 16"),
		"constants":      "\tmul.wide.u32 %rd6, %r8, 4;\n\tmov.u64 %rd7, table;\n\tadd.u64 %rd6, %rd6, %rd7;\n\tld.const.u32 %r10, [%rd6];\n\tadd.u32 %r11, %r11, %r10;\n",
	} {
		path := filepath.Join(t.TempDir(), rule+".s")
		if err := os.WriteFile(path, []byte(work("//sim:grid 1\n//sim:block 128\n//sim:arg n = 2048\n", body)), 0o644); err != nil {
			t.Fatal(err)
		}
		d, _ := saved(t, path)
		all := d.Launches[0].Advice
		few := slices.IndexFunc(all, func(a report.Advice) bool { return a.Rule == "few-blocks" })
		wrong := slices.IndexFunc(all, func(a report.Advice) bool { return a.Rule == rule })
		if wrong < 0 || few != len(all)-1 {
			t.Errorf("%s: advice %d, few-blocks %d of %d: %+v", rule, wrong, few, len(all), all)
		}
	}
}
