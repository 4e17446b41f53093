package conformance

import (
	"fmt"
	"regexp"
	"strings"
)

// Programs whose addresses have 32 bits compute with the same registers of 64 bits as others, and convert each address
// where it is used.
var (
	narrowVariable = regexp.MustCompile(`^mov\.[ub]64 (%\w+), ((?:of|table)_\w+);$`)
	narrowPointer  = regexp.MustCompile(`^ld\.param\.u64 (%\w+), \[(in|out)\];$`)
	narrowGeneric  = regexp.MustCompile(`^cvta\.(\w+)\.u64 (%\w+), (%\w+);$`)
	narrowBracket  = regexp.MustCompile(`\[(%(?:in|first|global|shared|local|generic_\w+|cells|extra|x|y|d\d+))\b`)
)

// narrowed rewrites a kernel for addresses of 32 bits.
func narrowed(source string) string {
	source = strings.Replace(source, ".address_size 64", ".address_size 32", 1)
	source = strings.Replace(source, "(.param .u64 in, .param .u64 out", "(.param .u32 in, .param .u32 out", 1)
	source = strings.ReplaceAll(source, "\t.reg .b64 %in,", "\t.reg .b32 %n<2>;\n\t.reg .b64 %in,")
	var b strings.Builder
	for line := range strings.Lines(source) {
		text := strings.TrimSpace(line)
		if !strings.HasPrefix(line, "\t") || strings.HasPrefix(text, ".") {
			b.WriteString(line)
			continue
		}
		switch {
		case narrowVariable.MatchString(text):
			text = narrowVariable.ReplaceAllString(text, "mov.u32 %n0, $2;\n\tcvt.u64.u32 $1, %n0;")
		case narrowPointer.MatchString(text):
			text = narrowPointer.ReplaceAllString(text, "ld.param.u32 %n0, [$2];\n\tcvt.u64.u32 $1, %n0;")
		case narrowGeneric.MatchString(text):
			text = narrowGeneric.ReplaceAllString(text, "cvt.u32.u64 %n0, $3;\n\tcvta.$1.u32 %n0, %n0;\n\tcvt.u64.u32 $2, %n0;")
		default:
			n := 0
			for _, m := range narrowBracket.FindAllStringSubmatch(text, -1) {
				fmt.Fprintf(&b, "\tcvt.u32.u64 %%n%d, %s;\n", n, m[1])
				text = strings.Replace(text, m[0], fmt.Sprint("[%n", n), 1)
				n++
			}
		}
		fmt.Fprintf(&b, "\t%s\n", text)
	}
	return b.String()
}

// callsByAddress reports whether the program has addresses of functions, which have 64 bits.
func callsByAddress(p *Structured) bool {
	var by func(steps []step) bool
	by = func(steps []step) bool {
		for i := range steps {
			if s := &steps[i]; s.kind == callStep && s.call.selector >= 0 {
				return true
			}
			for _, arm := range steps[i].arms {
				if by(arm) {
					return true
				}
			}
		}
		return false
	}
	for i := range p.funcs {
		if by(p.funcs[i].steps) {
			return true
		}
	}
	return by(p.steps)
}
