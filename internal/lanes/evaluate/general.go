package evaluate

import (
	"math/bits"

	"github.com/simtrun/simtrun/internal/lanes/jit"
)

// flags are the flags that code reads.
type flags struct{ carry, zero, sign, overflow, parity bool }

// generals are the instructions on general registers, the jumps and the control of the vector unit.
var generals = func() map[string]evaluation {
	all := map[string]evaluation{
		"add": arithmetic(addition), "adc": arithmetic(additionWithCarry), "sub": arithmetic(subtraction), "sbb": arithmetic(subtractionWithBorrow),
		"and": arithmetic(func(c *CPU, a, b uint64, log uint8) uint64 { return c.logic(a&b, log) }),
		"or":  arithmetic(func(c *CPU, a, b uint64, log uint8) uint64 { return c.logic(a|b, log) }),
		"xor": arithmetic(func(c *CPU, a, b uint64, log uint8) uint64 { return c.logic(a^b, log) }),
		"cmp": func(c *CPU, s *step) { subtraction(c, c.value(s, 0), c.value(s, 1), s.Args[0].Log) },
		"test": func(c *CPU, s *step) {
			log := s.Args[0].Log
			c.logic(c.value(s, 0)&c.value(s, 1)&ones(log), log)
		},
		"mov": (*CPU).move, "movabs": (*CPU).move, "movzx": (*CPU).move, "movsx": (*CPU).moveSigned, "movsxd": (*CPU).moveSigned,
		"lea": func(c *CPU, s *step) { c.set(s, 0, c.address(&s.Args[1])) },
		"not": func(c *CPU, s *step) { c.set(s, 0, ^c.value(s, 0)) },
		"neg": func(c *CPU, s *step) { c.set(s, 0, subtraction(c, 0, c.value(s, 0), s.Args[0].Log)) },
		"mul": (*CPU).multiply, "imul": (*CPU).multiplySigned, "div": (*CPU).divide, "idiv": (*CPU).divideSigned,
		"cdq":    func(c *CPU, _ *step) { c.general[jit.RDX] = uint64(uint32(int32(c.general[jit.RAX]) >> 31)) },
		"cqo":    func(c *CPU, _ *step) { c.general[jit.RDX] = uint64(int64(c.general[jit.RAX]) >> 63) },
		"popcnt": (*CPU).countOnes, "tzcnt": (*CPU).countLow, "lzcnt": (*CPU).countHigh,
		"pext": (*CPU).extractBits, "pdep": (*CPU).depositBits, "blsr": (*CPU).resetLowest,
		"xchg": (*CPU).exchange, "xadd": (*CPU).exchangeAdd, "cmpxchg": (*CPU).compareExchange,
		"rol": shifting((*CPU).rotateLeft), "ror": shifting((*CPU).rotateRight),
		"shl": shifting((*CPU).shiftLeft), "shr": shifting((*CPU).shiftRight), "sar": shifting((*CPU).shiftSigned),
		"nop": func(*CPU, *step) {}, "int3": func(*CPU, *step) { fail("breakpoint") },
		"jmp": (*CPU).jump, "call": (*CPU).call, "ret": (*CPU).ret,
		"ldmxcsr": func(c *CPU, s *step) { c.setControl(uint32(c.value(s, 0))) },
		"stmxcsr": func(c *CPU, s *step) { c.set(s, 0, uint64(c.control)) },
	}
	for name, holds := range conditions {
		all["j"+name] = func(c *CPU, s *step) {
			if holds(&c.flags) {
				c.jump(s)
			}
		}
		all["set"+name] = func(c *CPU, s *step) { c.set(s, 0, bit(holds(&c.flags))) }
		all["cmov"+name] = func(c *CPU, s *step) {
			v := c.value(s, 1)
			if !holds(&c.flags) {
				v = c.value(s, 0)
			}
			c.set(s, 0, v)
		}
	}
	return all
}()

// conditions are the conditions on flags by their suffixes.
var conditions = map[string]func(*flags) bool{
	"o": func(f *flags) bool { return f.overflow }, "no": func(f *flags) bool { return !f.overflow },
	"b": func(f *flags) bool { return f.carry }, "ae": func(f *flags) bool { return !f.carry },
	"e": func(f *flags) bool { return f.zero }, "ne": func(f *flags) bool { return !f.zero },
	"be": func(f *flags) bool { return f.carry || f.zero }, "a": func(f *flags) bool { return !f.carry && !f.zero },
	"s": func(f *flags) bool { return f.sign }, "ns": func(f *flags) bool { return !f.sign },
	"p": func(f *flags) bool { return f.parity }, "np": func(f *flags) bool { return !f.parity },
	"l": func(f *flags) bool { return f.sign != f.overflow }, "ge": func(f *flags) bool { return f.sign == f.overflow },
	"le": func(f *flags) bool { return f.zero || f.sign != f.overflow },
	"g":  func(f *flags) bool { return !f.zero && f.sign == f.overflow },
}

