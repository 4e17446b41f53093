package interp_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/memory"
)

// pendingForms is how many forms of testdata/tier1.txt may still answer that
// they are not supported yet. It only ever shrinks.
const pendingForms = 0

// forbidden are forms that have been seen in the wild and the PTX ISA does not
// have, or no longer has, with what the refusal must say.
var forbidden = map[string]string{
	"mul.wide.u64": "no such type; mul.wide takes",
	"mad.f32":      "no rounding; from PTX 3.2 on it takes one of",
}

// TestTier1Forms holds every form of testdata/tier1.txt against an evaluator
// of its own: it assembles, formats back to itself, and computes what the PTX
// ISA says on all edge values and on random ones.
func TestTier1Forms(t *testing.T) {
	forms := tier1Forms(t)
	covered, pending := 0, 0
	for _, f := range forms {
		t.Run(f.text, func(t *testing.T) {
			switch err := f.try(); {
			case err == nil:
				covered++
			case notSupportedYet(err):
				pending++
				t.Log(err)
			default:
				t.Error(err)
			}
		})
	}
	t.Logf("%d of %d forms covered, %d pending", covered, len(forms), pending)
	if pending > pendingForms {
		t.Errorf("%d forms are not supported yet, %d were", pending, pendingForms)
	}
}

// form is a mnemonic with its modifiers and types.
type form struct {
	text, op string
	mods     []string // types among them
	types    []string // those of mods that are types
}

func parseForm(text string) form {
	words := strings.Split(text, ".")
	f := form{text: text, op: words[0], mods: words[1:]}
	for _, m := range f.mods {
		if _, ok := typeBits[m]; ok {
			f.types = append(f.types, m)
		}
	}
	return f
}

// has reports whether m is a modifier of f.
func (f *form) has(m string) bool { return slices.Contains(f.mods, m) }

// oneOf is the modifier of f among the given ones, or "".
func (f *form) oneOf(mods ...string) string {
	for _, m := range f.mods {
		if slices.Contains(mods, m) {
			return m
		}
	}
	return ""
}

func tier1Forms(t *testing.T) []form {
	t.Helper()
	text, err := os.ReadFile("testdata/tier1.txt")
	if err != nil {
		t.Fatal(err)
	}
	var forms []form
	for line := range strings.Lines(string(text)) {
		forms = append(forms, parseForm(strings.TrimSpace(line)))
	}
	return forms
}

type trialMaker = func(f form) []trial

// trialMakers give the trials of a form, by opcode.
var trialMakers = mergeMakers(integerMakers, floatMakers, compareMakers, conversionMakers, memoryMakers, warpMakers, controlMakers)

func mergeMakers(all ...map[string]trialMaker) map[string]trialMaker {
	merged := make(map[string]trialMaker)
	for _, makers := range all {
		for op, m := range makers {
			if merged[op] != nil {
				panic("two makers of trials for " + op)
			}
			merged[op] = m
		}
	}
	return merged
}

// try runs the trials of f, or sees that it is refused if it must be.
func (f form) try() error {
	if reason, ok := forbidden[f.text]; ok {
		return f.refused(reason)
	}
	makeTrials := trialMakers[f.op]
	if makeTrials == nil {
		return fmt.Errorf("no trials for %s", f.op)
	}
	trials := makeTrials(f)
	if len(trials) == 0 {
		return fmt.Errorf("no trials for the form")
	}
	for i := range trials {
		trials[i].prepare()
		if !strings.Contains(trials[i].src, f.text) {
			return fmt.Errorf("a trial is not of the form:\n%s", trials[i].src)
		}
		if err := trials[i].run(&f); err != nil {
			return fmt.Errorf("%w in\n%s", err, trials[i].src)
		}
	}
	return nil
}

// refused wants the assembler to refuse f with the reason.
func (f form) refused(reason string) error {
	_, err := asm.Parse("k.ptx", []byte(header+".entry k()\n{\n\t.reg .b64 %rd<4>;\n\t"+f.text+" %rd1, %rd2, %rd3;\n\tret;\n}\n"))
	if err == nil || !strings.Contains(err.Error(), reason) {
		return fmt.Errorf("got %v, want a refusal with %q", err, reason)
	}
	return nil
}

const header = ".version 8.7\n.target sm_90\n.address_size 64\n\n"

