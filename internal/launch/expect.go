package launch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// expectLine is NAME[I:J] == V … or NAME == INIT, with tolerances.
type expectLine struct {
	text string
	owned
	first   int64 // elements first to end-1
	end     int64 // -1: to the last
	whole   bool  // no [I:J]: the content must have the buffer's size
	values  []string
	content *content
	within  tolerance
	elem    Elem // from type=; none: the content's or buffer's
	at      Origin
	ifFits  bool // ignored if there is no such buffer
}

// tolerance is how far an element may be from the expected value. Satisfying any one of the tolerances is enough.
type tolerance struct {
	abs, rel float64
	ulp      uint64
}

func (t tolerance) given() bool { return t != tolerance{} }

func (l *Layer) addExpect(text string, at Origin) error {
	if metric, ok := strings.CutPrefix(text, "metric "); ok {
		return l.addMetric(metric, at)
	}
	if text == "none" {
		l.expectNone = true
		return nil
	}
	left, right, ok := strings.Cut(text, "==")
	if !ok {
		return fmt.Errorf("%q: expected NAME[I:J] == V … or NAME == @FILE", text)
	}
	e := expectLine{text: text, at: at}
	if err := e.parseRange(strings.TrimSpace(left)); err != nil {
		return err
	}
	rightAt := at.right(len(left) + len("=="))
	for word, wordAt := range words(right, rightAt) {
		var err error
		key, option, isOption := strings.Cut(word, "=")
		switch {
		case strings.HasPrefix(word, "@") || isContent(word):
			if e.content, err = l.parseContent(word); err == nil && e.content.unwritten {
				err = fmt.Errorf("%s has no contents to compare with", word)
			}
		case isOption:
			err = e.setOption(key, option)
		case strings.HasSuffix(word, ","):
			err = fmt.Errorf("%q: values are separated by blanks, not commas", word)
		case isNumber(word):
			e.values = append(e.values, word)
		default:
			err = fmt.Errorf("%q is not a number", word)
		}
		if err != nil {
			return wordAt.wrap(err)
		}
	}
	if (e.content == nil) == (len(e.values) == 0) {
		return errors.New("expected values after ==, or @FILE or another INIT")
	}
	l.expects = append(l.expects, e)
	return nil
}

// parseRange parses NAME, NAME[I] or NAME[I:J]; I and J are optional.
func (e *expectLine) parseRange(text string) error {
	name, inside, bracket := strings.Cut(text, "[")
	name = strings.TrimSpace(name)
	var ok bool
	if e.owned, ok = parseOwned(name); !ok {
		return fmt.Errorf("%q is not a buffer's name", name)
	}
	e.end = -1
	if !bracket {
		e.whole = true
		return nil
	}
	inside, closed := strings.CutSuffix(inside, "]")
	from, to, colon := strings.Cut(inside, ":")
	from, to = strings.TrimSpace(from), strings.TrimSpace(to)
	first, err := strconv.ParseUint(from, 10, 62)
	if from == "" && colon {
		first, err = 0, nil
	}
	e.first, e.end = int64(first), int64(first)+1
	if colon {
		e.end = -1
	}
	if to != "" && err == nil {
		var end uint64
		end, err = strconv.ParseUint(to, 10, 62)
		e.end = int64(end)
	}
	if !closed || err != nil || e.end >= 0 && e.end <= e.first {
		return fmt.Errorf("%q: expected NAME[I] or NAME[I:J], from I up to, but excluding, J", text)
	}
	return nil
}

func (e *expectLine) setOption(key, text string) (err error) {
	switch key {
	case "type":
		e.elem, err = elemByName(text)
	case "abs":
		e.within.abs, err = parseTolerance(text)
	case "rel":
		e.within.rel, err = parseTolerance(text)
	case "ulp":
		e.within.ulp, err = strconv.ParseUint(text, 10, 64)
		if err != nil {
			err = fmt.Errorf("%q is not a number of units in the last place", text)
		}
	default:
		err = fmt.Errorf("no option %q; there are type= abs= rel= ulp=", key)
	}
	return err
}

