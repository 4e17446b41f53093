package debugger

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
)

// exchange is a command and its answer.
type exchange [2]string

// check executes commands and compares their answers.
func (b *bench) check(all []exchange) {
	b.t.Helper()
	for _, e := range all {
		if diff := cmp.Diff(e[1], b.do(e[0])); diff != "" {
			b.t.Errorf("%s:\n%s", e[0], diff)
		}
	}
}

// workAtBarrier runs the kernel work of several until its first warp is at the barrier: thread i has written 2i, plus
// one from 8 on, to box[i], and i to its mine[1]. The 16-bit flag is first in shared memory, so box is at 4.
func workAtBarrier(t *testing.T) *bench {
	b := newSeveral(t, divergence.IndependentThreads, 64, "work", "work")
	b.do("until 28")
	return b
}

// TestMemoryIsShownByName checks memory of all spaces by name, with values that follow from the code.
func TestMemoryIsShownByName(t *testing.T) {
	workAtBarrier(t).check([]exchange{
		{"p box[3]", "box[3] u32 = 6"},
		{"p box[8]", "box[8] u32 = 17"},
		{"p box[2:5]", "box[2:5] u32[3] = 4 6 8"},
		{"p box[:2]", "box[:2] u32[2] = 0 2"},
		{"p box[62:]", "box[62:] u32[2] = 0 0"},
		{"p box[r1]", "box[r1] u32   0-7: 2*lane   8-31: 2*lane+1"},
		{"p box[r1 + 60]", "box[r1 + 60] u32   0-3: 0   4-31: -"},
		{"p box[3] + box[4]", "box[3] + box[4] s64 = 14"},
		{"p box+12", "box+12 u64 = box+12 (0x10)"},
		{"p &box[3]", "&box[3] u64 = box+12 (0x10)"},
		{"p shared:box+12", "shared:box+12 u32 = 6"},
		{"p shared:box[3]", "shared:box[3] u32 = 6"},
		{"p shared.u8:box[12]", "shared.u8:box[12] u8 = 6"},
		{"p shared:16", "shared:16 u32 = 6"},
		{"p shared:16 == box[3] && shared:12+4 == 6", "shared:16 == box[3] && shared:12+4 == 6 = true"},
		{"p mine[1]", "mine[1] u32   0-31: lane"},
		{"p mine[1][7]", "mine[1][7] u32 = 7"},
		{"p mine", "mine u32[2]\n  [0] 0-31: 0\n  [1] 0-31: lane"},
		{"p local:mine+4", "local:mine+4 u32   0-31: lane"},
		{"p flag", "flag u16 = 0"},
		{"p weight", "weight f32[4] = 1 2 3 4"},
		{"p weight[2] / 2", "weight[2] / 2 f32 = 1.5"},
		{"p coef[1]", "coef[1] s32 = -2"},
		{"p counter", "counter u32 = 5"},
		{"p counter + 1", "counter + 1 s64 = 6"},
		{"p y[3]", "y[3] u32 = 0"},
		{"p n", "n u32 = 64"},
		{"p $r1", "$r1 u32   0-31: lane"},
		{"p $r1[9]", "$r1[9] u32 = 9"},
		{"x box+12", "box+12: 6"},
		{"x/2 box[3]", "box+12: 6 8"},
		{"x box[3:5]", "box+12: 6 8"},
		{"x/2 shared:box+12", "box+12: 6 8"},
		{"x/4 weight", "weight: 1 2 3 4"},
		{"x/2 weight+4", "weight+4: 2 3"},
		{"x/xw weight[1]", "weight+4: 0x40000000"},
		{"x counter", "counter: 5"},
		{"x/2 coef[1]", "coef+4: -2 -3"},
		{"x/2 mine", "mine: 0 0"},
		{"lane 5 x/2 mine", "mine: 0 5"},
		{"set box[3] = 99", "box[3] set"},
		{"set shared:box+16 = 77", "box[4] set"},
		{"p box[2:6]", "box[2:6] u32[4] = 4 99 77 10"},
		{"set weight[0] = 2.5", "weight[0] set"},
		{"p weight[0]", "weight[0] f32 = 2.5"},
		{"set var counter = 9", "counter set"},
		{"p counter", "counter u32 = 9"},
		{"set mine[0] = r1 + 1", "mine[0] in lanes 0-31 set"},
		{"p mine[0]", "mine[0] u32   0-31: lane+1"},
		{"set y[r1] = 7 - r1", "y[0:32] set"},
		{"p y[5:10]", "y[5:10] u32[5] = 2 1 0 4294967295 4294967294"},
	})
}

