package conformance

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// barrierModel is an mbarrier by the PTX ISA: counts of the present phase and the number of completed phases.
type barrierModel struct {
	expected, pending, tx int
	phases                int
}

func (b *barrierModel) settle() {
	if b.pending == 0 && b.tx == 0 {
		b.phases++
		b.pending = b.expected
	}
}

// barrierOp is an operation with its effect on a model; nil if it must not come next.
type barrierOp struct {
	name  string // without order, scope and space
	count int
	state bool // the state is its result
	apply func(b *barrierModel) bool
}

// someOps are operations with counts that may come next.
func someOps(b *barrierModel, r *rand.Rand) []barrierOp {
	n, bytes := 1+r.IntN(3), 16*(1+r.IntN(4))
	arrive := func(n, tx int, drop bool) func(b *barrierModel) bool {
		return func(b *barrierModel) bool {
			if n > b.pending || drop && n >= b.expected {
				return false
			}
			b.tx += tx
			if drop {
				b.expected -= n
			}
			b.pending -= n
			b.settle()
			return true
		}
	}
	notLast := func(apply func(b *barrierModel) bool) func(b *barrierModel) bool {
		return func(b *barrierModel) bool {
			before := b.phases
			return apply(b) && b.phases == before
		}
	}
	transact := func(tx int) func(b *barrierModel) bool {
		return func(b *barrierModel) bool { b.tx += tx; b.settle(); return true }
	}
	done := bytes
	if b.tx > 0 {
		done = b.tx
	}
	return []barrierOp{
		{"arrive", n, true, arrive(n, 0, false)},
		{"arrive", 0, true, arrive(1, 0, false)},
		{"arrive.expect_tx", bytes, true, arrive(1, bytes, false)},
		{"arrive.noComplete", n, true, notLast(arrive(n, 0, false))},
		{"arrive_drop", n, true, arrive(n, 0, true)},
		{"arrive_drop", 0, true, arrive(1, 0, true)},
		{"arrive_drop.expect_tx", bytes, true, arrive(1, bytes, true)},
		{"arrive_drop.noComplete", n, true, notLast(arrive(n, 0, true))},
		{"expect_tx", bytes, false, transact(bytes)},
		{"complete_tx", done, false, transact(-done)},
	}
}

// mbarriers has each thread execute random operations on its own mbarrier, and observe it after each: the arrivals
// that were pending before, and whether the phases before and now are complete, by parity and by state. The form
// replaces the operation of its kind.
func mbarriers(f form) []trial {
	var all []trial
	for seed := range uint64(3) {
		all = append(all, mbarrierTrial(f, seed))
	}
	return all
}

// mnemonicOf returns the mnemonic of an operation in the trial: that of the form itself, if the operation is of its
// kind.
func mnemonicOf(f form, name string) string {
	if bareOf(f) == "mbarrier."+name {
		return f.text
	}
	if name == "pending_count" {
		return "mbarrier.pending_count.b64"
	}
	return "mbarrier." + name + ".shared.b64"
}

const observed = 31 // observations are mixed by products with it

// barrierTrial is a trial of a form under construction, one operation after the other.
type barrierTrial struct {
	kernelText
	f     form
	r     *rand.Rand
	model barrierModel
	mixed uint32 // the kernel's mixed observations so far
}

func mbarrierTrial(f form, seed uint64) trial {
	b := &barrierTrial{f: f, r: rand.New(rand.NewPCG(seed, hash(f.text)))}
	b.line(".shared .align 8 .b64 bars[32];")
	b.line("mov.u64 %%rd1, bars;")
	b.line("mad.wide.u32 %%rd1, %%r0, 8, %%rd1;")
	b.line("cvta.shared.u64 %%rd2, %%rd1;")
	b.line("mov.u32 %%r1, 0;")
	b.init(seed == 1)
	for step := range 16 {
		op, next := b.someOp(step)
		b.execute(op, next)
		b.observeParities()
	}
	return perThread(b.String(), 32, func(int) uint32 { return b.mixed })
}

// at returns the mbarrier operand of an operation: by its generic address if only the form itself allows one.
func (b *barrierTrial) at(mnemonic string) string {
	if mnemonic == b.f.text && !b.f.has("shared") && !strings.Contains(mnemonic, "shared") {
		return "[%rd2]"
	}
	return "[%rd1]"
}

// observe mixes a register, which must hold v, into the kernel's observations.
func (b *barrierTrial) observe(reg string, v uint32) {
	b.line("mad.lo.u32 %%r1, %%r1, %d, %s;", observed, reg)
	b.mixed = b.mixed*observed + v
}

// observePhase observes the result of a test in %p1.
func (b *barrierTrial) observePhase(complete bool) {
	b.line("selp.u32 %%r2, 1, 0, %%p1;")
	b.observe("%r2", uint32(b2i(complete)))
}

// init initialises the mbarrier. With again, or for a form that invalidates one, it initialises a second one in its
// place.
func (b *barrierTrial) init(again bool) {
	m := &b.model
	m.expected = 4 + b.r.IntN(5)
	m.pending = m.expected
	init := mnemonicOf(b.f, "init")
	b.line("%s %s, %d;", init, b.at(init), m.expected)
	if inval := mnemonicOf(b.f, "inval"); again || inval == b.f.text {
		b.line("%s %s;", inval, b.at(inval))
		m.expected++
		m.pending++
		b.line("%s %s, %d;", init, b.at(init), m.expected)
	}
}

