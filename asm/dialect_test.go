package asm

import (
	"strings"
	"testing"
)

// TestDialectsFollowVersionAndTarget: what a mnemonic means, or why it is refused, by the version and
// target (PTX ISA notes of each instruction).
func TestDialectsFollowVersionAndTarget(t *testing.T) {
	for _, c := range []struct{ version, target, source, want string }{
		{"1.3", "sm_13", "div.f32 %f1, %f2, %f3;", "div.approx.ftz.f32 %f1, %f2, %f3;"},
		{"1.0", "sm_10", "sqrt.f32 %f1, %f2;", "sqrt.approx.ftz.f32 %f1, %f2;"},
		{"1.3", "sm_13", "sqrt.f64 %fd1, %fd2;", "sqrt.rn.f64 %fd1, %fd2;"},
		{"1.3", "sm_13", "rsqrt.f64 %fd1, %fd2;", "rsqrt.approx.f64 %fd1, %fd2;"},
		{"1.3", "sm_13", "div.full.f32 %f1, %f2, %f3;", "div.full.f32 %f1, %f2, %f3;"},
		{"1.3", "sm_13", "div.s32 %r1, %r2, %r3;", "div.s32 %r1, %r2, %r3;"},
		{"1.4", "sm_13", "div.f32 %f1, %f2, %f3;", "needs one of .approx .full .rn .rz .rm .rp (precision or rounding)"},
		{"1.4", "sm_13", "lg2.f32 %f1, %f2;", "no precision"},
		{"", "", "div.f64 %fd1, %fd2, %fd3;", "needs one of .rn .rz .rm .rp (rounding)"},
		{"1.3", "sm_13", "mad.f64 %fd1, %fd2, %fd3, %fd4;", "mad.rn.f64 %fd1, %fd2, %fd3, %fd4;"},
		{"1.4", "sm_13", "mad.f64 %fd1, %fd2, %fd3, %fd4;", "needs one of .rn .rz .rm .rp (rounding)"},
		{"1.3", "sm_10", "mad.f32 %f1, %f2, %f3, %f4;", "mad.f32 %f1, %f2, %f3, %f4;"},
		{"3.2", "sm_13", "mad.sat.f32 %f1, %f2, %f3, %f4;", "mad.sat.f32 %f1, %f2, %f3, %f4;"},
		{"3.1", "sm_20", "mad.ftz.f32 %f1, %f2, %f3, %f4;", "mad.rn.ftz.f32 %f1, %f2, %f3, %f4;"},
		{"3.2", "sm_20", "mad.f32 %f1, %f2, %f3, %f4;", "needs one of .rn .rz .rm .rp (rounding) from PTX 3.2 on"},
		{"", "", "mad.f32 %f1, %f2, %f3, %f4;", "needs one of .rn .rz .rm .rp (rounding) from PTX 3.2 on"},
		{"10.1", "sm_100", "mad.f32 %f1, %f2, %f3, %f4;", "needs one of .rn .rz .rm .rp (rounding) from PTX 3.2 on"},
	} {
		src := ".entry k() { " + c.source + " }"
		if c.version != "" {
			src = ".version " + c.version + " .target " + c.target + " " + src
		}
		m, err := Parse("x.s", []byte(src))
		if err == nil {
			checkIdentity(t, m)
			if got := m.Funcs[0].Text(0); got != c.want {
				t.Errorf("PTX %s for %s: %s is %s, want %s", c.version, c.target, c.source, got, c.want)
			}
			continue
		}
		if !strings.Contains(err.Error(), c.want) {
			t.Errorf("PTX %s for %s: %s: %v, want %s", c.version, c.target, c.source, err, c.want)
		}
	}
}

// TestRegistersDecideAddressSize: before the directive .address_size, in PTX 2.3, the width of
// the registers that address global memory tells.
func TestRegistersDecideAddressSize(t *testing.T) {
	const wide, narrow, neither = "st.global.u32 [%rd1], 1;", "ld.f32 %f1, [%r1+4];", "ld.shared.u32 %r2, [%r1];"
	for _, c := range []struct {
		header, source string
		want           int
	}{
		{".version 1.4 .target sm_10", wide, 64},
		{".version 1.4 .target sm_10", narrow, 32},
		{".version 1.4 .target sm_10", neither, 64},
		{".version 2.2 .target sm_20", narrow, 32},
		{".version 2.3 .target sm_20", narrow, 64},
		{".version 2.2 .target sm_20 .address_size 64", narrow, 64},
		{".version 2.2 .target sm_20 .address_size 32", wide, 32},
		{"", narrow, 64},
	} {
		m := parse(t, c.header+" .entry k() { "+c.source+" }")
		if m.AddressSize != c.want {
			t.Errorf("%s %s: addresses of %d bits, want %d", c.header, c.source, m.AddressSize, c.want)
		}
		checkIdentity(t, m)
	}
}

// TestDoublesAreNeverComputedAsSingles: simtrun does not compute .f64 with single precision.
func TestDoublesAreNeverComputedAsSingles(t *testing.T) {
	const source = ".entry k() { add.f64 %fd1, %fd2, %fd3; cvt.f64.f32 %fd1, %f1; add.f32 %f1, %f2, %f3; }"
	m := parse(t, ".version 1.4 .target sm_10, map_f64_to_f32 "+source)
	for pc, later := range []bool{true, true, false} {
		if got := m.Funcs[0].Code[pc].Later != ""; got != later {
			t.Errorf("%s: later %v, want %v", m.Funcs[0].Text(pc), got, later)
		}
	}
}
