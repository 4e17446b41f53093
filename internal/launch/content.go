package launch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/splitmix"
	"github.com/simtrun/simtrun/memory"
)

// maxBufferBytes limits one buffer, so that a mistyped count is an error and does not exhaust the host's memory.
const maxBufferBytes = 4 << 30

// content is an INIT: the initial content of a buffer.
type content struct {
	elem  Elem // type of a .npy file, once it is measured; none for other files
	count int64
	at    func(i int64) uint64 // element i; nil for zeros and files
	file  *file
	// uniform reports that all elements are equal.
	uniform bool
	// unwritten says that there is no content: the buffer holds a pattern, and reads of it before a write are wrong.
	unwritten bool
}

// size returns the content's size in bytes; the size of a file is known only once it is measured.
func (c *content) size() int64 {
	if c.file != nil {
		return c.file.size
	}
	return c.count * int64(c.elem.Bytes())
}

// measure determines the size and type of the file, if c is one.
func (c *content) measure(b *memory.Budget) error {
	if c.file == nil {
		return nil
	}
	err := c.file.measure(b)
	c.elem = c.file.elem
	return err
}

// fill writes the content to mem, which must be zeroed and at least as large. The error is that of ctx, or of the
// file.
func (c *content) fill(ctx context.Context, mem []byte) error {
	read, done, err := c.reader()
	if err != nil {
		return err
	}
	defer done()
	return inParts(ctx, c.size(), func(off, end int64) error { return read(mem[off:end], off) })
}

// overwrite is fill for memory that is not zeroed.
func (c *content) overwrite(ctx context.Context, mem []byte) error {
	err := inParts(ctx, c.size(), func(i, end int64) error {
		clear(mem[i:end])
		return nil
	})
	if err != nil {
		return err
	}
	return c.fill(ctx, mem)
}

// reader returns a function that writes the bytes of the content from off on to mem. off must be the start of an
// element, and mem zeroed. Call done after the last read.
func (c *content) reader() (read func(mem []byte, off int64) error, done func(), err error) {
	switch {
	case c.file != nil:
		return c.file.pieces()
	case c.at == nil:
		return func([]byte, int64) error { return nil }, func() {}, nil
	}
	step := int64(c.elem.Bytes())
	return func(mem []byte, off int64) error {
		c.elem.fill(mem, off/step, c.at)
		return nil
	}, func() {}, nil
}

// eachPiece calls do with each piece of the content and its offset. It holds one piece in memory at a time.
func (c *content) eachPiece(ctx context.Context, do func(off int64, piece []byte)) error {
	read, done, err := c.reader()
	if err != nil {
		return err
	}
	defer done()
	buf := make([]byte, min(partSize, c.size()))
	return inParts(ctx, c.size(), func(off, end int64) error {
		piece := buf[:end-off]
		if off == 0 || !c.uniform {
			if err := read(piece, off); err != nil {
				return err
			}
		}
		do(off, piece)
		return nil
	})
}

// partSize is how many elements, or bytes, are generated or compared between two checks of the context: some
// milliseconds of work. It is a multiple of every element size.
const partSize = 1 << 18

