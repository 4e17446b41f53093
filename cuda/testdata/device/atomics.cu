// Atomics of all types and scopes; 128 threads do each.
struct Cells {
	int sum, least, most, bits, swapped;
	unsigned up, down, sub, chain;
	unsigned long long wide, wideMost;
	long long wideLeast;
	float single;
	double twice;
	unsigned short small;
};

extern "C" __global__ void atomics(Cells *c) {
	__shared__ int count;
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (threadIdx.x == 0)
		count = 0;
	__syncthreads();
	atomicAdd_block(&count, 1);
	__syncthreads();
	if (threadIdx.x == 0)
		atomicAdd(&c->sum, count);
	atomicMin(&c->least, -i);
	atomicMax_system(&c->most, i);
	atomicXor(&c->bits, 1 << (i & 31));
	atomicOr(&c->bits, 1 << 30);
	atomicInc(&c->up, 49);
	atomicDec(&c->down, 9);
	atomicSub(&c->sub, 2u);
	atomicAdd(&c->wide, 1ull << 33);
	atomicMax(&c->wideMost, (unsigned long long)i << 40);
	atomicMin(&c->wideLeast, -((long long)i << 40));
	atomicAdd(&c->single, 0.5f);
	atomicAdd(&c->twice, 0.25);
	unsigned old = c->chain, seen;
	do {
		seen = old;
		old = atomicCAS(&c->chain, seen, seen + 3);
	} while (old != seen);
	unsigned short s = c->small, was;
	do {
		was = s;
		s = atomicCAS(&c->small, was, (unsigned short)(was + 1));
	} while (s != was);
	if (i == 0)
		c->swapped = atomicExch(&c->swapped, 5) + 1;
}
