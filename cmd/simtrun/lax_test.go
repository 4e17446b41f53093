package main

import (
	"strings"
	"testing"
)

// TestTooOldTargetIsRefused checks that every command refuses a file with an instruction that its .version or .target
// does not have, and accepts it with --lax. A file without a header is accepted, too.
func TestTooOldTargetIsRefused(t *testing.T) {
	const (
		code = ".visible .entry k()\n{\n\tredux.sync.add.s32 %r1, %r2, -1;\n\tret;\n}\n"
		old  = ".version 6.0\n.target sm_70\n.address_size 64\n" + code
		want = "k.s:6:2: redux.sync.add.s32 needs .version 7.0 and .target sm_80 or higher; this file has .version 6.0 and .target sm_70\n"
	)
	for _, args := range [][]string{{"asm", "FILE"}, {"FILE"}, {"profile", "FILE"}, {"debug", "FILE"}, {"occupancy", "FILE"}, {"sweep", "FILE", "--grid", "1,2"}} {
		if got := simtrun(t, old, args...); got.code != exitProgram || !strings.HasPrefix(got.stderr, want) || strings.Contains(got.stderr, "panic") {
			t.Errorf("%v: %+v", args, got)
		}
		if got := simtrun(t, old, append(args, "--lax")...); got.code != 0 {
			t.Errorf("%v --lax: %+v", args, got)
		}
		if got := simtrun(t, code, args...); got.code != 0 {
			t.Errorf("%v without a header: %+v", args, got)
		}
	}
}

// TestCanonicalTextIsTaken checks that for a file without a header, asm --ptx prints a header that suits its
// instructions.
func TestCanonicalTextIsTaken(t *testing.T) {
	got := simtrun(t, ".entry k()\n{\n\twgmma.fence.sync.aligned;\n\tret;\n}\n", "asm", "--ptx", "FILE")
	if got.code != 0 || !strings.HasPrefix(got.stdout, ".version 8.0\n.target sm_90a\n") {
		t.Fatalf("%+v", got)
	}
	if again := simtrun(t, got.stdout, "asm", "FILE"); again.code != 0 {
		t.Errorf("%+v", again)
	}
}

// TestAsmChecksForGivenTarget: asm --target checks a file for another target than its own, and notes what a file
// without .target needs.
func TestAsmChecksForGivenTarget(t *testing.T) {
	const fence = ".entry k()\n{\n\twgmma.fence.sync.aligned;\n\tret;\n}\n"
	const older = ".version 8.0\n.target sm_80, debug\n" + fence
	for _, c := range []struct {
		source, flag string
		code         int
		want         string // part of the output
	}{
		{fence, "--ptx", 0, "note: k.s: its instructions need .target sm_90a, which it leaves out\n"},
		{fence, "--target=sm_90a", 0, "@0  wgmma.fence.sync.aligned;"},
		{fence, "--target=sm_90", exitProgram, "wgmma.fence.sync.aligned needs .target sm_90a; this file has .target sm_90\n"},
		{fence, "--target=sm_91", exitUsage, "--target sm_91: PTX 9.2 has no such target"},
		{older, "--target=sm_90a", 0, "@0  wgmma.fence.sync.aligned;"},
		{older, "--ptx", exitProgram, "this file has .target sm_80\n"},
	} {
		got := simtrun(t, c.source, "asm", "FILE", c.flag)
		if got.code != c.code || !strings.Contains(got.stdout+got.stderr, c.want) {
			t.Errorf("%q %s: %+v, want %d with %q", c.source, c.flag, got, c.code, c.want)
		}
	}
}

// TestHeaderlessFilesTakeTheGPU: without .target, all commands compare a file with the GPU that is chosen, and agree.
func TestHeaderlessFilesTakeTheGPU(t *testing.T) {
	const (
		code = ".entry k()\n{\n\tredux.sync.add.s32 %r1, 1, -1;\n\tret;\n}\n"
		want = "redux.sync.add.s32 needs .target sm_80 or higher; v100 has sm_70\n"
	)
	for _, args := range [][]string{{"FILE"}, {"profile", "FILE"}, {"debug", "FILE"}, {"occupancy", "FILE"}, {"sweep", "FILE", "--grid", "1,2"}, {"asm", "FILE"}} {
		if args[0] != "asm" {
			if got := simtrun(t, code, append(args, "--gpu", "v100")...); got.code != exitProgram || !strings.HasPrefix(got.stderr, "k.s:3:2: "+want) {
				t.Errorf("%v: %+v", args, got)
			}
		}
		if got := simtrun(t, "//sim:gpu v100\n"+code, args...); got.code != exitProgram || !strings.HasPrefix(got.stderr, "k.s:4:2: "+want) {
			t.Errorf("%v with a header: %+v", args, got)
		}
		for _, source := range []string{"//sim:gpu a100\n" + code, code} {
			if got := simtrun(t, source, args...); got.code != 0 {
				t.Errorf("%v of %s: %+v", args, source, got)
			}
		}
	}
	if got := simtrun(t, code, "FILE", "--gpu", "v100", "--lax"); got.code != 0 {
		t.Errorf("--lax: %+v", got)
	}
	writeFiles(t, map[string]string{"k.s": "//sim:gpu v100\n" + code, "k.golden": ""})
	if got := simtrun(t, "", "test", "k.s"); got.code == 0 || !strings.Contains(got.stdout+got.stderr, strings.TrimSpace(want)) {
		t.Errorf("test: %+v", got)
	}
	for source, want := range map[string]int{"//sim:gpu v100\n" + code: 1, code: 0} {
		if got := diagnose("k.s", []byte(source), reading{}); len(got) != want {
			t.Errorf("lsp: %+v", got)
		}
	}
}
