package conformance

var controlMakers = map[string]trialMaker{
	"bra":       branches,
	"brx":       branchesByIndex,
	"call":      callForms,
	"ret":       returns,
	"exit":      exits,
	"bar":       barriers,
	"barrier":   barriers,
	"nanosleep": func(f form) []trial { return ordering(form{text: f.text + " 20"}) },
}

// branches is a loop with the thread's number of iterations, and a branch that all take.
func branches(f form) []trial {
	return []trial{perThread(`mov.u32 %r1, 0;
	mov.u32 %r2, 0;
LOOP:
	setp.ge.u32 %p1, %r2, %r0;
	@%p1 bra DONE;
	add.u32 %r2, %r2, 1;
	add.u32 %r1, %r1, %r2;
	`+f.text+` LOOP;
	mov.u32 %r1, 99;
DONE:`, 64, func(i int) uint32 { return uint32(i * (i + 1) / 2) })}
}

func branchesByIndex(f form) []trial {
	return []trial{perThread(`and.b32 %r2, %r0, 3;
	mov.u32 %r1, 9;
	setp.eq.u32 %p1, %r0, 8;
TARGETS: .branchtargets A, B, C, A;
	@!%p1 `+f.text+` %r2, TARGETS;
	bra END;
A:	mov.u32 %r1, 10;
	bra END;
B:	mov.u32 %r1, 20;
C:	add.u32 %r1, %r1, 1;
END:`, 32, func(i int) uint32 {
		if i == 8 {
			return 9
		}
		return []uint32{10, 21, 10, 10}[i%4]
	})}
}

// callForms is a recursive function, called by threads for different depths, one
// with register parameters, and an indirect call.
func callForms(f form) []trial {
	sum := `.func (.param .b32 r) sum(.param .b32 n)
{
	.reg .b32 %n, %m;
	.reg .pred %p;
	ld.param.u32 %n, [n];
	mov.u32 %m, 0;
	setp.eq.u32 %p, %n, 0;
	@%p bra DONE;
	sub.u32 %m, %n, 1;
	{ .param .b32 a; .param .b32 b;
	st.param.b32 [a], %m;
	` + f.text + ` (b), sum, (a);
	ld.param.b32 %m, [b]; }
DONE:
	add.u32 %m, %m, %n;
	st.param.b32 [r], %m;
	ret;
}
`
	call := `{ .param .b32 a; .param .b32 b;
	and.b32 %r2, %r0, 7;
	st.param.b32 [a], %r2;
	` + f.text + ` (b), sum, (a);
	ld.param.b32 %r1, [b]; }`
	twice := ".func (.reg .u32 d) twice(.reg .u32 s)\n{\n\tadd.u32 d, s, s;\n\tret;\n}\n"
	thrice := ".func (.reg .u32 d) thrice(.reg .u32 s)\n{\n\tmul.lo.u32 d, s, 3;\n\tret;\n}\n"
	return []trial{
		moduleTrial(sum, call, 32, func(i int) uint32 { n := uint32(i % 8); return n * (n + 1) / 2 }),
		moduleTrial(twice, f.text+" (%r1), twice, (%r0);", 32, func(i int) uint32 { return uint32(2 * i) }),
		moduleTrial(twice+thrice, `and.b32 %r2, %r0, 1;
	setp.eq.u32 %p1, %r2, 0;
	mov.u64 %rd1, twice;
	mov.u64 %rd2, thrice;
	selp.u64 %rd1, %rd1, %rd2, %p1;
P: .callprototype (.reg .u32 _) _ (.reg .u32 _);
	`+f.text+` (%r1), %rd1, (%r0), P;`, 32, func(i int) uint32 { return uint32(i * (2 + i%2)) }),
	}
}

// returns leaves a function early in half of the lanes, and ends other lanes in the kernel.
func returns(f form) []trial {
	return []trial{
		moduleTrial(".func (.reg .u32 d) f(.reg .u32 s)\n{\n\t.reg .pred %p;\n\tmov.u32 d, 1;\n\tsetp.lt.u32 %p, s, 16;\n\t@%p "+
			f.text+";\n\tmov.u32 d, 2;\n\tret;\n}\n", "call (%r1), f, (%r0);", 32, func(i int) uint32 { return uint32(1 + i/16) }),
		perThread("mov.u32 %r1, 7;\n\tsetp.gt.u32 %p1, %r0, 9;\n\t@%p1 "+f.text+";", 32, func(i int) uint32 { return uint32(7 * b2i(i < 10)) }),
	}
}

