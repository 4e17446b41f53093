package evaluate

// conversions are the conversions between formats, and to and from integers.
var conversions = map[string]evaluation{
	"vcvtdq2ps": ofInteger[uint32, int32], "vcvtdq2pd": ofInteger[uint64, int32],
	"vcvtqq2ps": ofInteger[uint32, int64], "vcvtqq2pd": ofInteger[uint64, int64],
	"vcvtudq2ps": ofInteger[uint32, uint32], "vcvtudq2pd": ofInteger[uint64, uint32],
	"vcvtuqq2ps": ofInteger[uint32, uint64], "vcvtuqq2pd": ofInteger[uint64, uint64],
	"vcvtps2dq": toInteger[int32, uint32](false), "vcvttps2dq": toInteger[int32, uint32](true),
	"vcvtpd2dq": toInteger[int32, uint64](false), "vcvttpd2dq": toInteger[int32, uint64](true),
	"vcvtps2udq": toInteger[uint32, uint32](false), "vcvttps2udq": toInteger[uint32, uint32](true),
	"vcvtpd2udq": toInteger[uint32, uint64](false), "vcvttpd2udq": toInteger[uint32, uint64](true),
	"vcvtps2qq": toInteger[int64, uint32](false), "vcvttps2qq": toInteger[int64, uint32](true),
	"vcvtpd2qq": toInteger[int64, uint64](false), "vcvttpd2qq": toInteger[int64, uint64](true),
	"vcvtps2uqq": toInteger[uint64, uint32](false), "vcvttps2uqq": toInteger[uint64, uint32](true),
	"vcvtpd2uqq": toInteger[uint64, uint64](false), "vcvttpd2uqq": toInteger[uint64, uint64](true),
	"vcvtps2pd": eachFloat(func(m mode, a uint32) uint64 { return binary64.from(m, binary32, uint64(a)) }),
	"vcvtpd2ps": eachFloat(func(m mode, a uint64) uint32 { return uint32(binary32.from(m, binary64, a)) }),
	// Conversions between 16 and 32 bits do not flush subnormal numbers of 16 bits.
	"vcvtph2ps": each(func(a uint16) uint32 { return uint32(binary32.from(mode{}, binary16, uint64(a))) }),
	"vcvtps2ph": toHalf,
}

// ofInteger converts integers.
func ofInteger[D bitsOf, S int32 | int64 | uint32 | uint64](c *CPU, s *step) {
	m, f := c.mode(s), formatOf[D]()
	signed := ^S(0) < 0
	each(func(a S) D { return D(f.ofInteger(m, uint64(a), signed)) })(c, s)
}

// toInteger converts to integers; with truncates it rounds to zero.
func toInteger[D int32 | int64 | uint32 | uint64, S bitsOf](truncates bool) evaluation {
	f, signed := formatOf[S](), ^D(0) < 0
	return func(c *CPU, s *step) {
		m := c.mode(s)
		if truncates {
			m.rounding = toZero
		}
		each(func(a S) D { return D(f.toInteger(m, uint64(a), 8*sizeOf[D](), signed)) })(c, s)
	}
}

// toHalf has its rounding mode, or the choice of MXCSR's, in the immediate.
func toHalf(c *CPU, s *step) {
	m := c.controlled()
	m.flushResults = false
	if s.imm&4 == 0 {
		m.rounding = s.imm & 3
	}
	each(func(a uint32) uint16 { return uint16(binary16.from(m, binary32, uint64(a))) })(c, s)
}
