.entry k()
{
	createpolicy.L2::evict_last.b64 %rd1, 1.0; // ERROR "2: createpolicy.L2::evict_last.b64: no kind of policy; createpolicy takes .fractional"
	createpolicy.fractional.L2::evict_last.b64 %rd1, 1.5; // ERROR "2: .*the part is above 0, and at most 1"
	createpolicy.range.local.L2::evict_last.b64 %rd1, [%rd2], 1, 2; // ERROR "2: createpolicy.range.local.L2::evict_last.b64: "
	discard.global.L2 [%rd1], 64; // ERROR "2: discard.global.L2: the size is 128 bytes"
	discard.L1 [%rd1], 128; // ERROR "2: discard.L1: no modifier .L1"
	setmaxnreg.inc.sync.aligned.u32 28; // ERROR "2: .*a number of registers is a multiple of 8 from 24 to 256"
	setmaxnreg.inc.aligned.u32 32; // ERROR "2: setmaxnreg.inc.aligned.u32: no synchronisation; setmaxnreg takes .sync"
	griddepcontrol; // ERROR "2: griddepcontrol: no action; griddepcontrol takes .launch_dependents .wait"
	red.global.add.v2.f16 [%rd1], {%rs1, %rs2}; // ERROR "2: red.global.add.v2.f16: "
	red.shared.add.v2.f32 [%r1], {%f1, %f2}; // ERROR "2: red.shared.add.v2.f32: "
}