// TestMissingNamesAreRefused checks the errors for names and elements that do not exist.
func TestMissingNamesAreRefused(t *testing.T) {
	workAtBarrier(t).check([]exchange{
		{"p box[64]", "box has elements 0 to 63, not 64"},
		{"p y[-1]", "y has elements 0 to 63, not -1"},
		{"p coef[2:5]", "coef has elements 0 to 2; expected a range coef[I:J], from I up to, but excluding, J"},
		{"p box[2:4] + 1", "print, x and watch take several elements; an expression takes one"},
		{"p global:box", "that address is in shared memory, not global"},
		{"p y[1.5]", "what stands in [ ] is a number of an element"},
		{"p global:weight[0]+1.5", "an address is an integer, not f64"},
		{"p note[1]", "note is a variable of twice, where the lane in focus is not"},
		{"p boxx", "no register, parameter, buffer or variable boxx; did you mean box?"},
		{"set box = 1", "one element at a time can be set, as in set box[0] = 1"},
		{"break twice if nosuch > 3", "no register, parameter, buffer or variable nosuch"},
		{"p &r1", "& is for what is in memory, as in &y[3]"},
	})
}

// TestPointersShowBufferAndOffset checks that addresses are shown as buffers with offsets: y has 64 elements of 4
// bytes, and thread i stores to element i.
func TestPointersShowBufferAndOffset(t *testing.T) {
	b := newSeveral(t, divergence.IndependentThreads, 64, "work")
	b.do("break 32")
	b.do("c")
	for line, want := range map[string]string{
		"p rd1":        "rd1 u64   all: y",
		"p rd2":        "rd2 u64   0-31: y+4*lane",
		"p rd2 + 8":    "rd2 + 8 u64   0-31: y+4*lane+8",
		"p rd1 - 1":    "rd1 - 1 u64   all: ",
		"p rd2[3]":     "rd2[3] u64 = y+12 (0x",
		"p y + 256":    "y + 256 u64 = y+256 (0x", // just past the end
		"p/u rd2[3]":   "rd2[3] u64 = ",
		"p -rd1 * 4":   "-rd1 * 4 u64 ",
		"p &y[3]":      "&y[3] u64 = y+12 (0x",
		"p/a rd2":      "rd2 u64   0-31: y+4*lane",
		"p global:rd2": "global:rd2 u32   all: 0",
	} {
		if got := b.do(line); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

// TestWatchStopsAtOnlyStore watches memory by every kind of name: each watch stops at the only store, and names the
// written elements.
func TestWatchStopsAtOnlyStore(t *testing.T) {
	for _, c := range []struct{ watch, at, change string }{
		{"watch y[3]", "watch 1  y[3]  b0.w0  L32: ", "lane 3 writes y[3]\n  old 3: 0\n  new 3: 6\n"},
		{"watch y+12", "watch 1  y+12  b0.w0  L32: ", "lane 3 writes y[3]\n  old 3: 0\n  new 3: 6\n"},
		{"watch global:y+12", "watch 1  global:y+12  b0.w0  L32: ", "lane 3 writes y[3]\n  old 3: 0\n  new 3: 6\n"},
		{"watch &y[3]", "watch 1  &y[3]  b0.w0  L32: ", "lane 3 writes y[3]\n  old 3: 0\n  new 3: 6\n"},
		{"watch y[40]", "watch 1  y[40]  b0.w1  L32: ", "lane 8 writes y[40]\n  old 8: 0\n  new 8: 81\n"},
		{"watch y", "watch 1  y  b0.w0  L32: ", "lanes 0-31 write y[0:32]\n  old 0-31: 0\n  new 0-7: 2*lane   8-31: 2*lane+1\n"},
		{"watch y[6:9]", "watch 1  y[6:9]  b0.w0  L32: ", "lanes 6-8 write y[6:9]\n  old 6-8: 0\n  new 6: 12   7: 14   8: 17\n"},
		{"watch global.u8:y+13", "watch 1  global.u8:y+13  b0.w0  L32: ", "lane 3 writes y[3]\n"},
		{"watch box[3]", "watch 1  box[3] in b0  b0.w0  L27: ", "lane 3 writes box[3]\n  old 3: 0\n  new 3: 6\n"},
		{"watch shared:16", "watch 1  shared:16 in b0  b0.w0  L27: ", "lane 3 writes box[3]\n  old 3: 0\n  new 3: 6\n"},
		{"watch mine[1]", "watch 1  mine[1] in b0.w0 lanes 0-31  b0.w0  L19: ", "lanes 0-31 write mine[1]\n  old 0-31: 0\n  new 0-31: lane\n"},
		{"lane 9 watch mine[1]", "watch 1  mine[1] in b0.w0 lane 9  b0.w0  L19: ", "lane 9 writes mine[1]\n  old 9: 0\n  new 9: 9\n"},
		{"watch y[3] > 5", "watch 1  y[3] > 5  b0.w0  L32: ", "  old = false\n  new = true\n"},
		{"watch box[8] % 10", "watch 1  box[8] % 10 in b0  b0.w0  L27: ", "  old = 0\n  new = 7\n"},
		{"watch y if r1 == 5", "watch 1  y if r1 == 5  b0.w0  L32: ", "lane 5 writes y[5]\n  old 5: 0\n  new 5: 10\n"},
	} {
		b := newSeveral(t, divergence.IndependentThreads, 64, "work")
		b.do(c.watch)
		got := b.do("continue")
		first, _, _ := strings.Cut(c.at, " if ")
		if !strings.HasPrefix(got, first) || !strings.Contains(got, c.change) {
			t.Errorf("%s: %q", c.watch, got)
		}
	}
}

// TestUselessWatchIsRefused checks that a watch that can never trigger is refused.
func TestUselessWatchIsRefused(t *testing.T) {
	refused := []exchange{
		{"watch 5", "5 never changes: it has no register in it, and nothing in memory"},
		{"watch n", "n never changes: it has no register in it, and nothing in memory"},
		{"watch n + 5 == 3", "n + 5 == 3 never changes: it has no register in it, and nothing in memory"},
		{"watch y[64]", "y has elements 0 to 63, not 64"},
		{"watch y+256", "nothing is at global 0x"},
		{"watch global:5", "nothing is at global 0x5"},
		{"watch coef[1]", "coef is constant memory, which kernels only read; watch -r stops at that"},
		{"watch param:0", "parameters never change; watch a buffer, a variable, shared:ADDR or global:ADDR"},
		{"watch y if nosuch > 3", "no "},
	}
	b := newSeveral(t, divergence.IndependentThreads, 64, "work")
	within := append([]exchange{
		{"watch laneid", "laneid never changes: it has no register in it, and nothing in memory"},
		{"watch &box[3] == 5", "&box[3] == 5 never changes: it has no register in it, and nothing in memory"},
		{"watch shared:99999", "nothing is at shared 0x1869f"},
		{"watch -r r1", "r1 is a value; -r is for memory"},
	}, refused...)
	after := append([]exchange{
		{"watch box[3]", "shared memory has gone with the warps of the launch; restart starts over"},
		{"watch shared:4", "shared memory has gone with the warps of the launch; restart starts over"},
	}, refused...)
	for _, all := range [][]exchange{within, after} {
		for _, e := range all {
			if got := b.do(e[0]); !strings.HasPrefix(got, e[1]) {
				t.Errorf("%s: %q, want %q", e[0], got, e[1])
			}
		}
		if len(b.points) != 0 {
			t.Errorf("%d points", len(b.points))
		}
		b.do("continue")
	}
	if got := b.do("watch y[3]"); got != "watch 1 y[3]" {
		t.Errorf("a buffer can be watched for a restart: %q", got)
	}
	b.do("restart")
	if got := b.do("c"); !strings.Contains(got, "lane 3 writes y[3]") {
		t.Errorf("after a restart: %q", got)
	}
}

// TestMemoryCanBeInspectedAfterEnd checks that memory can be inspected after the launches: thread i of block 1, the
// last, has stored 2i, plus one from 8 on, in y[i].
func TestMemoryCanBeInspectedAfterEnd(t *testing.T) {
	b := newSeveral(t, divergence.IndependentThreads, 64, "work")
	b.do("continue")
	b.check([]exchange{
		{"p y[6:10]", "y[6:10] u32[4] = 12 14 17 19"},
		{"p n", "n u32 = 64"},
		{"x/2 y+36", "y+36: 19 21"},
		{"p box[3]", "shared memory has gone with the warps of the launch; restart starts over"},
		{"x box", "shared memory has gone with the warps of the launch; restart starts over"},
		{"p mine", "mine is a variable of work; local memory has gone with the warps of the launch"},
		{"p r1", "no parameter or buffer r1; registers have gone with the warps of the launch, restart starts over"},
		{"p nosuch", "no parameter or buffer nosuch; registers have gone with the warps of the launch, restart starts over"},
		{"p blockDim", "blockDim has gone with the warps of the launch, restart starts over"},
		{"p threadIdx.x", "threadIdx.x has gone with the warps of the launch, restart starts over"},
		{"info regs", errEnded.Error()},
		{"info findings", "no findings so far; simtrun run --check looks for more"},
		{"set y[3] = 1", "the launch has ended; nothing can be set"},
	})
	if got := b.do("info mem"); !strings.Contains(got, "global   y  u32[64]  256 bytes  at 0x") || !strings.HasSuffix(got, "shared and local memory exist only during a launch") {
		t.Errorf("info mem: %q", got)
	}
	b.do("restart")
	want := []string{"shared   flag  u16  2 bytes  of work  at 0x0", "shared   box  u32[64]  256 bytes  at 0x4", "local    mine  u32[2]  8 bytes  of work  at 0x0",
		"local    note  u16[2]  4 bytes  of twice", "const    coef  s32[3]  12 bytes  at 0x", "global   counter  u32  4 bytes  at 0x", "shared   260 bytes per block", "local    16 bytes per lane"}
	got := b.do("info mem")
	for _, line := range want {
		if !strings.Contains(got+"\n", line) {
			t.Errorf("info mem lacks %q:\n%s", line, got)
		}
	}
}

// TestFindingIsShownAgain checks that the finding that ended a launch can be shown again.
func TestFindingIsShownAgain(t *testing.T) {
	b := newSeveral(t, divergence.IndependentThreads, 64, "fault")
	b.do("continue")
	if got := b.do("info findings"); !strings.Contains(got, "load past the end of y [mem-oob]") {
		t.Errorf("%q", got)
	}
}

// TestHalvesRoundToNearestEven checks rounding to nearest even: 1 + 2^-11 is halfway between two numbers.
func TestHalvesRoundToNearestEven(t *testing.T) {
	for x, want := range map[float64]uint64{
		1: 0x3c00, -2: 0xc000, 65504: 0x7bff, 65519: 0x7bff, 65520: 0x7c00, 1e300: 0x7c00, 0x1p-24: 1, 0x1p-25: 0,
		0x1.8p-25: 1, 0x1p-14: 0x0400, 1 + 0x1p-11: 0x3c00, 1 + 0x3p-11: 0x3c02, 2047.9: 0x6800,
	} {
		if got := halfBits(x); got != want {
			t.Errorf("%v: %04x, want %04x", x, got, want)
		}
	}
	for bits := range uint64(0x7c00) {
		if got := halfBits(half(uint16(bits))); got != bits {
			t.Fatalf("%04x becomes %04x", bits, got)
		}
	}
}

// TestUnshownTypesAreShownAsWords checks that an object of a type that cannot be shown is shown as words.
func TestUnshownTypesAreShownAsWords(t *testing.T) {
	for typ, want := range map[isa.Type]isa.Type{isa.NoType: isa.U32, isa.B8: isa.U8, isa.F16x2: isa.U32, isa.B128: isa.U64, isa.F64: isa.F64} {
		if got := elemOf(typ); got != want {
			t.Errorf("%v: %v, want %v", typ, got, want)
		}
	}
}
