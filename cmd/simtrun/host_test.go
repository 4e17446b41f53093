//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/cuda"
	"github.com/simtrun/simtrun/internal/short"
)

// hostFolder makes a folder with a file that stands for the driver library, and a shell script as the program.
func hostFolder(t *testing.T, script string) (program string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{cuda.Library: "", "prog": "#!/bin/sh\n" + script} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "standins"), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv(cuda.EnvLibrary, dir)
	t.Setenv("LD_LIBRARY_PATH", "/elsewhere")
	return filepath.Join(dir, "prog")
}

// TestHostFlagsBecomeVariables checks that flags become variables, that the program's exit status takes precedence over
// findings, and that the summary adds up its launches.
func TestHostFlagsBecomeVariables(t *testing.T) {
	const add, addRaces, fails = `{"kernel":"add","warp_instructions":10,"seconds":0.001,"cycles":100}`,
		`{"kernel":"add","warp_instructions":20,"seconds":0.002,"cycles":200,"warnings":[{"rule":"sync-mismatch","severity":"warning","count":3}],"races":[{"rule":"race-raw","severity":"error","count":7}]}`,
		`{"kernel":"mul","warp_instructions":5,"seconds":0.01,"error":"k.ptx:3: error: load","rule":"mem-oob"}`
	lines := func(all ...string) string {
		return "cat >> $SIMTRUN_SUMMARY <<'END'\n" + strings.Join(all, "\n") + "\nEND\n"
	}
	allowed := filepath.Join(t.TempDir(), "allowed")
	if err := os.WriteFile(allowed, []byte("mem-leak leak.cu:4 kept for the whole run\napi-failed * it may fail\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		script string
		flags  []string
		code   int
		stdout string
		stderr []string
	}{
		"nothing launched": {"echo hello $# $2", nil, 0, "hello 2 -x\n", []string{"the program has launched no kernel"}},
		"bytes":            {`printf '\001\377\033[31m'; printf '\033[0m\n' >&2`, nil, 0, "\x01\xff\x1b[31m", []string{"\x1b[0m\n"}},
		"environment": {`echo $SIMTRUN_GPU $SIMTRUN_CHECK $SIMTRUN_DIVERGENCE $SIMTRUN_SPLIT $SIMTRUN_FUNCTIONAL $SIMTRUN_REPORT $SIMTRUN_METRICS $SIMTRUN_SAVE $SIMTRUN_LOG ${LD_LIBRARY_PATH#*:}`,
			[]string{"--gpu", "a100", "--check", "racecheck", "--divergence", "its", "--split", "7", "--report", "r", "--metrics", "all", "--save", "s", "--log", "l"}, 0, "a100 racecheck its 7 r all s l /elsewhere\n", nil},
		"clock":              {`echo $SIMTRUN_DIVERGENCE $SIMTRUN_FUNCTIONAL`, []string{"--divergence", "stack", "--clock"}, 0, "stack 0\n", nil},
		"command":            {"$SIMTRUN_COMMAND -test.list none", nil, 0, "", nil},
		"launches":           {lines(add, addRaces[:strings.Index(addRaces, `,"warn`)]+"}"), nil, 0, "", []string{"2 launches of 1 kernel, 30 warp instructions, 3.0 ms, 300 cycles\n", "  add                             2 launches             30 instructions  3.0 ms, 300 cycles\n", "  no fault was found (memory accesses, driver calls; --check all also looks for races, unwritten values, undefined shuffles, leaks, races between launches)\n"}},
		"races of launches":  {lines(add, add), []string{"--check", "race"}, 0, "", []string{"\n  no fault was found (memory accesses, driver calls, races; --check all also looks for unwritten values, undefined shuffles, leaks, races between launches)\n"}},
		"all checks":         {lines(add), []string{"--check", "all"}, 0, "", []string{"\n  no fault was found (memory accesses, driver calls, races, unwritten values, undefined shuffles, leaks, races between launches)\n"}},
		"with a clock":       {lines(add), []string{"--clock"}, 0, "", []string{"\n  no fault was found (memory accesses, driver calls; --check leak also looks for leaks)\n"}},
		"leaks with a clock": {lines(add), []string{"--clock", "--check", "leak"}, 0, "", []string{"\n  no fault was found (memory accesses, driver calls, leaks)\n"}},
		"a race":             {lines(addRaces), nil, exitFindings, "", []string{"found race-raw 7 times at 1 place; simtrun explain race-raw\n", "found sync-mismatch 3 times", "\nsimtrun: 1 error, 1 warning: exit status 1\n"}},
		"a fault":            {lines(add, addRaces, fails), nil, exitFault, "", []string{"3 launches of 2 kernels, 35 warp instructions, 13.0 ms", "  mul                             1 launch  ", "found mem-oob 1 time;", "\nsimtrun: 2 errors, 1 warning: exit status 4\n"}},
		"names of C++":       {lines(`{"kernel":"_Z12reduceKernelIfLi256EEvPKT_PS0_i"}`), nil, 0, "", []string{"  reduceKernel<float, 256>        1 launch  "}},
		"name of 24":         {lines(`{"kernel":"abcdefghijklmnopqrstuvwx"}`), nil, 0, "", []string{"\n  abcdefghijklmnopqrstuvwx        1 launch                0 instructions  0.0 ms\n"}},
		"name of 25":         {lines(`{"kernel":"abcdefghijklmnopqrstuvwxy"}`), nil, 0, "", []string{"\n  abcdefghijklmnopqrstuvwxy\n                                  1 launch                0 instructions  0.0 ms\n"}},
		"both names":         {lines(`{"kernel":"f<int>","kernel_mangled":"_Z1fIiEvPT_"}`, `{"kernel":"f<int>","kernel_mangled":"_Z1fIiEvPT_"}`, `{"kernel":"f","kernel_mangled":"_Z1fi"}`), nil, 0, "", []string{"3 launches of 2 kernels", "  f<int>                          2 launches", "  f                               1 launch  "}},
		"undefined":          {lines(`{"kernel":"k","undefined":["a shuffle read"]}`, `{"kernel":"k","undefined":["a shuffle read"]}`), nil, 0, "", []string{"instructions  0.0 ms\n  note: k: a shuffle read\n"}},
		"not compiled":       {lines(`{"kernel":"k","not_compiled":["_Z1fi is not compiled and takes many times as long: it is too long"]}`, `{"kernel":"k","not_compiled":["_Z1fi is not compiled and takes many times as long: it is too long"]}`), nil, 0, "", []string{"instructions  0.0 ms\n  note: f is not compiled and takes many times as long: it is too long\n  no fault was found ("}},
		"the program fails":  {lines(fails) + "exit 9", nil, 9, "", []string{"found mem-oob", "prog ended with exit status 9"}},
		"killed in its first launch": {lines(`{"state":"begun","process":7,"kernel":"_Z7longonePf","grid":[64,1,1],"block":[16,16,1],"blocks":64}`) + "kill -9 $$", nil, 128 + 9, "",
			[]string{"killed during the first launch: kernel longone, grid 64, block 16x16\n", "prog was ended by SIGKILL\n"}},
		"ended by the debugger": {lines(`{"state":"begun","process":7,"kernel":"mul","grid":[3,1,1],"block":[32,1,1]}`) + debugVariable + "=1 exec " + os.Args[0] + " -test.run=^TestDebuggedProgram$ >/dev/null", []string{"--debug", "-e", "quit"}, 0, "",
			[]string{"simtrun: ended by quit during the first launch: kernel mul, grid 3, block 32\n"}},
		"killed later": {lines(add, `{"state":"begun","process":7,"kernel":"mul","grid":[3,1,2],"block":[32,1,1],"blocks":6}`, `{"state":"running","process":7,"kernel":"mul","grid":[3,1,2],"block":[32,1,1],"blocks":6,"blocks_done":4,"seconds":1.5}`) + "exit 137", nil, 137, "",
			[]string{"killed during a launch after 1 other: kernel mul, grid 3x1x2, block 32; 4 of 6 blocks done after 1.5 s\n", "1 launch of 1 kernel, 10 warp instructions"}},
		"interrupted": {lines(`{"state":"begun","process":7,"kernel":"mul","grid":[3,1,2],"block":[32,1,1]}`, `{"state":"running","process":7,"kernel":"mul","grid":[3,1,2],"block":[32,1,1],"blocks":6,"blocks_done":4,"seconds":1.5}`,
			`{"state":"interrupted","process":7,"kernel":"mul","grid":[3,1,2],"block":[32,1,1],"seconds":1.6,"warp_instructions":9,"error":"k.cu:2:3: interrupted"}`) + "kill -2 $$", nil, 128 + 2, "",
			[]string{"simtrun: interrupted during the first launch: kernel mul, grid 3x1x2, block 32; 4 of 6 blocks done after 1.6 s\nsimtrun: prog was ended by SIGINT\n"}},
		"ended": {lines(`{"state":"begun","process":7,"kernel":"add","grid":[1,1,1],"block":[1,1,1]}`, strings.Replace(add, "{", `{"process":7,`, 1)), nil, 0, "", []string{"simtrun: 1 launch of 1 kernel", "no fault was found"}},
		"failed calls": {lines(add, `{"process":7,"call":{"name":"cuMemFree","error":"CUDA_ERROR_INVALID_VALUE","why":"allocation 2 was freed before","count":1}}`,
			`{"process":7,"call":{"name":"cuMemFree","error":"CUDA_ERROR_INVALID_VALUE","why":"allocation 2 was freed before","count":2}}`), nil, 0, "",
			[]string{"1 launch of 1 kernel", "\n  failed cuMemFree returned CUDA_ERROR_INVALID_VALUE 2 times: allocation 2 was freed before\n"}},
		"failed calls are an error with --check api": {lines(`{"process":7,"call":{"name":"cuCtxCreate","error":"CUDA_ERROR_INVALID_DEVICE","count":1}}`), []string{"--check", "race, api"}, exitFindings, "",
			[]string{"  failed cuCtxCreate returned CUDA_ERROR_INVALID_DEVICE 1 time\n", "\nsimtrun: 1 error, 0 warnings: exit status 1\n"}},
		"leaks": {lines(add, `{"process":7,"leak":{"name":"allocation 1 (leak.cu:4)","bytes":1000}}`, `{"process":7,"leak":{"name":"allocation 3","bytes":24}}`), []string{"--check", "leak"}, exitFindings, "",
			[]string{"  leaked allocation 1 (leak.cu:4), 1000 bytes\n", "  2 allocations, 1024 bytes together, were never freed\n"}},
		"leaks by line": {lines(add, `{"process":7,"leak":{"name":"allocation 1","bytes":3000,"count":3,"place":"leak.cu:4","code":"cudaMalloc(&a, 1000);"}}`, `{"process":7,"leak":{"name":"allocation 3","bytes":24,"count":1,"place":"/tmp/prog","code":"main+0x1c"}}`), []string{"--check", "leak", "--github"}, exitFindings, "",
			[]string{"  leaked 3 allocations, 3000 bytes, of leak.cu:4\n", "  leaked allocation 3, 24 bytes, of main+0x1c\n", "  4 allocations, 3024 bytes together, were never freed\n", "found mem-leak 4 times at 2 places;",
				"::error file=leak.cu,line=4,title=mem-leak::3 allocations of 3000 bytes in all were never freed; the first is allocation 1\n"}},
		"freed twice": {lines(`{"process":7,"call":{"name":"cudaFree","error":"CUDA_ERROR_INVALID_VALUE","why":"allocation 2 was freed before","rule":"mem-free","place":"k.cu:9","count":1}}`), []string{"--check", "leak"}, exitFindings, "",
			[]string{"  failed cudaFree returned CUDA_ERROR_INVALID_VALUE 1 time at k.cu:9: allocation 2 was freed before\n", "found mem-free 1 time;"}},
		"allowed": {lines(add, `{"process":7,"leak":{"name":"allocation 1","bytes":1000,"count":1,"place":"leak.cu:4"}}`, `{"process":7,"call":{"name":"cuCtxCreate","error":"CUDA_ERROR_INVALID_DEVICE","count":1}}`), []string{"--check", "leak,api", "--suppressions", allowed}, 0, "",
			[]string{"  no other fault was found (", "2 findings suppressed"}},
		"time limit":   {"exec sleep 60", []string{"--timeout", "200ms"}, exitHang, "", []string{"time limit: prog was not done after 200ms; --timeout sets the limit [sync-timeout]"}},
		"launch limit": {"echo $SIMTRUN_LAUNCH_TIMEOUT", []string{"--launch-timeout", "3"}, 0, "3s\n", nil},
		"stand-ins":    {`echo "${LD_LIBRARY_PATH##*/}"`, []string{"--stand-ins"}, 0, "standins\n", nil},
		"cut off":      {lines(add) + `printf '{"kernel":"ad' >> $SIMTRUN_SUMMARY`, nil, 0, "", []string{"1 launch of 1 kernel, 10 warp instructions"}},
	} {
		t.Run(name, func(t *testing.T) {
			program := hostFolder(t, c.script)
			t.Chdir(t.TempDir()) // --log and others name files here
			got := simtrunIn(t.Context(), ".", append(append([]string{"host"}, c.flags...), program, "1", "-x")...)
			if got.code != c.code || got.stdout != c.stdout {
				t.Errorf("%+v", got)
			}
			for _, want := range c.stderr {
				if !strings.Contains(got.stderr, want) {
					t.Errorf("no %q in\n%s", want, got.stderr)
				}
			}
		})
	}
}

// TestHostCompilesWithHeaderOptions checks that a program in CUDA C++ is compiled with the options of its header and of
// --cc, and run with its arguments; and that errors of the compiler and of the header have the exit statuses of run.
func TestHostCompilesWithHeaderOptions(t *testing.T) {
	short.Skip(t)
	short.Alternates(t, 1, 3)
	needsClang(t)
	const program = "//sim:cc -DSTATUS=7 -Iinc\n#include <cstdio>\n#include \"more.h\"\n__global__ void k(int *x) { *x = 1; }\n" +
		"int main(int n, char **args) { printf(\"%d %s \" MORE \"\\n\", n, args[1]); return STATUS; }\n"
	hostFolder(t, "")
	writeFiles(t, map[string]string{"p/k.cu": program, "p/inc/more.h": "#ifndef MORE\n#define MORE \"more\"\n#endif\n",
		"p/wrong.cu": strings.Replace(program, "*x = 1", "*x =", 1), "p/header.cu": strings.Replace(program, "-D", "-c -D", 1)})
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	for _, c := range []struct {
		args   []string
		code   int
		stdout string
		stderr string
	}{
		{[]string{"p/k.cu", "-x"}, 7, "2 -x more\n", "simtrun: k.cu ended with exit status 7\n"},
		{[]string{"--cc", `-DMORE=\"other\"`, "p/k.cu", "a b"}, 7, "2 a b other\n", "exit status 7\n"},
		{[]string{"p/wrong.cu"}, exitProgram, "", "p/wrong.cu:4:33: error: expected expression\n"},
		{[]string{"p/header.cu"}, exitUsage, "", "options for compiling, such as"},
		{[]string{"p/l.cu"}, exitUsage, "", "simtrun: no file p/l.cu; did you mean p/k.cu?\n"},
	} {
		got := typed(t, append([]string{"host"}, c.args...)...)
		if got.code != c.code || got.stdout != c.stdout || !strings.Contains(got.stderr, c.stderr) {
			t.Errorf("%q: %+v", c.args, got)
		}
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("left in the temporary folder: %v, %v", left, err)
	}
	got := typed(t, "run", "p/k.cu")
	if want := "\np/k.cu has a main function: simtrun host p/k.cu compiles and runs the program\n"; got.code != exitUsage || !strings.Contains(got.stderr, want) {
		t.Errorf("run: %+v", got)
	}
}

// TestProgramIsNoSource checks that commands that read PTX name host for a program: the test itself is one.
func TestProgramIsNoSource(t *testing.T) {
	short.Skip(t)
	short.Alternates(t, 2, 3)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	writeFiles(t, map[string]string{"add": string(text)})
	for _, command := range []string{"run", "profile", "debug"} {
		got := typed(t, command, "add")
		if want := "add:1:1: this is a program, not PTX; simtrun host ./add runs it, --debug in the debugger, --profile with profiles of its launches; --save DIR saves them for simtrun run\n"; got.code != exitProgram || got.stderr != want {
			t.Errorf("%s: exit %d: %.300s", command, got.code, got.stderr)
		}
	}
}

// TestUnbuiltStandInsAreExplained checks the message if the folder of the driver library has no stand-ins.
func TestUnbuiltStandInsAreExplained(t *testing.T) {
	program := hostFolder(t, "true")
	standIns := filepath.Join(filepath.Dir(program), "standins")
	if err := os.Remove(standIns); err != nil {
		t.Fatal(err)
	}
	got := simtrunIn(t.Context(), t.TempDir(), "host", "--stand-ins", program)
	if want := "no stand-ins in " + standIns + "; make -C cuda standins builds them"; got.code != exitUsage || !strings.Contains(got.stderr, want) {
		t.Errorf("%+v, want %q", got, want)
	}
}

// TestHostRefusesWrongSettings checks that a wrong flag, or a variable that the program would inherit, is named as it
// was written, and that the program does not start.
func TestHostRefusesWrongSettings(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ flags, env, want string }{
		{"--gpu x9", "", `simtrun: --gpu x9: no GPU "x9"; there are a10, a100, `},
		{"--gpu " + file + ".toml", "", "simtrun: --gpu " + file + ".toml: no file "},
		{"--check memchek", "", `simtrun: --check memchek: no check "memchek"; did you mean memcheck?`},
		{"--check none", "", "simtrun: --check none: accesses to memory are always checked"},
		{"--divergence stak", "", `simtrun: --divergence stak: no divergence model "stak"; did you mean stack?`},
		{"--shared-init ones", "", `simtrun: --shared-init ones: it is pattern or zero, not "ones"`},
		{"--report " + file + " --metrics lane_instruction", "", `simtrun: --metrics lane_instruction: no metric "lane_instruction"; did you mean `},
		{"--check all --clock", "", "simtrun: --check all is for launches without a clock; leave out --clock\n"},
		{"--check race", "SIMTRUN_FUNCTIONAL=0", "simtrun: --check race is for launches without a clock; leave out SIMTRUN_FUNCTIONAL=0\n"},
		{"--split 7 --clock", "", "simtrun: --split 7 is for launches without a clock; leave out --clock\n"},
		{"--split 7 --divergence minpc", "", "simtrun: --split 7 is for divergence its, not minpc\n"},
		{"--report " + file + "/r", "", "simtrun: --report " + file + "/r: " + file + " is not a folder\n"},
		{"--log " + file + "/l", "", "simtrun: --log " + file + "/l: " + file + " is not a folder\n"},
		{"--save " + file, "", "simtrun: --save " + file + ": it is not a folder\n"},
		{"", "SIMTRUN_CHECK=rice", `simtrun: SIMTRUN_CHECK: no check "rice"; did you mean race?`},
		{"", "SIMTRUN_MEMORY=much", `simtrun: SIMTRUN_MEMORY: "much" is not a size; write a number of bytes`},
		{"--debug", "SIMTRUN_FUNCTIONAL=0", "simtrun: --debug needs launches without a clock"},
	} {
		t.Run(c.flags+c.env, func(t *testing.T) {
			program := hostFolder(t, "echo started")
			if name, value, ok := strings.Cut(c.env, "="); ok {
				t.Setenv(name, value)
			}
			got := simtrunIn(t.Context(), t.TempDir(), append(append([]string{"host"}, strings.Fields(c.flags)...), program)...)
			if got.code != exitUsage || got.stdout != "" || !strings.HasPrefix(got.stderr, c.want) {
				t.Errorf("%+v, want %q", got, c.want)
			}
		})
	}
}

