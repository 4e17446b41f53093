package interp_test

import (
	"bufio"
	"encoding/binary"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/libdevice"
	"github.com/simtrun/simtrun/internal/packed"
	"github.com/simtrun/simtrun/interp"
)

// mathCase is a thread of a kernel of testdata/libdevice/math.cu: its x and y, and the values that it must store, in
// their order, with their names.
type mathCase struct {
	args   map[string]float64
	names  []string
	values []float64
}

func mathCases(t *testing.T) map[string][]mathCase {
	t.Helper()
	f, err := os.Open("testdata/libdevice/math.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all := make(map[string][]mathCase)
	for scan := bufio.NewScanner(f); scan.Scan(); {
		words := strings.Fields(scan.Text())
		kernel, name := words[0], words[2]
		v, err := strconv.ParseFloat(words[3], 64)
		if err != nil {
			t.Fatal(err)
		}
		if name == "x" {
			all[kernel] = append(all[kernel], mathCase{args: make(map[string]float64)})
		}
		c := &all[kernel][len(all[kernel])-1]
		if name == "x" || name == "y" {
			c.args[name] = v
			continue
		}
		c.names, c.values = append(c.names, name), append(c.values, v)
	}
	return all
}

// TestCompiledMathMatchesMpmath: functions of math.h, as clang compiles calls of them without a CUDA toolkit, have
// mpmath's results, with a clock and without one: within an ulp, and in nearly all cases the nearest float.
func TestCompiledMathMatchesMpmath(t *testing.T) {
	cases := mathCases(t)
	for _, level := range []string{"O0", "O2"} {
		name := "testdata/libdevice/math." + level + ".ptx.gz"
		src, err := packed.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		mod, err := asm.Parse(name, src)
		if err != nil {
			t.Fatal(err)
		}
		for kernel, size := range map[string]int{"doubles": 8, "floats": 4} {
			for i, by := range ways {
				if testing.Short() && i%4 != 2 {
					continue
				}
				checkMath(t, by, kernel, size, cases[kernel], func(c *interp.Config) (*interp.Machine, error) { return kerneltest.New(mod, *c) })
			}
		}
	}
	if n := len(libdevice.Functions()); n < 430 {
		t.Errorf("%d functions", n)
	}
}

func checkMath(t *testing.T, by driven, kernel string, size int, cases []mathCase, load func(*interp.Config) (*interp.Machine, error)) {
	t.Helper()
	by.GPU = smallGPU(4)
	m, err := load(&by.Config)
	if err != nil {
		t.Fatal(err)
	}
	put := func(b []byte, v float64) {
		if size == 8 {
			binary.LittleEndian.PutUint64(b, math.Float64bits(v))
		} else {
			binary.LittleEndian.PutUint32(b, math.Float32bits(float32(v)))
		}
	}
	var params []byte
	var out []byte
	per := len(cases[0].values)
	for _, name := range []string{"x", "y", "out"} {
		n := len(cases) * size
		if name == "out" {
			n *= per
		}
		r, err := m.Alloc(name, int64(n))
		if err != nil {
			t.Fatal(err)
		}
		params, out = binary.LittleEndian.AppendUint64(params, r.Base), r.Data
		for i, c := range cases {
			if name != "out" {
				put(r.Data[i*size:], c.args[name])
			}
		}
	}
	params = binary.LittleEndian.AppendUint32(params, uint32(len(cases)))
	if err := by.launch(m, interp.Launch{Kernel: kernel, Grid: dimOf([3]uint32{2, 1, 1}), Block: dimOf([3]uint32{32, 1, 1}), Params: params}); err != nil {
		t.Fatalf("%s, %v: %v", kernel, by, err)
	}
	nearest := 0
	for i, c := range cases {
		for k, want := range c.values {
			at := out[(i*per+k)*size:]
			apart := int64(0)
			if size == 8 {
				apart = int64(binary.LittleEndian.Uint64(at)) - int64(math.Float64bits(want))
			} else {
				apart = int64(binary.LittleEndian.Uint32(at)) - int64(math.Float32bits(float32(want)))
			}
			switch {
			case apart == 0:
				nearest++
			case apart < -1 || apart > 1:
				t.Errorf("%s, %v: thread %d, %s(%v, %v): %d floats from %v", kernel, by, i, c.names[k], c.args["x"], c.args["y"], apart, want)
			}
		}
	}
	if all := len(cases) * per; nearest < all*998/1000 {
		t.Errorf("%s, %v: %d of %d are the nearest float", kernel, by, nearest, all)
	}
}
