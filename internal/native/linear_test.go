package native_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/internal/native"
	"github.com/simtrun/simtrun/internal/program"
)

// shapeOfCode is a kind of long kernels, which are many pieces of code, each with its number.
type shapeOfCode struct {
	name   string
	before string
	after  func(pieces int) string
	instrs int // of a piece
	piece  func(i int) string
}

var shapesOfCode = []shapeOfCode{
	{"straight", "", nil, 4, func(i int) string {
		return fmt.Sprintf("\tshf.l.wrap.b32 %%r8, %%r%d, %%r%[1]d, %d;\n\txor.b32 %%r9, %%r8, %%r%d;\n\tadd.u32 %%r10, %%r9, %d;\n\tadd.u32 %%r%d, %%r%[5]d, %%r10;\n",
			i%8, 1+i%31, (i+3)%8, i&1023, (i+5)%8)
	}},
	{"values", "", nil, 4, func(i int) string { // each instruction has a register of its own, as in code that clang writes
		a := 100 + 4*i
		return fmt.Sprintf("\tshf.l.wrap.b32 %%r%d, %%r%d, %%r%[2]d, %d;\n\txor.b32 %%r%d, %%r%[1]d, %%r%d;\n\tadd.u32 %%r%d, %%r%[4]d, %d;\n\tadd.u32 %%r%d, %%r%d, %%r%[6]d;\n",
			a, max(a-1, 99), 1+i%31, a+1, max(a-17, 99), a+2, i&1023, a+3, max(a-40, 99))
	}},
	{"branches", "", nil, 6, func(i int) string {
		return fmt.Sprintf("\tsetp.lt.u32 %%p1, %%r%d, %%r%d;\n\t@%%p1 bra L%d;\n\tadd.u32 %%r%d, %%r%[4]d, %d;\n\tbar.warp.sync -1;\n\txor.b32 %%r%[4]d, %%r%[4]d, %%r%d;\nL%[3]d:\n\tadd.u32 %%r%[6]d, %%r%[6]d, %%r%[4]d;\n",
			i%8, (i+1)%8, i, (i+3)%8, i&1023, (i+5)%8)
	}},
	// One register after another becomes a vector, on the way that a walk in depth takes last.
	{"vectors", "", sumOfMany, 6, func(i int) string {
		return fmt.Sprintf("\tsetp.lt.u32 %%p1, %%r98, %d;\n\t@%%p1 bra V%d;\n\tmov.u32 %%r%d, %[1]d;\n\tbra.uni J%[2]d;\nV%[2]d:\n\tmov.u32 %%r%[3]d, %%r%d;\nJ%[2]d:\n\tadd.u32 %%r98, %%r98, 1;\n",
			i&1023, i, many+i, i%8)
	}},
	{"loops", "", nil, 6, func(i int) string {
		return fmt.Sprintf("\tmov.u32 %%r20, 0;\nL%d:\n\tadd.u32 %%r20, %%r20, 1;\n\txor.b32 %%r%d, %%r%[2]d, %%r20;\n\tadd.u32 %%r%d, %%r%[3]d, %%r%[2]d;\n\tsetp.lt.u32 %%p1, %%r20, %d;\n\t@%%p1 bra L%[1]d;\n",
			i, i%8, (i+3)%8, 2+i%5)
	}},
	{"exits", "", func(int) string { return "END:\n" }, 5, func(i int) string { // from many places to one
		return fmt.Sprintf("\tadd.u32 %%r%d, %%r%[1]d, %d;\n\txor.b32 %%r%d, %%r%[3]d, %%r%[1]d;\n\tmul.lo.u32 %%r%d, %%r%[3]d, 3;\n\tsetp.eq.u32 %%p1, %%r%[4]d, %d;\n\t@%%p1 bra END;\n",
			i%8, i&1023, (i+3)%8, (i+5)%8, 77+i&1023)
	}},
	{"nested", "\tmov.u32 %r20, 0;\nTOP:\n", func(int) string { return "\tadd.u32 %r20, %r20, 1;\n\tsetp.lt.u32 %p2, %r20, %r7;\n\t@%p2 bra TOP;\n" }, 6, func(i int) string {
		return fmt.Sprintf("\tsetp.lt.u32 %%p1, %%r%d, %%r%d;\n\t@%%p1 bra L%d;\n\tadd.u32 %%r%d, %%r%[4]d, %d;\n\tbar.warp.sync -1;\n\txor.b32 %%r%[4]d, %%r%[4]d, %%r%d;\nL%[3]d:\n\tadd.u32 %%r%[6]d, %%r%[6]d, %%r%[4]d;\n",
			i%8, (i+1)%8, i, (i+3)%8, i&1023, (i+5)%8)
	}},
	{"ladder", "", nil, 5, func(i int) string { // scalars become vectors one after another, from the end to the start
		return fmt.Sprintf("T%d:\n\tadd.u32 %%r%d, %%r%d, 1;\n\tadd.u32 %%r%[2]d, %%r%[2]d, 5;\n\tsetp.lt.u32 %%p1, %%r%[2]d, 1000;\n\t@%%p1 bra T%[4]d;\n",
			i, 30+i%90, 30+(i+1)%90, max(0, i-2))
	}},
}

