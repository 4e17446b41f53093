# The program of TestLabelDisplacementsMatchLLVM. LLVM's assembler makes testdata/labels.hex of it.
start:
	mov eax, 0
	{disp32} jmp forward
	.balign 16
back:
	add dword ptr [rip + data + 4], 1
	add dword ptr [rip + data], 1000
	add word ptr [rip + data], 1000
	vpshufd xmm1, xmmword ptr [rip + data], 27
	vpaddd ymm1, ymm2, ymmword ptr [rip + data - 8]
	vpaddd zmm1, zmm2, zmmword ptr [rip + data + 64]
	lea rax, [rip + start]
	{disp32} jne back
	{disp32} je forward
	call inner
	.balign 8
forward:
	ret
	.balign 4
inner:
	int3
	.balign 2
	jmp qword ptr [rip + data]
	.balign 8
data:
	.byte 1, 2, 3, 4, 5
