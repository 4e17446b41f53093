package silicon

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/conformance"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/launch"
	"github.com/simtrun/simtrun/internal/packed"
	"github.com/simtrun/simtrun/internal/workloads"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// pending is a case that is not made yet; nil if there is nothing to compare.
type pending struct {
	name string
	make func() (*Case, error)
}

// cases returns all cases, without simtrun's answers.
func cases(t *testing.T) iter.Seq[pending] {
	return func(yield func(pending) bool) {
		for _, source := range []func(*testing.T, func(pending) bool) bool{
			openBehaviour, programs, compiled, works, traps, straightLines, controlFlow, inOrder, forms,
		} {
			if !source(t, yield) {
				return
			}
		}
	}
}

// forms are the legal forms of the table, each with edge values and random ones.
func forms(_ *testing.T, yield func(pending) bool) bool {
	for _, row := range isa.Specs() {
		for in := range row.Forms() {
			name := in.Mnemonic()
			if laterForms.MatchString(name) {
				continue
			}
			ok := yield(pending{name, func() (*Case, error) {
				return caseOf(name, conformance.Launches(name), func(l *conformance.Launch) bool { return !l.Ordered })
			}})
			if !ok {
				return false
			}
		}
	}
	return true
}

// inOrder are atomics of several lanes on one place, of the forms that compilers emit. PTX leaves their order open.
// Those of 64 bits in shared memory, which are loops on a GPU, are excluded.
func inOrder(_ *testing.T, yield func(pending) bool) bool {
	for _, claim := range conformance.Forms() {
		name := claim.Name
		ok := yield(pending{"order/" + name, func() (*Case, error) {
			return caseOf("order/"+name, conformance.Launches(name), func(l *conformance.Launch) bool {
				return l.Ordered && !(strings.Contains(name, "64") && strings.Contains(l.Source, "st.shared"))
			})
		}})
		if !ok {
			return false
		}
	}
	return true
}

// caseOf returns a case of the chosen launches, nil if there are none.
func caseOf(name string, launches []conformance.Launch, chosen func(*conformance.Launch) bool) (*Case, error) {
	c := &Case{Name: name}
	for i := range launches {
		if !chosen(&launches[i]) || laterOperands.MatchString(launches[i].Source) {
			continue
		}
		if err := addLaunch(c, &launches[i]); err != nil {
			return nil, err
		}
	}
	if len(c.Modules) == 0 {
		return nil, nil
	}
	return c, nil
}

// laterForms are those of sm_100: NVIDIA's assembler of 2025 crashes on some of them for earlier GPUs.
var laterForms = regexp.MustCompile(`^(ld|st)\b.*\.(v8\.|v4\.[busf]64)|\.(f32x2|e2m1x2|e2m3x2|e3m2x2|ue8m0x2)\b|^(add|sub|fma)\..*f32\.b?f16$`)

// laterOperands are forms of sm_100 with the names of earlier ones: min and max of three.
var laterOperands = regexp.MustCompile(`\b(min|max)\.[\w.]*f32 [^,;]+,[^,;]+,[^,;]+,`)

// addLaunch adds a launch with an answer of its own, and with addresses of a GPU. Launches of one source share the
// module.
func addLaunch(c *Case, from *conformance.Launch) error {
	if strings.Contains(from.Source, ".address_size 32") {
		return nil
	}
	mod, err := parse(from.Source)
	if err != nil {
		return err
	}
	l := Launch{Kernel: mod.Entries()[0].Name, Grid: shape(from.Grid), Block: shape(from.Block), Shared: from.Shared,
		Times: from.Times, Buffers: from.Buffers, Columns: from.Columns}
	for i := range from.Buffers {
		l.Pointers = append(l.Pointers, Pointer{At: 8 * i, Buffer: i})
	}
	l.Params = append(make([]byte, 8*len(from.Buffers)), from.Params...)
	l.Offsets, _ = mod.Entries()[0].ParamLayout()
	source := dated(from.Source)
	if n := len(c.Modules); n == 0 || c.Modules[n-1].PTX != source {
		c.Modules = append(c.Modules, Module{PTX: source, Parsed: mod})
	}
	m := &c.Modules[len(c.Modules)-1]
	m.Launches = append(m.Launches, l)
	return nil
}

var (
	votes   = regexp.MustCompile(`\b(vote|shfl)\.(all|any|uni|ballot|up|down|bfly|idx)\b`)
	targets = regexp.MustCompile(`(?m)^\.version .*\n\.target .*$`)
)

