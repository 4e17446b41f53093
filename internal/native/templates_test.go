package native_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/conformance"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/interp"
)

// TestTemplatesMatchLaneFunctions executes every form of the table that has a template by lane functions alone, and
// compiled from the first instruction on: with operands of all classes, and with all modifications of results, on edges
// and random values. Both give the same bits, at every level of machine code.
func TestTemplatesMatchLaneFunctions(t *testing.T) {
	n, tried := 0, 0
	for _, s := range isa.Specs() {
		if !s.HasTemplates() || s.Kind != isa.Compute {
			continue
		}
		for form := range s.Forms() {
			for _, tt := range append(templateTrials(form), vectorTrials(form)...) {
				n++
				if short.Skips(n) || hasManyForms(form) && n%5 != 0 || short.Waits(n, 4) {
					continue
				}
				if tt.try(t, uint64(n)) {
					tried++
				}
			}
		}
	}
	if tried < short.Of(500) {
		t.Errorf("%d forms were tried", tried)
	}
	t.Logf("%d forms were tried; without a template: %s", tried, strings.Join(withoutTemplate(), " "))
}

// hasManyForms reports whether an instruction has hundreds of forms with one template: comparisons that combine their
// result with a predicate, and set. Every fifth is tried.
func hasManyForms(form isa.Instr) bool { return form.Mods[isa.BoolOp] != 0 || form.Spec.Name == "set" }

// withoutTemplate returns the forms that compilers were seen to emit and that only compute, for which compiled code
// calls the lane function.
func withoutTemplate() (forms []string) {
	for _, c := range conformance.Forms() {
		in, msg := isa.Resolve(c.Name)
		if msg != "" || in.Spec == nil || in.Spec.Kind != isa.Compute {
			continue
		}
		in.Args = make([]isa.Operand, 3)
		if in.Template(isa.Variant{DstBits: in.Types[0].Bits(), SrcBits: in.Types[1].Bits()}) == nil {
			forms = append(forms, c.Name)
		}
	}
	return forms
}

// A templateTrial is a form with operands of certain widths, some of them left out.
type templateTrial struct {
	in       isa.Instr
	operands []trialOperand
}

// trialOperand is an operand: of registers, several if it is a vector, or an immediate.
type trialOperand struct {
	formal *isa.Formal
	typ    isa.Type // of each register
	first  int      // number of its first register
	count  int      // of registers; 0 for an immediate
	vector bool     // there are several
}

// templateTrials returns the trials of a form: with and without its optional operands, and with the registers of
// conversions in all widths.
func templateTrials(form isa.Instr) (all []templateTrial) {
	widths := [][2]int{{}}
	if form.Spec.Wide {
		widths = nil
		for _, d := range registerWidths(form.Types[0]) {
			for _, s := range registerWidths(form.Types[1]) {
				widths = append(widths, [2]int{d, s})
			}
		}
	}
	for _, w := range widths {
		for _, present := range presences(form.Spec.Formals()) {
			if tt := newTemplateTrial(form, present, w); tt != nil {
				all = append(all, *tt)
			}
		}
	}
	return all
}

// vectorTrials are those of a mov that packs or unpacks.
func vectorTrials(form isa.Instr) (all []templateTrial) {
	for n := 2; n <= 4; n *= 2 {
		bits := form.Types[0].Bits() / n
		if form.Spec.Name != "mov" || form.Mods[isa.Vec] != 0 || form.Types[0].Class() != isa.Untyped || form.Types[0].Bits() > 64 || bits != 16 && bits != 32 {
			continue
		}
		formals := form.Spec.Formals()
		elem := map[int]isa.Type{16: isa.B16, 32: isa.B32}[bits]
		all = append(all, templateTrial{form, []trialOperand{
			{formal: &formals[0], typ: elem, count: n, vector: true},
			{formal: &formals[1], typ: form.Types[0], first: n, count: 1},
		}}, templateTrial{form, []trialOperand{
			{formal: &formals[0], typ: form.Types[0], count: 1},
			{formal: &formals[1], typ: elem, first: 1, count: n, vector: true},
		}})
	}
	return all
}

