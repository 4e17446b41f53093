package conformance

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strconv"
	"strings"
)

// operand is a register operand.
type operand struct {
	typ string
	reg int // the width of its register in bits; 0: that of the type, 16 for bytes
}

func (o operand) width() int {
	if o.reg > 0 {
		return o.reg
	}
	return max(operandBits(o.typ), 16)
}

func (o operand) isPred() bool  { return o.typ == "pred" }
func (o operand) isCarry() bool { return o.typ == carry }

func operands(types ...string) []operand {
	var out []operand
	for _, t := range types {
		out = append(out, operand{typ: t})
	}
	return out
}

// specimen is an instruction of a form on registers, and an evaluator.
type specimen struct {
	form
	dst, src []operand
	// args is the operands in PTX: $d0 and $s0 are the first result and the first source. "" has all operands in order.
	args string
	// eval returns the results for the sources.
	eval func(s []uint64) []uint64
	// match reports whether a result that differs from eval's is also right; nil: none is.
	match func(result int, s []uint64, want, got uint64) bool
	// warp replaces eval for 32 lanes; lanes with nil sources take no part. Such an instruction is not tried under a
	// guard.
	warp func(lanes [][]uint64) [][]uint64
	// values replaces the edges and random values of the sources' types.
	values [][]uint64
}

const blockThreads = 128

// Every specimen is executed in these ways.
const (
	plain   = iota
	guarded // half of the lanes, over an old value that the other lanes must keep
	aliased // the result is the register of the first source
	numWays
)

const oldValue = 0x5a5a_c3c3_0ff0_9669

// trial returns the trial of the specimen alone.
func (sp specimen) trial() trial { return trial{specimen: &sp} }

// onAllValues returns the launch of a kernel that executes the specimen on all tuples of values, one per thread. A
// thread reads its sources and a guard, and writes the results of each way, all in 8 bytes each. The values depend
// only on the types of the sources; at most edgeTuples of them are combinations of edges.
func (sp specimen) onAllValues(edgeTuples int) trial {
	types := make([]string, len(sp.src))
	for i, s := range sp.src {
		types[i] = s.typ
	}
	r := rand.New(rand.NewPCG(1, hash(strings.Join(types, " "))))
	values := sp.values
	if values == nil {
		values = tuples(types, edgeTuples, r)
	}
	for n := 0; len(values)%blockThreads != 0; n++ {
		values = append(values, values[n])
	}
	var in []byte
	guards := make([]bool, len(values))
	for i := range values {
		for k := range sp.src {
			v := values[i][k]
			if n := operandBits(sp.src[k].typ); n >= 8 && n < sp.src[k].width() { // bits above the type are ignored
				v |= r.Uint64() << n
			}
			in = binary.LittleEndian.AppendUint64(in, v)
		}
		guards[i] = r.IntN(2) == 0
		in = binary.LittleEndian.AppendUint64(in, uint64(b2i(guards[i])))
	}
	out := make([]byte, len(values)*numWays*len(sp.dst)*8)
	return trial{
		src: sp.kernel(), grid: dim(uint32(len(values)/blockThreads), 1), block: dim(blockThreads, 1), buffers: [][]byte{in, out}, columns: numWays * len(sp.dst),
		check: func(after [][]byte) error { return sp.check(values, guards, after[1]) },
	}
}

func hash(s string) uint64 {
	h := fnv.New64()
	h.Write([]byte(s))
	return h.Sum64()
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// result and source return the names of registers.
func result(k int) string { return "%d" + strconv.Itoa(k) }

func source(k int) string { return "%s" + strconv.Itoa(k) }

// canAlias reports whether the result can be the register of the first source.
func (sp *specimen) canAlias() bool {
	d, s := sp.dst[0], sp.src[0]
	return sp.warp == nil && !d.isCarry() && !s.isCarry() && d.isPred() == s.isPred() && d.width() == s.width()
}

func (sp *specimen) kernel() string {
	w := &kernelText{}
	w.line(".reg .b64 %%in, %%out;")
	w.line(".reg .b32 %%i, %%n, %%t, %%cc;")
	w.line(".reg .pred %%guard;")
	for k, s := range sp.src {
		w.declare(source(k), s)
	}
	for k, d := range sp.dst {
		w.declare(result(k), d)
	}
	w.line("mov.u32 %%i, %%ctaid.x;")
	w.line("mov.u32 %%n, %%ntid.x;")
	w.line("mov.u32 %%t, %%tid.x;")
	w.line("mad.lo.u32 %%i, %%i, %%n, %%t;")
	w.line("ld.param.u64 %%in, [in];")
	w.line("ld.param.u64 %%out, [out];")
	w.line("mad.wide.u32 %%in, %%i, %d, %%in;", 8*(len(sp.src)+1))
	w.line("mad.wide.u32 %%out, %%i, %d, %%out;", 8*len(sp.dst)*numWays)
	for k, s := range sp.src {
		w.load(source(k), 8*k, s)
	}
	w.line("ld.global.b32 %%t, [%%in+%d];", 8*len(sp.src))
	w.line("setp.ne.u32 %%guard, %%t, 0;")
	for way := range numWays {
		if way == guarded && sp.warp != nil || way == aliased && !sp.canAlias() {
			continue
		}
		sp.execute(w, way)
	}
	return header + ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n" + w.String() + "\tret;\n}\n"
}