// exits ends lanes in the kernel and in a function.
func exits(f form) []trial {
	return []trial{
		perThread("mov.u32 %r1, 7;\n\tsetp.gt.u32 %p1, %r0, 9;\n\t@%p1 "+f.text+";", 32, func(i int) uint32 { return uint32(7 * b2i(i < 10)) }),
		moduleTrial(".func f(.reg .u32 s)\n{\n\t.reg .pred %p;\n\tsetp.gt.u32 %p, s, 9;\n\t@%p "+f.text+";\n\tret;\n}\n",
			"mov.u32 %r1, 7;\n\tcall f, (%r0);", 32, func(i int) uint32 { return uint32(7 * b2i(i < 10)) }),
	}
}

// exchange has each thread store its number in shared memory and, after the instructions between, read that of the
// thread 32 further on.
func exchange(between string) string {
	return `.shared .u32 s[128];
	mov.u32 %r2, s;
	shl.b32 %r3, %r0, 2;
	add.u32 %r4, %r2, %r3;
	st.shared.u32 [%r4], %r0;
	` + between + `
	add.u32 %r3, %r3, 128;
	and.b32 %r3, %r3, 511;
	add.u32 %r4, %r2, %r3;
	ld.shared.u32 %r1, [%r4];`
}

func barriers(f form) []trial {
	const threads = 128
	far := func(i int) uint32 { return uint32(i+32) % threads }
	odd := "and.b32 %r2, %r0, 1;\n\tsetp.ne.u32 %p1, %r2, 0;\n\t" // %p1 in 64 threads
	switch {
	case f.has("warp"):
		return []trial{perThread(`.shared .u32 s[32];
	mov.u32 %r2, s;
	mad.lo.u32 %r3, %r0, 4, %r2;
	st.shared.u32 [%r3], %r0;
	`+f.text+` -1;
	ld.shared.u32 %r1, [s+20];`, 32, func(int) uint32 { return 5 })}
	case f.has("arrive"): // warps 0 and 1 produce, 2 and 3 wait for them
		return []trial{perThread(`.shared .u32 s[64];
	mov.u32 %r1, 0;
	mov.u32 %r2, s;
	and.b32 %r4, %r0, 63;
	mad.lo.u32 %r3, %r4, 4, %r2;
	setp.ge.u32 %p1, %r0, 64;
	@%p1 bra WAIT;
	mul.lo.u32 %r5, %r0, 3;
	st.shared.u32 [%r3], %r5;
	`+f.text+` 3, 128;
	bra DONE;
WAIT:
	bar.sync 3, 128;
	ld.shared.u32 %r1, [%r3];
DONE:`, threads, func(i int) uint32 { return uint32(b2i(i >= 64) * (i & 63) * 3) })}
	case f.has("popc"):
		return []trial{
			perThread(odd+f.text+" %r1, 1, %p1;", threads, func(int) uint32 { return 64 }),
			perThread(odd+f.text+" %r1, 1, 128, !%p1;", threads, func(int) uint32 { return 64 }),
			perThread("setp.lt.u32 %p1, %r0, 35;\n\t"+f.text+" %r1, 0, %p1;", threads, func(int) uint32 { return 35 }),
		}
	case f.has("red"):
		return reductions(f)
	}
	return []trial{
		perThread(exchange(f.text+" 0;"), threads, far),
		perThread(exchange(f.text+" 15, 128;"), threads, far),
		perThread(exchange("mov.u32 %r5, 4;\n\t"+f.text+" %r5;"), threads, far),
	}
}

// reductions is bar.red of predicates that hold in none, one, all but one and all of the threads.
func reductions(f form) []trial {
	var all []trial
	for n, c := range []string{"setp.lt.u32 %p1, %r0, 0;", "setp.eq.u32 %p1, %r0, 77;", "setp.ne.u32 %p1, %r0, 77;", "setp.ge.u32 %p1, %r0, 0;"} {
		want := uint32(b2i(n == 3))
		if f.has("or") {
			want = uint32(b2i(n > 0))
		}
		all = append(all, perThread(c+"\n\t"+f.text+" %p2, 1, %p1;\n\tselp.u32 %r1, 1, 0, %p2;", 128, func(int) uint32 { return want }))
		// By De Morgan's law the complement tests the other reduction.
		wantNot := uint32(b2i(n == 0))
		if f.has("or") {
			wantNot = uint32(b2i(n < 3))
		}
		all = append(all, perThread(c+"\n\t"+f.text+" %p2, 1, 128, !%p1;\n\tselp.u32 %r1, 1, 0, %p2;", 128, func(int) uint32 { return wantNot }))
	}
	return all
}