// ones has ones in all bits of an operand of 1<<log bytes.
func ones(log uint8) uint64 { return ^uint64(0) >> (64 - 8<<log) }

// negative reports whether v, of 1<<log bytes, has its highest bit set.
func negative(v uint64, log uint8) bool { return v>>(8<<log-1)&1 != 0 }

// extend extends the sign of v, of 1<<log bytes.
func extend(v uint64, log uint8) int64 {
	n := 64 - 8<<log
	return int64(v<<n) >> n
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// address is that of a memory operand.
func (c *CPU) address(a *jit.Arg) uint64 {
	at := uint64(int64(a.Mem.Disp))
	if a.Mem.Base == jit.NoReg {
		return at + uint64(c.next)
	}
	at += c.general[a.Mem.Base]
	if a.Mem.Scale != 0 && a.Mem.Index != jit.NoReg {
		at += c.general[a.Mem.Index] * uint64(a.Mem.Scale)
	}
	return at
}

// value is operand i: a general register, memory or an immediate. Bits above its width are 0, but not those of an
// immediate.
func (c *CPU) value(s *step, i int) uint64 {
	a := &s.Args[i]
	switch a.Kind {
	case jit.General:
		return c.general[a.Number] & ones(a.Log)
	case jit.Masks:
		return c.masks[a.Number] & ones(a.Log)
	case jit.Memory:
		return c.load(c.address(a), a.Log)
	}
	return uint64(a.Value)
}

// set writes the low bits of v to operand i: a general register, or memory.
func (c *CPU) set(s *step, i int, v uint64) {
	a := &s.Args[i]
	switch {
	case a.Kind == jit.Memory:
		c.store(c.address(a), a.Log, v)
	case a.Kind == jit.Masks:
		c.masks[a.Number] = v & ones(a.Log)
	default:
		c.setRegister(jit.Reg(a.Number), a.Log, v)
	}
}

// sum sets the flags that depend on a result of 1<<log bytes alone, and returns it.
func (c *CPU) sum(v uint64, log uint8) uint64 {
	v &= ones(log)
	c.flags.zero, c.flags.sign, c.flags.parity = v == 0, negative(v, log), bits.OnesCount8(uint8(v))%2 == 0
	return v
}

// logic is sum for operations without carry and overflow.
func (c *CPU) logic(v uint64, log uint8) uint64 {
	c.flags.carry, c.flags.overflow = false, false
	return c.sum(v, log)
}

// arithmetic is an operation whose first operand is also its destination.
func arithmetic(f func(c *CPU, a, b uint64, log uint8) uint64) evaluation {
	return func(c *CPU, s *step) { c.set(s, 0, f(c, c.value(s, 0), c.value(s, 1), s.Args[0].Log)) }
}

func addition(c *CPU, a, b uint64, log uint8) uint64 { return c.add(a, b, 0, log) }

func additionWithCarry(c *CPU, a, b uint64, log uint8) uint64 {
	return c.add(a, b, bit(c.flags.carry), log)
}

func subtraction(c *CPU, a, b uint64, log uint8) uint64 { return c.subtract(a, b, 0, log) }

func subtractionWithBorrow(c *CPU, a, b uint64, log uint8) uint64 {
	return c.subtract(a, b, bit(c.flags.carry), log)
}

func (c *CPU) add(a, b, carry uint64, log uint8) uint64 {
	a, b = a&ones(log), b&ones(log)
	v, out := bits.Add64(a, b, carry)
	c.flags.carry = out != 0 || v&^ones(log) != 0
	c.flags.overflow = negative((a^v)&(b^v), log)
	return c.sum(v, log)
}

func (c *CPU) subtract(a, b, borrow uint64, log uint8) uint64 {
	a, b = a&ones(log), b&ones(log)
	v, out := bits.Sub64(a, b, borrow)
	c.flags.carry = out != 0
	c.flags.overflow = negative((a^b)&(a^v), log)
	return c.sum(v, log)
}

func (c *CPU) move(s *step) { c.set(s, 0, c.value(s, 1)) }

func (c *CPU) moveSigned(s *step) { c.set(s, 0, uint64(extend(c.value(s, 1), s.Args[1].Log))) }

func (c *CPU) jump(s *step) { c.next = uintptr(c.target(s)) }

// target is where a jump or a call goes.
func (c *CPU) target(s *step) uint64 {
	if s.Args[0].Kind == jit.Distance {
		return uint64(c.next) + uint64(s.Args[0].Value)
	}
	return c.value(s, 0)
}

func (c *CPU) call(s *step) {
	to, back := c.target(s), c.next
	i := c.onStack(c.general[jit.RSP] - 8)
	c.general[jit.RSP] -= 8
	c.stack[i] = uint64(back)
	c.next = uintptr(to)
}

func (c *CPU) ret(*step) {
	i := c.onStack(c.general[jit.RSP])
	c.general[jit.RSP] += 8
	c.next = uintptr(c.stack[i])
}

// setControl sets MXCSR. An exception that is not masked would be one for Go's runtime.
func (c *CPU) setControl(v uint32) {
	const masked, flags = 0x1f80, 0x3f
	if v&masked != masked || v>>16 != 0 {
		fail("MXCSR %#x does not mask all exceptions", v)
	}
	c.control = v &^ flags
}

// multiply is RDX:RAX = RAX * operand, unsigned. Zero, sign and parity are undefined.
func (c *CPU) multiply(s *step) {
	log := s.Args[0].Log
	high, low := bits.Mul64(c.general[jit.RAX]&ones(log), c.value(s, 0))
	c.setProduct(high, low, log)
	over := high != 0
	if log < 3 {
		over = low>>(8<<log) != 0
	}
	c.flags.carry, c.flags.overflow = over, over
}

// setProduct writes a product of two operands of 1<<log bytes, or a remainder and a quotient, to RDX and RAX.
func (c *CPU) setProduct(high, low uint64, log uint8) {
	switch log {
	case 0:
		c.setRegister(jit.RAX, 1, low)
	case 3:
		c.general[jit.RAX], c.general[jit.RDX] = low, high
	default:
		c.setRegister(jit.RAX, log, low)
		c.setRegister(jit.RDX, log, low>>(8<<log))
	}
}

func (c *CPU) setRegister(r jit.Reg, log uint8, v uint64) {
	if log >= 2 { // 32 bits clear those above
		c.general[r] = v & ones(log)
		return
	}
	c.general[r] = c.general[r]&^ones(log) | v&ones(log)
}

// multiplySigned is the low half of a product. Zero, sign and parity are undefined.
func (c *CPU) multiplySigned(s *step) {
	log := s.Args[0].Log
	n := len(s.Args)
	a, b := extend(c.value(s, n-2), log), extend(c.value(s, n-1), log)
	high, low := bits.Mul64(uint64(a), uint64(b))
	high -= uint64(a>>63)&uint64(b) + uint64(b>>63)&uint64(a)
	over := int64(high) != int64(low)>>63
	if log < 3 {
		over = extend(low, log) != int64(low)
	}
	c.flags.carry, c.flags.overflow = over, over
	c.set(s, 0, low)
}

// dividend is RDX:RAX, or AX for bytes.
func (c *CPU) dividend(log uint8) (high, low uint64) {
	if log == 0 {
		ax := c.general[jit.RAX]
		return ax >> 8 & 0xff, ax & 0xff
	}
	return c.general[jit.RDX] & ones(log), c.general[jit.RAX] & ones(log)
}

// setQuotient writes quotient and remainder.
func (c *CPU) setQuotient(quotient, remainder uint64, log uint8) {
	if log == 0 {
		c.setRegister(jit.RAX, 1, quotient&0xff|remainder&0xff<<8)
		return
	}
	c.setRegister(jit.RAX, log, quotient)
	c.setRegister(jit.RDX, log, remainder)
}

// divide divides unsigned numbers. All flags are undefined.
func (c *CPU) divide(s *step) {
	log, by := s.Args[0].Log, c.value(s, 0)
	high, low := c.dividend(log)
	if high >= by {
		fail("divide error")
	}
	if log < 3 {
		high, low = 0, high<<(8<<log)|low
	}
	quotient, remainder := bits.Div64(high, low, by)
	c.setQuotient(quotient, remainder, log)
}

// divideSigned divides signed numbers. All flags are undefined.
func (c *CPU) divideSigned(s *step) {
	log, by := s.Args[0].Log, extend(c.value(s, 0), s.Args[0].Log)
	high, low := c.dividend(log)
	if log < 3 {
		low |= high << (8 << log)
		low = uint64(extend(low, log+1))
		high = uint64(int64(low) >> 63)
	}
	minus := int64(high) < 0
	if minus {
		var borrow uint64
		low, borrow = bits.Sub64(0, low, 0)
		high, _ = bits.Sub64(0, high, borrow)
	}
	divisor := magnitude(by)
	if high >= divisor {
		fail("divide error")
	}
	quotient, remainder := bits.Div64(high, low, divisor)
	limit := uint64(1) << (8<<log - 1)
	if minus != (by < 0) {
		if quotient > limit {
			fail("divide error")
		}
		quotient = -quotient
	} else if quotient >= limit {
		fail("divide error")
	}
	if minus {
		remainder = -remainder
	}
	c.setQuotient(quotient, remainder, log)
}

// magnitude is |v|, also of the least number.
func magnitude(v int64) uint64 {
	if v < 0 {
		return -uint64(v)
	}
	return uint64(v)
}

func (c *CPU) countOnes(s *step) {
	n := bits.OnesCount64(c.value(s, 1))
	c.set(s, 0, uint64(n))
	c.flags = flags{zero: n == 0}
}

// countLow counts the zeros below the lowest one. Flags but carry and zero are undefined.
func (c *CPU) countLow(s *step) {
	size := 8 << s.Args[1].Log
	c.setCount(s, min(bits.TrailingZeros64(c.value(s, 1)), size), size)
}

// countHigh counts the zeros above the highest one. Flags but carry and zero are undefined.
func (c *CPU) countHigh(s *step) {
	size := 8 << s.Args[1].Log
	c.setCount(s, size-bits.Len64(c.value(s, 1)), size)
}

func (c *CPU) setCount(s *step, n, size int) {
	c.flags.carry, c.flags.zero = n == size, n == 0
	c.set(s, 0, uint64(n))
}

func (c *CPU) extractBits(s *step) {
	from, mask := c.value(s, 1), c.value(s, 2)
	v := uint64(0)
	for n := 0; mask != 0; n++ {
		v |= from >> bits.TrailingZeros64(mask) & 1 << n
		mask &= mask - 1
	}
	c.set(s, 0, v)
}

func (c *CPU) depositBits(s *step) {
	from, mask := c.value(s, 1), c.value(s, 2)
	v := uint64(0)
	for ; mask != 0; from >>= 1 {
		v |= from & 1 << bits.TrailingZeros64(mask)
		mask &= mask - 1
	}
	c.set(s, 0, v)
}

// resetLowest is the operand without its lowest one. Parity is undefined.
func (c *CPU) resetLowest(s *step) {
	v, log, parity := c.value(s, 1), s.Args[1].Log, c.flags.parity
	none := v == 0
	c.set(s, 0, c.logic(v&(v-1), log))
	c.flags.carry, c.flags.parity = none, parity
}

// shifting is a shift or a rotation; it changes nothing if the number of bits is 0. The number is taken modulo 32, or
// modulo 64 for an operand of 64 bits.
func shifting(f func(c *CPU, v, n uint64, log uint8) uint64) evaluation {
	return func(c *CPU, s *step) {
		log := s.Args[0].Log
		n := c.value(s, 1) & 0x1f
		if log == 3 {
			n = c.value(s, 1) & 0x3f
		}
		v := c.value(s, 0)
		if n != 0 {
			v = f(c, v, n, log)
		}
		c.set(s, 0, v)
	}
}

// The shifts and rotations set overflow as for a shift by one bit; for others it is undefined, as is carry if more
// bits are shifted than there are.

func (c *CPU) shiftLeft(v, n uint64, log uint8) uint64 {
	r := v << n
	c.flags.carry = negative(v<<(n-1), log)
	c.flags.overflow = negative(r, log) != c.flags.carry
	return c.sum(r, log)
}

func (c *CPU) shiftRight(v, n uint64, log uint8) uint64 {
	c.flags.carry, c.flags.overflow = v>>(n-1)&1 != 0, negative(v, log)
	return c.sum(v>>n, log)
}

func (c *CPU) shiftSigned(v, n uint64, log uint8) uint64 {
	c.flags.carry, c.flags.overflow = extend(v, log)>>(n-1)&1 != 0, false
	return c.sum(uint64(extend(v, log)>>n), log)
}

func (c *CPU) rotateLeft(v, n uint64, log uint8) uint64 {
	size := uint64(8) << log
	r := (v<<(n%size) | v>>((size-n%size)%size)) & ones(log)
	if n%size == 0 {
		r = v
	}
	c.flags.carry = r&1 != 0
	c.flags.overflow = negative(r, log) != c.flags.carry
	return r
}

func (c *CPU) rotateRight(v, n uint64, log uint8) uint64 {
	size := uint64(8) << log
	r := (v>>(n%size) | v<<((size-n%size)%size)) & ones(log)
	if n%size == 0 {
		r = v
	}
	c.flags.carry = negative(r, log)
	c.flags.overflow = negative(r, log) != negative(r<<1, log)
	return r
}
