package cuda

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestOptionsParseInEveryNotation checks nvcc's options in every notation.
func TestOptionsParseInEveryNotation(t *testing.T) {
	for _, tt := range []struct {
		args   []string
		arch   string
		inputs []string
		words  []string // for compiling, for host code, for linking
	}{
		{[]string{"a.cu"}, "sm_80", []string{"a.cu"}, nil},
		{[]string{"-arch", "sm_90a", "a.cu", "-DN=3", "-D", "M", "-I.", "-I", "inc", "-Ux"}, "sm_90a", []string{"a.cu"}, []string{"-DN=3", "-DM", "-I.", "-Iinc", "-Ux"}},
		{[]string{"--gpu-architecture=compute_75", "-O3", "--std=c++14", "-lm", "a.cu", "-lcudart", "-l", "z"}, "sm_75", []string{"-lm", "a.cu", "-lz"}, []string{"-O3", "-std=c++14"}},
		{[]string{"-Xcompiler", "-Wall,-fopenmp", "-Xcompiler=-fPIC", "-march=native", "x.o"}, "sm_80", []string{"x.o"}, []string{"-Wall", "-fopenmp", "-fPIC", "-march=native"}},
		{[]string{"-lineinfo", "-G", "-Xptxas", "-v", "--ptxas-options=-O2", "-Xfatbin", "-compress-all", "--fatbin-options=x", "-ccbin", "g++", "-m64", "-maxrregcount=32", "--expt-extended-lambda", "a.cu"}, "sm_80", []string{"a.cu"}, nil},
		{[]string{"-gencode", "arch=compute_60,code=sm_60", "-gencode", "arch=compute_90,code=sm_90", "-gencode", "arch=compute_100,code=sm_100", "a.cu"}, "sm_100", []string{"a.cu"}, nil},
		{[]string{"-arch=native", "-rdc=false", "-Wl,-rpath,x", "-Lfoo", "a.cu"}, "sm_80", []string{"a.cu"}, []string{"-Wl,-rpath,x", "-Lfoo"}},
		{[]string{"-use_fast_math", "a.cu", "-isystem", "sys", "-include", "x.h"}, "sm_80", []string{"a.cu"},
			[]string{"-ffast-math", "-fno-finite-math-only", "-fcuda-approx-transcendentals", "-D__USE_FAST_MATH__=1", "-isystem", "sys", "-include", "x.h"}},
		{[]string{"-Xcompiler", "-Wall -O1", "--compiler-options", `"-DTEXT=\"a, b\"",-fPIC`, "-Xlinker", "-rpath /lib", "a.cu"}, "sm_80", []string{"a.cu"},
			[]string{"-Wall", "-O1", `-DTEXT="a, b"`, "-fPIC", "-Xlinker", "-rpath", "-Xlinker", "/lib"}},
		{[]string{"-Werror", "all-warnings", "-Werror=reorder", "-Werror", "-m", "64", "-m64", "-O", "2", "a.cu"}, "sm_80", []string{"a.cu"}, []string{"-O2"}},
		{[]string{"-I", "a,b", "-isystem=c,d", "-l", "m,cudart,z", "-L=e,f", "-D=N", "-include=x.h,y.h", "a.cu"}, "sm_80", []string{"-lm", "-lz", "a.cu"},
			[]string{"-Ia", "-Ib", "-isystem", "c", "-isystem", "d", "-DN", "-include", "x.h", "-include", "y.h", "-Le", "-Lf"}},
		{[]string{"--generate-code=arch=compute_80,code=[compute_80,sm_80]", "-arch=all-major", "-code=sm_80,compute_80", "a.cu"}, "sm_80", []string{"a.cu"}, nil},
		{[]string{"-Wno-deprecated-gpu-targets", "-funroll-loops", "-w", "a.cu"}, "sm_80", []string{"a.cu"}, []string{"-funroll-loops", "-w"}},
	} {
		o, err := Parse(tt.args)
		if err != nil {
			t.Errorf("%v: %v", tt.args, err)
			continue
		}
		words := slices.Concat(o.Compile, o.Host, o.Link)
		if o.Arch != tt.arch || !slices.Equal(o.Inputs, tt.inputs) || !slices.Equal(words, tt.words) {
			t.Errorf("%v: arch %s, inputs %v, words %v", tt.args, o.Arch, o.Inputs, words)
		}
	}
}