// registerWidths returns the widths of registers that a conversion of the type allows.
func registerWidths(t isa.Type) (widths []int) {
	for _, bits := range []int{16, 32, 64} {
		if bits == t.Bits() || bits > t.Bits() && (t.IsInt() || t.Bits() < 16) {
			widths = append(widths, bits)
		}
	}
	return widths
}

// presences returns the ways to leave out optional operands.
func presences(formals []isa.Formal) [][]*isa.Formal {
	all := [][]*isa.Formal{nil}
	for i := range formals {
		f := &formals[i]
		without := all
		all = nil
		for _, p := range without {
			all = append(all, append(slices.Clone(p), f))
			if f.Optional {
				all = append(all, p)
			}
		}
	}
	return all
}

// newTemplateTrial returns nil if there is no template.
func newTemplateTrial(form isa.Instr, present []*isa.Formal, widths [2]int) *templateTrial {
	form.Args = make([]isa.Operand, len(present))
	if form.Template(isa.Variant{DstBits: widths[0], SrcBits: widths[1]}) == nil {
		return nil
	}
	combined := func(f *isa.Formal) bool { return f.Optional && !f.Result && f.Type(form.Types, form.Mods) == isa.Pred }
	if slices.ContainsFunc(present, combined) != (form.Mods[isa.BoolOp] != 0) {
		return nil
	}
	tt := &templateTrial{in: form}
	registers := 0
	for i, f := range present {
		o := trialOperand{formal: f, typ: f.Type(form.Types, form.Mods), first: registers, count: 1}
		if f.Kind == isa.Immediate {
			o.count = 0
		}
		if w := widths[min(i, 1)]; w != 0 {
			o.typ = map[int]isa.Type{16: isa.B16, 32: isa.B32, 64: isa.B64}[w]
		}
		registers += o.count
		tt.operands = append(tt.operands, o)
	}
	return tt
}

// The threads of a launch: of blocks in which a subvector is a row.
const (
	trialRow     = 8
	trialRows    = 32
	trialCTAs    = 3
	trialThreads = trialRow * trialRows * trialCTAs
)

// try executes the trial both ways, if there is such an instruction.
func (tt *templateTrial) try(t *testing.T, seed uint64) bool {
	t.Helper()
	repeat := 1
	for _, o := range tt.operands {
		if o.count == 0 {
			repeat = 12
		}
	}
	return tt.tryKernels(t, seed, repeat, interp.CompileAlways, tt.kernel)
}

// tryKernels executes kernels both ways. It returns false if there is no such instruction.
func (tt *templateTrial) tryKernels(t *testing.T, seed uint64, kernels int, compile interp.Compilation, kernel func(turn int) (source string, columns int)) bool {
	t.Helper()
	for i := range kernels {
		source, columns := kernel(i)
		in := tt.values(rand.New(rand.NewPCG(seed, uint64(i))))
		mod, err := asm.Parse("k.ptx", []byte(source))
		if err != nil && i == 0 && tt.optional() {
			return false // some optional operands may be required together
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, source)
		}
		want := runTrial(t, mod, interp.Config{Compile: interp.CompileNever}, in, columns)
		levels := kerneltest.Levels()
		if testing.Short() {
			levels = []jit.Level{kerneltest.LevelOf(seed)}
		}
		for _, level := range levels {
			if got := runTrial(t, mod, interp.Config{Compile: compile, Lanes: level}, in, columns); !bytes.Equal(want, got) {
				t.Errorf("%s, %v: %s", tt.in.Mnemonic(), level, firstDifference(source, want, got))
				return true
			}
		}
	}
	return true
}

