package conformance

import (
	"github.com/simtrun/simtrun/internal/isa"
)

// launchTraps are about how grids begin and end.
var launchTraps = []trap{
	{"trap65 trap ends the grid", all(
		refused("trap", "trap;"), gives(1, "pmevent 7;\n\tmov.u32 %r1, 1;"), works(printed()))},
	{"trap66 launch bounds and pragmas", all(
		fails(".reqntid asks for 64x1x1", trial{src: header + ".entry k() .reqntid 64 { ret; }\n"}), fails(".maxntid allows 16", trial{src: header + ".entry k() .maxntid 16 { ret; }\n"}),
		works(trial{src: header + ".entry k() .minnctapersm 4 .maxnreg 32 { .pragma \"whatever\"; ret; }\n"}))},
	{"trap67 limits of a launch", all(
		fails("at most 1024", trial{src: header + ".entry k() { ret; }\n", block: dim(1025, 1)}), fails("at most 1024x1024x64", trial{src: header + ".entry k() { ret; }\n", block: isa.Dim{X: 1, Y: 1, Z: 65}}),
		fails("65535", trial{src: header + ".entry k() { ret; }\n", grid: dim(1, 65536)}), fails("static shared memory", trial{src: header + ".entry k() { .shared .b8 s[49153]; st.shared.u8 [s], 0; ret; }\n"}),
		fails("4096", trial{src: ".version 7.0\n.target sm_70\n.address_size 64\n.entry k(.param .b8 p[4097]) { ret; }\n", params: make([]byte, 4097)}),
		works(trial{src: header + ".entry k(.param .b8 p[4097]) { ret; }\n", params: make([]byte, 4097)}))},
}

// printed calls vprintf with packed arguments.
func printed() trial {
	return trial{src: header + `.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 v);
.global .b8 format[9] = {37, 100, 32, 37, 46, 49, 102, 10, 0};
.entry k()
{
	.local .align 8 .b8 v[16];
	.reg .b64 %rd<9>;
	.reg .b32 %r<9>;
	mov.u64 %rd1, v;
	cvta.local.u64 %rd2, %rd1;
	mov.u32 %r1, %tid.x;
	st.local.u32 [%rd1], %r1;
	st.local.f64 [%rd1+8], 0d3FF8000000000000;
	mov.u64 %rd3, format;
	cvta.global.u64 %rd3, %rd3;
	{ .param .b64 p0; .param .b64 p1; .param .b32 r0;
	st.param.b64 [p0], %rd3;
	st.param.b64 [p1], %rd2;
	call (r0), vprintf, (p0, p1);
	ld.param.b32 %r2, [r0]; }
	ret;
}
`, block: dim(2, 1), printed: "0 1.5\n1 1.5\n"}
}