// TestOptionsOfManualAreKnown checks that every option of the manual is known, by its long and its short name, with =
// and without.
func TestOptionsOfManualAreKnown(t *testing.T) {
	text, err := os.ReadFile("testdata/options/nvcc.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if words[0] == "#" {
			continue
		}
		for _, name := range words[:2] {
			if known, ok := options[name]; !ok || known.value != (len(words) == 3) {
				t.Errorf("-%s: known %v, takes a value %v", name, ok, known.value)
			}
		}
		for _, args := range spellings(words[0], words[1], words[2:]) {
			o, err := Parse(append(args, "a.cu"))
			if err != nil {
				t.Errorf("%v: %v", args, err)
			} else if o.Inputs[len(o.Inputs)-1] != "a.cu" || len(o.Inputs) > 1 && o.Inputs[0] != "-lm" {
				t.Errorf("%v: inputs %v", args, o.Inputs)
			}
		}
	}
}

// spellings returns the notations of an option.
func spellings(long, short string, value []string) [][]string {
	if len(value) == 0 {
		return [][]string{{"--" + long}, {"-" + short}}
	}
	return [][]string{{"--" + long, value[0]}, {"--" + long + "=" + value[0]}, {"-" + short, value[0]}, {"-" + short + "=" + value[0]}}
}

// TestUnsupportedOptionsAreRefused checks that unsupported options are refused with a reason.
func TestUnsupportedOptionsAreRefused(t *testing.T) {
	for option, want := range map[string]string{
		"-optix-ir": "-ptx makes PTX", "--ltoir": "-ptx makes PTX",
		"-clean": "nothing is left", "-r": "ld -r", "-cudart=some": "static, shared or none",
		"--options-file=/none": "a file of options", "-optf": "it has a value", "@/none": "a file of options",
	} {
		if _, err := Parse([]string{option}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", option, err, want)
		}
	}
}

// TestWordsAreSplitAsInShell checks quotes and backslashes, as in shells.
func TestWordsAreSplitAsInShell(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"", nil},
		{" a  b\n", []string{"a", "b"}},
		{`"a b" 'c d'e`, []string{"a b", "c de"}},
		{`-DX=\"a\ b\" '' "\\"`, []string{`-DX="a b"`, "", `\`}},
		{`'a\b'`, []string{`a\b`}},
	} {
		if got := splitWords(tt.text, " \n"); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.text, got, tt.want)
		}
	}
}

// TestOptionFilesReplaceTheirName checks that the words of a file replace its name, and that files may name others.
func TestOptionFilesReplaceTheirName(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"one.rsp": "-DA=\"1 2\"\n@two.rsp -I.\n", "two.rsp": "-O1", "loop.rsp": "--options-file loop.rsp"} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"-DA=1 2", "-O1", "-I."}
	for _, args := range [][]string{{"--options-file", "one.rsp"}, {"-optf=one.rsp"}, {"@one.rsp"}} {
		if o, err := Parse(args); err != nil || !slices.Equal(o.Compile, want) {
			t.Errorf("%v: %v, %v", args, o, err)
		}
	}
	if o, err := Parse([]string{"--options-file", "two.rsp,two.rsp"}); err != nil || len(o.Compile) != 2 {
		t.Errorf("%v, %v", o, err)
	}
	if _, err := Parse([]string{"@loop.rsp"}); err == nil || !strings.Contains(err.Error(), "without an end") {
		t.Error(err)
	}
}