// optional reports whether the form has operands that may be left out.
func (tt *templateTrial) optional() bool {
	return slices.ContainsFunc(tt.in.Spec.Formals(), func(f isa.Formal) bool { return f.Optional })
}

func runTrial(t *testing.T, mod *isa.Module, cfg interp.Config, in []byte, columns int) []byte {
	t.Helper()
	m, err := kerneltest.New(mod, cfg)
	if err != nil {
		t.Fatal(err)
	}
	launch := interp.Launch{Kernel: "k", Grid: kerneltest.Dim(trialCTAs, 1), Block: kerneltest.Dim(trialRow, trialRows)}
	var data []byte
	for _, size := range []int{len(in), 8 * columns * trialThreads} {
		r, err := m.Alloc("buffer", int64(size))
		if err != nil {
			t.Fatal(err)
		}
		launch.Params = binary.LittleEndian.AppendUint64(launch.Params, r.Base)
		if data == nil {
			copy(r.Data, in)
		}
		data = r.Data
	}
	kerneltest.MustCompile(t, m, launch)
	return data
}

// firstDifference says which instruction in source had different bits, and in which thread.
func firstDifference(source string, want, got []byte) string {
	for i := 0; i < len(want); i += 8 {
		if w, g := binary.LittleEndian.Uint64(want[i:]), binary.LittleEndian.Uint64(got[i:]); w != g {
			column := i / 8 / trialThreads
			what, _, _ := strings.Cut(source[strings.Index(source, fmt.Sprintf("// column %d:", column)):], "\n\n")
			return fmt.Sprintf("thread %d: lane functions %#x, compiled %#x\n%s", i/8%trialThreads, w, g, what)
		}
	}
	return ""
}

// registerTypes are the types of the registers.
func (tt *templateTrial) registerTypes() (types []isa.Type) {
	for _, o := range tt.operands {
		for range o.count {
			types = append(types, o.typ)
		}
	}
	return types
}

// values returns for each thread as many words as there are registers, and one for a guard.
func (tt *templateTrial) values(r *rand.Rand) []byte {
	var in []byte
	for _, typ := range append(tt.registerTypes(), isa.Pred) {
		edges := trialEdges(typ)
		for range trialThreads {
			v := r.Uint64()
			switch r.IntN(5) {
			case 0, 1, 2:
				v = edges[r.IntN(len(edges))]
			case 3:
				v >>= r.IntN(64)
			}
			in = binary.LittleEndian.AppendUint64(in, v)
		}
	}
	return in
}

// trialEdges returns values that are likely to reveal errors: integers, counts and floats of the type's width.
func trialEdges(t isa.Type) (edges []uint64) {
	bits := t.Bits()
	if t == isa.Pred {
		return []uint64{0, 1}
	}
	for _, v := range []uint64{0, 1, 2, 3, 5, 7, 8, 9, 10, 15, 16, 17, 24, 31, 32, 33, 63, 64, 65, 100, 255, 0x3210, 0x80ff7f01} {
		edges = append(edges, v, -v)
	}
	for k := 6; k < bits; k++ {
		edges = append(edges, 1<<k, 1<<k-1, -(uint64(1) << k))
	}
	fraction := map[int]int{16: 10, 32: 23, 64: 52}[bits]
	one := uint64(1)<<(bits-2) - 1<<fraction
	infinity := uint64(1)<<(bits-1) - 1<<fraction
	for _, v := range []uint64{1, 1<<fraction - 1, 1 << fraction, 1<<fraction + 1, one, one + 1, one - 1, one + 1<<fraction, one + 1<<(fraction-1),
		one - 1<<fraction, one - uint64(fraction+1)<<fraction, one + uint64(fraction)<<fraction + 1, one + uint64(bits-1)<<fraction, one + uint64(bits)<<fraction,
		infinity - 1, infinity, infinity + 1, infinity + 1<<(fraction-1), infinity + 1<<(fraction-1) + 5, infinity + 1<<(fraction-2)} {
		edges = append(edges, v, v|1<<(bits-1))
	}
	return edges
}