func parseTolerance(text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= 0) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("%q is not a tolerance, which is a number from 0", text)
	}
	return v, nil
}

// expectation is an expectLine that has been resolved to its buffer.
type expectation struct {
	text    string
	at      Origin
	process int    // number
	label   string // of the buffer
	object  *object
	elem    Elem
	first   int64
	count   int64
	within  tolerance
	// The expected elements: a content, or values, one per element or one for all.
	content *content
	values  []literal
}

func (p *Plan) expectation(line *expectLine) (expectation, error) {
	o, err := p.meant(line.name)
	if err != nil {
		return expectation{}, err
	}
	if line.content != nil {
		if err := line.content.measure(p.Config.Budget); err != nil {
			return expectation{}, err
		}
	}
	e := expectation{text: line.text, at: line.at, object: o, elem: line.elem, first: line.first, within: line.within}
	if e.elem == 0 && line.content != nil {
		e.elem = line.content.elem
	}
	if e.elem == 0 {
		e.elem = o.elem
	}
	end := line.end
	if end < 0 {
		end = o.count(e.elem)
	}
	if e.count = end - e.first; end > o.count(e.elem) || e.count < 1 {
		return e, o.tooSmall(max(end, e.first+1), e.elem)
	}
	if line.within.ulp > 0 && !e.elem.isFloat() {
		return e, fmt.Errorf("ulp= is for floating-point elements, not %s", e.elem)
	}
	if line.content != nil {
		return e, e.wantContent(line)
	}
	return e, e.wantValues(line.values)
}

// wantContent sets the expected elements from an INIT, which it measures. A file must have exactly as many bytes as
// are compared.
func (e *expectation) wantContent(line *expectLine) error {
	c := line.content
	size := e.count * int64(e.elem.Bytes())
	if line.whole {
		size = e.object.size
	}
	if c.size() != size {
		return fmt.Errorf("%d bytes of %s are compared with %d", size, e.object.name, c.size())
	}
	e.content = c
	return nil
}

// wantValues sets the expected elements from the line: one per element, or one for all.
func (e *expectation) wantValues(texts []string) error {
	if len(texts) != 1 && int64(len(texts)) != e.count {
		return fmt.Errorf("%d values for %d elements; give one for each element, or one for all", len(texts), e.count)
	}
	e.values = make([]literal, len(texts))
	for i, text := range texts {
		v, err := e.elem.parse(text, false)
		if err != nil {
			return err
		}
		e.values[i] = v
	}
	return nil
}

// maxShown is the most mismatches that are kept for an expectation.
const maxShown = 10

// Failure is an unmet expectation.
type Failure struct {
	Expect     string // as written
	At         Origin
	Compared   int64      // elements
	Differ     int64      // elements
	Mismatches []Mismatch // the first ten
	Got, Want  string     // of a metric, which has no elements
}

// Place returns the expectation with its position in a file, or the flag.
func (f *Failure) Place() string {
	if f.At.Flag != "" {
		return f.At.Flag
	}
	return fmt.Sprintf("%s: expect %s", f.At, f.Expect)
}

// What returns in a few words the difference between found and expected values.
func (f *Failure) What() string {
	if f.Got != "" {
		return fmt.Sprintf("it is %s, not %s", f.Got, f.Want)
	}
	elements, differ := "elements", "differ"
	if f.Compared == 1 {
		elements = "element"
	}
	if f.Differ == 1 {
		differ = "differs"
	}
	return fmt.Sprintf("%d of %d %s %s", f.Differ, f.Compared, elements, differ)
}

// Details returns the first elements that differ, one per line.
func (f *Failure) Details() []string {
	var lines []string
	for _, m := range f.Mismatches {
		lines = append(lines, fmt.Sprintf("%s[%d] is %s, not %s", m.Name, m.Index, m.Got, m.Want))
	}
	if more := f.Differ - int64(len(f.Mismatches)); len(lines) > 0 && more > 0 {
		lines = append(lines, fmt.Sprintf("… %d more", more))
	}
	return lines
}

