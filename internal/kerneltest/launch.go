package kerneltest

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/interp"
)

// launchKeys are the keys of a case that describe a launch of its kernel and the expected result.
//
//	grid block cluster  the extents of the launch, as 64 or 32x8
//	shared              bytes of dynamic shared memory
//	model order         the divergence model, and the order of a branch's sides: values of --divergence, --path-order
//	words               the size of each buffer; without it, the first has as many words as are wanted
//	want                the words of the first buffer afterwards, as Words reads them; if it has more, they repeat
//	fault hang error    what the message of the fault, hang or any error contains; without them, the launch succeeds
var launchKeys = []string{"grid", "block", "cluster", "shared", "model", "order", "words", "want", "fault", "hang", "error"}

// Launches launches the cases of a file, each in a test of its name, and compares what is wanted of them. set changes
// a launch before, and can be nil.
func Launches(t *testing.T, file string, set func(k *Kernel)) {
	for _, c := range Cases(t, file, launchKeys...) {
		t.Run(c.Name, func(t *testing.T) {
			k := c.Kernel(t)
			if set != nil {
				set(&k)
			}
			c.Check(t, k)
		})
	}
}

// Kernel returns the launch of a case.
func (c *Case) Kernel(t testing.TB) Kernel {
	t.Helper()
	k := Kernel{Source: c.Body, Shared: int64(c.Number(t, "shared", 0)), Grid: c.Dim(t, "grid")}
	if c.Has("block") {
		k.Block = c.Dim(t, "block")
	}
	if c.Has("cluster") {
		k.Cluster = c.Dim(t, "cluster")
	}
	var err error
	if name := c.Value(t, "model"); name != "" {
		k.Config.Divergence, err = divergence.ParseModel(name)
	}
	if name := c.Value(t, "order"); name != "" && err == nil {
		k.Config.PathOrder, err = divergence.ParseOrder(name)
	}
	if err != nil {
		t.Fatalf("%s: %v", c.Name, err)
	}
	for text := range strings.FieldsSeq(c.Value(t, "words")) {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatalf("%s: words: %v", c.Name, err)
		}
		k.Words = append(k.Words, n)
	}
	if k.Words == nil && c.Has("want") {
		k.Words = []int{len(c.Words(t, "want"))}
	}
	return k
}

// Number returns the number in the line with a key, or another one if there is none.
func (c *Case) Number(t testing.TB, key string, otherwise int) int {
	t.Helper()
	text := c.Value(t, key)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %s: %v", c.Name, key, err)
	}
	return n
}

// Check runs a launch, and compares it with what is wanted of the case.
func (c *Case) Check(t *testing.T, k Kernel) {
	t.Helper()
	out, _, err := k.Run(t)
	fault, hang, other := c.Values("fault"), c.Values("hang"), c.Values("error")
	switch {
	case fault != nil:
		wantFault(t, err, fault...)
	case hang != nil:
		WantHang(t, err, hang...)
	case other != nil && err != nil:
		wantParts(t, err, other)
	case (err != nil) != (other != nil):
		t.Fatalf("got %v, want %q", err, other)
	}
	if err == nil || c.Has("want") {
		want := c.Words(t, "want")
		wantWords(t, out[0], func(i int) uint32 { return want[i%len(want)] })
	}
}

// wantFault fails unless err is a fault with a message that contains all of want.
func wantFault(t *testing.T, err error, want ...string) {
	t.Helper()
	fault, ok := errors.AsType[*interp.Fault](err)
	if !ok {
		t.Fatalf("got %v, want a fault", err)
	}
	wantParts(t, fault, want)
}

// wantParts fails unless the message of an error contains all of want.
func wantParts(t *testing.T, err error, want []string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("the message lacks %q:\n%v", w, err)
		}
	}
}

// Words returns the words of the lines with a key: numbers, 12*7 for twelve times 7, and 7..18 or 7..29+2 for the
// numbers from 7 on, by 1 or by 2.
func (c *Case) Words(t testing.TB, key string) []uint32 {
	t.Helper()
	var all []uint32
	for text := range strings.FieldsSeq(strings.Join(c.Values(key), " ")) {
		words, err := wordsOf(text)
		if err != nil {
			t.Fatalf("%s: %s: %v", c.Name, key, err)
		}
		all = append(all, words...)
	}
	if all == nil {
		t.Fatalf("%s: no line %s", c.Name, key)
	}
	return all
}

// wordsOf returns the words of one field.
func wordsOf(text string) (all []uint32, err error) {
	number := func(text string) (n int64) {
		if err == nil {
			n, err = strconv.ParseInt(text, 0, 64)
		}
		return n
	}
	if times, word, ok := strings.Cut(text, "*"); ok {
		for range number(times) {
			all = append(all, uint32(number(word)))
		}
		return all, err
	}
	first, last, ok := strings.Cut(text, "..")
	if !ok {
		return []uint32{uint32(number(text))}, err
	}
	step := int64(1)
	if to, by, ok := strings.Cut(last, "+"); ok {
		last, step = to, max(1, number(by))
	}
	for n, end := number(first), number(last); err == nil && n <= end; n += step {
		all = append(all, uint32(n))
	}
	return all, err
}