// execute writes the specimen once and stores its results.
func (sp *specimen) execute(w *kernelText, way int) {
	guard := ""
	results := make([]string, len(sp.dst))
	for k := range sp.dst {
		results[k] = result(k)
	}
	sources := make([]string, len(sp.src))
	for k := range sp.src {
		sources[k] = source(k)
	}
	switch way {
	case guarded:
		guard = "@%guard "
		for k, d := range sp.dst {
			w.setOld(results[k], d)
		}
	case aliased:
		w.move(results[0], sources[0], sp.src[0])
		sources[0] = results[0]
	}
	for k, s := range sp.src {
		if s.isCarry() { // all ones and 1 carry
			w.line("add.cc.u32 %%t, %s, -1;", sources[k])
		}
	}
	w.line("%s%s %s;", guard, sp.text, sp.operandText(results, sources))
	for k, d := range sp.dst {
		w.store(results[k], 8*(way*len(sp.dst)+k), d)
	}
}

func (sp *specimen) operandText(results, sources []string) string {
	text := sp.args
	if text == "" {
		var all []string
		for k, d := range sp.dst {
			if !d.isCarry() {
				all = append(all, fmt.Sprint("$d", k))
			}
		}
		for k, s := range sp.src {
			if !s.isCarry() {
				all = append(all, fmt.Sprint("$s", k))
			}
		}
		text = strings.Join(all, ", ")
	}
	for k, r := range results {
		text = strings.ReplaceAll(text, fmt.Sprint("$d", k), r)
	}
	for k, s := range sources {
		text = strings.ReplaceAll(text, fmt.Sprint("$s", k), s)
	}
	return text
}

// check compares the kernel's results with eval.
func (sp *specimen) check(values [][]uint64, guards []bool, out []byte) error {
	var warp [][]uint64
	for i, s := range values {
		var want []uint64
		if sp.warp == nil {
			want = sp.eval(s)
		} else {
			if i%32 == 0 {
				warp = sp.warp(values[i : i+32])
			}
			want = warp[i%32]
		}
		for way := range numWays {
			if way == guarded && sp.warp != nil || way == aliased && !sp.canAlias() {
				continue
			}
			for k, d := range sp.dst {
				got := binary.LittleEndian.Uint64(out[8*((i*numWays+way)*len(sp.dst)+k):])
				if way == guarded && !guards[i] {
					if old := sp.old(s, d); got != old {
						return fmt.Errorf("%s %#x: result %d is %#x where the guard is false, was %#x", sp.text, s, k, got, old)
					}
					continue
				}
				if got != want[k] && (sp.match == nil || !sp.match(k, s, want[k], got)) {
					return fmt.Errorf("%s %#x: result %d is %#x, want %#x (%s)", sp.text, s, k, got, want[k],
						[...]string{"plain", "guarded", "result in the register of the first source"}[way])
				}
			}
		}
	}
	return nil
}

// old returns the value that result d keeps where the guard is false.
func (sp *specimen) old(s []uint64, d operand) uint64 {
	switch {
	case d.isPred():
		return 1
	case d.isCarry():
		for k := range sp.src {
			if sp.src[k].isCarry() {
				return s[k]
			}
		}
	}
	return truncate(oldValue, d.width())
}

// kernelText is the body of a kernel.
type kernelText struct{ strings.Builder }

func (w *kernelText) line(format string, args ...any) { fmt.Fprintf(w, "\t"+format+"\n", args...) }

func (w *kernelText) declare(name string, o operand) {
	switch {
	case o.isPred():
		w.line(".reg .pred %s;", name)
	case o.isCarry():
		w.line(".reg .b32 %s;", name)
	default:
		w.line(".reg .b%d %s;", o.width(), name)
	}
}

func (w *kernelText) load(name string, at int, o operand) {
	switch {
	case o.isPred():
		w.line("ld.global.b32 %%t, [%%in+%d];", at)
		w.line("setp.ne.u32 %s, %%t, 0;", name)
	case o.isCarry():
		w.line("ld.global.b32 %s, [%%in+%d];", name, at)
	default:
		w.line("ld.global.b%d %s, [%%in+%d];", o.width(), name, at)
	}
}

func (w *kernelText) store(name string, at int, o operand) {
	switch {
	case o.isPred():
		w.line("selp.b32 %%t, 1, 0, %s;", name)
		w.line("st.global.b32 [%%out+%d], %%t;", at)
	case o.isCarry():
		w.line("addc.u32 %s, 0, 0;", name)
		w.line("st.global.b32 [%%out+%d], %s;", at, name)
	default:
		w.line("st.global.b%d [%%out+%d], %s;", o.width(), at, name)
	}
}

func (w *kernelText) setOld(name string, o operand) {
	switch {
	case o.isPred():
		w.line("setp.eq.u32 %s, %%t, %%t;", name)
	case o.isCarry():
	case o.width() == 8: // mov has no bytes
		w.line("cvt.u8.u32 %s, %d;", name, truncate(oldValue, 8))
	default:
		w.line("mov.b%d %s, %d;", o.width(), name, truncate(oldValue, o.width()))
	}
}

func (w *kernelText) move(to, from string, o operand) {
	if o.isPred() {
		w.line("mov.pred %s, %s;", to, from)
	} else {
		w.line("mov.b%d %s, %s;", o.width(), to, from)
	}
}

// trials are the launches of specimens.
func trials(specimens ...specimen) []trial {
	var out []trial
	for _, sp := range specimens {
		out = append(out, sp.trial())
	}
	return out
}

// one returns the results of an instruction with one result.
func one(v uint64) []uint64 { return []uint64{v} }