// TestSavedFolderRunsAsSource checks that the folder of a saved launch can be used as a source.
func TestSavedFolderRunsAsSource(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "0001-k"), 0o777); err != nil {
		t.Fatal(err)
	}
	const text = ".entry k(.param .u64 p) { ld.param.u64 %rd1, [p]; st.global.u32 [%rd1], 7; ret; }\n" +
		"//sim:arg p = hex:0000000001000000\n//sim:buffer b = @b.bin\n//sim:address b = 0x100000000\n//sim:expect b == 7 6\n"
	for name, content := range map[string]string{"kernel.ptx": text, "b.bin": "\x05\x00\x00\x00\x06\x00\x00\x00"} {
		if err := os.WriteFile(filepath.Join(dir, "0001-k", name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	saved := filepath.Join(dir, "0001-k")
	for _, args := range [][]string{{"run", saved}, {saved, "--functional"}, {"profile", saved}, {"test", saved}} {
		if got := simtrunIn(t.Context(), dir, args...); got.code != 0 {
			t.Errorf("%s: %+v", args, got)
		}
	}
}

// TestBuiltProgramMayEndInCU copies a program of the system to a name that sources in CUDA C++ have. No compiler is
// needed: there is none in PATH.
func TestBuiltProgramMayEndInCU(t *testing.T) {
	hostFolder(t, "")
	built, err := exec.LookPath("true")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(built)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "prog.cu"), text, 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	if got := simtrunIn(t.Context(), dir, "host", "--require-launch=false", filepath.Join(dir, "prog.cu")); got.code != 0 {
		t.Errorf("%+v", got)
	}
}

// TestVersionNamesFolderOfLibraries checks that the last line names the folder of the driver library, if there is one.
func TestVersionNamesFolderOfLibraries(t *testing.T) {
	folder := filepath.Dir(hostFolder(t, ""))
	if got := simtrun(t, "", "version"); !strings.HasSuffix(got.stdout, "\nlibraries: "+folder+"\n") {
		t.Errorf("%q does not end with %s", got.stdout, folder)
	}
	t.Setenv(cuda.EnvLibrary, "/none")
	if got := simtrun(t, "", "version"); got.code != 0 || strings.Contains(got.stdout, "libraries") {
		t.Errorf("without libraries: %+v", got)
	}
}

// TestHostSaysWhatIsMissing checks that messages name what is missing, and what helps.
func TestHostSaysWhatIsMissing(t *testing.T) {
	for name, c := range map[string]struct {
		folder string
		args   []string
		want   string
	}{
		"no program":      {"", nil, "no program; expected simtrun host PROGRAM [ARGUMENT...]"},
		"metrics alone":   {"", []string{"--metrics", "all", "true"}, "--metrics needs --report FILE"},
		"no such program": {"/none", []string{"./none"}, "no program ./none: there is no such file\n"},
		"no library":      {"/none", []string{"true"}, "SIMTRUN_CUDA_LIB=/none: that folder has no libcuda.so.1; simtrun's packages (.deb, .rpm) and archives have it, and make -C cuda builds it"},
	} {
		t.Run(name, func(t *testing.T) {
			hostFolder(t, "")
			if c.folder != "" {
				t.Setenv(cuda.EnvLibrary, c.folder)
			}
			got := simtrunIn(t.Context(), t.TempDir(), append([]string{"host"}, c.args...)...)
			if got.code != exitUsage || !strings.Contains(got.stderr, c.want) {
				t.Errorf("%+v", got)
			}
		})
	}
}