// inParts calls do for n items in parts, from i up to end. The error is that of ctx or of do.
func inParts(ctx context.Context, n int64, do func(i, end int64) error) error {
	for i := int64(0); i < n; i += partSize {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := do(i, min(i+partSize, n)); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// generators are the INITs other than @FILE, by name, with the form of their fields. Each gets the fields between
// colons.
var generators = map[string]struct {
	form  string
	parse func(c *content, fields []string) error
}{
	"zeros":  {"zeros:N:TYPE", parseZeros},
	"uninit": {"uninit:N:TYPE", parseUninit},
	"fill":   {"fill:N:TYPE:VALUE", parseFill},
	"iota":   {"iota:N:TYPE[:START[:STEP]]", parseIota},
	"rand":   {"rand:N:TYPE:SEED[:LO:HI]", parseRand},
	"list":   {"list:TYPE:V,V,…", parseList},
}

// isContent reports whether text looks like an INIT.
func isContent(text string) bool {
	name, _, colon := strings.Cut(text, ":")
	_, ok := generators[name]
	return ok && colon || strings.HasPrefix(text, "@")
}

// parseContent parses an INIT. File names are relative to l.
func (l *Layer) parseContent(text string) (*content, error) {
	if path, ok := strings.CutPrefix(text, "@"); ok {
		f, err := l.parseFile(path)
		return &content{file: f}, err
	}
	name, rest, _ := strings.Cut(text, ":")
	g, ok := generators[name]
	if !ok {
		form := "; there are zeros: fill: iota: rand: list: uninit: and @FILE"
		return nil, fmt.Errorf("%q: no contents %q%s", text, name, cmp.Or(isa.DidYouMean(name, slices.Sorted(maps.Keys(generators))), form))
	}
	c := &content{}
	err := g.parse(c, strings.Split(rest, ":"))
	switch {
	case err == errForm:
		return nil, fmt.Errorf("%q: expected %s", text, g.form)
	case err != nil:
		return nil, err
	case c.size() > maxBufferBytes:
		return nil, fmt.Errorf("%s is %d bytes; a buffer has at most %d", text, c.size(), int64(maxBufferBytes))
	}
	return c, nil
}

// errForm is returned for an INIT with too few or too many fields.
var errForm = errors.New("wrong number of fields")

// countAndType parses N:TYPE, which must be followed by one of the given numbers of fields.
func (c *content) countAndType(fields []string, more ...int) error {
	if !slices.Contains(more, len(fields)-2) {
		return errForm
	}
	n, err := strconv.ParseInt(fields[0], 10, 64)
	if err != nil || n < 1 || n > maxBufferBytes {
		return fmt.Errorf("%q elements: a count is a number from 1 to %d", fields[0], int64(maxBufferBytes))
	}
	c.count = n
	c.elem, err = elemByName(fields[1])
	return err
}

func parseZeros(c *content, fields []string) error { return c.countAndType(fields, 0) }

// unwrittenPattern is eight bytes of memory without contents.
const unwrittenPattern = memory.Unwritten * (1<<64 - 1) / 0xff

func parseUninit(c *content, fields []string) error {
	if err := c.countAndType(fields, 0); err != nil {
		return err
	}
	pattern := c.elem.truncate(unwrittenPattern)
	c.at, c.uniform, c.unwritten = func(int64) uint64 { return pattern }, true, true
	return nil
}

func parseFill(c *content, fields []string) error {
	if err := c.countAndType(fields, 1); err != nil {
		return err
	}
	v, err := c.elem.parse(fields[2], false)
	c.at, c.uniform = func(int64) uint64 { return v.bits }, true
	return err
}

// parseIota generates START + i*STEP. Integers wrap around; floating-point values are computed in float64 and rounded
// once.
func parseIota(c *content, fields []string) error {
	if err := c.countAndType(fields, 0, 1, 2); err != nil {
		return err
	}
	texts := []string{"0", "1"} // start and step
	copy(texts, fields[2:])
	e := c.elem
	from, err := e.parse(texts[0], true)
	if err != nil {
		return err
	}
	by, err := e.parse(texts[1], true)
	if err != nil {
		return err
	}
	start, step := from.bits, by.bits
	c.at = func(i int64) uint64 { return e.truncate(start + uint64(i)*step) }
	if e.isFloat() {
		a, b := e.float(start), e.float(step)
		c.at = func(i int64) uint64 { return e.round(a + float64(float64(i)*b)) }
		if e == F32 {
			c.at = func(i int64) uint64 { return round32(a + float64(float64(i)*b)) }
		}
	}
	return nil
}

// parseRand generates element i from output i of SplitMix64 with the seed SEED. Integers are its high bits, or
// uniform in [LO, HI). Floating-point values are uniform in [LO, HI), by default [0, 1), in steps of 2^-p of the
// range, where p is the type's precision.
func parseRand(c *content, fields []string) error {
	if err := c.countAndType(fields, 1, 3); err != nil {
		return err
	}
	seed, err := U64.parse(fields[2], false)
	if err != nil {
		return fmt.Errorf("seed: %w", err)
	}
	limits := fields[3:]
	if len(limits) == 0 {
		if !c.elem.isFloat() {
			e := c.elem
			c.at = func(i int64) uint64 { return splitmix.At(seed.bits, uint64(i)) >> (64 - e.bits()) }
			return nil
		}
		limits = []string{"0", "1"}
	}
	lo, err := c.elem.parse(limits[0], false)
	if err != nil {
		return err
	}
	hi, err := c.elem.parse(limits[1], false)
	if err != nil {
		return err
	}
	if c.elem.isFloat() {
		return c.uniformFloat(seed.bits, c.elem.float(lo.bits), c.elem.float(hi.bits))
	}
	return c.uniformInt(seed.bits, lo.bits, hi.bits)
}

func (c *content) uniformInt(seed, lo, hi uint64) error {
	e := c.elem
	if e.isSigned() && e.signed(lo) >= e.signed(hi) || !e.isSigned() && lo >= hi {
		return fmt.Errorf("random numbers from %s up to, but excluding, %s: there are none", e.Text(lo), e.Text(hi))
	}
	span := e.truncate(hi - lo)
	c.at = func(i int64) uint64 {
		n, _ := bits.Mul64(splitmix.At(seed, uint64(i)), span)
		return e.truncate(lo + n)
	}
	return nil
}

func (c *content) uniformFloat(seed uint64, lo, hi float64) error {
	if span := hi - lo; !(span > 0) || math.IsInf(span, 0) {
		return fmt.Errorf("random numbers from %v up to, but excluding, %v: there are none", lo, hi)
	}
	e, precision := c.elem, c.elem.significand()
	// Rounding may give HI, which is outside the range: use the value below it.
	most := e.below(e.round(hi))
	c.at = func(i int64) uint64 {
		u := math.Ldexp(float64(splitmix.At(seed, uint64(i))>>(64-precision)), -precision)
		v := e.round(lo + float64((hi-lo)*u))
		if e.float(v) >= hi {
			return most
		}
		return v
	}
	return nil
}

// below returns the greatest element that is less than a finite one.
func (e Elem) below(bits uint64) uint64 {
	sign := uint64(1) << (e.bits() - 1)
	switch {
	case bits&^sign == 0:
		return sign | 1
	case bits&sign != 0:
		return bits + 1
	}
	return bits - 1
}

func parseList(c *content, fields []string) error {
	if len(fields) != 2 {
		return errForm
	}
	var err error
	if c.elem, err = elemByName(fields[0]); err != nil {
		return err
	}
	// In args= of a launch line a comma ends the argument.
	values := strings.FieldsFunc(fields[1], func(r rune) bool { return r == ',' || r == ';' })
	if len(values) == 0 {
		return errForm
	}
	list := make([]uint64, len(values))
	for i, text := range values {
		v, err := c.elem.parse(strings.TrimSpace(text), false)
		if err != nil {
			return fmt.Errorf("value %d: %w", i, err)
		}
		list[i] = v.bits
	}
	c.count = int64(len(list))
	c.at = func(i int64) uint64 { return list[i] }
	return nil
}