// kernel returns a kernel that executes the instruction in all ways, and the number of results of each thread. turn
// selects its immediates.
func (tt *templateTrial) kernel(turn int) (source string, columns int) {
	k := trialKernel{tt: tt, turn: turn * 7}
	k.begin()
	vectors, uniform, affine := k.ofClass('v'), k.ofClass('u'), k.ofClass('f')
	k.whole(vectors)
	k.whole(uniform)
	k.whole(affine)
	for _, guard := range []string{"@%p ", "@!%p "} {
		for _, sources := range [][]string{vectors, uniform} {
			k.note()
			k.load('d', "%rd1")
			k.execute(guard, k.ofClass('d'), sources)
			k.store()
		}
	}
	for _, sources := range [][]string{vectors, uniform, affine} {
		k.masked(sources)
	}
	for i := range tt.operands {
		k.operand(i, vectors, uniform, affine)
	}
	k.complements(vectors)
	k.twice(vectors)
	k.discards(vectors)
	return k.end(), k.columns
}

// trialKernel is the text of a kernel. Its registers are named by a letter and a number: %d of
// results, %v of vector operands, %u of those uniform in each subvector, and %f of affine ones.
type trialKernel struct {
	tt      *templateTrial
	turn    int
	columns int
	text    strings.Builder
}

func (k *trialKernel) line(format string, args ...any) {
	fmt.Fprintf(&k.text, "\t"+format+"\n", args...)
}

func (k *trialKernel) begin() {
	k.text.WriteString(".version 8.7\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n")
	k.line(".reg .pred %%p; .reg .b16 %%zero; .reg .b32 %%r<9>; .reg .b64 %%rd<9>;")
	for i, typ := range k.tt.registerTypes() {
		for _, class := range "dvuf" {
			k.line(".reg .%s %%%c%d;", typ.Storage(), class, i)
		}
	}
	k.line("mov.b16 %%zero, 0;")
	k.line("mov.u32 %%r1, %%tid.x; mov.u32 %%r2, %%tid.y; mov.u32 %%r3, %%ctaid.x;")
	k.line("mad.lo.u32 %%r4, %%r3, %d, %%r2; mad.lo.u32 %%r5, %%r4, %d, %%r1;", trialRows, trialRow)
	k.line("cvt.u64.u32 %%rd4, %%r1;")
	k.line("ld.param.u64 %%rd1, [in]; ld.param.u64 %%rd2, [out];")
	k.line("mad.wide.u32 %%rd3, %%r4, 8, %%rd1; mad.wide.u32 %%rd1, %%r5, 8, %%rd1; mad.wide.u32 %%rd2, %%r5, 8, %%rd2;")
	k.read("p", isa.Pred, "%rd1", len(k.tt.registerTypes()))
	k.line("selp.u32 %%r6, 1, 0, %%p;")
	k.load('v', "%rd1")
	k.load('u', "%rd3")
	k.load('f', "%rd3")
	strides := []int{1, 4, -3, 7, 12}
	for i, typ := range k.tt.registerTypes() {
		switch stride := strides[i%len(strides)]; {
		case typ.Class() == isa.Float || typ == isa.Pred:
		case typ.Bits() == 32:
			k.line("mad.lo.s32 %%f%d, %%r1, %d, %%f%d;", i, stride, i)
		case typ.Bits() == 64:
			k.line("mad.lo.s64 %%f%d, %%rd4, %d, %%f%d;", i, stride, i)
		}
	}
}

func (k *trialKernel) end() string {
	k.line("ret;")
	return k.text.String() + "}\n"
}

// load reads all registers of a class.
func (k *trialKernel) load(class rune, base string) {
	for i, typ := range k.tt.registerTypes() {
		k.read(fmt.Sprintf("%c%d", class, i), typ, base, i)
	}
}

