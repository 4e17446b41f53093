package interp_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/packed"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/internal/workloads"
	"github.com/simtrun/simtrun/interp"
)

// Kernels compiled by clang, compared with the memory that the same sources leave when they are compiled for the
// host: testdata/compiled/make.sh makes both.

// pending are kernels that do not have the host's results yet, as patterns of module/kernel, each with the reason. A
// kernel that passes must be removed.
var pending = []struct{ pattern, reason string }{}

// compiledCase is a kernel's launch, and the host's output of it.
type compiledCase struct {
	Kernel      string
	Grid, Block [3]uint32
	Argument    []byte // data after the pointers to input and output
	Output      []byte
}

func readCases(t *testing.T, name string) []compiledCase {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var cases []compiledCase
	for d := json.NewDecoder(f); ; {
		var c compiledCase
		if err := d.Decode(&c); errors.Is(err, io.EOF) {
			return cases
		} else if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		cases = append(cases, c)
	}
}

// casesOf returns those of a module named source.level.target.ptx, or source.fused.level.target.ptx if the compiler
// was free to fuse: some results then differ from those of the source.
func casesOf(t *testing.T, module string) []compiledCase {
	t.Helper()
	source, variant, _ := strings.Cut(filepath.Base(module), ".")
	dir := filepath.Dir(module)
	cases := readCases(t, filepath.Join(dir, source+".json"))
	if !strings.HasPrefix(variant, "fused.") {
		return cases
	}
	level := strings.Split(variant, ".")[1]
	for _, fused := range readCases(t, filepath.Join(dir, source+".fused."+level+".json")) {
		for i := range cases {
			if cases[i].Kernel == fused.Kernel {
				cases[i] = fused
			}
		}
	}
	return cases
}

func TestCompiledKernelsPass(t *testing.T) {
	short.Alternates(t, 1, 3)
	modules, err := filepath.Glob("testdata/compiled/*.ptx.gz")
	if err != nil {
		t.Fatal(err)
	}
	kernels := make(map[string]bool)
	launches := 0
	for _, name := range modules {
		t.Run(filepath.Base(name), func(t *testing.T) {
			src, err := packed.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			mod, parseErr := asm.Parse(filepath.Base(name), src)
			cases := casesOf(t, name)
			if parseErr == nil && len(mod.Entries()) != len(cases) {
				t.Errorf("%d kernels, and cases of %d", len(mod.Entries()), len(cases))
			}
			for _, c := range cases {
				kernels[c.Kernel] = true
				t.Run(c.Kernel, func(t *testing.T) {
					err := parseErr
					if err == nil {
						err = c.runInWays(mod, waysOf(launches))
						launches++
					}
					checkPending(t, err)
				})
			}
		})
	}
	if len(kernels) < 100 {
		t.Errorf("%d kernels, want 100 or more", len(kernels))
	}
}

// checkPending fails for a case that has an error and is not pending, and for one that is pending and has none.
func checkPending(t *testing.T, err error) {
	t.Helper()
	reason := pendingReason(strings.TrimPrefix(t.Name(), "TestCompiledKernelsPass/"))
	switch {
	case err != nil && reason == "":
		t.Error(err)
	case err == nil && reason != "":
		t.Errorf("passes, and is pending: %s", reason)
	}
}

func pendingReason(name string) string {
	for _, p := range pending {
		if ok, err := path.Match(p.pattern, name); ok && err == nil {
			return p.reason
		}
	}
	return ""
}

// inputWords is the number of random words that every kernel reads.
const inputWords = 1024

// driven is how a kernel is run.
type driven struct {
	interp.Config
	timed bool // with a clock
}

func (w driven) String() string {
	driver := "functional"
	if w.timed {
		driver = "timed"
	}
	return fmt.Sprintf("%s, %v, %v first, split %d", driver, w.Divergence, w.PathOrder, w.Split)
}

