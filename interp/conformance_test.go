package interp_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/conformance"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// TestFormsMatchEvaluator checks every form of PTX against a separate evaluator. Each module, or with -short every
// sixteenth, is also formatted and parsed back.
func TestFormsMatchEvaluator(t *testing.T) { tryClaims(t, conformance.Forms()) }

// TestMatricesMatchFormulasOfISA checks every form of matrix instructions of whole warps against the formulas of the
// PTX ISA.
func TestMatricesMatchFormulasOfISA(t *testing.T) { tryClaims(t, conformance.Matrices()) }

// TestWarpMatrixProductsMatchLoops checks products of matrices that wmma loads and stores, by rows and by columns, with
// gaps and without.
func TestWarpMatrixProductsMatchLoops(t *testing.T) { tryClaims(t, conformance.WarpMatrices()) }

// TestWarpgroupProductsMatchFormulas checks products of warpgroups on all types, with matrices in registers and in
// shared memory, in all layouts that descriptors describe. Under -short they are left out: their matrices are large.
func TestWarpgroupProductsMatchFormulas(t *testing.T) {
	short.Skip(t)
	tryClaims(t, conformance.Warpgroups())
}

// TestSurprisingSemanticsHold checks where the semantics of PTX are not what readers expect.
func TestSurprisingSemanticsHold(t *testing.T) { tryClaims(t, conformance.Traps()) }

// tryClaims tries an eighth of the claims for each commit, and a quarter under -short.
func tryClaims(t *testing.T, claims []conformance.Claim) {
	for i, c := range claims {
		if short.Waits(i, 8) || testing.Short() && i%4 != 0 {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			if short.Skips(i) {
				if err := c.Try(run); err != nil {
					t.Error(err)
				}
				return
			}
			both := bothWays{opcode: c.Opcode}
			if err := c.Try(both.run); err != nil {
				t.Fatal(err)
			}
			if !both.differ {
				return
			}
			if err := c.Try(runWithClock); err != nil {
				t.Errorf("with a clock: %v", err)
			}
		})
	}
}

// seededPrograms is the number of programs with which FuzzStraightLine begins.
const seededPrograms = 300

// FuzzStraightLine makes a program without branches, one instruction from every eight bytes, and runs it on the
// machine, by lane functions and as compiled code, and, one lane at a time, on a separate evaluator.
func FuzzStraightLine(f *testing.F) {
	for seed := range uint64(short.Of(seededPrograms)) {
		if !short.Waits(int(seed), 6) && (!testing.Short() || seed%2 == 0) {
			f.Add(seed, conformance.RandomCode(seed))
		}
	}
	warmUp(f)
	f.Fuzz(func(t *testing.T, seed uint64, code []byte) {
		p := conformance.Decode(seed, code)
		for _, run := range []conformance.Run{run, runCompiled} {
			if p.Try(run) == nil {
				continue
			}
			p.Shrink(run)
			t.Fatalf("%v\n%s", p.Try(run), p)
		}
	})
}

// warmUp runs a program before inputs are tried. The first takes by far the longest, because it builds all tables, and
// fuzzing fails if an input takes ten seconds.
func warmUp(f *testing.F) {
	p := conformance.Decode(1, conformance.RandomCode(1))
	for _, run := range []conformance.Run{run, runCompiled} {
		if err := p.Try(run); err != nil {
			f.Fatal(err)
		}
	}
}

// run is a conformance.Run on a Machine.
func run(l conformance.Launch) (conformance.Result, error) {
	mod, err := asm.Parse("k.ptx", []byte(l.Source))
	if err != nil {
		return conformance.Result{}, err
	}
	return runModule(mod, l, runFunctional)
}

// runCompiled runs l as compiled code, compared with lane functions.
func runCompiled(l conformance.Launch) (conformance.Result, error) {
	mod, err := asm.Parse("k.ptx", []byte(l.Source))
	if err != nil {
		return conformance.Result{}, err
	}
	return runModuleWith(mod, interp.Config{Compile: interp.CompileAlways, Verify: true}, l, runFunctional)
}

// runWithClock is run with a clock.
func runWithClock(l conformance.Launch) (conformance.Result, error) {
	mod, err := asm.Parse("k.ptx", []byte(l.Source))
	if err != nil {
		return conformance.Result{}, err
	}
	return runModule(mod, l, runTimed)
}

func runTimed(m *interp.Machine, l interp.Launch) error {
	s, err := sm.Begin(m, l, sm.Options{})
	if err == nil {
		err = s.Continue(context.Background())
	}
	if err == nil {
		err = s.Timing().Check()
	}
	return err
}

