package cuda

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// gridConstantClang is the clang that makes PTX of parameters that are constant in a grid, but has no attribute for them in the source: the
// headers make it an annotation. Newer ones have the attribute.
const (
	gridConstantClang = 19
	gridConstantWord  = "__grid_constant__"
)

// What clang writes of a function, of its parameters that are handed over as bytes, and of annotated variables.
var (
	function           = regexp.MustCompile(`(?m)^define [^@]*@("[^"]+"|[^ (]+)\((.*)$`)
	byteParameter      = regexp.MustCompile(`\bbyval\([^,]*\)[^,]* %(\d+)[,)]`)
	constantText       = regexp.MustCompile(`(?m)^@(\S+) = .* c"simtrun_grid_constant\\00"`)
	variableAnnotation = regexp.MustCompile(`(?m)^ *call void @llvm\.var\.annotation\S*\(ptr %(\S+), ptr @(\S+), .*\n`)
	properties         = regexp.MustCompile(`(?m)^!nvvm\.annotations = !\{`)
)

// withGridConstants compiles clang's code of a source to PTX, with the parameters that are constant in a grid marked as such: their address
// is that of the parameter, and not of a copy. Without such parameters it is the PTX that is there.
func (c *Compiler) withGridConstants(ctx context.Context, file string, ptx, code []byte, args []string, messages io.Writer) ([]byte, error) {
	code, found := markGridConstants(code)
	if !found {
		return ptx, nil
	}
	words := []string{"--target=nvptx64-nvidia-cuda", "-ffp-contract=fast", "-w", "-S"}
	for i, arg := range args {
		switch {
		case arg == "-Xclang" && args[i+1] == "-target-feature":
			words = append(words, args[i:i+4]...)
		case arg == "-mllvm":
			words = append(words, args[i:i+2]...)
		case strings.HasPrefix(arg, "-O"), strings.HasPrefix(arg, "-ffp-contract="):
			words = append(words, arg)
		case strings.HasPrefix(arg, "--cuda-gpu-arch="):
			words = append(words, "-march="+strings.TrimPrefix(arg, "--cuda-gpu-arch="))
		}
	}
	cmd := exec.CommandContext(ctx, c.Path, append(words, "-x", "ir", "-o", "-", "-")...)
	var text bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(code), &text, messages
	if err := c.run(cmd, file); err != nil {
		return nil, err
	}
	return text.Bytes(), nil
}

// markGridConstants replaces the annotations of parameters in clang's code by properties of their kernels, and reports whether there are any.
func markGridConstants(code []byte) ([]byte, bool) {
	text := constantText.FindSubmatch(code)
	if text == nil {
		return code, false
	}
	var marks, list strings.Builder
	next := 1 << 30 // a number that is none of clang's
	var out []byte
	starts := function.FindAllSubmatchIndex(code, -1)
	for i, at := range starts {
		if i == 0 {
			out = append(out, code[:at[0]]...)
		}
		end := len(code)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		var parameters []string
		for _, m := range byteParameter.FindAllSubmatch(code[at[4]:at[5]], -1) {
			parameters = append(parameters, string(m[1]))
		}
		out = append(out, variableAnnotation.ReplaceAllFunc(code[at[0]:end], func(call []byte) []byte {
			m := variableAnnotation.FindSubmatch(call)
			if !bytes.Equal(m[2], text[1]) {
				return call
			}
			if number := string(m[1]); slices.Contains(parameters, number) {
				index, _ := strconv.Atoi(number)
				fmt.Fprintf(&marks, "!%d = !{ptr @%s, !\"grid_constant\", !%d}\n!%d = !{i32 %d}\n", next, code[at[2]:at[3]], next+1, next+1, index+1)
				fmt.Fprintf(&list, "!%d, ", next)
				next += 2
			}
			return nil
		})...)
	}
	if at := properties.FindIndex(out); at != nil {
		out = slices.Concat(out[:at[0]], []byte(marks.String()), out[at[0]:at[1]], []byte(list.String()), out[at[1]:])
	}
	return out, true
}