// read reads a register from column i of the input.
func (k *trialKernel) read(reg string, typ isa.Type, base string, i int) {
	if typ == isa.Pred {
		k.line("ld.global.u32 %%r8, [%s+%d]; and.b32 %%r8, %%r8, 1; setp.ne.u32 %%%s, %%r8, 0;", base, 8*trialThreads*i, reg)
		return
	}
	k.line("ld.global.b%d %%%s, [%s+%d];", typ.Bits(), reg, base, 8*trialThreads*i)
}

// ofClass returns the operands as registers of a class.
func (k *trialKernel) ofClass(class rune) (texts []string) {
	for i := range k.tt.operands {
		texts = append(texts, k.registersOf(i, class))
	}
	return texts
}

// registersOf returns operand i as registers of a class.
func (k *trialKernel) registersOf(i int, class rune) string {
	o := &k.tt.operands[i]
	if o.count == 0 {
		k.turn++
		return fmt.Sprint(k.turn * 37 % 256)
	}
	if o.vector {
		var elems []string
		for n := range o.count {
			elems = append(elems, fmt.Sprintf("%%%c%d", class, o.first+n))
		}
		return "{" + strings.Join(elems, ", ") + "}"
	}
	return fmt.Sprintf("%%%c%d", class, o.first)
}

// execute writes the instruction.
func (k *trialKernel) execute(guard string, results, sources []string) {
	if k.carries() {
		k.line("add.cc.u32 %%r8, %%r6, 0xffffffff;")
	}
	fmt.Fprintf(&k.text, "\t%s%s", guard, k.tt.in.Mnemonic())
	for i := range k.tt.operands {
		o := &k.tt.operands[i]
		separator, text := ", ", sources[i]
		if o.formal.Result {
			text = results[i]
		} else if o.count == 0 {
			text = k.registersOf(i, 0)
		}
		switch {
		case i == 0:
			separator = " "
		case o.formal.Name == 'q':
			separator = "|"
		}
		k.text.WriteString(separator + text)
	}
	k.text.WriteString(";\n")
}

// carries reports whether the instruction reads or writes the carry flag.
func (k *trialKernel) carries() bool { return k.tt.in.Spec.CarryIn || k.tt.in.Mods[isa.CC] != 0 }

// note marks where a column's instruction begins.
func (k *trialKernel) note() { fmt.Fprintf(&k.text, "\n// column %d:\n", k.columns) }

// store writes the results.
func (k *trialKernel) store() {
	if k.carries() {
		k.line("addc.u32 %%r7, 0, 0;")
		k.storeOne("%r7", isa.U32)
	}
	for i := range k.tt.operands {
		o := &k.tt.operands[i]
		for n := range o.count {
			if o.formal.Result {
				k.storeOne(fmt.Sprintf("%%d%d", o.first+n), o.typ)
			}
		}
	}
}

func (k *trialKernel) storeOne(reg string, typ isa.Type) {
	at := fmt.Sprintf("[%%rd2+%d]", 8*trialThreads*k.columns)
	switch {
	case typ == isa.Pred:
		k.line("selp.u32 %%r8, 1, 2, %s; st.global.u32 %s, %%r8;", reg, at)
	case typ.Bits() == 16: // the slot's upper bits show in a pair
		k.line("mov.b32 %%r8, {%s, %%zero}; st.global.u32 %s, %%r8;", reg, at)
	default:
		k.line("st.global.b%d %s, %s;", typ.Bits(), at, reg)
	}
	k.columns++
	if typ == isa.Pred || k.columns%7 != 0 {
		return
	}
	fmt.Fprintf(&k.text, "\tbar.sync 0;\n") // a run ends here
}

// whole executes the instruction in all lanes.
func (k *trialKernel) whole(sources []string) {
	k.note()
	k.execute("", k.ofClass('d'), sources)
	k.store()
}