// dated returns the source in a PTX version that has all of its instructions: PTX 6.4 has no votes and exchanges
// without .sync for sm_70 and later.
func dated(source string) string {
	if !votes.MatchString(source) {
		return source
	}
	return targets.ReplaceAllString(source, ".version 6.0\n.target sm_60")
}

func shape(d isa.Dim) [3]uint32 { return [3]uint32{d.X, d.Y, d.Z} }

func parse(source string) (*isa.Module, error) {
	mod, err := asm.Parse("k.ptx", []byte(source))
	if err != nil {
		return nil, fmt.Errorf("%w in\n%s", err, source)
	}
	return mod, nil
}

// asked has the programs of the course that have changed since they ran on the H100, in the version that ran.
const asked = "testdata/asked"

// programs are those of the course.
func programs(t *testing.T, yield func(pending) bool) bool {
	files, err := filepath.Glob("../../programs/*.s")
	if err != nil || len(files) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	for _, file := range files {
		name := "programs/" + filepath.Base(file)
		ok := yield(pending{name, func() (*Case, error) {
			src, err := os.ReadFile(filepath.Join(asked, filepath.Base(file)))
			if errors.Is(err, fs.ErrNotExist) {
				src, err = os.ReadFile(file)
			}
			if err != nil {
				return nil, err
			}
			return program(name, file, src)
		}})
		if !ok {
			return false
		}
	}
	return true
}

// program returns the launch in the source's header.
func program(name, file string, src []byte) (*Case, error) {
	mod, err := parse(string(src))
	if err != nil {
		return nil, err
	}
	header, err := launch.ParseHeader(file, filepath.Dir(file), src)
	if err != nil {
		return nil, err
	}
	plan, err := launch.NewPlan(mod, header)
	if err != nil {
		return nil, err
	}
	ready, err := plan.Prepare(context.Background())
	if err != nil {
		return nil, err
	}
	if len(ready.Launches) != 1 {
		return nil, fmt.Errorf("%s has %d launches", name, len(ready.Launches))
	}
	from := ready.Launches[0]
	l := Launch{Kernel: from.Kernel, Grid: shape(from.Grid), Block: shape(from.Block), Shared: from.Shared, Times: 1}
	var regions []*memory.Region
	for _, b := range ready.Buffers {
		if ready.Machine.Var(b.Name) == b.Region {
			if holdsAddresses(mod, b.Name) {
				continue
			}
			l.Variables = append(l.Variables, Variable{Name: b.Name, Size: int64(len(b.Data))})
			continue
		}
		regions = append(regions, b.Region)
		l.Buffers = append(l.Buffers, slices.Clone(b.Data))
	}
	relocate(&l, mod.Entry(from.Kernel), from.Params, regions)
	return &Case{Name: name, Modules: []Module{{PTX: asm.Format(mod), Launches: []Launch{l}, Parsed: mod}}}, nil
}

// holdsAddresses reports whether a variable is initialised with addresses, which differ between machines.
func holdsAddresses(mod *isa.Module, name string) bool {
	for _, v := range mod.Vars {
		if v.Name == name {
			return slices.ContainsFunc(v.Init, func(i isa.Init) bool { return i.Sym != "" })
		}
	}
	return false
}

// relocate gives l a parameter block without its addresses, and records where they were.
func relocate(l *Launch, kernel *isa.Func, params []byte, regions []*memory.Region) {
	l.Params = slices.Clone(params)
	l.Offsets, _ = kernel.ParamLayout()
	for i, at := range l.Offsets {
		if kernel.Params[i].Size() != 8 {
			continue
		}
		addr := binary.LittleEndian.Uint64(params[at:])
		for k, r := range regions {
			if addr >= r.Base && addr <= r.End() {
				l.Pointers = append(l.Pointers, Pointer{At: int(at), Buffer: k, Offset: int64(addr - r.Base)})
				clear(l.Params[at : at+8])
			}
		}
	}
}

// inputWords is the number of random words that every compiled kernel reads.
const inputWords = 1024

// compiled are the kernels compiled by clang on which interp is tested.
func compiled(t *testing.T, yield func(pending) bool) bool {
	files, err := filepath.Glob("../../interp/testdata/compiled/*.ptx.gz")
	if err != nil || len(files) == 0 {
		t.Fatalf("no modules: %v", err)
	}
	in := make([]byte, 4*inputWords)
	r := workloads.XorShift(12345)
	for i := range inputWords {
		binary.LittleEndian.PutUint32(in[4*i:], r.Next())
	}
	for _, file := range files {
		name := "compiled/" + strings.TrimSuffix(filepath.Base(file), ".ptx.gz")
		if !yield(pending{name, func() (*Case, error) { return compiledModule(name, file, in) }}) {
			return false
		}
	}
	return true
}

