package asm

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/short"
)

func TestHeaderDirectivesAreParsed(t *testing.T) {
	type header struct {
		Version, Target string
		AddressSize     int
	}
	for _, c := range []struct {
		src  string
		want header
	}{
		{"", header{"", "", 64}},
		{".version 6.3\n.target sm_70, debug\n.address_size 32\n", header{"6.3", "sm_70, debug", 32}},
	} {
		m := parse(t, c.src)
		if diff := cmp.Diff(c.want, header{m.Version, m.Target, m.AddressSize}); diff != "" {
			t.Errorf("%q: %s", c.src, diff)
		}
	}
	if errs := parseErrors(t, []byte(".address_size 16")); len(errs) != 1 {
		t.Errorf("address size 16: %v", errs)
	}
}

func TestFunctionDirectivesAreParsed(t *testing.T) {
	m := parse(t, `
.extern .func (.param .b32 r) f(.param .b64 p);
.func (.param .b32 r) f(.param .b64 p) { ret; }
.func g() .noreturn { exit; }
.weak .entry k1(.param .align 8 .b8 s[24], .param .u64 .ptr .shared .align 32 q) .reqntid 8, 4 .maxnreg 40 { ret; }
.entry k2 { ret; }`)
	var got []string
	for _, f := range m.Funcs {
		got = append(got, fmt.Sprintf("%s %s entry=%v defined=%v noreturn=%v", f.Linkage, f.Name, f.Entry, f.Defined, f.NoReturn))
	}
	want := []string{
		".extern f entry=false defined=false noreturn=false",
		" f entry=false defined=true noreturn=false",
		" g entry=false defined=true noreturn=true",
		".weak k1 entry=true defined=true noreturn=false",
		".visible k2 entry=true defined=true noreturn=false",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	k1 := m.Entry("k1")
	if want := (isa.Dim{X: 8, Y: 4, Z: 1}); k1.ReqNTID != want || k1.MaxRegs != 40 {
		t.Errorf("reqntid %v, maxnreg %d", k1.ReqNTID, k1.MaxRegs)
	}
	wantParams := []*isa.Var{
		{Name: "s", Space: isa.Param, Type: isa.B8, Vec: 1, Count: 24, Array: true, Align: 8},
		{Name: "q", Space: isa.Param, Type: isa.U64, Vec: 1, Count: 1, Align: 8, Ptr: &isa.Ptr{Space: isa.Shared, Align: 32}},
	}
	if diff := cmp.Diff(wantParams, k1.Params, sameModule); diff != "" {
		t.Error(diff)
	}
}

func TestVariableDeclarationsAreParsed(t *testing.T) {
	m := parse(t, `
.extern .global .u32 later;
.extern .shared .align 16 .b8 dynamic[];
.shared .v4 .f32 v[2][3];
.global .u32 later = 7;`)
	want := []*isa.Var{
		{Name: "later", Space: isa.Global, Type: isa.U32, Vec: 1, Count: 1, Align: 4, Init: []isa.Init{{Bits: 7}}},
		{Name: "dynamic", Space: isa.Shared, Linkage: isa.Extern, Type: isa.B8, Vec: 1, Array: true, Align: 16},
		{Name: "v", Space: isa.Shared, Type: isa.F32, Vec: 4, Count: 6, Array: true, Align: 16},
	}
	if diff := cmp.Diff(want, m.Vars, sameModule); diff != "" {
		t.Error(diff)
	}
}

func TestInstructionsHavePositions(t *testing.T) {
	m := parse(t, `.entry k()
{
	.file 3 "a.cu"
	mov.u32 %r1, 1;
	.loc 3 17 5
	@%p1 add.s32 %r1, %r1, 2;
L:	ret; /* two
lines */ exit;
}`)
	k := m.Entry("k")
	loc := isa.Pos{File: "a.cu", Line: 17, Col: 5}
	for pc, want := range []struct{ pos, loc isa.Pos }{
		{isa.Pos{File: "x.s", Line: 4, Col: 2}, isa.Pos{}},
		{isa.Pos{File: "x.s", Line: 6, Col: 7}, loc},
		{isa.Pos{File: "x.s", Line: 7, Col: 4}, loc},
		{isa.Pos{File: "x.s", Line: 8, Col: 10}, loc},
	} {
		if in := k.Code[pc]; in.Pos != want.pos || in.Loc != want.loc {
			t.Errorf("instruction %d at %v, loc %v; want %v, %v", pc, in.Pos, in.Loc, want.pos, want.loc)
		}
	}
	if want := (isa.Pos{File: "x.s", Line: 9, Col: 1}); k.End != want {
		t.Errorf("end at %v, want %v", k.End, want)
	}
}

// TestInlinedLocationsNameTheirCallers: a .loc has the position where its function was inlined and, from the .loc at
// that position, where the other function was inlined in turn.
func TestInlinedLocationsNameTheirCallers(t *testing.T) {
	m := parse(t, `.entry k()
{
	.file 1 "a.cu"
	.file 2 "b.h"
	.loc 1 10 5
	mov.u32 %r1, 1;
	.loc 2 7 3, function_name $L__info_string0, inlined_at 1 10 5
	mov.u32 %r1, 2;
	.loc 2 3 1, function_name $L__info_string0+24, inlined_at 2 7 3
	mov.u32 %r1, 3;
	.loc 1 11 5
	ret;
}`)
	at := func(file string, line, column int32) isa.Pos { return isa.Pos{File: file, Line: line, Col: column} }
	outer := &isa.Inlined{At: at("a.cu", 10, 5), Function: "$L__info_string0"}
	for pc, want := range []*isa.Inlined{nil, outer, {At: at("b.h", 7, 3), By: outer, Function: "$L__info_string0+24"}, nil} {
		if diff := cmp.Diff(want, m.Entry("k").Code[pc].Inlined); diff != "" {
			t.Errorf("instruction %d (-want +got):\n%s", pc, diff)
		}
	}
}

// manyKernels returns a module of about the given number of lines, in kernels of a thousand instructions as compilers
// write them.
func manyKernels(lines int) []byte {
	var b strings.Builder
	b.WriteString(".version 7.0\n.target sm_80\n.address_size 64\n")
	for k := 0; k*1000 < lines; k++ {
		fmt.Fprintf(&b, ".visible .entry kernel%d(\n\t.param .u64 kernel%d_param_0,\n\t.param .u32 kernel%d_param_1\n)\n{\n", k, k, k)
		b.WriteString("\t.reg .pred \t%p<101>;\n\t.reg .b32 \t%r<401>;\n\t.reg .f32 \t%f<301>;\n\t.reg .b64 \t%rd<301>;\n\n")
		for i := range 99 {
			fmt.Fprintf(&b, `	ld.param.u64 	%%rd%d, [kernel%d_param_0];
	mov.u32 	%%r%d, %%tid.x;
	mul.wide.u32 	%%rd%d, %%r%d, 4;
	add.s64 	%%rd%d, %%rd%d, %%rd%d;
	ld.global.f32 	%%f%d, [%%rd%d+-4];
	fma.rn.f32 	%%f%d, %%f%d, 0f40490FDB, %%f1;
	st.global.v2.f32 	[%%rd%d+8], {%%f%d, %%f%d};
	setp.lt.s32 	%%p%d, %%r%d, %d;
	@%%p%d bra 	$L__BB%d_%d;
$L__BB%d_%d:                              // =>This Inner Loop Header: Depth=1
`, 3*i, k, 4*i, 3*i+1, 4*i, 3*i+2, 3*i, 3*i+1, 3*i, 3*i+2, 3*i+1, 3*i, 3*i+2, 3*i, 3*i+1, i, 4*i, i, i, k, i, k, i)
		}
		b.WriteString("\tret;\n}\n")
	}
	return []byte(b.String())
}

// manyCalls returns a kernel of about the given number of lines, full of direct and indirect calls and branches
// through lists.
func manyCalls(lines int) []byte {
	var b strings.Builder
	b.WriteString(".func (.param .b32 r) f(.param .b32 a) { ret; }\n.entry k() {\n")
	for i := range lines / 16 {
		fmt.Fprintf(&b, `L%d:	{
	.param .b32 param0;
	st.param.b32 [param0], %%r1;
	.param .b32 retval0;
	call (retval0), f, (param0);
	ld.param.b32 %%r%d, [retval0];
	}
	{
	.param .b32 param0;
	.param .b32 retval0;
	prototype_%d : .callprototype (.param .b32 _) _ (.param .b32 _);
	call (retval0), %%rd1, (param0), prototype_%d;
	}
	list%d: .branchtargets L%d, L%d;
	{ list: .branchtargets L%d; brx.idx %%r1, list; }
	brx.idx %%r1, list%d;
`, i, i, i, i, i, i, i/2, i, i)
	}
	b.WriteString("}\n")
	return []byte(b.String())
}

func BenchmarkParse(b *testing.B) {
	src := manyKernels(20000)
	lines := strings.Count(string(src), "\n")
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse("bench.ptx", src); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(lines)*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
}

// TestParseIsLinear compares the cost of one module with that of one four times as long, in one kernel, in many, and
// in one full of calls: allocations exactly, time roughly.
func TestParseIsLinear(t *testing.T) {
	short.Alternates(t, 2, 3)
	oneKernel := func(lines int) []byte {
		var b strings.Builder
		b.WriteString(".entry k() {\n.reg .b32 %r<1000000>;\n")
		for i := range lines / 2 {
			fmt.Fprintf(&b, "L%d:\tadd.s32 %%r%d, %%r%d, %d;\n\t{ .reg .b32 t; mov.u32 t, 1; }\n", i, i+1, i, i)
		}
		b.WriteString("}\n")
		return []byte(b.String())
	}
	sources := []struct {
		name string
		of   func(lines int) []byte
	}{{"kernels", manyKernels}, {"one kernel", oneKernel}, {"calls", manyCalls}}
	for _, source := range sources[:short.Of(len(sources))] {
		name := source.name
		cost := func(lines int) (allocs float64, fastest time.Duration) {
			src := source.of(lines)
			fastest = time.Hour
			allocs = testing.AllocsPerRun(3, func() {
				start := time.Now()
				if _, err := Parse("x.s", src); err != nil {
					t.Fatal(err)
				}
				fastest = min(fastest, time.Since(start))
			})
			return allocs, fastest
		}
		// Other work on the machine can distort a time, but not all of them.
		for attempt := range 5 {
			allocs1, time1 := cost(3000)
			allocs4, time4 := cost(12000)
			if ratio := allocs4 / allocs1; ratio > 4.4 {
				t.Errorf("%s: 4 times the lines take %.1f times the allocations", name, ratio)
			}
			ratio := float64(time4) / float64(time1)
			if ratio <= 10 {
				break
			}
			if attempt == 4 {
				t.Errorf("%s: 4 times the lines take %.1f times as long", name, ratio)
			}
		}
	}
}
