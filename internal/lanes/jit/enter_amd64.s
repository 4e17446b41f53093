#include "textflag.h"

// func Enter(entry uintptr, ctx unsafe.Pointer) (status uint64)
//
// The function is not NOSPLIT: its prologue checks that 800 bytes are left
// below the frame (runtime/stack.go), which holds the return address and the
// 64 bytes that the code may push. The prologue also saves RBP, and the
// epilogue restores it. What else Go's compiler counts on, R14 (the goroutine)
// and X15 (zero), is set anew by the wrapper through which Go calls a function
// of ABI0.
TEXT ·Enter(SB), 0, $8-24
	MOVQ entry+0(FP), AX
	MOVQ ctx+8(FP), R9
	MOVQ R9, DI
	CALL AX
	MOVQ AX, status+16(FP)
	RET

// func cpuid(leaf uint32) (eax, ebx, ecx, edx uint32)
TEXT ·cpuid(SB), NOSPLIT, $0-24
	MOVL leaf+0(FP), AX
	XORL CX, CX
	CPUID
	MOVL AX, eax+8(FP)
	MOVL BX, ebx+12(FP)
	MOVL CX, ecx+16(FP)
	MOVL DX, edx+20(FP)
	RET