// compiledModule returns the kernels of a module.
func compiledModule(name, file string, in []byte) (*Case, error) {
	src, err := packed.ReadFile(file)
	if err != nil {
		return nil, err
	}
	mod, err := parse(string(src))
	if err != nil {
		return nil, err
	}
	source, _, _ := strings.Cut(filepath.Base(file), ".")
	kernels, err := compiledKernels(filepath.Join(filepath.Dir(file), source+".json"))
	if err != nil {
		return nil, err
	}
	m := Module{PTX: string(src), Parsed: mod}
	for _, k := range kernels {
		params := append(make([]byte, 16), k.Argument...)
		offsets, size := mod.Entry(k.Kernel).ParamLayout()
		m.Launches = append(m.Launches, Launch{Kernel: k.Kernel, Grid: k.Grid, Block: k.Block, Times: 1,
			Params:   params[:min(int(size), len(params))], // the host may pad a struct at its end
			Offsets:  offsets,
			Pointers: []Pointer{{At: 0, Buffer: 0}, {At: 8, Buffer: 1}},
			Buffers:  [][]byte{in, make([]byte, len(k.Output))}})
	}
	return &Case{Name: name, Modules: []Module{m}}, nil
}

// compiledKernel is one of a file of interp's tests.
type compiledKernel struct {
	Kernel           string
	Grid, Block      [3]uint32
	Argument, Output []byte
}

func compiledKernels(name string) ([]compiledKernel, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var all []compiledKernel
	for d := json.NewDecoder(f); ; {
		var k compiledKernel
		if err := d.Decode(&k); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, k)
	}
}

// works are the ten workloads of the benchmarks.
func works(t *testing.T, yield func(pending) bool) bool {
	mod := workloads.Load(t)
	for i := range workloads.All {
		w := &workloads.All[i]
		p := w.Prepare(t, mod, interp.Config{})
		l := Launch{Kernel: w.Name, Grid: shape(w.Grid), Block: shape(w.Block), Times: 1}
		var regions []*memory.Region
		for i := range mod.Entry(w.Name).Params {
			if r := p.Buffer(i); r != nil {
				regions = append(regions, r)
				l.Buffers = append(l.Buffers, slices.Clone(r.Data))
			}
		}
		relocate(&l, mod.Entry(w.Name), p.Launch.Params, regions)
		c := &Case{Name: "workloads/" + w.Name, Modules: []Module{{PTX: string(workloads.Ten.PTX()), Launches: []Launch{l}, Parsed: mod}}}
		if !yield(pending{c.Name, func() (*Case, error) { return c, nil }}) {
			return false
		}
	}
	return true
}

// traps are the launches of places where PTX is not what readers expect, except those that are refused or end with an
// error.
func traps(_ *testing.T, yield func(pending) bool) bool {
	for _, claim := range conformance.Traps() {
		short, _, _ := strings.Cut(claim.Name, " ")
		name := "traps/" + short
		ok := yield(pending{name, func() (*Case, error) {
			var launches []conformance.Launch
			err := claim.Try(func(l conformance.Launch) (conformance.Result, error) {
				result, err := simulated(l)
				if err == nil {
					launches = append(launches, l)
				}
				return result, err
			})
			if err != nil {
				return nil, err
			}
			return caseOf(name, launches, func(*conformance.Launch) bool { return true })
		}})
		if !ok {
			return false
		}
	}
	return true
}

// simulated is a conformance.Run.
func simulated(l conformance.Launch) (conformance.Result, error) {
	mod, err := asm.Parse("k.ptx", []byte(l.Source))
	if err != nil {
		return conformance.Result{}, err
	}
	var printed strings.Builder
	m, err := interp.New(mod, interp.Config{MaxSteps: conformance.MaxSteps, Stdout: &printed})
	if err != nil {
		return conformance.Result{}, err
	}
	from := interp.Launch{Kernel: mod.Entries()[0].Name, Grid: l.Grid, Block: l.Block, Shared: l.Shared}
	var regions []*memory.Region
	for i, b := range l.Buffers {
		r, err := m.Alloc(fmt.Sprint("buffer ", i), int64(len(b)))
		if err != nil {
			return conformance.Result{}, err
		}
		copy(r.Data, b)
		regions = append(regions, r)
		if mod.AddressSize == 32 {
			from.Params = binary.LittleEndian.AppendUint32(from.Params, uint32(r.Base))
		} else {
			from.Params = binary.LittleEndian.AppendUint64(from.Params, r.Base)
		}
	}
	from.Params = append(from.Params, l.Params...)
	for range l.Times {
		if _, err := functional.Run(context.Background(), m, from); err != nil {
			return conformance.Result{}, err
		}
	}
	result := conformance.Result{Printed: printed.String()}
	for _, r := range regions {
		result.Buffers = append(result.Buffers, r.Data)
	}
	return result, nil
}

