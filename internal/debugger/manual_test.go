package debugger

import (
	"regexp"
	"testing"
)

// manual is what the manuals of cuda-gdb and gdb show, typed at testdata/manual.cu in a session, and what the answer
// must match. Values are worked out from the source: s[i] is 2i, scale[k] is k+1. What a simulator does not have is
// said in one line.
var manual = [][2]string{
	{"break manual.cu:39 if threadIdx.x == 3 && i < n", `^break 1 at L39: sum \+= s\[.* if threadIdx.x == 3 && i < n$`},
	{"break 39 thread 3", `^a breakpoint is not one of a thread; break 39 if threadIdx.x == 3 stops for one$`},
	{"tbreak weigh if k == 5 && item.name[4] == 'a' && true", `^tbreak 2 at L23: int w = `},
	{"info scope weigh", `^item const Item &  a parameter, declared in line 21, 8 bytes\nk int  a parameter, .*\nw int  a variable, declared in line 23, 4 bytes$`},
	{"info scope 42", `(?s)^s int \[64\]  a variable, .*\nlevel Level  a variable, declared in line 34, 4 bytes\n`},
	{"info line weigh", `^/src/manual.cu:23 in weigh, instruction @\d+: int w = `},
	{"info sources", `^manual.cu$|^/src/manual.cu$`},
	{"info types", `(?m)^sim::Item\nsim::Level$`},
	{"info types Lev", `^sim::Level$`},
	{"info types nothing", `^no type of the source has nothing in its name$`},
	{"run", `^break 1 at L39  b0.w0  lane 3\n`},
	{"print &s", `^&s int \(\*\)\[64\] = &s `},
	{"print *&s[2]@3", `^\*&s\[2\]@3 int\[3\] = 4 6 8$`},
	{"p/z s[5]", `^s\[5\] int = 0x0000000a$`},
	{"p/o s[5]", `^s\[5\] int = 012$`},
	{"p/o 0", `= 0$`},
	{"p/t s[5]", `= 0b1010$`},
	{"p/c 97", `= 'a'$`},
	{"p/a in", `const int \*   all: in$`},
	{"p/x -1", `^-1 = 0xffffffff$`},
	{"p/x -5000000000", `^-5000000000 = 0xfffffffed5fa0e00$`},
	{"p/u -1", `^-1 = 4294967295$`},
	{"p/f 0x3f800000", `= 1$`},
	{"p/s message", `^message char \[16\] = "in device"$`},
	{"p message", `^message char \[16\] = "in device"$`},
	{"p &message[3]", `^&message\[3\] char \* = &message\[3\] `},
	{"x/s message", `^message: "in device"$`},
	{"x/2s &message[3]", `^message\+3: "device"\nmessage\+10: ""$`},
	{"x/4cb message", `^message: 'i' 'n' ' ' 'd'$`},
	{"p item.name", `^item.name char \[8\]\n  0-30 by 2: "item"\n  1-31 by 2: "itema"$`},
	{"lane 3 p item", `^item Item = \{key = \{3, 6\}, weight = 0.5, name = "itema"\}$`},
	{"p/s item.key[0]", `^item.key\[0\] int   0-31: lane$`},
	{"print (@shared int*)0x8", `^\(@shared int\*\)0x8 int \* = &s\[2\] \(0x8\)$`},
	{"print *(@shared int*)0x8", `int = 4$`},
	{"print *(@shared int*)s@3", `int\[3\] = 0 2 4$`},
	{"print ((@shared int*)s)[t_x]", `^no register, parameter, buffer or variable t_x`},
	{"print ((@shared int*)s)[threadIdx.x]", `int   0-31: 2\*lane$`},
	{"print *(@global int*)in@3", `int\[3\] = 0 1 2$`},
	{"print *(@generic int*)in", `int = 0$`},
	{"print *(@local int*)&i", `int   0-31: lane$`},
	{"print *(@shared int*)&i", `^that address is in local memory, not shared$`},
	{"print *(@texture int*)0", `^no space @texture; there are @global, `},
	{"print (@shared int)0", `^@shared stands before the type of a pointer$`},
	{"x/4dw (@shared int*)0", `^s: 0 2 4 6$`},
	{"print sim::scale", `^sim::scale float\[4\] = 1 2 3 4$`},
	{"print level", `^level Level   0-30 by 2: Low   1-31 by 2: High$`},
	{"print level == sim::High", `1-31 by 2$`},
	{"print (sim::Level)4", `^\(sim::Level\)4 Level = High$`},
	{"print static_cast<float>(i) / 2", `(?s) float\n   0: 0    0.5  1 `},
	{"print reinterpret_cast<const int*>(in)[7]", `int = 7$`},
	{"print static_cast<int>i", `^it is written static_cast<TYPE>\(x\)$`},
	{"print in == nullptr || false", `none$`},
	{"print in != NULL", `all$`},
	{"print -pretty on -elements 4 -- s[5]", `^s\[5\] int = 10$`},
	{"print item.scaled(2)", `^item.scaled is a function of the program, which expressions cannot call`},
	{"print weigh(item, 1)", `^weigh is a function of the program`},
	{"whatis sim::scale", `^type = float \[4\]$`},
	{"whatis weigh", `^type = int \(const Item &, int\)$`},
	{"ptype manual", `^type = void \(const int \*, int \*, int\)$`},
	{"ptype sim::Item", `^type = struct Item \{\n    int key\[2\];\n    float weight;\n    char name\[8\];\n\}$`},
	{"ptype enum sim::Level", `^type = enum Level \{Low = 1, High = 4\}$`},
	{"ptype struct Nothing", `^no type struct Nothing$`},
	{"print $pc", `^\$pc u32   all: \d+$`},
	{"print $errorcode", `^no \$errorcode; info findings shows the error`},
	{"print $errorpc", `^no \$errorpc; info findings `},
	{"print $_siginfo", `^no \$_siginfo; `},
	{"info symbol $pc", `^manual, instruction @\d+$`},
	{"info symbol &message[3]", `^message\+3$`},
	{"info line *$pc", `^/src/manual.cu:39 in manual`},
	{"list *$pc", `(?m)^=>    39    32 `},
	{"info cuda", `^info cuda takes devices, sms, warps, `},
	{"info cuda exceptions", `^no findings so far; `},
	{"info cuda managed", `^no info managed; `},
	{"info macro X", `^no info macro; `},
	{"cuda device sm warp lane block thread", `^focus b0.w0.l3  block \(0,0,0\) thread \(3,0,0\)`},
	{"cuda sm 1", `^the focus is a block, warp or lane, not an SM`},
	{"delete 1", `^$`},
	{"until 42", `^=> 42   out\[i\] = weigh`},
	{"advance 23", `^=> 23 .*  in weigh$`},
	{"p item", `^item const Item\n`},
	{"p item.key[1]", `int   0-31: 2\*lane$`},
	{"finish", `(?s)^=> 42 .*\nValue returned is int\n   0: 0 `},
	{"set var counter = 3", `^counter set$`},
	{"watch counter if counter > 10", `^watch 3 counter if counter > 10$`},
	{"continue", `(?s)^watch 3  counter  b0.w\d  L43: atomicAdd\(&counter, 1\);\n`},
	{"p counter", `^counter int = 35$`},
	{"delete 3", `^$`},
	{"continue", `^manual ended `},
	{"p message", `^message char \[16\] = "in device"$`},
	{"p s", `gone`},
}

// TestManualOfCUDAGDB types what cuda-gdb's manual has.
func TestManualOfCUDAGDB(t *testing.T) {
	b := newCells(t, "manual-clang19.ptx")
	for _, c := range manual {
		if got := b.do(c[0]); !regexp.MustCompile(c[1]).MatchString(got) {
			t.Errorf("%s:\n%s\nwant %s", c[0], got, c[1])
		}
	}
}
