package program

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/isa"
)

// placed are the variables of a program whose CTAs have so much shared memory, each as FUNCTION.NAME=ADDRESS:BYTES.
func placed(p *Program, shared int64) (all []string) {
	for _, v := range p.Variables(shared) {
		name := v.Name
		if v.Func != nil {
			name = v.Func.Name + "." + name
		}
		if v.IsDynamic() {
			name += "[]"
		}
		all = append(all, fmt.Sprintf("%s=%d:%d", name, v.Addr, v.Bytes))
	}
	return all
}

// TestVariablesAreAligned: shared memory has those of functions first, then those of the module that code names, then
// the dynamic arrays, which all begin at one place.
func TestVariablesAreAligned(t *testing.T) {
	p := lowered(t, `
.shared .b8 used[5];
.shared .align 32 .b8 unused[5];
.extern .shared .align 16 .b8 words[];
.extern .shared .align 4 .b8 bytes[];
.local .align 8 .b8 every[12];
.func f() { .shared .b8 s[3]; .local .align 64 .b32 own; mov.u32 %r1, s; mov.u64 %rd1, every; ret; }
.entry k()
{
	.shared .b8 s[2];
	.shared .align 8 .b64 wide;
	.local .b8 l[3];
	mov.u32 %r1, used;
	mov.u32 %r2, words;
	mov.u32 %r3, bytes;
	call f;
	ret;
}`, false)
	want := []string{
		"k.s=0:2", "k.wide=8:8", "k.l=0:3",
		"f.s=16:3", "f.own=0:4",
		"used=19:5", "words[]=32:100", "bytes[]=32:100", // 24 bytes are static
		"k.every=8:12", "f.every=8:12",
	}
	got := placed(p, 132)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("variables (-want +got):\n%s", diff)
	}
	if p.Static != 24 || p.SharedBytes(0) != 24 || p.SharedBytes(100) != 132 {
		t.Errorf("%d bytes are static, %d with 100 dynamic ones", p.Static, p.SharedBytes(100))
	}
	for _, f := range p.Funcs { // the largest alignment of all functions
		if f.LocalAlign != 64 || f.LocalBytes != 64 {
			t.Errorf("%s has %d bytes of local memory, aligned to %d", f.Src.Name, f.LocalBytes, f.LocalAlign)
		}
	}
	if n, ok := p.Number("f"); n != 1 || !ok {
		t.Errorf("f is function %d, %v", n, ok)
	}
}

// TestNamesStandForAddresses: in the space of the instruction, and generic ones where it names none. The windows of
// generic addresses are those of package isa.
func TestNamesStandForAddresses(t *testing.T) {
	explain(t, func(_ *Program, f *Func) string {
		return fmt.Sprintf("%s+%d, wide %v", f.slot(f.Ops[0].A), int64(f.Ops[0].Imm), f.Info[0].Wide)
	}, map[string]string{
		"ld.global.u32 %r1, [v+8];":                    "4104+0, wide true",
		"ld.global.u32 %r1, [%rd1-8];":                 "%rd1+-8, wide true",
		".shared .b32 s[4]; ld.shared.u32 %r1, [s+4];": "4+0, wide true",
		".shared .b32 s[4]; ld.u32 %r1, [s+4];":        fmt.Sprintf("%d+0, wide true", isa.Shared.Window()+4),
		".shared .b32 s[4]; ld.shared.u32 %r1, [%r2];": "%r2+0, wide false",
		"ld.param.v2.u32 {%r1, %r2}, [p];":             "8+0, wide true",
	})
	if got := lowerError(t, ".extern .global .b32 x; .entry k() { ld.global.u32 %r1, [x]; ret; }"); !strings.HasSuffix(got, ": x is declared but not defined") {
		t.Error(got)
	}
}

// TestLocalVariablesHaveSlots: their addresses depend on the activation, so they are no constants.
func TestLocalVariablesHaveSlots(t *testing.T) {
	_, f := first(t, ".local .b32 c[2]; .local .b64 b; mov.u64 %rd1, b; mov.u32 %r1, b; mov.u64 %rd2, b;")
	if len(f.LocalSlots) != 2 || f.LocalSlots[0].At != 8 || !f.LocalSlots[0].Wide || f.LocalSlots[1].At != 8 || f.LocalSlots[1].Wide {
		t.Errorf("%+v", f.LocalSlots)
	}
	if f.Ops[0].A != f.Ops[2].A || f.Ops[0].A != f.LocalSlots[0].Off {
		t.Error("one address has two slots")
	}
}

// TestParameterIsExtendedAsLoadsDo: from its type to the width of the register.
func TestParameterIsExtendedAsLoadsDo(t *testing.T) {
	params := []byte{0x80, 0xff, 0xfe, 0xfd, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 0x88}
	for code, want := range map[string]uint64{
		"ld.param.u8 %r1, [a];":     0x80,
		"ld.param.s8 %r1, [a];":     0xffffff80,
		"ld.param.s16 %rd1, [a];":   0xffffffffffffff80,
		"ld.param.u32 %r1, [a];":    0xfdfeff80,
		"ld.param.s32 %rd1, [a];":   0xfffffffffdfeff80,
		"ld.param.u64 %rd1, [p];":   0x8807060504030201,
		"ld.param.u16 %rs1, [p+6];": 0x8807,
		"ld.param.b32 %r1, [p+4];":  0x88070605,
	} {
		_, f := first(t, code)
		if len(f.ParamSlots) != 1 || !f.Info[0].LoadsParam || f.Ops[0].A != f.ParamSlots[0].Off {
			t.Errorf("%s is no move from a slot: %+v", code, f.ParamSlots)
			continue
		}
		if got := f.ParamSlots[0].Value(params); got != want {
			t.Errorf("%s: %#x, want %#x", code, got, want)
		}
	}
}
