package launch

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/isa"
)

func TestHeaderSkipsComments(t *testing.T) {
	l, err := ParseHeader("k.s", ".", []byte(`// a comment
//sim:grid   132x4
//sim:block 128
  //sim:arg n = 7
/* off:
//sim:grid 9
*/ .entry k() { // /* no comment
//sim:dump out:f32:16
	add.u32 %r1, %r1, 1; //sim:allow race-waw not a directive
	.pragma "/*";
//sim:expect out[0:2] == 1 2
}
`))
	if err != nil {
		t.Fatal(err)
	}
	pos := func(line, col int32) Origin { return Origin{Pos: isa.Pos{File: "k.s", Line: line, Col: col}} }
	want := form{
		grid:  setting[isa.Dim]{isa.Dim{X: 132, Y: 4, Z: 1}, pos(2, 14), true},
		block: setting[isa.Dim]{isa.Dim{X: 128, Y: 1, Z: 1}, pos(3, 13), true},
		args:  []argument{{param: "n", value: value{number: "7"}, at: pos(4, 13)}},
	}
	opt := cmp.AllowUnexported(form{}, setting[isa.Dim]{}, setting[int]{}, setting[int64]{}, setting[bool]{}, setting[string]{}, argument{}, value{})
	if diff := cmp.Diff(want, l.short, opt); diff != "" {
		t.Error(diff)
	}
	if len(l.dumps) != 1 || l.dumps[0] != (dumpLine{owned: owned{name: "out"}, elem: F32, count: 16, at: pos(8, 12)}) {
		t.Errorf("dumps: %+v", l.dumps)
	}
	if len(l.expects) != 1 || l.expects[0].end != 2 {
		t.Errorf("expects: %+v", l.expects)
	}
}

