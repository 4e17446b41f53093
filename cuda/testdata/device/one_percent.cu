// Registers of PTX with one % in inline assembly, which clang refuses, and with two.
#define REGISTER(NAME) asm volatile("mov.u32 %0, %" NAME ";" : "=r"(value))

extern "C" __global__ void onePercent(unsigned *out) {
	unsigned value, lane;
	asm("{\n\t.reg .u32 t;\n\tmov.u32 t, %laneid;\n\tmov.u32 %0, t;\n}" : "=r"(lane));
	REGISTER("tid.x");
	unsigned thread = value;
	REGISTER("ntid.x");
	asm("mad.lo.u32 %0, %%tid.x, 0, %1;" : "=r"(lane) : "r"(lane));
	out[thread] = lane + 100 * thread + 10000 * value;
}
