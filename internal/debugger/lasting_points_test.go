package debugger

import (
	"os"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/packed"
	"github.com/simtrun/simtrun/internal/source"
	"github.com/simtrun/simtrun/interp"
)

// newLaunches begins the launches first, second<float> and first of testdata/launches.cu, of which simtrun cc -G makes
// launches-clang19.ptx in folder /src.
func newLaunches(t *testing.T) *bench {
	t.Helper()
	ptx, err := packed.ReadFile("testdata/launches-clang19.ptx.gz")
	if err != nil {
		t.Fatal(err)
	}
	src, err := os.ReadFile("testdata/launches.cu")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := asm.Parse("launches.ptx", ptx)
	if err != nil {
		t.Fatal(err)
	}
	source.NameParams(mod)
	b := &bench{t: t}
	b.Debugger, err = New(Config{Out: &b.out, Sources: map[string][]string{"/src/launches.cu": strings.Split(string(src), "\n")}, Prepare: func() (*Program, error) {
		m, err := interp.New(mod, interp.Config{})
		if err != nil {
			return nil, err
		}
		out, err := m.Alloc("out", 128)
		if err != nil {
			return nil, err
		}
		params := make([]byte, 12)
		store(params, out.Base)
		one := interp.Launch{Kernel: "_Z5firstPii", Grid: isa.Dim{X: 1, Y: 1, Z: 1}, Block: isa.Dim{X: 32, Y: 1, Z: 1}, Params: params}
		two := one
		two.Kernel = "_Z6secondIfEvPiT_"
		return &Program{Machine: m, Launches: []interp.Launch{one, two, one}, Buffers: []Buffer{{Region: out, Elem: isa.S32}}}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestBreakpointsStopInLaterLaunches: a breakpoint in a template that several kernels use stops in each launch, and one
// of a line that only a later launch executes waits for that. It does not move to a line of another kernel.
func TestBreakpointsStopInLaterLaunches(t *testing.T) {
	for _, set := range []struct {
		name     string
		set      func(d *Debugger) error
		launches []int
	}{
		{"the template's line", func(d *Debugger) error { return d.Execute(t.Context(), "break launches.cu:5") }, []int{0, 1, 2}},
		{"the same, as an editor sets it", func(d *Debugger) error {
			_, err := d.BreakLine("/src/launches.cu", 5, PointOptions{})
			return err
		}, []int{0, 1, 2}},
		{"the template's name", func(d *Debugger) error {
			_, err := d.BreakFunction("scaled", PointOptions{})
			return err
		}, []int{0, 1, 2}},
		{"a line of the first kernel", func(d *Debugger) error { return d.Execute(t.Context(), "break launches.cu:17") }, []int{0, 2}},
		{"its name", func(d *Debugger) error { return d.Execute(t.Context(), "break first") }, []int{0, 2}},
	} {
		b := newLaunches(t)
		if err := set.set(b.Debugger); err != nil {
			t.Errorf("%s: %v", set.name, err)
			continue
		}
		var got []int
		for range 10 {
			stop, err := b.Move(t.Context(), Onwards)
			if err != nil || stop.Ended {
				break
			}
			if len(stop.Points) > 0 {
				got = append(got, b.number)
			}
		}
		if len(got) != len(set.launches) || got[0] != set.launches[0] || got[len(got)-1] != set.launches[len(got)-1] {
			t.Errorf("%s: stops in launches %v, want %v", set.name, got, set.launches)
		}
	}
	b := newLaunches(t)
	if _, err := b.BreakLine("/src/launches.cu", 12, PointOptions{}); err == nil || !strings.Contains(err.Error(), "but code of second<float>") {
		t.Errorf("a line of a kernel to come: %v", err)
	}
	if at, err := b.BreakLine("/src/launches.cu", 15, PointOptions{}); err != nil || at.Line != 16 {
		t.Errorf("a line before the kernel's body: %+v, %v", at, err)
	}
}
