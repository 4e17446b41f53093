package cuda_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/cuda"
)

// TestEnvironmentSurroundsCommandLine: options of NVCC_PREPEND_FLAGS come before those of the command line, and options
// of NVCC_APPEND_FLAGS after them, so that of several the last one counts. Quotes keep blanks.
func TestEnvironmentSurroundsCommandLine(t *testing.T) {
	args := []string{"-DB", "k.cu", "-o", "k.ptx", "-arch=sm_80"}
	for _, tt := range []struct {
		prepend, append string
		arch, output    string
		inputs, common  []string
		shown           string
	}{
		{"", "", "sm_80", "k.ptx", []string{"k.cu"}, []string{"-DB"}, ""},
		{" -ccbin=/usr/bin/g++ -DA -arch=sm_70 ", "", "sm_80", "k.ptx", []string{"k.cu"}, []string{"-DA", "-DB"}, ""},
		{"-DA first.cu", "-DC=' x ' -arch sm_90 -o other.ptx", "sm_90", "other.ptx", []string{"first.cu", "k.cu"}, []string{"-DA", "-DB", "-DC= x "}, ""},
		{" -DA", "-v", "sm_80", "k.ptx", []string{"k.cu"}, []string{"-DA", "-DB"}, "#$ NVCC_PREPEND_FLAGS=\" -DA\"\n#$ NVCC_APPEND_FLAGS=\"-v\"\n"},
	} {
		variables := map[string]string{"NVCC_PREPEND_FLAGS": tt.prepend, "NVCC_APPEND_FLAGS": tt.append}
		var messages bytes.Buffer
		o, err := cuda.ParseCommand(args, func(name string) string { return variables[name] }, &messages)
		if err != nil {
			t.Errorf("%q, %q: %v", tt.prepend, tt.append, err)
			continue
		}
		for _, d := range []string{cmp.Diff(tt.arch, o.Arch), cmp.Diff(tt.output, o.Output), cmp.Diff(tt.inputs, o.Inputs), cmp.Diff(tt.common, o.Compile), cmp.Diff(tt.shown, messages.String())} {
			if d != "" {
				t.Errorf("%q, %q (-want +got):\n%s", tt.prepend, tt.append, d)
			}
		}
	}
}

// TestWrongOptionsOfEnvironmentAreRefused: an unsupported option there is an error, as on the command line.
func TestWrongOptionsOfEnvironmentAreRefused(t *testing.T) {
	for _, name := range []string{"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"} {
		_, err := cuda.ParseCommand([]string{"k.cu"}, func(asked string) string {
			if asked == name {
				return "-ltoir"
			}
			return ""
		}, nil)
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