// Mismatch is one element that differs from its expected value.
type Mismatch struct {
	Name      string // the buffer's
	Index     int64
	Got, Want string
}

// check compares mem, the bytes of the buffer, with the expectation. The failure is nil if they agree. The error is
// that of ctx, or of a file.
func (e *expectation) check(ctx context.Context, mem []byte) (*Failure, error) {
	f := &Failure{Expect: e.text, At: e.at, Compared: e.count}
	var err error
	if mem = mem[e.first*int64(e.elem.Bytes()):]; e.content == nil {
		err = e.checkValues(ctx, f, mem)
	} else {
		err = e.checkContent(ctx, f, mem)
	}
	if f.Differ == 0 {
		return nil, err
	}
	return f, err
}

func (e *expectation) checkValues(ctx context.Context, f *Failure, mem []byte) error {
	step, last := int64(e.elem.Bytes()), int64(len(e.values))-1
	return inParts(ctx, e.count, func(i, end int64) error {
		for ; i < end; i++ {
			e.compare(f, i, e.elem.load(mem[i*step:]), e.values[min(i, last)])
		}
		return nil
	})
}

func (e *expectation) checkContent(ctx context.Context, f *Failure, mem []byte) error {
	step := int64(e.elem.Bytes())
	return e.content.eachPiece(ctx, func(off int64, want []byte) {
		got := mem[off:][:len(want)]
		if bytes.Equal(got, want) {
			return
		}
		for at := int64(0); at+step <= int64(len(want)); at += step {
			e.compare(f, (off+at)/step, e.elem.load(got[at:]), literal{bits: e.elem.load(want[at:])})
		}
	})
}

// compare adds element first+i to f if it differs from its expected value.
func (e *expectation) compare(f *Failure, i int64, got uint64, want literal) {
	if e.elem.matches(got, want, e.within) {
		return
	}
	f.Differ++
	if len(f.Mismatches) < maxShown {
		f.Mismatches = append(f.Mismatches, e.mismatch(e.first+i, got, want.bits))
	}
}

func (e *expectation) mismatch(index int64, got, want uint64) Mismatch {
	m := Mismatch{e.label, index, e.elem.Text(got), e.elem.Text(want)}
	if m.Got == m.Want { // NaNs with different bits
		m.Got, m.Want = fmt.Sprintf("%s (0x%x)", m.Got, got), fmt.Sprintf("%s (0x%x)", m.Want, want)
	}
	return m
}

// matches reports whether an element has the expected value. Floating-point values compare by value, and NaN matches
// NaN, unless a bit pattern is expected.
func (e Elem) matches(got uint64, want literal, within tolerance) bool {
	switch {
	case got == want.bits:
		return true
	case want.exact && !within.given():
		return false
	case !e.isFloat():
		return within.given() && e.nearInt(got, want.bits, within)
	}
	g, w := e.float(got), e.float(want.bits)
	switch {
	case math.IsNaN(w) || math.IsNaN(g):
		return math.IsNaN(w) && math.IsNaN(g)
	case g == w:
		return true
	case math.IsInf(w, 0) || math.IsInf(g, 0):
		return false
	}
	off := math.Abs(g - w)
	return off <= within.abs || off <= within.rel*math.Abs(w) || within.ulp > 0 && e.steps(got, want.bits) <= within.ulp
}

func (e Elem) nearInt(got, want uint64, within tolerance) bool {
	off, size := max(got, want)-min(got, want), float64(want)
	if e.isSigned() {
		g, w := e.signed(got), e.signed(want)
		off, size = uint64(max(g, w))-uint64(min(g, w)), math.Abs(float64(w))
	}
	return float64(off) <= within.abs || float64(off) <= within.rel*size
}

// steps returns the distance from a to b in units in the last place.
func (e Elem) steps(a, b uint64) uint64 {
	sign := uint64(1) << (e.bits() - 1)
	x, y := a&^sign, b&^sign
	if a&sign != b&sign {
		return x + y
	}
	return max(x, y) - min(x, y)
}
