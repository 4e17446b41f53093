.entry k()
{
	vset.u32.u32.ltu %r1, %r2, %r3; // ERROR "2: vset.u32.u32.ltu: .ltu does not go with this type; as comparison it takes .eq .ne .lt .le .gt .ge"
	add.u32 %r1, %r2.b0, %r3; // ERROR "15: %r2.b0 is not declared; add.u32 takes no selectors here: sources and results of video instructions do"
}
