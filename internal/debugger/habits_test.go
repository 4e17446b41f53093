package debugger

import (
	"regexp"
	"testing"

	"github.com/simtrun/simtrun/divergence"
)

// habitsInPTX are what users of gdb type for places, types, memory and changes, in a session, and what the answer must
// match: y is a buffer of 64 words at the address that info address shows.
var habitsInPTX = [][2]string{
	{"break 22:2", `^break 1 at L22: @%p1 bra LOW$`},
	{"break k.s:22:99", `^break 2 at L22: @%p1 bra LOW$`},
	{"break *@5", `^break 3 at L23: add.u32 %r2, %r2, 1$`},
	{"break *5", `^break 4 at L23: `},
	{"break *0x5", `^break 5 at L23: `},
	{"break *$pc+5", `^break 6 at L23: `},
	{"break *$pc", `^break 7 at L18: `},
	{"break *twice", `^break 8 at L9: `},
	{"break *99", `^work has instructions @0 to @14, not @99$`},
	{"delete", `^deleted 8$`},
	{"break 22 thread (33,0,0)", `^a breakpoint is not one of a thread; break 22 if threadIdx.x == 33 stops for one$`},
	{"info symbol LOW", `^LOW is a label at L25, instruction @6 of work$`},
	{"info address y", `^y is at global 0x110200200$`},
	{"info address box", `^box is at shared 0x4$`},
	{"info address %r1", `^%r1 is not a variable of the source; info mem shows where buffers are$`},
	{"info address nosuch", `^nosuch is not a variable of the source; info mem shows where buffers are$`},
	{"ptype y", `^type = u32 \[64\], of PTX$`},
	{"whatis y[2:4]", `^type = u32 \[2\], of PTX$`},
	{"whatis y@3", `^type = u32 \[3\], of PTX$`},
	{"set y[2] = 7", `^y\[2\] set$`},
	{"set y[2] += 3", `^y\[2\] set$`},
	{"set var y[2] <<= 2", `^y\[2\] set$`},
	{"set y[2]++", `^y\[2\] set$`},
	{"p y[1]@3", `^y\[1\]@3 u32\[3\] = 0 41 0$`},
	{"p y@3", `^y@3 u32\[3\] = 0 0 41$`},
	{"p {int}0x110200208", `^\{int\}0x110200208 int = 41$`},
	{"p {unsigned char}0x110200208@2", `unsigned char\[2\] = 41 '\)' 0 '\\000'$`},
	{"set {int}0x110200208 = -1", ` set$`},
	{"p *(s32 *)0x110200208", `^\*\(s32 \*\)0x110200208 int32_t = -1$`},
	{"p *(u16 *)0x110200208", `^\*\(u16 \*\)0x110200208 uint16_t = 65535$`},
	{"p (u8)300", `^\(u8\)300 uint8_t = 44$`},
	{"p y[2]++", `^an expression changes nothing; set PLACE = EXPR does$`},
	{"set %r1--", `^%r1 set in lanes 0-31$`},
	{"p r1", `^r1 u32   all: 4294967295$`},
	{"set $pc = 3", `^\$pc cannot be set: a kernel cannot be made to go on elsewhere; `},
	{"set nosuch = 3", `^no register, parameter, buffer or variable nosuch$`},
	{"set laneid = 3", `^laneid is not a register; registers and memory can be set$`},
	{"info registers r1 r2", `^%r1 u32   all: 4294967295\n%r2 u32   all: 0$`},
	{"info registers r1 nosuch", `(?s)^no register of work begins with nosuch`},
	{"disas @2,+2", `^work\n +@2 +L20 .*\n +@3 +L21 [^\n]*$`},
	{"disas $pc,+1", `^work\n=> +@0 +32  L18 [^\n]*$`},
	{"until twice", `^=> 9 .*  in twice$`},
	{"frame function work", `^#1  work at L20: `},
	{"frame level 0", `^#0  twice `},
	{"select-frame 1", `^#1  work `},
	{"frame function LOW", `^the lane in focus is not in a call of LOW; bt shows its calls$`},
	{"info target", `^no info target; info launch shows what runs$`},
	{"info record", `^no info record; everything is recorded: `},
	{"skip function twice", `^no command "skip"; finish leaves a function that step went into$`},
	{"reverse-until", `^no command "reverse-until"; reverse-next goes back by a line, `},
}

// habitsInCUDA are the same for CUDA C++, in cells.cu: s and d are variables of cells, which are not visible in method.
var habitsInCUDA = [][2]string{
	{"list cells.cu:37", `(?m)^      37        __global__ void cells`},
	{"list 37,cells.cu:38", `^      37        __global__ void cells.*\n      38 [^\n]*$`},
	{"break cells.cu:51:14", `^break 1 at L51: `},
	{"break 51:1", `^break 2 at L51: `},
	{"run", `^break 1 at L51 .*\nbreak 2 at L51 `},
	{"info symbol s", `^s$`},
	{"info scope 51", `(?m)^t int`},
	{"set var t += 2", `^t in lanes 0-31 set$`},
	{"p t", `^t int   0-31: lane\+2$`},
	{"set var t %= 2", `^t in lanes 0-31 set$`},
	{"p t", `^t int   0-30 by 2: 0   1-31 by 2: 1$`},
	{"delete", `^deleted 2$`},
	{"until 56", `^=> 56 `},
	{"break 11", `^break 3 at L13: value \+= by;$`},
	{"continue", `^break 3 at L13 `},
	{"p s[0]", `^no register, parameter, buffer or variable s here; it is one of other lines or functions`},
	{"info symbol s", `^no register, parameter, buffer or variable s here; it is one of other lines`},
	{"info address s", `^no register, parameter, buffer or variable s here; it is one of other lines`},
	{"whatis &s[0]", `^no register, parameter, buffer or variable s here; it is one of other lines`},
	{"set var t = 5", `^no register, parameter, buffer or variable t here; it is one of other lines`},
	{"frame function cells", `^#1  cells .* at cells.cu:56: `},
	{"p s[0]", `^s\[0\] int = 0$`},
}

// TestHabitsOfOtherDebuggersWork types both lists.
func TestHabitsOfOtherDebuggersWork(t *testing.T) {
	type session struct {
		b     *bench
		lines [][2]string
	}
	for _, s := range []session{
		{newSeveral(t, divergence.IndependentThreads, 64, "work"), habitsInPTX},
		{newCells(t, "cells-clang19.ptx"), habitsInCUDA},
	} {
		for _, c := range s.lines {
			if got := s.b.do(c[0]); !regexp.MustCompile(c[1]).MatchString(got) {
				t.Errorf("%s:\n%s\nwant a match of %s", c[0], got, c[1])
			}
		}
	}
}
