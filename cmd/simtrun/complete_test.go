package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestNamesOfSourceAreCompleted completes names of C++, and names in PTX of kernels that share a name.
func TestNamesOfSourceAreCompleted(t *testing.T) {
	const source = ".entry _Z4kernPi(.param .u64 _Z4kernPi_param_0) { ret; }\n.entry _Z3sumPi() { ret; }\n.entry _Z3sumPf() { ret; }\n"
	for line, want := range map[string]string{
		"FILE --kernel ":            "kern _Z3sumPi _Z3sumPf",
		"FILE --kernel k":           "kern",
		"FILE --kernel kern --arg ": "param_0=",
	} {
		got := simtrun(t, source, append([]string{"__completeNoDesc"}, strings.Split(line, " ")...)...)
		if words := strings.Fields(got.stdout); strings.Join(words[:len(words)-1], " ") != want {
			t.Errorf("%s: %s, want %s", line, words, want)
		}
	}
}

// TestCommandLinesAreCompleted completes command lines. FILES stands for the offer of all files, SOURCES for source
// files, TOML for TOML files.
func TestCommandLinesAreCompleted(t *testing.T) {
	source := "//sim:buffer extra = zeros:1:u8\n.const .f32 half = 0.5;\n.global .u32 total;\n" + triple + ".entry other(.param .u64 to) { ret; }\n"
	for line, want := range map[string]string{
		"":                                 "asm cc completion dap debug diff explain explore fmt gpu help host lsp metrics occupancy profile report run sweep test validate verify version view FILES",
		"ru":                               "run FILES",
		"FILE ":                            "SOURCES",
		"run ":                             "SOURCES",
		"asm ":                             "SOURCES",
		"FILE --kernel ":                   "triple other",
		"run FILE --kernel t":              "triple",
		"--kernel other FILE -q --kernel ": "triple other",
		"FILE --arg ":                      "out= n= to=",
		"FILE --kernel other --arg ":       "to=",
		"FILE --arg o":                     "out=",
		"FILE --arg out=@":                 "FILES",
		"FILE --symbol ":                   "half= total=",
		"FILE --dump ":                     "half total extra out to",
		"FILE --expect e":                  "extra",
		"FILE --save tot":                  "total=",
		"FILE --save to=":                  "FILES",
		"FILE --script ":                   "FILES",
		"FILE --path-order ":               "taken fallthrough majority",
		"FILE --gpu ":                      "a10 a100 a6000 b200 b200-168 h100 h100-pcie h100-text h100:1g.10gb h100:2g.20gb h100:3g.40gb h100:4g.40gb h100:7g.80gb h200 l4 minimal rtx3090 rtx4090 v100",
		"gpu ":                             "a10 a100 a6000 b200 b200-168 h100 h100-pcie h100-text h100:1g.10gb h100:2g.20gb h100:3g.40gb h100:4g.40gb h100:7g.80gb h200 l4 minimal rtx3090 rtx4090 v100",
		"FILE --gpu ./":                    "TOML",
		"FILE --color ":                    "auto always never",
		"FILE --grid ":                     "",
		"FILE --split ":                    "",
		"FILE --line-filter ":              "",
		"FILE --trace ":                    "mask instr mem regs sync heat issue",
		"FILE --trace mask:":               "FILES",
		"debug ":                           "SOURCES",
		"debug FILE --kernel ":             "triple other",
		"debug FILE --arg n":               "n=",
		"debug FILE --dump t":              "total to",
		"debug FILE --divergence ":         "its stack minpc",
		"debug FILE --path-order ":         "taken fallthrough majority",
		"debug FILE --block ":              "",
		"debug FILE --command-file ":       "FILES",
		"debug FILE -x ":                   "FILES",
		"debug FILE -e ":                   "",
		"debug FILE --ba":                  "--batch",
		"none.s --dump ":                   "",
		"--path":                           "--path-order",
		"FILE --host":                      "--host-time",
		"validate --gpu ":                  "a10 a100 a6000 b200 b200-168 h100 h100-pcie h100-text h100:1g.10gb h100:2g.20gb h100:3g.40gb h100:4g.40gb h100:7g.80gb h200 l4 minimal rtx3090 rtx4090 v100",
		"validate -j ":                     "",
		"completion ":                      "bash fish powershell zsh",
	} {
		t.Run(line, func(t *testing.T) {
			got := simtrun(t, source, append([]string{"__completeNoDesc"}, strings.Split(line, " ")...)...)
			words := strings.Fields(got.stdout)
			last := words[len(words)-1]
			words = words[:len(words)-1]
			switch last {
			case ":0":
				words = append(words, "FILES")
			case ":8":
				words = []string{map[string]string{"s ptx cu": "SOURCES", "toml": "TOML"}[strings.Join(words, " ")]}
			}
			if diff := cmp.Diff(want, strings.Join(words, " ")); diff != "" || got.code != 0 {
				t.Errorf("%s\n%+v", diff, got)
			}
		})
	}
}

func TestEveryShellHasCompletionScript(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		got := simtrun(t, triple, "completion", shell)
		if got.code != 0 || !strings.Contains(got.stdout, "__complete") {
			t.Errorf("%s: exit %d", shell, got.code)
		}
	}
	if got := simtrun(t, triple, "help"); !strings.Contains(got.stdout, "completion ") {
		t.Errorf("help does not show it:\n%s", got.stdout)
	}
}
