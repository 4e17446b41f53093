package asm

import (
	"fmt"
	"strings"
	"testing"
)

// TestEndWithoutRetWarns: an end that threads can reach without ret or the like is a warning at the closing brace.
func TestEndWithoutRetWarns(t *testing.T) {
	for body, want := range map[string]string{
		"mov.u32 %r1, 1;":           "k has no ret at its end, which threads can reach; the end is taken for one",
		"mov.u32 %r1, 1; @%p1 ret;": "k has no ret at its end, which threads can reach; the end is taken for one",
		"L: @%p1 bra L;":            "k has no ret at its end, which threads can reach; the end is taken for one",
		"@%p1 bra END; ret; END:":   "k has no ret at its end, which threads can reach; the end is taken for one",
		"l: .branchtargets A, B; brx.idx %r1, l; A: ret; B:": "k has no ret at its end, which threads can reach; the end is taken for one",
		"ret; END:":                              "",
		"ret;":                                   "",
		"exit;":                                  "",
		"trap;":                                  "",
		"brkpt;":                                 "k has no ret at its end, which threads can reach; the end is taken for one",
		"mov.u32 %r1, 1; bra.uni END; END: ret;": "",
		"L: bra L;":                              "",
		"call f;":                                "", // which may not return
		"":                                       "",
	} {
		src := ".func f() { ret; }\n.entry k() {\n" + body + "\n}"
		var got string
		for _, w := range openEnds(parse(t, src)) {
			got += fmt.Sprint(w)
		}
		if want != "" {
			want = "x.s:4:1: " + want
		}
		if got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
}

// TestShortAddressesWarn: registers are zero-extended to the size of an address, which is a warning where a space has
// addresses of 64 bits (PTX ISA 6.4.1).
func TestShortAddressesWarn(t *testing.T) {
	const why = " has 32 bits, and the address 64: the upper half is taken as 0"
	for body, want := range map[string]string{
		"ld.global.u32 %r1, [%r2];":                              "k.s:2:20: ld.global.u32: %r2" + why,
		"ld.u32 %r1, [%r2+4];":                                   "k.s:2:13: ld.u32: %r2" + why,
		"st.global.u32 [%r2], %r1; red.global.add.u32 [%r2], 1;": "k.s:2:15: st.global.u32: %r2" + why + " (2 times in k, first here)",
		"atom.add.u32 %r1, [%r2], 1;":                            "k.s:2:19: atom.add.u32: %r2" + why,
		"cp.async.ca.shared.global [%r1], [%r2], 16;":            "k.s:2:34: cp.async.ca.shared.global: %r2" + why,
		"cp.async.ca.shared.global [%r1], [%rd2], 16;":           "",
		"ld.shared.u32 %r1, [%r2];":                              "",
		"ld.local.u32 %r1, [%r2];":                               "",
		"ld.const.u32 %r1, [%r2];":                               "",
		"ld.global.u32 %r1, [%rd2];":                             "",
		"tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r1}, [%r2];":    "",
	} {
		check(t, ".entry k() {\n"+body+"\nret;\n}", body, want)
	}
	check(t, ".version 6.0\n.target sm_50\n.address_size 32\n.entry k() {\nld.global.u32 %r1, [%r2];\nret;\n}", "32 bits", "")
	check(t, ".version 2.0\n.target sm_20\n.entry k() {\nld.global.u32 %r1, [%r2];\nret;\n}", "PTX 2.0", "")
}

// TestUnwrittenRegistersWarnOnce: registers that no instruction of a function writes are one warning.
func TestUnwrittenRegistersWarnOnce(t *testing.T) {
	for body, want := range map[string]string{
		"mov.u32 %r1, %r2;":                                               "k.s:1:27: register %r2 is read, but no instruction of k writes it",
		"@%p1 add.u32 %r1, %r1, %r3; mov.u32 %r2, %r3;":                   "k.s:1:19: registers %p1, %r3 are read, but no instruction of k writes them",
		"add.u32 %r1, %r1, 1; st.global.u32 [%rd1], %r1;":                 "k.s:1:49: register %rd1 is read, but no instruction of k writes it",
		"mad.lo.u32 %r1, %r2, %r3, %r4; add.u64 %rd1, %rd2, %rd3;":        "k.s:1:30: registers %r2, %r3, %r4, %rd2 and 1 more are read, but no instruction of k writes them",
		"mov.u32 %r1, 1; mov.u32 %r2, %r1;":                               "",
		"mov.b64 {%r1, %r2}, 5; mov.b64 %rd1, {%r2, %r1};":                "",
		"tcgen05.shift.async.bulk.x [%rd1], [%r1], 64; mov.u32 %r1, %r2;": "", // which may write any register
	} {
		var got []string
		for _, w := range neverWritten(parse(t, ".entry k() { "+body+" ret; }")) {
			got = append(got, strings.Replace(fmt.Sprint(w), "x.s", "k.s", 1))
		}
		if text := strings.Join(got, "\n"); text != want {
			t.Errorf("%s: %s, want %s", body, text, want)
		}
	}
}