// someOp returns an operation that may come next, and the model after it. A complete_tx before its expect_tx is rare,
// and few bytes are expected at a time.
func (b *barrierTrial) someOp(step int) (op barrierOp, next barrierModel) {
	wanted := strings.TrimPrefix(bareOf(b.f), "mbarrier.")
	for {
		ops := someOps(&b.model, b.r)
		op = ops[b.r.IntN(len(ops))]
		if step == 0 || step%3 == 0 && b.r.IntN(2) == 0 { // the form itself
			for _, o := range ops {
				if o.name == wanted {
					op = o
				}
			}
		}
		tx := b.model.tx
		if step > 0 && op.name == "complete_tx" && tx <= 0 && b.r.IntN(4) > 0 || tx > 400 && strings.HasSuffix(op.name, "expect_tx") {
			continue
		}
		if next = b.model; op.apply(&next) {
			return op, next
		}
	}
}

// execute writes an operation, after which the model is next, and observes its state if it has one.
func (b *barrierTrial) execute(op barrierOp, next barrierModel) {
	before := b.model
	b.model = next
	m := mnemonicOf(b.f, op.name)
	text := m + " "
	if op.state {
		text += "%rd3, "
	}
	text += b.at(m)
	if op.count > 0 {
		text += fmt.Sprintf(", %d", op.count)
	}
	b.line("%s;", text)
	if !op.state {
		return
	}
	b.line("%s %%r2, %%rd3;", mnemonicOf(b.f, "pending_count"))
	b.observe("%r2", uint32(before.pending))
	for _, wait := range []string{"test_wait", "try_wait"} {
		m := mnemonicOf(b.f, wait)
		b.line("%s %%p1, %s, %%rd3;", m, b.at(m))
		b.observePhase(next.phases != before.phases)
	}
}

// observeParities observes whether the phases before and now are complete, by their parities.
func (b *barrierTrial) observeParities() {
	for parity := range 2 {
		for _, wait := range []string{"test_wait.parity", "try_wait.parity"} {
			m := mnemonicOf(b.f, wait)
			behind := ""
			if strings.HasPrefix(wait, "try") && parity == 1 {
				behind = ", 20"
			}
			b.line("%s %%p1, %s, %d%s;", m, b.at(m), parity, behind)
			b.observePhase(b.model.phases%2 != parity)
		}
	}
}

// bareOf returns the operation of a form, without order, scope, space and type.
func bareOf(f form) string {
	var bare []string
	for _, m := range append([]string{f.op}, f.mods...) {
		switch m {
		case "release", "acquire", "relaxed", "cta", "cluster", "shared", "b64":
		default:
			bare = append(bare, m)
		}
	}
	return strings.Join(bare, ".")
}

// copyArrivals: each thread copies a word, and arrives by its copies at an mbarrier at which all wait. Without .noinc
// that arrival is not among those that the phase expects.
func copyArrivals(f form) []trial {
	w := &kernelText{}
	w.line(".shared .align 8 .b64 bar;")
	w.line(".shared .b32 s[32];")
	w.line("mov.u32 %%r2, s;")
	w.line("mad.lo.u32 %%r3, %%r0, 4, %%r2;")
	w.line("mov.u64 %%rd2, bar;")
	if !f.has("shared") {
		w.line("cvta.shared.u64 %%rd2, %%rd2;")
	}
	w.line("setp.eq.u32 %%p2, %%r0, 0;")
	count := 32
	if f.has("noinc") {
		count = 64
	}
	w.line("@%%p2 mbarrier.init.shared.b64 [bar], %d;", count)
	w.line("bar.sync 0;")
	w.line("ld.param.u64 %%rd1, [in];")
	w.line("mad.wide.u32 %%rd1, %%r0, 4, %%rd1;")
	w.line("cp.async.ca.shared.global [%%r3], [%%rd1], 4;")
	w.line("%s [%%rd2];", f.text)
	w.line("mbarrier.test_wait.parity.shared.b64 %%p3, [bar], 0;")
	w.line("mbarrier.arrive.shared.b64 _, [bar];")
	w.line("WAIT: mbarrier.try_wait.parity.shared.b64 %%p1, [bar], 0;")
	w.line("@!%%p1 bra WAIT;")
	w.line("xor.b32 %%r3, %%r0, 5;")
	w.line("mad.lo.u32 %%r3, %%r3, 4, %%r2;")
	w.line("ld.shared.u32 %%r1, [%%r3];")
	w.line("@%%p3 add.u32 %%r1, %%r1, 1;") // too early
	tr := perThread(w.String(), 32, nil)
	in := randomBytes("arrivals", 32*4)
	tr.src = strings.Replace(tr.src, "k(", "k(.param .u64 in, ", 1)
	tr.buffers = append([][]byte{in}, tr.buffers...)
	tr.check = wordsMatch(func(lane int) uint32 {
		at := (lane ^ 5) * 4
		return uint32(in[at]) | uint32(in[at+1])<<8 | uint32(in[at+2])<<16 | uint32(in[at+3])<<24
	})
	return []trial{tr}
}
