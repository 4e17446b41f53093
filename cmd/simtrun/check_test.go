package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/short"
)

// swap has two warps exchange words in shared memory. The missing barrier would replace BARRIER.
//
//go:embed testdata/kernels/swap.s
var swap string

var (
	racySwap   = strings.Replace(swap, "BARRIER", "", 1)
	properSwap = strings.Replace(swap, "BARRIER", "bar.sync 0;", 1)
)

func TestCheckFindsMissingBarrier(t *testing.T) {
	got := simtrun(t, racySwap, "FILE", "--check", "race", "--arg", "out=zeros:1:u32", "-q")
	// Warp 0 runs first and reads words that warp 1 has not written yet. Both warps read the other's words, so one
	// barrier is missing, and there is one finding.
	want := output{exitFindings, "", `k.s:12:2: error: race: read not ordered after another lane's write [race-raw] s+0x80..0x83
  write   k.s:9  st.shared.u32 [%r4], %r1;  block (0,0,0) warp 1 lane 0 (00000001)  value 32
  read    k.s:12  ld.shared.u32 %r6, [%r5];  block (0,0,0) warp 0 lane 0 (00000001)  got 2880154539
  between no barrier on either path
  repeats 64 lane pairs in 1 block; first shown
  fix     bar.sync before line 12 (different warps; bar.warp.sync is not enough)

simtrun: 1 error, 0 warnings, 0 hidden (1 group from 64 instances)
`}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(output{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	got = simtrun(t, properSwap, "FILE", "--check", "mem,race", "--arg", "out=zeros:1:u32", "-q")
	want = output{0, "", "simtrun: 0 errors, 0 warnings, 0 hidden (0 groups from 0 instances)\n"}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(output{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestJSONHasRaces(t *testing.T) {
	got := simtrun(t, racySwap, "FILE", "--check", "race", "--arg", "out=zeros:1:u32", "--json", "--grid", "3")
	var object struct {
		Findings []struct {
			Rule, Severity, File, Instr, Space, Value, Fix string
			Line                                           int
			Block                                          []int
			Warp                                           int
			Mask                                           string
			Lanes                                          []int
			Address, Size                                  int
			Other                                          struct {
				Does, File, Instr, Value, Mask string
				Line, Warp                     int
			}
			Repeats struct{ Instances, Blocks int }
		}
		Summary struct {
			Exit, Errors int
			Message      string
		}
	}
	if err := json.Unmarshal([]byte(got.stdout), &object); err != nil {
		t.Fatal(err)
	}
	if got.code != exitFindings || object.Summary.Exit != exitFindings || object.Summary.Errors != 1 || object.Summary.Message != "data races" {
		t.Errorf("exit %d, %+v", got.code, object.Summary)
	}
	if len(object.Findings) != 1 {
		t.Fatalf("%+v", object.Findings)
	}
	f := object.Findings[0]
	if text := fmt.Sprintf("%+v", f); f.Fix == "" || text != "{Rule:race-raw Severity:error File:"+f.File+" Instr:ld.shared.u32 %r6, [%r5]; Space:shared Value:2880154539 Fix:"+f.Fix+
		" Line:12 Block:[0 0 0] Warp:0 Mask:00000001 Lanes:[0] Address:128 Size:4 Other:{Does:write File:"+f.File+
		" Instr:st.shared.u32 [%r4], %r1; Value:32 Mask:00000001 Line:9 Warp:1} Repeats:{Instances:192 Blocks:3}}" {
		t.Error(text)
	}
}

// TestCheckNeverLowersTheExit checks that a race does not replace the exit status of a worse error, and that the
// summary is the last line.
func TestCheckNeverLowersTheExit(t *testing.T) {
	source := strings.Replace(racySwap, "	ret;", "	trap;", 1)
	got := simtrun(t, source, "FILE", "--check", "race", "--arg", "out=zeros:1:u32", "-q")
	if got.code != exitFault || !strings.Contains(got.stderr, "error: trap [trap]") || strings.Count(got.stderr, "[trap]") != 1 {
		t.Errorf("exit %d: %s", got.code, got.stderr)
	}
	if lines := strings.Split(strings.TrimSpace(got.stderr), "\n"); !strings.HasPrefix(lines[len(lines)-1], "simtrun: 1 error,") {
		t.Errorf("the last line is %q", lines[len(lines)-1])
	}
}

// TestCheckHidesInfo checks that writes of the same value by all threads are reported in JSON only. 64 threads are
// 64*63/2 pairs.
func TestCheckHidesInfo(t *testing.T) {
	source := kernelText(t, "check_hides_info.s")
	got := simtrun(t, source, "FILE", "--check", "race", "--arg", "out=zeros:1:u32", "-q", "--block", "64")
	want := output{0, "", "simtrun: 0 errors, 0 warnings, 1 hidden (1 group from 2016 instances)\n"}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(output{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCheckNamesAreChecked(t *testing.T) {
	for list, want := range map[string]string{
		"none": "accesses to memory are always checked: none is not possible", "rice": `no check "rice"; did you mean race?`, "": `no check ""`,
	} {
		if got := simtrun(t, swap, "FILE", "--check", list); got.code != exitUsage || !strings.Contains(got.stderr, want) {
			t.Errorf("--check %q: exit %d, %s", list, got.code, got.stderr)
		}
	}
	if got := simtrun(t, strings.Replace(swap, "BARRIER", "", 1), "FILE", "--check", "all", "--arg", "out=zeros:1:u32"); got.code != exitFindings || !strings.Contains(got.stderr, "[race-raw]") {
		t.Errorf("all checks: %+v", got)
	}
	if got := simtrun(t, properSwap, "FILE", "--check", "memcheck,racecheck", "--arg", "out=zeros:1:u32"); got.code != 0 || !strings.Contains(got.stderr, "simtrun: 0 errors") {
		t.Errorf("long names: %+v", got)
	}
}

// TestCheckNamesTheLaunch checks a kernel that races when it is launched on two blocks, with more than 20 warnings
// before the error: errors come first.
func TestCheckNamesTheLaunch(t *testing.T) {
	source := "//sim:buffer out = zeros:64:u32\n//sim:launch k grid=1 block=1 args=out\n//sim:launch k grid=2 block=32 args=out\n" +
		".entry k(.param .u64 out) {\n .shared .u32 s[32];\n mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; xor.b32 %r3, %r2, 4; mov.u32 %r4, s; add.u32 %r2, %r2, %r4; add.u32 %r3, %r3, %r4;\n" +
		strings.Repeat(" st.shared.u32 [%r2], %r1;\n ld.shared.u32 %r5, [%r3];\n", 20) +
		" ld.param.u64 %rd1, [out];\n mov.u32 %r6, %ctaid.x;\n setp.ne.u32 %p1, %r1, 0;\n @!%p1 st.global.u32 [%rd1], %r6;\n ret;\n}\n"
	got := simtrun(t, source, "FILE", "--check", "race", "-q")
	first, _, _ := strings.Cut(got.stderr, "\n\n")
	if got.code != exitFindings || !strings.Contains(first, "[race-waw] out+0x0..0x3") || !strings.Contains(first, "\n  launch  2 of 2, kernel k\n") {
		t.Errorf("exit %d: %s", got.code, first)
	}
	if n := strings.Count(got.stderr, " error: ") + strings.Count(got.stderr, " warning: "); n != 20 || !strings.Contains(got.stderr, "more groups; --json has them all") {
		t.Errorf("%d findings are printed", n)
	}
}

// TestSharedMemoryStartsWithPattern: shared memory holds bytes 0xab at the start of each block, or zeros, in compiled
// code and with a clock.
func TestSharedMemoryStartsWithPattern(t *testing.T) {
	source := kernelText(t, "shared_init.s")
	for _, clock := range []string{"--functional", "--functional=false"} {
		for init, want := range map[string]string{"": "0xabababab", "pattern": "0xabababab", "zero": "0"} {
			args := []string{"FILE", clock, "--grid", "2000", "--arg", "out=zeros:2000:u32", "--expect", "out[0] == " + want, "--expect", "out[1999] == " + want}
			if init != "" {
				args = append(args, "--shared-init", init)
			}
			if got := simtrun(t, source, args...); got.code != 0 {
				t.Errorf("%s %q: %+v", clock, init, got)
			}
		}
	}
	if got := simtrun(t, source, "FILE", "--shared-init", "ones"); got.code != exitUsage || !strings.Contains(got.stderr, "shared-init is pattern or zero, not \"ones\"") {
		t.Errorf("%+v", got)
	}
}

// TestStatusLineCountsFindings checks that the status line says ok only for a launch without findings; otherwise it has
// their number, and FAIL if one of them is an error.
func TestStatusLineCountsFindings(t *testing.T) {
	racy := kernelText(t, "status_line_racy.s")
	spin := kernelText(t, "status_line_spin.s")
	for name, tt := range map[string]struct {
		source string
		args   []string
		want   string // the status line's beginning and end
		end    string
	}{
		"nothing wrong":  {racy, nil, "ok      warp-instr 12 ", " divergent branches 0\n"},
		"a race":         {racy, []string{"--check", "race", "--block", "64"}, "FAIL    warp-instr 6 ", " findings 1\n"},
		"only a warning": {".entry k()\n{\n\tmov.u32 %r1, %tid.y;\n\tdiv.u32 %r2, 5, %r1;\n\tret;\n}\n", []string{"--block", "64"}, "ok      warp-instr 6 ", " findings 1\n"},
		"an error":       {halves, []string{"--block", "64"}, "FAIL    warp-instr 14 ", " findings 1\n"},
		"a fault":        {body("\tst.global.u32 [%rd1+2], 1;"), nil, "FAIL    warp-instr ", " findings 1\n"},
		"a hang":         {spin, []string{"--shared-init", "zero"}, "FAIL    warp-instr ", " findings 1\n"},
		"a time limit":   {spin, []string{"--shared-init", "zero", "--max-steps", "5"}, "FAIL    warp-instr ", " findings 1\n"},
	} {
		args := append([]string{"FILE", "--functional", "--color", "never"}, tt.args...)
		if name == "nothing wrong" {
			args = append(args, "--grid", "2", "--block", "64")
		}
		got := simtrun(t, tt.source, args...)
		_, status, _ := strings.Cut(got.stdout, "\n")
		if !strings.HasPrefix(status, tt.want) || !strings.HasSuffix(status, tt.end) || strings.Count(status, "\n") != 1 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestOnlyTwentyWarningsArePrinted checks that only twenty of a hundred warnings are printed, and that JSON has all of
// them.
func TestOnlyTwentyWarningsArePrinted(t *testing.T) {
	source := ".entry k()\n{\n" + strings.Repeat("\tdiv.u32 %r1, %r2, 0;\n", 100) + "\tret;\n}\n"
	got := simtrun(t, source, "FILE", "--grid", "3")
	if n := strings.Count(got.stderr, "[div-zero]"); n != 20 || !strings.HasSuffix(got.stderr, "\n… 80 more warnings; --json has them all\n") {
		t.Errorf("%d warnings; %+v", n, got)
	}
	got = simtrun(t, source, "FILE", "--json")
	if n := strings.Count(got.stdout, `"rule":"div-zero"`); n != 100 {
		t.Errorf("%d warnings in JSON", n)
	}
}

// TestGreatestGridCountsWarps checks that warps are counted correctly in the largest possible launch.
func TestGreatestGridCountsWarps(t *testing.T) {
	args := []string{"FILE", "--grid", "2147483647x65535x65535", "--block", "1024", "--timeout", "10ms"}
	got := simtrun(t, ".entry k() { ret; }", args...)
	if got.code != exitHang || !strings.Contains(got.stdout, "(9223090559730712575 blocks)  block 1024x1x1 (32 warps)  warps 295138897911382802400  ") {
		t.Errorf("%+v", got)
	}
	got = simtrun(t, ".entry k() { ret; }", append(args, "--json")...)
	if !strings.Contains(got.stdout, `"warps":295138897911382802400,`) {
		t.Errorf("%+v", got)
	}
	got = simtrun(t, ".entry k() { ret; }", "FILE", "--block", "4194304x2097152x2097152") // 2^64 threads
	if want := "block 4194304x2097152x2097152: 9223372036854775807 threads, at most 1024"; got.code != exitUsage || !strings.Contains(got.stderr, want) {
		t.Errorf("%+v", got)
	}
	got = simtrun(t, ".entry k(.param .u64 a) { ret; }", args[:5]...)
	if !strings.Contains(got.stderr, "--arg a=zeros:1073741824:") {
		t.Errorf("%+v", got)
	}
}

// TestUnreachableMemoryIsRefused checks that memory which 32-bit addresses cannot reach is refused.
func TestUnreachableMemoryIsRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 3 GB of memory")
	}
	source := kernelText(t, "small_addresses.s")
	got := simtrun(t, source, "FILE", "--block", "1", "--arg", "a=zeros:3000000000:u8", "--arg", "b=zeros:2000000000:u8")
	if want := "--arg b=zeros:2000000000:u8: b: 2000000000 bytes cannot be allocated; .global memory with addresses of 32 bits ends at 0x100000000\n"; got.code != exitUsage || !strings.Contains(got.stderr, want) {
		t.Errorf("%+v", got)
	}
	got = simtrun(t, source, "FILE", "--block", "1", "--arg", "a=zeros:3000000000:u8", "--arg", "b=zeros:4:u32", "--expect", "b == 7 0 0 0")
	if got.code != 0 {
		t.Errorf("%+v", got)
	}
}

// TestCorrectFlagsAndClustersAreClean: there are no findings in correct programs in which threads poll flags,
// alternate, take locks, or access shared memory of other blocks.
func TestCorrectFlagsAndClustersAreClean(t *testing.T) {
	short.Skip(t)
	for _, name := range strings.Fields("ballot_compaction cluster_reduce flag_arms gemm_cluster grid_barrier lock_in_loop look_back ping_pong pipeline spin_lock tensor_copy ticket_lock") {
		got := simtrun(t, "", "run", "../../programs/"+name+".s", "--check", "race", "-q")
		if want := "simtrun: 0 errors, 0 warnings, 0 hidden (0 groups from 0 instances)\n"; got.code != 0 || !strings.HasSuffix(got.stderr, want) {
			t.Errorf("%s: exit status %d\n%s", name, got.code, got.stderr)
		}
	}
}