// ways are ways to run a kernel that must not affect its output.
var ways = []driven{
	{Config: interp.Config{PathOrder: divergence.Taken, Compile: interp.CompileNever}},
	{Config: interp.Config{PathOrder: divergence.Taken, Compile: interp.CompileAlways}},
	{Config: interp.Config{PathOrder: divergence.FallThrough, Compile: interp.CompileWanted}},
	{Config: interp.Config{PathOrder: divergence.Majority}},
	{Config: interp.Config{Split: 1}},
	{Config: interp.Config{Divergence: divergence.ReconvergenceStack, Compile: interp.CompileAlways}},
	{Config: interp.Config{Divergence: divergence.LowestPC, Compile: interp.CompileAlways}},
	{interp.Config{}, true},
	{interp.Config{Divergence: divergence.ReconvergenceStack, PathOrder: divergence.FallThrough}, true},
	{interp.Config{Divergence: divergence.LowestPC}, true},
}

// waysOf returns all ways: with a clock and without one, under all models, with each order of the sides of a
// divergent branch, and with forced divergence. With -short it returns one of them, by the number of the launch, and if
// cases take turns a quarter of them.
func waysOf(launch int) []driven {
	if testing.Short() {
		return ways[launch%len(ways):][:1]
	}
	turns := ways[:0:0]
	for i, way := range ways {
		if !short.Waits(launch+i, 8) {
			turns = append(turns, way)
		}
	}
	return turns
}

func (c *compiledCase) runInWays(mod *isa.Module, ways []driven) error {
	for _, way := range ways {
		if err := c.run(mod, way); err != nil {
			return fmt.Errorf("%v: %w", way, err)
		}
	}
	return nil
}

// run launches c's kernel and compares its output.
func (c *compiledCase) run(mod *isa.Module, by driven) error {
	by.GPU = smallGPU(4)
	m, err := kerneltest.New(mod, by.Config)
	if err != nil {
		return err
	}
	in, err := m.Alloc("in", 4*inputWords)
	if err != nil {
		return err
	}
	r := workloads.XorShift(12345)
	for i := range inputWords {
		binary.LittleEndian.PutUint32(in.Data[4*i:], r.Next())
	}
	out, err := m.Alloc("out", int64(len(c.Output)))
	if err != nil {
		return err
	}
	params := binary.LittleEndian.AppendUint64(nil, in.Base)
	params = binary.LittleEndian.AppendUint64(params, out.Base)
	params = append(params, c.Argument...)
	if fn := mod.Entry(c.Kernel); fn != nil {
		_, size := fn.ParamLayout()
		params = params[:min(int(size), len(params))] // the host may pad a struct at its end
	}
	if err := by.launch(m, interp.Launch{Kernel: c.Kernel, Grid: dimOf(c.Grid), Block: dimOf(c.Block), Params: params}); err != nil {
		return err
	}
	return differences(out.Data, c.Output)
}

func (w driven) launch(m *interp.Machine, l interp.Launch) error {
	if !w.timed {
		_, err := functional.Run(context.Background(), m, l)
		return err
	}
	s, err := sm.Begin(m, l, sm.Options{})
	if err != nil {
		return err
	}
	if err := s.Continue(context.Background()); err != nil {
		return err
	}
	return s.Timing().Check()
}

func dimOf(v [3]uint32) isa.Dim { return isa.Dim{X: v[0], Y: v[1], Z: v[2]} }

// differences returns nil if got is want, and else an error with the first words that differ.
func differences(got, want []byte) error {
	var text strings.Builder
	n := 0
	for i := 0; i < len(want); i += 4 {
		g, w := binary.LittleEndian.Uint32(got[i:]), binary.LittleEndian.Uint32(want[i:])
		if g == w {
			continue
		}
		if n++; n <= 4 {
			fmt.Fprintf(&text, "\n\tword %d: got %08x, want %08x", i/4, g, w)
		}
	}
	if n == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d words differ:%s", n, len(want)/4, text.String())
}
