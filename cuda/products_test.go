package cuda_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/cudatest"
	"github.com/simtrun/simtrun/internal/short"
)

const small = "#include \"small.h\"\n__global__ void k(int *p) { *p = NUMBER; }\nint main() { return NUMBER - 3; }\n"

// inFolder makes a folder with a small program the working directory.
func inFolder(t *testing.T) {
	t.Helper()
	t.Chdir(writeSources(t, map[string]string{"small.cu": small, "small.h": "#define NUMBER 3\n"}))
}

// TestDependenciesAreWritten checks that dependencies are written while sources are compiled, to the file and for the
// targets in the options.
func TestDependenciesAreWritten(t *testing.T) {
	short.Alternates(t, 2, 3)
	compiler(t)
	inFolder(t)
	for i, tt := range []struct{ args, file, begins string }{
		{"-MMD -c small.cu", "small.d", "small.o: small.cu"},
		{"-MD -c small.cu -o out.o", "out.d", "out.o: small.cu"},
		{"-MD -dc small.cu -o relocatable.o", "relocatable.d", "relocatable.o: small.cu"},
		{"-MMD -MF named.mk -MT target -MP -c small.cu", "named.mk", "target: small.cu"},
		{"-MMD -odir . small.cu -o program", "small.d", "small.o: small.cu"},
		{"-MM -MF listed.mk -MT listed small.cu", "listed.mk", "listed: small.cu"},
	} {
		if short.Skips(i) {
			continue
		}
		os.Remove(tt.file)
		build(t, strings.Fields(tt.args)...)
		text, err := os.ReadFile(tt.file)
		if err != nil || !strings.HasPrefix(string(text), tt.begins) || !strings.Contains(string(text), " small.h") {
			t.Errorf("%s: %v\n%s", tt.args, err, text)
		}
	}
}

// TestDryRunExecutesNothing checks that commands are printed in shell syntax, and that none is executed.
func TestDryRunExecutesNothing(t *testing.T) {
	compiler(t)
	inFolder(t)
	for _, args := range []string{"-dryrun small.cu -o p", "--dryrun -rdc=true small.cu -o p", "-dryrun -lib small.cu -o p", "-dryrun -ptx small.cu -o p", "-dryrun -E small.cu -o p", "-dryrun -keep -c small.cu"} {
		messages, err := tryBuild(t, append(strings.Fields(args), "-DTEXT=it's")...)
		if err != nil || !strings.HasPrefix(messages, "#$ /") || !strings.Contains(messages, `'-DTEXT=it'\''s'`) {
			t.Errorf("%s: %v\n%s", args, err, messages)
		}
	}
	if left, err := filepath.Glob("*"); err != nil || !slices.Equal(left, []string{"small.cu", "small.h"}) {
		t.Errorf("%v, %v", left, err)
	}
}

// TestKeepKeepsPTX checks that intermediate PTX is kept.
func TestKeepKeepsPTX(t *testing.T) {
	short.Alternates(t, 0, 3)
	compiler(t)
	inFolder(t)
	for i, tt := range []struct{ args, file string }{{"-keep-dir kept -keep", "kept/small.ptx"}, {"--keep", "small.ptx"}} {
		if short.Skips(i) {
			continue
		}
		build(t, append([]string{"-c", "small.cu"}, strings.Fields(tt.args)...)...)
		if text, err := os.ReadFile(tt.file); err != nil || !strings.Contains(string(text), ".entry _Z1kPi") {
			t.Errorf("%s: %v", tt.args, err)
		}
	}
}

// TestRunExecutesProgram checks that a program is run after it was built, or without building, with its arguments, and
// that its environment leads to the driver.
func TestRunExecutesProgram(t *testing.T) {
	library := driverLibrary(t)
	t.Setenv("LD_LIBRARY_PATH", library)
	t.Chdir(writeSources(t, map[string]string{
		"run.cu": "#include <cstdio>\n__global__ void k() {}\nint main(int n, char **args) {\n\tk<<<1, 1>>>();\n" +
			"\tprintf(\"%d %s %d\\n\", n, args[n - 1], (int)cudaDeviceSynchronize());\n\treturn n - 1;\n}\n"}))
	if text, err := tryBuild(t, "-run", "run.cu", "-o", "run"); err != nil || !strings.HasPrefix(text, "1 /") || !strings.HasSuffix(text, " 0\n") {
		t.Errorf("%v %q", err, text)
	}
	text, err := tryBuild(t, "--run", "-run-args", "a b", `"./run"`) // quoted as by Meson
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != 2 || text != "3 b 0\n" {
		t.Errorf("%v %q", err, text)
	}
}

// TestArchitecturesAreThoseOfClang compares the list with the architectures of this clang, in nvcc's form.
func TestArchitecturesAreThoseOfClang(t *testing.T) {
	for option, want := range map[string]string{"--list-gpu-arch": "compute_80\n", "-code-ls": "sm_80\n"} {
		if text, err := tryBuild(t, option); err != nil || !strings.Contains(text, want) {
			t.Errorf("%s: %v %s", option, err, text)
		}
	}
}

// TestDriverLoadsBuiltImages checks that the driver loads the output of -fatbin and -cubin.
func TestDriverLoadsBuiltImages(t *testing.T) {
	short.Alternates(t, 1, 3)
	library := driverLibrary(t)
	loads, err := filepath.Abs("testdata/loads.cpp")
	if err != nil {
		t.Fatal(err)
	}
	inFolder(t)
	build(t, loads, "-o", "loads", "-L"+library, "-lcuda")
	for _, c := range []struct{ form, runsOn, others string }{{"fatbin", "a100 h100", "v100"}, {"cubin", "a100", "v100 h100"}} {
		build(t, "-"+c.form, "-arch=sm_80", "small.cu")
		for gpu := range strings.FieldsSeq(c.runsOn) {
			if out, err := cudatest.TryExecute(library, gpu, "./loads", "small."+c.form); err != nil || string(out) != "3\n" {
				t.Errorf("%s on %s: %v\n%s", c.form, gpu, err, out)
			}
		}
		for gpu := range strings.FieldsSeq(c.others) {
			if _, err := cudatest.TryExecute(library, gpu, "./loads", "small."+c.form); err == nil {
				t.Errorf("a %s runs a %s for sm_80", gpu, c.form)
			}
		}
	}
}

// TestClustersAreRefused checks that the message names the feature that an architecture lacks.
func TestClustersAreRefused(t *testing.T) {
	short.Alternates(t, 2, 3)
	compiler(t)
	t.Chdir(writeSources(t, map[string]string{"clusters.cu": "__global__ void __cluster_dims__(2) k(int *p) { *p = 1; }\n"}))
	if messages, err := tryBuild(t, "-ptx", "-arch=sm_80", "clusters.cu"); err == nil || !strings.Contains(messages, "from sm_90 on") {
		t.Errorf("%v\n%s", err, messages)
	}
	build(t, "-ptx", "-arch=sm_90", "clusters.cu")
	text, err := os.ReadFile("clusters.ptx")
	if err != nil || !strings.Contains(string(text), ")\n.explicitcluster\n.reqnctapercluster 2\n") {
		t.Errorf("%v\n%s", err, text)
	}
}