// trial is one launch of the first kernel of a module.
type trial struct {
	src         string
	grid, block isa.Dim  // one CTA if zero, of 32 threads
	shared      int64    // bytes of dynamic shared memory
	buffers     [][]byte // the kernel's first parameters point to copies of them
	params      []byte   // the rest of the parameter block
	// check says what is wrong with the buffers afterwards; nil: nothing is.
	check func(after [][]byte) error
	// specimen is what the launch is to be made of, if not nil.
	specimen *specimen
}

// prepare makes the launch of a trial that has only its specimen.
func (tr *trial) prepare() {
	if tr.specimen != nil {
		*tr = tr.specimen.onAllValues()
	}
}

// run assembles, formats and launches the module, and checks what it did.
func (tr *trial) run(f *form) error {
	mod, err := asm.Parse("k.ptx", []byte(tr.src))
	if err != nil {
		return err
	}
	if err := f.formatsBack(mod); err != nil {
		return err
	}
	after, err := tr.launch(mod)
	if err != nil || tr.check == nil {
		return err
	}
	return tr.check(after)
}

// maxTrialSteps is far more instructions than any warp of a trial needs.
const maxTrialSteps = 1e6

// launch runs the first kernel and returns what is in the buffers afterwards.
func (tr *trial) launch(mod *isa.Module) ([][]byte, error) {
	m, err := interp.New(mod, interp.Config{MaxSteps: maxTrialSteps})
	if err != nil {
		return nil, err
	}
	l := interp.Launch{Kernel: mod.Entries()[0].Name, Grid: tr.grid, Block: tr.block, Shared: tr.shared}
	if l.Grid == (isa.Dim{}) {
		l.Grid = dim(1, 1)
	}
	if l.Block == (isa.Dim{}) {
		l.Block = dim(32, 1)
	}
	var regions []*memory.Region
	for i, b := range tr.buffers {
		r, err := m.Alloc(fmt.Sprint("buffer ", i), int64(len(b)))
		if err != nil {
			return nil, err
		}
		copy(r.Data, b)
		regions = append(regions, r)
		if mod.AddressSize == 32 {
			l.Params = binary.LittleEndian.AppendUint32(l.Params, uint32(r.Base))
		} else {
			l.Params = binary.LittleEndian.AppendUint64(l.Params, r.Base)
		}
	}
	l.Params = append(l.Params, tr.params...)
	if _, err := m.Run(context.Background(), l); err != nil {
		return nil, err
	}
	after := make([][]byte, len(regions))
	for i, r := range regions {
		after[i] = r.Data
	}
	return after, nil
}

// formatsBack formats mod, parses the text, and wants the same text and, of the
// form's opcode, the same instructions.
func (f *form) formatsBack(mod *isa.Module) error {
	text := asm.Format(mod)
	again, err := asm.Parse(mod.Name, []byte(text))
	if err != nil {
		return fmt.Errorf("formatted text does not parse: %w\n%s", err, text)
	}
	if diff := cmp.Diff(text, asm.Format(again)); diff != "" {
		return fmt.Errorf("formatting is not stable:\n%s", diff)
	}
	same := cmp.Options{cmpopts.IgnoreTypes(isa.Pos{}), cmpopts.EquateEmpty(), cmp.Comparer(func(a, b *isa.Spec) bool { return a == b })}
	if diff := cmp.Diff(f.instructions(mod), f.instructions(again), same); diff != "" {
		return fmt.Errorf("formatted text has another instruction (-source +formatted):\n%s", diff)
	}
	return nil
}

// instructions are those of mod with the opcode of f.
func (f *form) instructions(mod *isa.Module) []isa.Instr {
	var found []isa.Instr
	for _, fn := range mod.Funcs {
		for i := range fn.Code {
			if s := fn.Code[i].Spec; s != nil && s.Name == f.op {
				found = append(found, fn.Code[i])
			}
		}
	}
	return found
}

// notSupportedYet reports whether err says that something is to come.
func notSupportedYet(err error) bool {
	var e *isa.Error
	return errors.As(err, &e) && strings.Contains(e.Msg, "not supported yet")
}

// bytesMatch is a check that the last buffer holds want.
func bytesMatch(want []byte) func([][]byte) error {
	return func(after [][]byte) error {
		got := after[len(after)-1]
		if bytes.Equal(want, got) {
			return nil
		}
		return fmt.Errorf("memory (-want +got):\n%s", cmp.Diff(want, got))
	}
}