// straightLines are random programs without branches. Their text is stored, because it would change with every new
// form in the table.
func straightLines(t *testing.T, yield func(pending) bool) bool {
	return eachFile(t, "testdata/straight.zip", func(name string, text []byte) bool {
		name = "straight/" + name
		return yield(pending{name, func() (*Case, error) {
			var seed uint64
			var threads uint32
			if _, err := fmt.Sscanf(string(text), "// seed %d, %d threads", &seed, &threads); err != nil {
				return nil, err
			}
			state := conformance.RandomState(seed, int(threads))
			l := conformance.Launch{Source: conformance.Kernel(string(text), int(threads)), Grid: isa.Dim{X: 1, Y: 1, Z: 1}, Block: isa.Dim{X: threads, Y: 1, Z: 1},
				Buffers: [][]byte{state, state}, Times: 1}
			return caseOf(name, []conformance.Launch{l}, func(*conformance.Launch) bool { return true })
		}})
	})
}

// controlFlow are random programs with lanes that take different paths.
func controlFlow(t *testing.T, yield func(pending) bool) bool {
	return eachFile(t, "testdata/flow.zip", func(name string, text []byte) bool {
		name = "flow/" + name
		return yield(pending{name, func() (*Case, error) { return program(name, name, text) }})
	})
}

func eachFile(t *testing.T, archive string, do func(name string, text []byte) bool) bool {
	t.Helper()
	r, err := zip.OpenReader(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, f := range r.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		if !do(strings.TrimSuffix(f.Name, ".ptx"), text) {
			return false
		}
	}
	return true
}

// simulate returns the state after a launch of a kernel on a new machine: buffers, then variables.
func simulate(mod *isa.Module, l *Launch) ([][]byte, error) {
	m, err := interp.New(mod, interp.Config{Stdout: io.Discard, MaxLaunchSteps: math.MaxUint64})
	if err != nil {
		return nil, err
	}
	var outputs [][]byte
	params := slices.Clone(l.Params)
	addresses := make([]uint64, len(l.Buffers))
	for i, b := range l.Buffers {
		r, err := m.Alloc(fmt.Sprint("buffer ", i), int64(len(b)))
		if err != nil {
			return nil, err
		}
		copy(r.Data, b)
		addresses[i] = r.Base
		outputs = append(outputs, r.Data)
	}
	for _, p := range l.Pointers {
		binary.LittleEndian.PutUint64(params[p.At:], addresses[p.Buffer]+uint64(p.Offset))
	}
	dim := func(v [3]uint32) isa.Dim { return isa.Dim{X: v[0], Y: v[1], Z: v[2]} }
	for range l.Times {
		_, err := functional.Run(context.Background(), m, interp.Launch{Kernel: l.Kernel, Grid: dim(l.Grid), Block: dim(l.Block), Shared: l.Shared, Params: params})
		if err != nil {
			return nil, err
		}
	}
	for _, v := range l.Variables {
		outputs = append(outputs, m.Var(v.Name).Data)
	}
	return outputs, nil
}

// straightPrograms are written with testdata/straight.zip.
const straightPrograms = 300

// separated returns the text with roundings that keep an assembler from fusing a product with a sum, which it may do
// without them.
func separated(text string) string {
	return regexp.MustCompile(`(\s)(mul|add|sub)((?:\.ftz|\.sat)*\.f(?:16|16x2|32|64) )`).ReplaceAllString(text, "$1$2.rn$3")
}

// writeStraight writes random programs, without instructions for which refused is true.
func writeStraight(t *testing.T, name string, refused func(guarded bool, mnemonic string) bool) {
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	for seed := range uint64(straightPrograms) {
		p := conformance.Decode(seed, conformance.RandomCode(seed))
		f, err := archive.Create(fmt.Sprint(seed, ".ptx"))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(f, "// seed %d, %d threads\n", seed, p.Launch().Block.X)
		for line := range strings.Lines(separated(p.String())) {
			if m := mnemonicOf.FindStringSubmatch(line); !refused(m[1] != "", m[2]) {
				fmt.Fprint(f, line)
			}
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, out.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

var mnemonicOf = regexp.MustCompile(`^\t(@\S+ )?([a-z0-9:._A-Z]+) `)