// masked executes the instruction in some lanes only.
func (k *trialKernel) masked(sources []string) {
	k.note()
	k.load('d', "%rd1")
	label := fmt.Sprintf("L%d", k.columns)
	k.line("@%%p bra %s;", label)
	k.execute("", k.ofClass('d'), sources)
	k.text.WriteString(label + ":\n")
	k.store()
}

// operand executes the instruction with operand i in another class, as an immediate, and as the result.
func (k *trialKernel) operand(i int, vectors, uniform, affine []string) {
	o := &k.tt.operands[i]
	if o.formal.Result || o.count == 0 {
		return
	}
	with := func(of []string, text string) []string {
		of = slices.Clone(of)
		of[i] = text
		return of
	}
	k.whole(with(vectors, uniform[i]))
	k.whole(with(vectors, affine[i]))
	k.whole(with(uniform, affine[i]))
	k.whole(with(affine, uniform[i]))
	typ := o.formal.Type(k.tt.in.Types, k.tt.in.Mods)
	if typ.Class() != isa.Float {
		typ = o.typ // as wide as the register
	}
	half := typ.Class() == isa.Float && typ != isa.F32 && typ != isa.F64 // which no constant can be
	if o.count == 1 && o.typ != isa.Pred && o.formal.Kind == isa.Value && !half {
		edges := trialEdges(o.typ)
		for n, of := range [][]string{vectors, uniform, affine, vectors, affine} {
			e := edges[(k.turn*31+n*17+i*5+k.columns*3)%len(edges)]
			k.whole(with(of, immediateText(typ, e)))
		}
	}
	d := &k.tt.operands[0]
	if d.typ.Storage() != o.typ.Storage() || d.count != 1 || o.count != 1 {
		return
	}
	for _, guard := range []string{"", "@%p "} { // the result is in the operand's register
		k.note()
		k.load('d', "%rd1")
		k.execute(guard, k.ofClass('d'), with(vectors, "%d0"))
		k.store()
	}
	k.masked(with(vectors, "%d0"))
}

// immediateText returns an operand of the type with given bits.
func immediateText(t isa.Type, v uint64) string {
	switch {
	case t == isa.F32:
		return fmt.Sprintf("0f%08X", uint32(v))
	case t == isa.F64:
		return fmt.Sprintf("0d%016X", v)
	case t.Bits() == 64:
		return fmt.Sprintf("%#x", v)
	}
	return fmt.Sprintf("%#x", v&(1<<t.Bits()-1))
}

// complements executes the instruction with complemented predicates as sources.
func (k *trialKernel) complements(vectors []string) {
	for i := range k.tt.operands {
		o := &k.tt.operands[i]
		if o.typ != isa.Pred || o.formal.Result || o.formal.Kind != isa.Value || k.tt.in.Types[0] == isa.Pred {
			continue
		}
		of := slices.Clone(vectors)
		of[i] = "!" + of[i]
		if k.tt.in.Spec.Name != "selp" {
			k.whole(of)
		}
	}
}

// twice uses the result as a source of the next instruction.
func (k *trialKernel) twice(vectors []string) {
	for i := range k.tt.operands {
		o := &k.tt.operands[i]
		if o.formal.Result || o.count != 1 || o.typ.Storage() != k.tt.operands[0].typ.Storage() {
			continue
		}
		k.note()
		k.execute("", k.ofClass('d'), vectors)
		of := slices.Clone(vectors)
		of[i] = "%d0"
		k.execute("", k.ofClass('d'), of)
		k.store()
	}
}

// discards executes the instruction without its second result.
func (k *trialKernel) discards(vectors []string) {
	for i := range k.tt.operands {
		if k.tt.operands[i].formal.Name != 'q' {
			continue
		}
		results := k.ofClass('d')
		results[i] = "_"
		k.note()
		k.load('d', "%rd1")
		k.execute("", results, vectors)
		k.store()
	}
}
