package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestCorrectProgramsReadNothingUnwritten: correct programs use nothing that nobody has written.
func TestCorrectProgramsReadNothingUnwritten(t *testing.T) {
	files, err := filepath.Glob("../../programs/*.s")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		got := simtrun(t, "", "run", file, "--check", "init", "-q")
		if got.code > exitFindings || strings.Contains(got.stderr, "[init-") {
			t.Errorf("%s: exit status %d\n%s", file, got.code, got.stderr)
		}
	}
}

// TestReportedProgramsHaveOneFinding: programs that users have reported have one finding.
func TestReportedProgramsHaveOneFinding(t *testing.T) {
	for _, tt := range []struct {
		file string
		args []string
		want []string
	}{
		// The local word and %r9 reach the result, too: it is one store, and the value that it reads first is shown.
		{"uninit.s", nil, []string{"uninit.s:14:5: error: a result in global memory depends on shared memory s+0x4..0x7", "uninit.s:11:5: ld.shared.u32"}},
		{"uninit.cu", []string{"--block", "64", "--arg", "0=zeros:64:u32"}, []string{"[init-local]"}},
		{"shared_uninit_puzzle12.cu", nil, []string{"+0x1c..0x1f", "block (1,0,0) warp 0 lane 6", "[init-shared]"}},
	} {
		if strings.HasSuffix(tt.file, ".cu") {
			needsClang(t)
		}
		got := simtrun(t, "", append([]string{"run", "testdata/init/" + tt.file, "--check", "init", "-q"}, tt.args...)...)
		for _, want := range tt.want {
			if got.code != exitFindings || strings.Count(got.stderr, "[init-") != 1 || !strings.Contains(got.stderr, want) {
				t.Errorf("%s: exit status %d, want %s\n%s", tt.file, got.code, want, got.stderr)
			}
		}
	}
}

// TestUninitialisedBufferHoldsPattern: a buffer without contents holds a pattern, and is for nothing else.
func TestUninitialisedBufferHoldsPattern(t *testing.T) {
	const source = ".entry k(.param .u64 x)\n{\n\tret;\n}\n"
	got := simtrun(t, source, "FILE", "--arg", "x=uninit:2:u32", "--dump", "x:u32:2", "-q")
	if !strings.Contains(got.stdout, "2880154539 2880154539") {
		t.Errorf("%+v", got)
	}
	got = simtrun(t, source, "FILE", "--arg", "x=zeros:2:u32", "--expect", "x == uninit:2:u32", "-q")
	if got.code != exitUsage || !strings.Contains(got.stderr, "no contents to compare with") {
		t.Errorf("%+v", got)
	}
	got = simtrun(t, ".global .u32 v[2];\n"+source, "FILE", "--arg", "x=0", "--symbol", "v=uninit:2:u32", "-q")
	if got.code != exitUsage || !strings.Contains(got.stderr, "uninit is for buffers") {
		t.Errorf("%+v", got)
	}
}