func runFunctional(m *interp.Machine, l interp.Launch) error {
	_, err := functional.Run(context.Background(), m, l)
	return err
}

// bothWays executes launches without a clock, and with one.
type bothWays struct {
	opcode string
	differ bool // a launch had other results with a clock, or an error
}

// run is a conformance.Run without a clock. It also checks that formatting keeps the module, and its instructions
// with the opcode.
func (b *bothWays) run(l conformance.Launch) (conformance.Result, error) {
	mod, err := asm.Parse("k.ptx", []byte(l.Source))
	if err == nil {
		err = formatsBack(mod, b.opcode)
	}
	if err != nil {
		b.differ = true
		return conformance.Result{}, err
	}
	result, err := runModule(mod, l, runFunctional)
	timed, errTimed := runModule(mod, l, runTimed)
	if err != nil || errTimed != nil || !reflect.DeepEqual(result, timed) {
		b.differ = true
	}
	return result, err
}

// runModule executes launches of the first kernel by a driver.
func runModule(mod *isa.Module, l conformance.Launch, driver func(*interp.Machine, interp.Launch) error) (conformance.Result, error) {
	return runModuleWith(mod, interp.Config{}, l, driver)
}

// runModuleWith is runModule on a machine with the settings of cfg that conformance.Launch does not have.
func runModuleWith(mod *isa.Module, cfg interp.Config, l conformance.Launch, driver func(*interp.Machine, interp.Launch) error) (conformance.Result, error) {
	var result conformance.Result
	var printed strings.Builder
	cfg.GPU, cfg.MaxSteps, cfg.Stdout = smallGPU(4), conformance.MaxSteps, &printed
	m, err := kerneltest.New(mod, cfg)
	if err != nil {
		return result, err
	}
	launch := interp.Launch{Kernel: mod.Entries()[0].Name, Grid: l.Grid, Block: l.Block, Shared: l.Shared}
	var regions []*memory.Region
	for i, b := range l.Buffers {
		r, err := m.Alloc(fmt.Sprint("buffer ", i), int64(len(b)))
		if err != nil {
			return result, err
		}
		copy(r.Data, b)
		regions = append(regions, r)
		if mod.AddressSize == 32 {
			launch.Params = binary.LittleEndian.AppendUint32(launch.Params, uint32(r.Base))
		} else {
			launch.Params = binary.LittleEndian.AppendUint64(launch.Params, r.Base)
		}
	}
	launch.Params = append(launch.Params, l.Params...)
	for range l.Times {
		if err := driver(m, launch); err != nil {
			return result, err
		}
	}
	for _, r := range regions {
		result.Buffers = append(result.Buffers, r.Data)
	}
	result.Printed = printed.String()
	return result, nil
}

// formatsBack formats mod, parses the text, and checks that the text and the instructions with the opcode are the
// same.
func formatsBack(mod *isa.Module, opcode string) error {
	text := asm.Format(mod)
	again, err := asm.Parse(mod.Name, []byte(text))
	if err != nil {
		return fmt.Errorf("formatted text does not parse: %w\n%s", err, text)
	}
	if diff := cmp.Diff(text, asm.Format(again)); diff != "" {
		return fmt.Errorf("formatting is not stable:\n%s", diff)
	}
	before, after := instructions(mod, opcode), instructions(again, opcode)
	if reflect.DeepEqual(before, after) { // cmp is slow, and rarely needed
		return nil
	}
	same := cmp.Options{cmpopts.EquateEmpty(), cmpopts.IgnoreTypes(isa.Pos{}), cmpopts.IgnoreFields(isa.Operand{}, "Line", "Col"), cmp.Comparer(func(a, b *isa.Spec) bool { return a == b })}
	if diff := cmp.Diff(before, after, same); diff != "" {
		return fmt.Errorf("formatted text has another instruction (-source +formatted):\n%s", diff)
	}
	return nil
}

// instructions returns those of mod with the opcode, without their places in the source.
func instructions(mod *isa.Module, opcode string) []isa.Instr {
	var found []isa.Instr
	for _, fn := range mod.Funcs {
		for _, in := range fn.Code {
			if in.Spec != nil && in.Spec.Name == opcode {
				in.Pos, in.Args = isa.Pos{}, unplaced(in.Args)
				found = append(found, in)
			}
		}
	}
	return found
}

// unplaced returns the operands without their places in the source.
func unplaced(args []isa.Operand) []isa.Operand {
	args = slices.Clone(args)
	for i := range args {
		args[i].Line, args[i].Col, args[i].Elems = 0, 0, unplaced(args[i].Elems)
	}
	return args
}