func TestHeaderErrorsHavePlaces(t *testing.T) {
	for src, want := range map[string]string{
		"//sim:gird 4":                     `k.s:1:7: no directive "gird"; did you mean grid?`,
		"\n//sim:frobnicate 4":             `k.s:2:7: no directive "frobnicate"; there are buffer symbol`,
		"//sim:json":                       `k.s:1:7: no directive "json"; there are buffer`,
		"//sim:memory 1T":                  "k.s:1:14: a header may not set memory; that is for scripts and flags",
		"//sim:cooperative 4":              `cooperative takes no value, not "4"`,
		"//sim: grid 4":                    `k.s:1:7: no directive after //sim:; it follows without a blank, as in //sim:grid 4`,
		"//sim:":                           "k.s:1:7: no directive after //sim:",
		"//sim:grid=4":                     `k.s:1:7: no directive "grid=4"; a blank follows the name, as in grid …`,
		"//sim:grid(4)":                    `k.s:1:7: no directive "grid(4)"; a blank follows the name, as in grid …`,
		"//sim:grid = 4":                   "k.s:1:12: expected no =, as in grid 4",
		"//sim:threads 4":                  `k.s:1:7: no directive "threads"; did you mean block?`,
		"//sim:blocks 4":                   `k.s:1:7: no directive "blocks"; did you mean grid?`,
		"//sim:expect a == 0, 1":           `k.s:1:19: "0,": values are separated by blanks, not commas`,
		"//sim:kernel":                     "k.s:1:7: kernel without a name",
		"//sim:launch k grid 2":            `k.s:1:16: "grid" after the kernel; expected launch KERNEL grid=G`,
		"//sim:GRID 4":                     `k.s:1:7: no directive "GRID"; did you mean grid?`,
		"//sim:save out = x.bin":           "k.s:1:12: a header may not save; that is for scripts and flags",
		"//sim:gpu x9":                     `k.s:1:11: no GPU "x9"; there are a10, `,
		"//sim:gpu h100\n//sim:gpu v100":   "k.s:2:11: given before, at k.s:1:11",
		"//sim:gpu my.toml":                "k.s:1:11: my.toml: a header names a preset; files are for scripts and flags",
		"//sim:gpu ../h100":                "k.s:1:11: ../h100: a header names a preset; files are for scripts and flags",
		"//sim:regs 0":                     `k.s:1:12: "0" is not a number of registers per thread, from 1`,
		"//sim:registers 32":               `k.s:1:7: no directive "registers"; did you mean regs?`,
		"//sim:carveout 50":                "k.s:1:16: a header may not set the carve-out; that is for scripts and flags",
		"//sim:idealised":                  "k.s:1:7: a header may not idealise the occupancy; that is for scripts and flags",
		"//sim:sched gtw":                  `k.s:1:13: no warp scheduler "gtw"; there are gty, gto, oldest, stalled, lrr, bank-aware, random:SEED`,
		"//sim:sched random:x":             `k.s:1:13: "x" is not a seed: expected a number, as in random:7`,
		"//sim:cta-order linear":           "k.s:1:17: a header may not choose the order of blocks; that is for scripts and flags",
		"//sim:cost ptx":                   "k.s:1:12: a header may not choose costs; that is for scripts and flags",
		"//sim:dual-issue":                 "k.s:1:7: a header may not ask for dual issue; that is for scripts and flags",
		"//sim:divergence simd":            `no divergence model "simd"`,
		"//sim:path-order first":           `no path order "first"; there are taken, fallthrough, majority`,
		"//sim:grid 0":                     `k.s:1:12: "0" is not X, XxY`,
		"//sim:grid 4x":                    `"4x" is not X, XxY`,
		"//sim:grid 1x2x3x4":               "is not X, XxY",
		"//sim:grid 1\n//sim:grid 2":       "k.s:2:12: given before, at k.s:1:12",
		"//sim:shared lots":                `"lots" is not a number of bytes`,
		"//sim:max-steps 0":                `"0" is not a number of warp instructions`,
		"//sim:max-launch-steps 1.5":       `"1.5" is not a number of warp instructions`,
		"//sim:arg n":                      `expected NAME = VALUE, found "n"`,
		"//sim:arg n =":                    "no value",
		"//sim:arg n = (3)":                `"(3)" is not a value`,
		"//sim:arg n = x+y":                `"y" is not a number of bytes`,
		"//sim:arg n = hex:123":            "pairs of hexadecimal digits",
		"//sim:arg n = hex:1234[0=x":       "no ] at the end",
		"//sim:arg n = hex:1234[x]":        "places are written OFFSET=NAME",
		"//sim:arg n = zeros:4:f33":        `k.s:1:15: no element type "f33"`,
		"//sim:arg n = @../x":              "k.s:1:15: ../x is outside the source's folder",
		"//sim:arg n = bytes:@/etc/passwd": "is outside the source's folder",
		"//sim:expect a == @../x":          "k.s:1:19: ../x is outside the source's folder",
		"//sim:buffer 7 = zeros:1:u8":      `"7" cannot name a buffer`,
		"//sim:buffer a = 7":               `"7": no contents "7"; there are zeros:`,
		"//sim:buffer a = zeros:1:u8\n//sim:buffer a = zeros:1:u8": "buffer a is at k.s:1:14 already",
		"//sim:symbol a = 1\n//sim:symbol a = 1":                   "symbol a is set at k.s:1:14 already",
		"//sim:dump out:f32:0":                                     `"0" is not a number of elements`,
		"//sim:dump out:f32:1:2":                                   "expected NAME[:TYPE[:COUNT]], found",
		"//sim:launch grid=4":                                      "launch without a kernel; expected launch KERNEL",
		"//sim:launch k grid=4 blok=2":                             `k.s:1:23: no "blok" in a launch`,
		"//sim:launch k args=1,zeros:x:u8":                         `k.s:1:23: "x" elements`,
		"//sim:launch k stream=a/b":                                `"a/b" cannot name a stream; names are letters`,
		"//sim:launch k stream=":                                   `"" cannot name a stream`,
		"//sim:launch k stream=1 stream=2":                         "given before, at k.s:1:16",
		"//sim:launch k process=a/b":                               `"a/b" cannot name a process; names are letters`,
		"//sim:launch k process=1 percent=0":                       `"0" is not a percentage from 1 to 100`,
		"//sim:launch k process=1 process=2":                       "given before, at k.s:1:16",
		"//sim:dump a/b/c":                                         `expected NAME[:TYPE[:COUNT]], found "a/b/c"`,
		"//sim:dump /b":                                            `expected NAME[:TYPE[:COUNT]], found "/b"`,
		"//sim:expect a-b/c == 1":                                  `"a-b/c" is not a buffer's name`,
		"//sim:launch k l":                                         `"l" after the kernel; expected launch KERNEL`,
		"//sim:expect out":                                         "expected NAME[I:J] == V",
		"//sim:expect out ==":                                      "expected values after ==",
		"//sim:expect out == 1 @f":                                 "expected values after ==",
		"//sim:expect out[2:1] == 1":                               "from I up to, but excluding, J",
		"//sim:expect out[] == 1":                                  "from I up to",
		"//sim:expect out[1 == 1":                                  "from I up to",
		"//sim:expect out == 1 eps=3":                              `k.s:1:23: no option "eps"`,
		"//sim:expect out == 1 abs=-1":                             "is not a tolerance",
		"//sim:expect out == 1 abs=nan":                            "is not a tolerance",
		"//sim:expect out == 1 ulp=x":                              "units in the last place",
		"//sim:expect out == 1 type=f31":                           "no element type",
		"//sim:expect out == one":                                  `k.s:1:21: "one" is not a number`,
		"//sim:functional 4":                                       "functional takes no value",
	} {
		_, err := ParseHeader("k.s", ".", []byte(src))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", src, err, want)
		}
	}
	_, err := ParseHeader("k.s", ".", []byte("//sim:arg a = @/etc/passwd"))
	if !errors.Is(err, ErrOutside) {
		t.Errorf("%v is not ErrOutside", err)
	}
}

