package jit

import (
	"bytes"
	"debug/elf"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const labelsFile = "testdata/labels.hex"

// TestLabelDisplacementsMatchLLVM compares displacements to labels, forward and backward, with LLVM's assembly of
// testdata/labels.s.
func TestLabelDisplacementsMatchLLVM(t *testing.T) {
	if *update {
		writeLabels(t)
	}
	want, err := os.ReadFile(labelsFile)
	if err != nil {
		t.Fatal(err)
	}
	var a Asm
	for range 2 { // reset leaves no state
		a.reset()
		emitLabels(&a)
		code, err := a.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		if got := hex.EncodeToString(code); got != strings.TrimSpace(string(want)) {
			t.Errorf("got  %s\nLLVM %s", got, want)
		}
	}
}

// emitLabels is testdata/labels.s.
func emitLabels(a *Asm) {
	start, back, forward, inner, data := a.NewLabel(), a.NewLabel(), a.NewLabel(), a.NewLabel(), a.NewLabel()
	a.bind(start)
	a.movImm(RAX, 0)
	a.Jmp(forward)
	a.Align(16)
	a.bind(back)
	a.opStoreImm(add, W32, atLabel(data, 4), 1)
	a.opStoreImm(add, W32, atLabel(data, 0), 1000)
	a.opStoreImm(add, W16, atLabel(data, 0), 1000)
	a.v2MI(vpshufd, l128, 1, atLabel(data, 0), 27)
	a.v3M(vpaddd, l256, 1, 2, atLabel(data, -8))
	a.v3M(vpaddd, l512, 1, 2, atLabel(data, 64))
	a.lea(RAX, atLabel(start, 0))
	a.jcc(condNE, back)
	a.jcc(condE, forward)
	a.Call(inner)
	a.Align(8)
	a.bind(forward)
	a.Ret()
	a.Align(4)
	a.bind(inner)
	a.int3()
	a.Align(2)
	a.jmpMem(atLabel(data, 0))
	a.Align(8)
	a.bind(data)
	a.literal([]byte{1, 2, 3, 4, 5})
}

func writeLabels(t *testing.T) {
	assembler, err := exec.LookPath("llvm-mc-19")
	if err != nil {
		t.Skip("llvm-mc-19 is not installed")
	}
	source, err := os.ReadFile("testdata/labels.s")
	if err != nil {
		t.Fatal(err)
	}
	object := filepath.Join(t.TempDir(), "labels.o")
	cmd := exec.Command(assembler, "-triple=x86_64", "-filetype=obj", "-o", object)
	cmd.Stdin = strings.NewReader(".intel_syntax noprefix\n" + string(source))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	f, err := elf.Open(object)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	code, err := f.Section(".text").Data()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(labelsFile, []byte(hex.EncodeToString(code)+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestAlignPadsWithLongestNOPs tests all amounts of padding: bytes of Intel's multi-byte NOPs, the longest of them
// first.
func TestAlignPadsWithLongestNOPs(t *testing.T) {
	for start := range 65 {
		var a Asm
		a.literal(make([]byte, start))
		a.Align(32)
		if want := (start + 31) / 32 * 32; a.Len() != want {
			t.Errorf("from %d to %d, not to %d", start, a.Len(), want)
		}
		code, err := a.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		for pad := code[start:]; len(pad) > 0; {
			n := min(9, len(pad))
			if nop := nops[n-1]; !bytes.HasPrefix(pad, []byte(nop)) || len(nop) != n {
				t.Errorf("from %d: % x does not begin with %d bytes that do nothing", start, pad, n)
			}
			pad = pad[n:]
		}
	}
}

func TestOffsetCountsBytesToLabel(t *testing.T) {
	var a Asm
	l := a.NewLabel()
	a.Ret()
	a.bind(l)
	if got := a.Offset(l); got != 1 {
		t.Errorf("offset %d behind an instruction of one byte", got)
	}
}

// TestInvalidCodeIsRefused has invalid code: labels that are not bound, and displacements beyond the limits.
func TestInvalidCodeIsRefused(t *testing.T) {
	tests := map[string]func(*Asm){
		"label 1 is not bound": func(a *Asm) { a.bind(a.NewLabel()); a.Jmp(a.NewLabel()) },
		"label 0-2147483648 is -2147483655 bytes away, which does not fit in 32 bits": func(a *Asm) {
			l := a.NewLabel()
			a.bind(l)
			a.lea(RAX, atLabel(l, -0x80000000))
		},
	}
	for want, emit := range tests {
		var a Asm
		emit(&a)
		if _, err := a.Bytes(); err == nil || err.Error() != want {
			t.Errorf("error %v, not %q", err, want)
		}
	}
}

// TestUnknownFormIsNotEncoded checks that a form that does not exist is not encoded as something else.
func TestUnknownFormIsNotEncoded(t *testing.T) {
	tests := map[string]func(*Asm){
		"VEX only, register above 15":     func(a *Asm) { a.v3(vpblendw, l128, 0, 1, 16) },
		"VEX only, 512 bits":              func(a *Asm) { a.v2(vptest, l512, 0, 1) },
		"EVEX only, length missing":       func(a *Asm) { a.v3I(vshufi32X4, l128, 0, 1, 2, 0) },
		"immediate missing":               func(a *Asm) { a.v3(vpalignr, l128, 0, 1, 2) },
		"immediate too many":              func(a *Asm) { a.v3I(vpaddd, l128, 0, 1, 2, 3) },
		"memory only":                     func(a *Asm) { a.v2(vbroadcasti128, l256, 0, 1) },
		"registers only":                  func(a *Asm) { a.v3M(vmovss, l128, 0, 1, memAt(RAX, 0)) },
		"three operands of two":           func(a *Asm) { a.v3(vpabsd, l128, 0, 1, 2) },
		"two operands of three":           func(a *Asm) { a.v2(vpaddd, l128, 0, 1) },
		"zeroing without a mask":          func(a *Asm) { a.v3K(vpaddd, l512, 0, 1, 2, k0, true) },
		"gather without a mask":           func(a *Asm) { a.vGatherK(vpgatherdd, l512, 0, RAX, 1, 4, 0, k0) },
		"register above 31":               func(a *Asm) { a.v3(vpaddd, l512, 0, 1, 32) },
		"register below 0":                func(a *Asm) { r := -1; a.vStore(vmovdqu, l128, memAt(RAX, 0), Vec(r)) },
		"blend with register above 15":    func(a *Asm) { a.v4(vblendvps, l128, 0, 1, 2, 16) },
		"RSP as an index":                 func(a *Asm) { a.lea(RAX, atIndex(RAX, RSP, 1, 0)) },
		"rounding without a 512-bit form": func(a *Asm) { a.v3R(vpblendw, 0, 1, 2, roundZero) },
		"label bound twice":               func(a *Asm) { l := a.NewLabel(); a.bind(l); a.bind(l) },
		"offset of an unbound label":      func(a *Asm) { a.Offset(a.NewLabel()) },
	}
	for name, emit := range tests {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if s, ok := recover().(string); !ok || !strings.HasPrefix(s, "simtrun bug: ") {
					t.Errorf("no panic with a bug")
				}
			}()
			emit(new(Asm))
		})
	}
}

// emitMix is 20 instructions of the kinds that a body has.
func emitMix(a *Asm) {
	a.v2M(vmovdqu, l256, 1, memAt(RDI, 0x180))
	a.v3M(vpaddd, l256, 1, 1, memAt(RDI, 0x200))
	a.v3(vpmulld, l256, 9, 1, 2)
	a.vShiftImm(vpslld, l256, 2, 9, 5)
	a.v3(vfmadd231PS, l256, 3, 2, 1)
	a.v3I(vcmpps, l256, 4, 3, 3, 3)
	a.v4(vblendvps, l256, 5, 3, 2, 4)
	a.v2(vcvtdq2PS, l256, 6, 5)
	a.vToReg(vmovmskps, l256, RAX, 4)
	a.vStore(vmovdqu, l256, memAt(RDI, 0x40), 6)
	a.v3(vpaddd, l512, 1, 1, 2)
	a.v3K(vpaddd, l512, 1, 17, 2, k1, false)
	a.v3M(vpaddd, l512, 1, 1, memAt(RDI, 0x200))
	a.vCmpK(vpcmpd, l512, k2, 1, 2, 1)
	a.Load(W32, RCX, atIndex(RDI, RDX, 4, 16))
	a.op(add, W64, RCX, R8)
	a.opImm(cmp, W64, RCX, 4096)
	a.store(W32, memAt(RSP, 8), RCX)
	a.test(W32, RAX, RAX)
	a.lea(R9, memAt(RCX, 32))
}

const mixSize = 20

func TestEmittingAllocatesNothing(t *testing.T) {
	var a Asm
	emitMix(&a)
	if n := testing.AllocsPerRun(100, func() { a.reset(); emitMix(&a) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkEmit(b *testing.B) {
	var a Asm
	for b.Loop() {
		a.reset()
		emitMix(&a)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/mixSize, "ns/inst")
}