// many is the first of the registers that sumOfMany reads.
const many = 100

func sumOfMany(pieces int) string {
	var s strings.Builder
	for i := range pieces {
		fmt.Fprintf(&s, "\tadd.u32 %%r5, %%r5, %%r%d;\n", many+i)
	}
	return s.String()
}

// kernelOf returns a kernel of about n instructions.
func kernelOf(k *shapeOfCode, n int) string {
	var s strings.Builder
	s.WriteString(".entry k(.param .u64 out)\n{\n\tld.param.u64 %rd1, [out];\n\tmad.lo.u32 %r99, %ctaid.x, %ntid.x, %tid.x;\n\tmov.u32 %r98, %ctaid.x;\n")
	for i := range 8 {
		fmt.Fprintf(&s, "\tmad.lo.u32 %%r%d, %%r99, %d, %d;\n", i, 2*i+1, 99*i)
	}
	s.WriteString(k.before)
	for i := range n / k.instrs {
		s.WriteString(k.piece(i))
	}
	if k.after != nil {
		s.WriteString(k.after(n / k.instrs))
	}
	s.WriteString("\tmad.wide.u32 %rd2, %r99, 4, %rd1;\n\tst.global.u32 [%rd2], %r5;\n\tret;\n}\n")
	return s.String()
}

// subjectIn returns the kernel of a module.
func subjectIn(t testing.TB, src string, level jit.Level) native.Subject {
	t.Helper()
	parsed, err := asm.Parse("k.s", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	mod, err := program.NewModule(parsed, true)
	if err != nil {
		t.Fatal(err)
	}
	p, err := mod.Lower(mod.Src.Entries()[0], program.Env{})
	if err != nil {
		t.Fatal(err)
	}
	return native.Subject{Program: p, Func: p.Kernel(), Shape: native.ShapeOf(isa.Dim{X: 256, Y: 1, Z: 1}), Level: level, Inert: true}
}

// inParts returns a subject in the parts in which it is compiled, or in parts of cut instructions unless that is 0.
func inParts(s native.Subject, cut int) (all []native.Subject) {
	parts := native.PartsOf(s.Func, s.Shape)
	if end := len(s.Func.Src.Code) + 1; cut > 0 {
		for pc := 0; pc < end; pc += cut {
			parts = append(parts, native.Part{First: pc, End: min(pc+cut, end)})
		}
	}
	for _, s.Part = range append(parts, native.Part{})[:max(len(parts), 1)] {
		all = append(all, s)
	}
	return all
}

// TestLongCodeTakesLinearTime: to compile a function four times as long, its blocks are visited about four times as
// often, whatever its shape, and no more often in parts.
func TestLongCodeTakesLinearTime(t *testing.T) {
	const short, long = 500, 2000
	for i := range shapesOfCode {
		k := &shapesOfCode[i]
		visits := func(s native.Subject, cut int) (all [3]int) {
			var compiler native.Compiler
			for _, s := range inParts(s, cut) {
				full, partial, walked := compiler.Visits(s)
				all[0], all[1], all[2] = all[0]+full, all[1]+partial, all[2]+walked
			}
			return all
		}
		few, kernel := visits(subjectIn(t, kernelOf(k, short), jit.AVX512), 0), subjectIn(t, kernelOf(k, long), jit.AVX512)
		for _, cut := range []int{0, short} {
			all := visits(kernel, cut)
			for i, most := range [...]int{5, 5, 12} { // divergent regions of the short function end earlier
				if all[i] > most*few[i]+50 {
					t.Errorf("%s: %d visits; of a function four times as long, in parts of %d: %d", k.name, few, cut, all)
					break
				}
			}
		}
	}
}