func TestScriptLinesBecomeFlags(t *testing.T) {
	l, err := ParseScript("run.sim", []byte("# two launches\n\nlaunch a grid=4 args=x,1\n  launch b\nsave x = x.bin\njson\nerror-exitcode 3\n"), []string{"json", "error-exitcode", "grid"})
	if err != nil {
		t.Fatal(err)
	}
	want := []Flag{
		{"json", "true", Origin{Pos: isa.Pos{File: "run.sim", Line: 6, Col: 1}}},
		{"error-exitcode", "3", Origin{Pos: isa.Pos{File: "run.sim", Line: 7, Col: 1}}},
	}
	if diff := cmp.Diff(want, l.Flags); diff != "" {
		t.Error(diff)
	}
	if len(l.launches) != 2 || len(l.launches[0].args) != 2 || len(l.saves) != 1 {
		t.Errorf("%+v", l)
	}
	_, err = ParseScript("run.sim", []byte("\njsno"), []string{"json"})
	if err == nil || err.Error() != `run.sim:2:1: no directive "jsno"; did you mean json?` {
		t.Errorf("error %v", err)
	}
}

// FuzzParseHeader checks that the parser, and the code that resolves its result against a kernel, return errors and
// never panic.
func FuzzParseHeader(f *testing.F) {
	for _, src := range []string{
		"//sim:grid 132x4\n//sim:block 128\n//sim:arg a = zeros:4096:f32\n//sim:arg n = -7\n//sim:dump a:f32:16\n//sim:expect a[0:4] == 0 3 6 9 abs=1",
		"//sim:buffer x = rand:9:bf16:7:-1:1\n//sim:launch k grid=2 block=3 shared=4 args=x+4,list:u8:1;2,hex:00[0=x],0f3f800000\n//sim:expect x == @f:1:2 type=u8",
		"//sim:symbol table = list:s16:1,2\n//sim:symbol p = table+2\n//sim:arg 0 = bytes:@f\n/*\n//sim:grid\n*/",
		"//sim:arg agg = hex:000102030405060708090a0b0c0d0e0f[8=a]\n//sim:arg a=iota:4:f16:0:0.1\n//sim:expect a[:3]==nan\n//sim:expect a[1]==-inf ulp=2",
	} {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		l, err := ParseHeader("k.s", "no such folder", []byte(src))
		if err != nil {
			if e := new(Error); !errors.As(err, &e) || !e.At.Pos.IsValid() {
				t.Errorf("%q: error without a place: %v", src, err)
			}
			return
		}
		p, err := NewPlan(testModule(), l)
		if err == nil && len(p.Launches) == 0 {
			t.Errorf("%q: no launch", src)
		}
	})
}

