// Package cprintf implements C's printf, with the choices of glibc where C leaves one: it reads a format (C11
// 7.21.6.1), takes its values from memory, and writes them.
package cprintf

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
)

// Values are the arguments of a printf, taken one after the other.
type Values struct {
	Data  []byte                                       // each aligned to its size
	Count int                                          // taken so far
	Text  func(addr uint64, limit int) ([]byte, error) // the string at an address, or its first bytes if limit is not negative
	Took  func(at, size int)                           // called for each value that is taken, with its place in Data; may be nil
	at    int                                          // in Data
}

// next takes a value of 4 or 8 bytes.
func (v *Values) next(size int) (uint64, error) {
	v.at = (v.at + size - 1) / size * size
	if v.at+size > len(v.Data) {
		return 0, formatError("the format needs more values than were passed")
	}
	var word [8]byte
	copy(word[:], v.Data[v.at:v.at+size])
	if v.Took != nil {
		v.Took(v.at, size)
	}
	v.at += size
	v.Count++
	return binary.LittleEndian.Uint64(word[:]), nil
}

// formatError returns an error about a format that C does not define.
func formatError(format string, args ...any) error {
	return fmt.Errorf("printf: "+format, args...)
}

// Bytes returns the maximum host memory of the conversions of a format. A format of n bytes has at most n/2
// conversions, and text after them.
func Bytes(format []byte) int64 { return (int64(len(format))/2 + 1) * pieceBytes }

// pieceBytes is the maximum memory of a piece of a format, in a slice that grows.
const pieceBytes = 256

// Conversion is one directive of a format with its value, and the text before it.
type Conversion struct {
	before []byte
	directive
	bits uint64
	text []byte // of %s
}

// Conversions reads a format and takes its values. It is an error if C does not define the format, or if there are
// not enough values; errors of Text are returned unchanged.
func (v *Values) Conversions(format []byte) ([]Conversion, error) {
	var all []Conversion
	for len(format) > 0 {
		c := Conversion{before: format}
		if i := bytes.IndexByte(format, '%'); i >= 0 {
			c.before = format[:i]
		}
		if format = format[len(c.before):]; len(format) > 0 {
			n, err := v.directive(format, &c.directive)
			if err == nil {
				err = v.value(&c)
			}
			if err != nil {
				return nil, err
			}
			format = format[n:]
		}
		all = append(all, c)
	}
	return all, nil
}

// directive is %[flags][width][.precision][size]conversion (C11 7.21.6.1).
type directive struct {
	minus, plus, space, alt, zero bool

	width     int  // of the field, at least
	precision int  // -1: not given
	wide      int  // bits of an integer
	verb      byte // the conversion; 0 for text without a directive
}

// directive reads the directive at the start of format into d, and returns its length.
func (v *Values) directive(format []byte, d *directive) (int, error) {
	*d = directive{precision: -1}
	i := 1
	at := func() byte {
		if i < len(format) {
			return format[i]
		}
		return 0
	}
	for ; d.flag(at()); i++ {
	}
	var err error
	if d.width, err = v.number(format, &i, false); err != nil {
		return 0, err
	}
	if d.width < 0 {
		d.minus, d.width = true, -d.width
	}
	if at() == '.' {
		i++
		if d.precision, err = v.number(format, &i, true); err != nil {
			return 0, err
		}
	}
	size := i
	for strings.IndexByte("hlLqjzt", at()) >= 0 {
		i++
	}
	if d.verb = at(); d.verb == 0 {
		return 0, formatError("%%%s ends the format, without a conversion", format[1:])
	}
	i++
	return i, d.size(string(format[size:i-1]), format[:i])
}

// flag sets the flag for the character c, and reports whether c is one.
func (d *directive) flag(c byte) bool {
	to := map[byte]*bool{'-': &d.minus, '+': &d.plus, ' ': &d.space, '#': &d.alt, '0': &d.zero}[c]
	if to == nil {
		return false
	}
	*to = true
	return true
}

// number reads a width or a precision, which may be a value: "*". A negative precision is ignored.
func (v *Values) number(format []byte, i *int, precision bool) (int, error) {
	if *i < len(format) && format[*i] == '*' {
		*i++
		bits, err := v.next(4)
		n := int(int32(bits))
		if precision && n < 0 {
			n = -1
		}
		return n, err
	}
	n := 0
	for ; *i < len(format) && format[*i] >= '0' && format[*i] <= '9'; *i++ {
		if n = 10*n + int(format[*i]-'0'); n > math.MaxInt32 {
			return 0, formatError("%s…: the number does not fit an int", format[:*i+1])
		}
	}
	return n, nil
}

// size sets the width of the value from the letters before the conversion, and checks that C defines the directive,
// which is text.
func (d *directive) size(letters string, text []byte) error {
	d.wide = 32
	switch letters {
	case "":
	case "hh":
		d.wide = 8
	case "h":
		d.wide = 16
	case "l", "ll", "L", "q", "j", "z", "t":
		d.wide = 64
	default:
		return formatError("%q has no such size", text)
	}
	switch d.verb {
	case 'd', 'i', 'u', 'x', 'X', 'o', 'e', 'E', 'f', 'F', 'g', 'G', 'a', 'A', 'p', '%':
		return nil
	case 'c', 's':
		if d.wide == 64 {
			return formatError("%q: wide characters are not for device code", text)
		}
		return nil
	case 'n':
		return formatError("%q: device code has no %%n", text)
	case '$':
		return formatError("%q: values that are named by position are not for device code", text)
	}
	return formatError("%q is not a directive: flags, width, precision and size must be followed by one of d i u x X o c s p e E f F g G a A %%", text)
}

// value takes the value that a directive formats.
func (v *Values) value(c *Conversion) (err error) {
	switch c.verb {
	case '%':
		return nil
	case 's':
		return v.stringValue(c)
	case 'p', 'e', 'E', 'f', 'F', 'g', 'G', 'a', 'A':
		c.bits, err = v.next(8)
		return err
	case 'c':
		c.bits, err = v.next(4)
		return err
	}
	c.bits, err = v.next(max(c.wide/8, 4))
	spare := 64 - c.wide
	if c.verb == 'd' || c.verb == 'i' {
		c.bits = uint64(int64(c.bits<<spare) >> spare)
	} else {
		c.bits = c.bits << spare >> spare
	}
	return err
}

// stringValue takes the string of %s. For a null pointer glibc, and so the host, prints "(null)", or nothing if the
// precision is too small for it.
func (v *Values) stringValue(c *Conversion) error {
	const null = "(null)"
	addr, err := v.next(8)
	switch {
	case err != nil:
		return err
	case addr != 0:
		c.text, err = v.Text(addr, c.precision)
	case c.precision < 0 || c.precision >= len(null):
		c.text = []byte(null)
	}
	return err
}
