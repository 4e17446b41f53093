package asm

import (
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/isa"
)

// later returns why instructions and functions of a module cannot be executed.
func later(m *isa.Module) string {
	var all []string
	for _, f := range m.Funcs {
		if f.Later != nil {
			all = append(all, f.Name+": "+f.Later.Msg)
		}
		for pc := range f.Code {
			if why := f.Code[pc].Later; why != "" {
				all = append(all, f.Name+": "+why)
			}
		}
	}
	return strings.Join(all, "\n")
}

// TestUnknownFormsOfNewerVersionsAreAccepted: where .version is newer than the latest known, opcodes, modifiers,
// special registers and directives of functions that it may have added cost the functions that have them, not the file.
func TestUnknownFormsOfNewerVersionsAreAccepted(t *testing.T) {
	const why = " is not in PTX 9.2, and not supported yet if 9.5 has added it"
	for code, want := range map[string]string{
		"sin.2pi.approx.f32 %f1, %f2;":                 "bad: sin.2pi.approx.f32" + why,
		"spcompress.foo.b32 {%r1, %r2}, %r3, [%rd1];":  "bad: spcompress.foo.b32" + why,
		"@%p1 fabric.try [%rd1], {%r1, %r2}, 5, name;": "bad: fabric.try" + why,
		"add.rn.f16x2.f32 %r1, %r2, %f1;":              "bad: add.rn.f16x2.f32" + why,
		"mov.u32 %r1, %fabric_rank;":                   "bad: %fabric_rank" + why,
		"prefetch.global.L2.valid_addr [%rd1];":        "bad: prefetch.global.L2.valid_addr" + why,
		"fence.async.global;":                          "bad: fence.async.global: .async is not supported yet",
		"add.u32 %r1, %r2, %r3;":                       "",
	} {
		m, err := Parse("k.s", []byte(".version 9.5\n.target sm_107f\n.entry bad() {\n"+code+"\n}\n.entry good() { ret; }\n"))
		if err != nil {
			t.Errorf("%s: %v", code, err)
			continue
		}
		if got := later(m); got != want {
			t.Errorf("%s: %q, want %q", code, got, want)
		}
		if err := CheckTarget(m); err != nil {
			t.Errorf("%s: %v", code, err)
		}
		if again := parse(t, Format(m)); later(again) != want {
			t.Errorf("%s: after Format %q", code, later(again))
		}
	}
	m := parse(t, ".version 9.5\n.target sm_100\n.entry bad() .newlimit 3, 4 { ret; }\n.entry good() { ret; }\n")
	if got := later(m); got != "bad: .newlimit"+why {
		t.Errorf("directive: %q", got)
	}
}

// TestMistakesInNewerVersionsAreErrors: what no version can have added is an error. In versions that are known, unknown
// opcodes and modifiers are.
func TestMistakesInNewerVersionsAreErrors(t *testing.T) {
	for src, want := range map[string]string{
		".version 9.5\n.entry k() {\nmov.u32 %r1, %r2, %r3;\n}":               "3:1: mov.u32 has 3 operands; it takes d, a",
		".version 9.5\n.entry k() {\n%r1 = 5;\n}":                             "3:1: %r1 is a register; an instruction begins with an opcode, as in mov.u32 %r1, 1;",
		".version 9.5\n.entry k() {\n.reg .b32 %r<4>;\nspcompress %r9, 1;\n}": "4:12: %r9 is not declared; .reg .b32 %r<4> declares %r0 to %r3",
		".version 9.2\n.entry k() {\nspcompress %r9, 1;\n}":                   "3:1: spcompress: no such opcode",
		".version 9.2\n.entry k() {\nsin.2pi.approx.f32 %f1, %f2;\n}":         "3:1: sin.2pi.approx.f32: no modifier .2pi; sin takes .approx .ftz",
		".entry k() {\nmov.u32 %r1, %fabric_rank;\n}":                         "2:14: %fabric_rank is not declared",
		".version 9.5\n.entry k() {\nmad.f32 %f1, %f2, %f3, %f4;\n}":          "3:1: mad.f32: needs one of .rn .rz .rm .rp (rounding)",
	} {
		_, err := Parse("k.s", []byte(src))
		if err == nil || !strings.HasPrefix(err.Error(), "k.s:"+want) {
			t.Errorf("%s: %v, want %s", src, err, want)
		}
	}
}

// TestFunctionsOfOptiXNeedNoDeclaration: compilers call functions that only the driver's compiler for ray tracing
// defines, without a declaration. Only a kernel that reaches the call cannot be launched.
func TestFunctionsOfOptiXNeedNoDeclaration(t *testing.T) {
	const why = ", which only OptiX defines, is not supported yet"
	for call, want := range map[string]string{
		"call (%r1), _optix_get_launch_index_x, ();": "bad: _optix_get_launch_index_x" + why,
		"call _optix_set_payload, (%r1, %r2);":       "bad: _optix_set_payload" + why,
		"call (%f1), _rt_get_ray_tmax, ();":          "bad: _rt_get_ray_tmax" + why,
	} {
		m := parse(t, ".entry bad() {\n"+call+"\nret;\n}\n.entry good() { ret; }\n")
		if got := later(m); got != want {
			t.Errorf("%s: %q, want %q", call, got, want)
		}
	}
	if _, err := Parse("k.s", []byte(".entry k() {\ncall other, ();\n}")); err == nil || !strings.Contains(err.Error(), "function other is not declared") {
		t.Error(err)
	}
}