// TestHeaderIgnoresMarksAndLineEnds checks that a byte order mark, the kind of line ends, and comments after a
// directive have no influence.
func TestHeaderIgnoresMarksAndLineEnds(t *testing.T) {
	want := &Layer{}
	for i, src := range []string{
		"//sim:grid 2\n//sim:expect a == @a//b\n",
		"\ufeff//sim:grid 2\r\n//sim:expect a == @a//b\r\n",
		"//sim:grid 2 // two blocks\n//sim:expect a == @a//b\t/* all of it */\n",
	} {
		l, err := ParseHeader("k.s", ".", []byte(src))
		if err != nil {
			t.Fatalf("%q: %v", src, err)
		}
		if i == 0 {
			want = l
		}
		if l.short.grid != want.short.grid || len(l.expects) != 1 || !l.short.grid.given || len(l.Warnings) > 0 {
			t.Errorf("%q: %+v", src, l)
		}
	}
	l, err := ParseScript("run", []byte("\ufeff# all\ngrid 2 # two blocks\n"), nil)
	if err != nil || l.short.grid.value.X != 2 {
		t.Errorf("script: %+v, %v", l, err)
	}
}

// TestNearMissesOfDirectivesWarn checks that a comment that was meant as a directive gives a warning, and that other
// comments do not.
func TestNearMissesOfDirectivesWarn(t *testing.T) {
	for src, want := range map[string]string{
		"// sim:grid 2":           "k.s:1:1: this is a comment, not a directive; a directive begins its line, as in //sim:grid …",
		"//SIM:grid 2":            "k.s:1:1: this is a comment, not a directive; a directive begins its line, as in //sim:grid …",
		"\t/*sim:grid 2*/":        "k.s:1:2: this is a comment, not a directive; a directive begins its line, as in //sim:grid …",
		"//simt:grid 2":           "k.s:1:1: this is a comment, not a directive; a directive begins its line, as in //sim:grid …",
		"/* sim: grid 2 */":       "k.s:1:1: this is a comment, not a directive; a directive begins its line, as in //sim:grid …",
		"//sim grid 2":            "k.s:1:1: this is a comment, not a directive; a directive begins its line, as in //sim:grid …",
		"ret; //sim:expect x = 1": "k.s:1:6: this is a comment, not a directive; a directive begins its line, as in //sim:expect …",
		"// sim:gird 2":           "k.s:1:1: this is a comment, not a directive; a directive begins its line, as in //sim:grid …",
		"// //sim:grid 2":         "",
		"// sim kernel of a":      "",
		"// sim: the machine":     "",
		"// simple: grid":         "",
		".pragma \"//sim:grid\";": "",
		"/*\n// sim:grid 2\n*/":   "",
	} {
		l, err := ParseHeader("k.s", ".", []byte(src))
		if err != nil {
			t.Fatalf("%q: %v", src, err)
		}
		var got []string
		for _, w := range l.Warnings {
			got = append(got, w.Error())
		}
		if strings.Join(got, "\n") != want {
			t.Errorf("%q: %q, want %q", src, got, want)
		}
	}
}

// TestLongSourcesHaveNoCostByLine: looking for directives in PTX of compilers allocates nothing for a line of it.
func TestLongSourcesHaveNoCostByLine(t *testing.T) {
	allocations := func(lines int) float64 {
		src := []byte("//sim:grid 2\n" + strings.Repeat("\tadd.u32 \t%r1, %r1, %r2;\n", lines))
		return testing.AllocsPerRun(5, func() {
			if _, err := ParseHeader("k.ptx", "", src); err != nil || len(Allowances("k.ptx", src)) > 0 {
				t.Fatal(err)
			}
		})
	}
	if few, many := allocations(10), allocations(10_000); many > few+5 {
		t.Errorf("%v allocations with 10 lines, %v with 10000", few, many)
	}
}
