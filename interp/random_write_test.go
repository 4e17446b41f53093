package interp_test

import (
	"archive/zip"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/asm"
)

var writeFlow = flag.String("write-flow", "", "write random control flow as PTX to this zip file, for internal/silicon")

// TestWriteFlow writes programs that end, with run headers.
func TestWriteFlow(t *testing.T) {
	if *writeFlow == "" {
		t.Skip("-write-flow names no file")
	}
	const programs = 25 // of a class
	out, err := os.Create(*writeFlow)
	if err != nil {
		t.Fatal(err)
	}
	archive := zip.NewWriter(out)
	for _, class := range flowClasses {
		for seed, n := uint64(0), 0; n < programs; seed++ {
			p := growFlow(seed, class)
			alone, err := p.alone()
			if err != nil {
				t.Fatal(err)
			}
			if alone.stuck {
				continue
			}
			mod, err := asm.Parse("k.s", []byte(p.text()))
			if err != nil {
				t.Fatal(err)
			}
			f, err := archive.Create(fmt.Sprintf("%s/%d.ptx", class.name, seed))
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(f, "//sim:grid %d\n//sim:block %d\n%s", p.ctas, p.threads, withABI(plain(asm.Format(mod))))
			n++
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}

var (
	flowHead   = regexp.MustCompile(`(?s)\.func \(.*?\) (f\d+)\(.*?\)`)
	flowReturn = regexp.MustCompile(`(?m)^\t(@\S+ )?ret;`)
	flowCall   = regexp.MustCompile(`(?m)^\t(?:@(!?)(\S+) )?call \(%path, %fuel\), (\S+), \(%path, %fuel, %thread\)(, proto)?;`)
	flowProto  = regexp.MustCompile(`\.callprototype .*;`)
)

const (
	flowResults = ".param .align 8 .b8 %s[8]"
	flowParams  = ".param .b32 a0, .param .b32 a1, .param .b32 a2"
)

// plain returns the text with barriers that the lanes of a warp may reach by different paths, and with special
// registers only in mov.
func plain(text string) string {
	return strings.NewReplacer("bar.sync ", "barrier.sync ", "bar.red.", "barrier.red.",
		"add.u32 %thread, %thread, %tid.x;", "mov.u32 %scratch, %tid.x;\n\tadd.u32 %thread, %thread, %scratch;").Replace(text)
}

// withABI returns the text of a program with parameters and results in memory, as NVIDIA's assembler requires for
// functions that are recursive, or called by address.
func withABI(text string) string {
	if !strings.Contains(text, ".func") && !strings.Contains(text, "proto:") {
		return text
	}
	parts := strings.SplitAfter(text, "\n}\n")
	for i, part := range parts {
		calls := 0
		part = flowCall.ReplaceAllStringFunc(part, func(call string) string {
			m := flowCall.FindStringSubmatch(call)
			calls++
			skip := ""
			if m[2] != "" {
				skip = fmt.Sprintf("\t@%s%s bra AROUND%d;\n", map[string]string{"": "!"}[m[1]], m[2], calls)
			}
			return skip + fmt.Sprintf("\t{ "+flowResults+"; .param .b32 a0; .param .b32 a1; .param .b32 a2;\n", "r") +
				"\tst.param.b32 [a0], %path;\n\tst.param.b32 [a1], %fuel;\n\tst.param.b32 [a2], %thread;\n" +
				"\tcall (r), " + m[3] + ", (a0, a1, a2)" + m[4] + ";\n\tld.param.v2.b32 {%path, %fuel}, [r]; }\n" +
				fmt.Sprintf("AROUND%d:", calls)
		})
		part = flowProto.ReplaceAllString(part, fmt.Sprintf(".callprototype ("+flowResults+") _ ("+strings.NewReplacer("a0", "_", "a1", "_", "a2", "_").Replace(flowParams)+");", "_"))
		defined := strings.LastIndex(part, ".func (")
		if defined >= 0 && strings.Contains(part[defined:], "{\n") && !strings.Contains(part[defined:], ".entry") {
			body := part[defined:]
			at := strings.Index(body, "\n{\n") + len("\n{\n")
			body = body[:at] + "\t.reg .b32 %path, %fuel, %arg0, %arg1, %thread;\n" + body[at:]
			end := strings.LastIndex(body, "}")
			body = flowReturn.ReplaceAllString(body[:end], "\t${1}bra RETURN;") + "RETURN:\n\tst.param.v2.b32 [r], {%path, %fuel};\n\tret;\n" + body[end:]
			code := regexp.MustCompile(`(?m)^\t(mov|add|sub|xor|and|or|setp|bra|bar|call|@|st|ld|ret|exit|shl|shr|mul|mad|vote|shfl|match|redux|brx|atom|\{)|^L`).FindStringIndex(body)
			body = body[:code[0]] + "\tld.param.b32 %arg0, [a0];\n\tld.param.b32 %arg1, [a1];\n\tld.param.b32 %thread, [a2];\n" + body[code[0]:]
			part = part[:defined] + body
		}
		parts[i] = flowHead.ReplaceAllString(part, fmt.Sprintf(".func ("+flowResults+") $1("+flowParams+")", "r"))
	}
	return strings.Join(parts, "")
}
