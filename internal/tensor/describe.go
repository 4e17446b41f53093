package tensor

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
)

// Form is the syntax of a tensor map's description.
const Form = "SIZExSIZE type=T strides=B,B box=NxN steps=N,N interleave=16|32 swizzle=32|64|128 atomicity=16|32|32flip|64 fill=zero|nan pixels=N channels=N lower=N,N upper=N,N promotion=64|128|256"

// Description is a tensor map, described word by word.
type Description struct {
	Map
	typed, sized bool
	settings     []string // settings that were given
}

// DefaultType sets the type of elements by its name, if there is one, unless a word sets it.
func (d *Description) DefaultType(name string) {
	if t, err := parseType(name); err == nil && !d.typed {
		d.Type, d.typed = t, true
	}
}

// parseType returns a type by its name.
func parseType(name string) (Type, error) {
	var names []string
	for t := range NumTypes {
		if types[t].name == name {
			return t, nil
		}
		names = append(names, types[t].name)
	}
	return 0, isa.Unknown("element type", name, names)
}

// Set applies a word: the sizes, as in 64x64, or a setting such as box=64x8.
func (d *Description) Set(word string) (err error) {
	key, value, assigned := strings.Cut(word, "=")
	switch {
	case !assigned && d.sized:
		return fmt.Errorf("%q is out of place; expected %s", word, Form)
	case !assigned:
		return d.setSizes(word)
	case !d.sized:
		return fmt.Errorf("%s before the sizes; expected %s", key, Form)
	case slices.Contains(d.settings, key):
		return fmt.Errorf("%s is said twice", key)
	}
	d.settings = append(d.settings, key)
	switch key {
	case "type":
		d.Type, err = parseType(value)
		d.typed = true
	case "strides":
		err = numbers(key, value, ",", d.Strides[:], d.Rank-1)
	case "box":
		err = numbers(key, value, "x", d.Box[:], d.Rank)
	case "steps":
		err = numbers(key, value, ",", d.Steps[:], d.Rank)
	case "interleave":
		d.Interleave, err = choose[Interleave](key, value, "0", "16", "32")
	case "swizzle":
		d.Swizzle, err = choose[Swizzle](key, value, "0", "32", "64", "128")
	case "atomicity":
		d.Atom, err = choose[Atom](key, value, "16", "32", "32flip", "64")
	case "fill":
		d.Fill, err = choose[Fill](key, value, "zero", "nan")
	case "promotion":
		d.Promotion, err = choose[uint8](key, value, "0", "64", "128", "256")
	default:
		return d.setIm2col(key, value)
	}
	return err
}

// setIm2col applies a setting of a map for im2col, which replaces the box.
func (d *Description) setIm2col(key, value string) error {
	if !slices.Contains([]string{"pixels", "channels", "lower", "upper"}, key) {
		return fmt.Errorf("no %q here; expected %s", key, Form)
	}
	switch d.Im2col = true; key {
	case "pixels":
		return number(key, value, &d.Pixels)
	case "channels":
		return number(key, value, &d.Channels)
	case "lower":
		return numbers(key, value, ",", d.Lower[:], max(d.Rank-2, 0))
	}
	return numbers(key, value, ",", d.Upper[:], max(d.Rank-2, 0))
}

// setSizes applies the sizes by dimension, as in 64x64.
func (d *Description) setSizes(word string) error {
	d.Rank, d.sized = strings.Count(word, "x")+1, true
	if d.Rank > MaxRank {
		return fmt.Errorf("%s has %d dimensions; a tensor has 1 to %d", word, d.Rank, MaxRank)
	}
	for i := range d.Steps {
		d.Steps[i] = 1
	}
	return numbers("sizes", word, "x", d.Sizes[:], d.Rank)
}

// numbers reads one number for each dimension that has one.
func numbers[T int | uint64](what, text, separator string, to []T, want int) error {
	parts := strings.Split(text, separator)
	if len(parts) != want {
		return fmt.Errorf("%s=%s has %d numbers; it takes %d", what, text, len(parts), want)
	}
	for i, part := range parts {
		n, err := strconv.ParseInt(part, 10, 62)
		if err != nil || n < 0 && T(0)-1 > 0 {
			return fmt.Errorf("%s=%s: %q is not a number", what, text, part)
		}
		to[i] = T(n)
	}
	return nil
}

// number reads one number.
func number(what, text string, to *int) error {
	var one [1]int
	err := numbers(what, text, ",", one[:], 1)
	*to = one[0]
	return err
}

// choose returns the number of a word in a list.
func choose[T ~uint8](key, value string, words ...string) (T, error) {
	i := slices.Index(words, strings.TrimSuffix(value, "B"))
	if i < 0 {
		return 0, fmt.Errorf("%s=%s; there are %s", key, value, strings.Join(words, " "))
	}
	return T(i), nil
}

// Finish returns an error if something is missing or contradictory. Strides that were not given are those of
// contiguous elements.
func (d *Description) Finish() error {
	switch {
	case !d.sized:
		return fmt.Errorf("no sizes, such as 64x64; expected %s", Form)
	case !d.typed:
		return fmt.Errorf("no type, such as type=f16; expected %s", Form)
	case d.Im2col && slices.Contains(d.settings, "box"):
		return fmt.Errorf("a box, and what im2col has in its place: pixels, channels, lower and upper")
	case !d.Im2col && !slices.Contains(d.settings, "box"):
		return fmt.Errorf("no box, such as box=%s; expected %s", strings.Repeat("x8", d.Rank)[1:], Form)
	}
	if !slices.Contains(d.settings, "strides") {
		stride := d.Sizes[0] * uint64(d.unit())
		for i := range d.Rank - 1 {
			d.Strides[i] = stride
			stride *= d.Sizes[i+1]
		}
	}
	return d.Check()
}

// Span returns how many bytes there are from the first element of the tensor to the end of the last.
func (m *Map) Span() uint64 {
	n := m.Sizes[0] * uint64(m.unit())
	for d := 1; d < m.Rank; d++ {
		n += (m.Sizes[d] - 1) * m.Strides[d-1]
	}
	return n
}
