.entry k()
{
L0:	mov.u32 %r1, 0;
L1:	brx.idx %r1, missing; // ERROR "18: no .branchtargets missing here"
	brx.idx %r1, L0; // ERROR "15: brx.idx: the targets are not a list: name a .branchtargets"
	t1: .branchtargets L0, L2; // ERROR "25: no label L2 here; there are L0, L1"
	t2: .branchtargets L<3>; // ERROR "21: no label L2 here; there are L0, L1"
	t3: .branchtargets ; // ERROR "21: found \";\"; expected a label"
	t4: .branchtargets L0 L1; // ERROR "24: found L1; expected a comma or ;"
	t5: .branchtargets L0, L1;
	t5: ret; // ERROR "2: t5 is declared already, in line 10"
	bra t5; // ERROR "6: bra: the target is not a label"
	mov.u32 %r1, t5; // ERROR "15: mov.u32: operand a is a list of branch targets; it takes a register or constant"
	tcgen05.shift %rd1, t5; // ERROR "22: t5 is a list of branch targets, which only brx.idx takes"
}
