package cprintf

import (
	"bufio"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Write writes the text before a conversion, and the value as C's printf does. Choices that C leaves open are those
// of glibc.
func (c *Conversion) Write(w *bufio.Writer) {
	w.Write(c.before)
	switch c.verb {
	case 0:
	case '%':
		w.WriteByte('%')
	case 'c':
		c.pad(w, field{body: string([]byte{byte(c.bits)})})
	case 's':
		c.pad(w, field{body: string(c.text)})
	case 'p':
		c.pointer(w)
	case 'd', 'i', 'u', 'x', 'X', 'o':
		c.integer(w)
	default:
		c.float(w, math.Float64frombits(c.bits))
	}
}

// field is a formatted value: sign or 0x, zeros, digits, zeros again, and the rest.
type field struct {
	prefix string
	zeros  int
	body   string
	after  int // zeros
	suffix string
}

func (f *field) len() int { return len(f.prefix) + f.zeros + len(f.body) + f.after + len(f.suffix) }

// pad writes a field, padded with blanks to the width.
func (d *directive) pad(w *bufio.Writer, f field) {
	blanks := d.width - f.len()
	if !d.minus {
		repeat(w, ' ', blanks)
	}
	w.WriteString(f.prefix)
	repeat(w, '0', f.zeros)
	w.WriteString(f.body)
	repeat(w, '0', f.after)
	w.WriteString(f.suffix)
	if d.minus {
		repeat(w, ' ', blanks)
	}
}

// padZero is pad with zeros, for the flag 0.
func (d *directive) padZero(w *bufio.Writer, f field) {
	if d.zero && !d.minus {
		f.zeros += max(0, d.width-f.len())
	}
	d.pad(w, f)
}

// repeat writes c n times; nothing after w has failed.
func repeat(w *bufio.Writer, c byte, n int) {
	for range n {
		if w.WriteByte(c) != nil {
			return
		}
	}
}

// sign returns the text before a signed value.
func (d *directive) sign(negative bool) string {
	switch {
	case negative:
		return "-"
	case d.plus:
		return "+"
	case d.space:
		return " "
	}
	return ""
}

func (c *Conversion) integer(w *bufio.Writer) {
	var f field
	switch c.verb {
	case 'd', 'i':
		n := int64(c.bits)
		f.prefix = c.sign(n < 0)
		f.body = strings.TrimPrefix(strconv.FormatInt(n, 10), "-")
	case 'u':
		f.body = strconv.FormatUint(c.bits, 10)
	case 'o':
		f.body = strconv.FormatUint(c.bits, 8)
	default:
		f.body = strconv.FormatUint(c.bits, 16)
		if c.alt && c.bits != 0 {
			f.prefix = "0x"
		}
	}
	if c.verb == 'X' {
		f.prefix, f.body = strings.ToUpper(f.prefix), strings.ToUpper(f.body)
	}
	c.digits(w, f)
}

// digits writes an integer with at least as many digits as the precision. With a precision the flag 0 is ignored, and
// 0 may have no digits.
func (c *Conversion) digits(w *bufio.Writer, f field) {
	if c.precision == 0 && c.bits == 0 {
		f.body = ""
	}
	f.zeros = max(0, c.precision-len(f.body))
	if c.alt && c.verb == 'o' && f.zeros == 0 && !strings.HasPrefix(f.body, "0") {
		f.zeros = 1
	}
	if c.precision >= 0 {
		c.pad(w, f)
	} else {
		c.padZero(w, f)
	}
}

// pointer writes an address like glibc: as %#lx, but with the flags of a signed number; null is a word.
func (c *Conversion) pointer(w *bufio.Writer) {
	if c.bits == 0 {
		c.pad(w, field{body: "(nil)"})
		return
	}
	c.digits(w, field{prefix: c.sign(false) + "0x", body: strconv.FormatUint(c.bits, 16)})
}

// enoughDigits is more than any float64 has in decimal, before or after the point; further digits are zeros.
const enoughDigits = 1100

func (c *Conversion) float(w *bufio.Writer, v float64) {
	f := field{prefix: c.sign(math.Signbit(v))}
	verb := c.verb | 0x20 // lower case
	switch v = math.Abs(v); {
	case math.IsInf(v, 0), math.IsNaN(v):
		f.body = strings.ToLower(strings.TrimPrefix(fmt.Sprint(v), "+"))
	case verb == 'a':
		f.hexadecimal(v, c.precision, c.alt)
	case verb == 'g':
		f.general(v, c.precision, c.alt)
	default:
		f.decimal(v, verb, c.precision, c.alt)
	}
	if c.verb != verb {
		f.prefix, f.body, f.suffix = strings.ToUpper(f.prefix), strings.ToUpper(f.body), strings.ToUpper(f.suffix)
	}
	if v > math.MaxFloat64 || v != v {
		c.pad(w, f)
	} else {
		c.padZero(w, f)
	}
}

// decimal writes v, which is not negative, as %e or %f.
func (f *field) decimal(v float64, verb byte, precision int, point bool) {
	if precision < 0 {
		precision = 6
	}
	text := strconv.FormatFloat(v, verb, min(precision, enoughDigits), 64)
	f.after = max(0, precision-enoughDigits)
	f.body = text
	if i := strings.IndexByte(text, 'e'); i >= 0 {
		f.body, f.suffix = text[:i], text[i:]
	}
	if precision == 0 && point {
		f.body += "."
	}
}

// general writes %g: %e or %f, depending on the exponent, without trailing zeros unless they are requested.
func (f *field) general(v float64, precision int, zeros bool) {
	switch {
	case precision < 0:
		precision = 6
	case precision == 0:
		precision = 1
	}
	rounded := strconv.FormatFloat(v, 'e', min(precision, enoughDigits)-1, 64)
	_, digits, _ := strings.Cut(rounded, "e")
	exponent, err := strconv.Atoi(digits)
	if err != nil {
		panic("simtrun bug: " + err.Error())
	}
	if exponent < -4 || exponent >= precision {
		f.decimal(v, 'e', precision-1, zeros)
	} else {
		f.decimal(v, 'f', precision-1-exponent, zeros)
	}
	if !zeros {
		f.after = 0
		if strings.Contains(f.body, ".") {
			f.body = strings.TrimRight(strings.TrimRight(f.body, "0"), ".")
		}
	}
}

// hexadecimal writes %a: a binary exponent, and before the point 1, or 0 for 0 and subnormal values; rounding may
// increase it by one.
func (f *field) hexadecimal(v float64, precision int, point bool) {
	const fractionBits, bias = 52, 1023
	bits := math.Float64bits(v)
	exponent := int(bits >> fractionBits)
	mantissa := bits & (1<<fractionBits - 1)
	switch {
	case exponent > 0:
		mantissa |= 1 << fractionBits
		exponent -= bias
	case mantissa != 0:
		exponent = 1 - bias
	}
	if drop := fractionBits - 4*precision; precision >= 0 && drop > 0 {
		half, kept := uint64(1)<<(drop-1), mantissa>>drop
		if rest := mantissa & (2*half - 1); rest > half || rest == half && kept&1 != 0 {
			kept++
		}
		mantissa = kept << drop
	}
	digits := fmt.Sprintf("%013x", mantissa&(1<<fractionBits-1))
	if precision < 0 {
		digits = strings.TrimRight(digits, "0")
	} else {
		digits, f.after = digits[:min(precision, len(digits))], max(0, precision-len(digits))
	}
	f.prefix += "0x"
	f.body = strconv.FormatUint(mantissa>>fractionBits, 10)
	if digits != "" || f.after > 0 || point {
		f.body += "." + digits
	}
	f.suffix = fmt.Sprintf("p%+d", exponent)
}
