package cuda

import (
	"strings"
	"testing"
)

// TestTruncatedExpressionsAreNoPlaces: z is 7 - w, p.a is 9 - w, huge is -1 - w, and LLVM 22 has written 7, 9 and -1.
// Constants of other variables, members and places remain.
func TestTruncatedExpressionsAreNoPlaces(t *testing.T) {
	const code = `.target sm_80, debug
{
$L__func_begin0:
	ret;
$L__tmp1:
	//DEBUG_VALUE: k:w <- %2
	//DEBUG_VALUE: k:z <- [DW_OP_LLVM_arg 0, DW_OP_LLVM_arg 1, DW_OP_minus, DW_OP_stack_value] 7, %2
	//DEBUG_VALUE: k:huge <- [DW_OP_LLVM_arg 0, DW_OP_LLVM_arg 1, DW_OP_minus, DW_OP_stack_value] -1, %2
	//DEBUG_VALUE: k:p <- [DW_OP_LLVM_arg 0, DW_OP_LLVM_arg 1, DW_OP_minus, DW_OP_LLVM_fragment 0 32] 9, %2
	//DEBUG_VALUE: k:p <- [DW_OP_LLVM_fragment 32 32] 4
	//DEBUG_VALUE: k:y <- [DW_OP_LLVM_arg 0, DW_OP_LLVM_arg 1, DW_OP_plus, DW_OP_stack_value] %2, %3
	ret;
$L__tmp2:
	//DEBUG_VALUE: k:seven <- 7
}
`
	sections := "\t.section\t.debug_loc\n\t{\n"
	wants := []string{}
	list := func(from, expression, want string) {
		lines := strings.Split(expression, ";")
		sections += ".b64 " + from + "\n.b64 $L__func_end0\n.b8 9                // Loc expr size\n.b8 0\n" + strings.Join(lines, "\n") + "\n.b64 0\n.b64 0\n"
		wants = append(wants, from+",$L__func_end0\n.b8 9,0,"+want+"\n.b64 0,0")
	}
	list("$L__tmp1", ".b8 144 // DW_OP_regx;.b8 178 // 13234;.b8 103 // ", "144,178,103")
	list("$L__tmp1", ".b8 17 // DW_OP_consts;.b8 7 // 7", "150,150")
	list("$L__tmp2", ".b8 17 // DW_OP_consts;.b8 7 // 7", "17,7")
	list("$L__tmp1", ".b8 17 // DW_OP_consts;.b8 127 // -1", "150,150")
	list("$L__tmp1", ".b8 48 // DW_OP_lit0;.b8 32 // DW_OP_not", "150,150")
	list("$L__tmp1", ".b8 16 // DW_OP_constu;.b8 255 // 255;.b8 1 // ", "16,255,1")
	list("$L__tmp1", ".b8 57 // DW_OP_lit9;.b8 147 // DW_OP_piece;.b8 4 // 4;.b8 52 // DW_OP_lit4;.b8 147 // DW_OP_piece;.b8 4 // 4", "150,147,4,52,147,4")
	list("$L__tmp2", ".b8 147 // DW_OP_piece;.b8 128 // 128;.b8 1 // ;.b8 57 // DW_OP_lit9;.b8 147 // DW_OP_piece;.b8 4 // 4", "147,128,1,150,147,4")
	const after = "\t}\n\t.section\t.debug_info\n\t{\n.b8 17 // DW_OP_consts\n.b8 7 // 7\n\t}\n"
	got := string(compactDebugInfo([]byte(code + sections + after)))
	for _, want := range append(wants, ".b8 17,7\n}\n") {
		_, rest, found := strings.Cut(got, want)
		if !found {
			t.Fatalf("no %q in order in\n%s", want, got)
		}
		got = rest
	}
}
