package evaluate

import "github.com/simtrun/simtrun/internal/lanes/jit"

// maskRegisters are the instructions on mask registers.
var maskRegisters = func() map[string]evaluation {
	all := map[string]evaluation{"kunpckbw": (*CPU).unpackMasks, "kunpckwd": (*CPU).unpackMasks, "kunpckdq": (*CPU).unpackMasks}
	for name, e := range map[string]evaluation{
		"kmov":    (*CPU).move,
		"knot":    func(c *CPU, s *step) { c.set(s, 0, ^c.value(s, 1)) },
		"kand":    func(c *CPU, s *step) { c.set(s, 0, c.value(s, 1)&c.value(s, 2)) },
		"kandn":   func(c *CPU, s *step) { c.set(s, 0, ^c.value(s, 1)&c.value(s, 2)) },
		"kor":     func(c *CPU, s *step) { c.set(s, 0, c.value(s, 1)|c.value(s, 2)) },
		"kxnor":   func(c *CPU, s *step) { c.set(s, 0, ^(c.value(s, 1) ^ c.value(s, 2))) },
		"kxor":    func(c *CPU, s *step) { c.set(s, 0, c.value(s, 1)^c.value(s, 2)) },
		"kshiftl": func(c *CPU, s *step) { c.set(s, 0, c.value(s, 1)<<s.imm) },
		"kshiftr": func(c *CPU, s *step) { c.set(s, 0, c.value(s, 1)>>s.imm) },
		"kortest": func(c *CPU, s *step) {
			v := c.value(s, 0) | c.value(s, 1)
			c.flags = flags{zero: v == 0, carry: v == ones(s.Args[0].Log)}
		},
		"ktest": func(c *CPU, s *step) {
			a, b := c.value(s, 0), c.value(s, 1)
			c.flags = flags{zero: a&b == 0, carry: ^a&b == 0}
		},
	} {
		for _, width := range []string{"b", "w", "d", "q"} {
			all[name+width] = e
		}
	}
	return all
}()

// unpackMasks joins two halves.
func (c *CPU) unpackMasks(s *step) {
	half := s.Args[0].Log - 1
	c.set(s, 0, c.value(s, 1)<<(8<<half)|c.value(s, 2)&ones(half))
}

// selects reports whether the instruction changes element i of its destination.
func (c *CPU) selects(s *step, i int) bool { return s.Mask == 0 || c.masks[s.Mask]>>i&1 != 0 }

// setMask writes the bits of a comparison of n elements to the destination, a mask register.
func (c *CPU) setMask(s *step, n int, found uint64) {
	if s.Mask != 0 {
		found &= c.masks[s.Mask]
	}
	if n < 64 {
		found &= 1<<n - 1
	}
	c.masks[s.Args[0].Number] = found
}

// toMasks reports whether the destination is a mask register.
func (s *step) toMasks() bool { return s.Args[0].Kind == jit.Masks }
