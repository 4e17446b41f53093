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

// The functions with orders and scopes; 128 threads do each.
struct OrderedCells {
	int sum, least;
	unsigned bits;
	unsigned short stored;
	long long wide;
	unsigned long chain;
	float single;
	double twice;
};

extern "C" __global__ void ordered(OrderedCells *c) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	__nv_atomic_add(&c->sum, 2, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
	__nv_atomic_fetch_min(&c->least, -i, __NV_ATOMIC_ACQ_REL);
	__nv_atomic_fetch_xor(&c->bits, 1u << (i & 31) | 1u << (i >> 2 & 31), __NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_SYSTEM);
	__nv_atomic_store_n(&c->stored, (unsigned short)7, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
	__nv_atomic_fetch_sub(&c->wide, 1ll << 33, __NV_ATOMIC_ACQUIRE);
	unsigned long seen = __nv_atomic_load_n(&c->chain, __NV_ATOMIC_RELAXED);
	while (!__nv_atomic_compare_exchange_n(&c->chain, &seen, seen + 3, true, __NV_ATOMIC_ACQ_REL, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE))
		;
	__nv_atomic_sub(&c->single, 0.5f, __NV_ATOMIC_RELAXED);
	double quarter = 0.25, old;
	__nv_atomic_fetch_add(&c->twice, quarter, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
	if (i == 0) {
		__nv_atomic_exchange(&c->twice, &quarter, &old, __NV_ATOMIC_SEQ_CST);
		__nv_atomic_fetch_add(&c->twice, old - 0.25, __NV_ATOMIC_SEQ_CST);
	}
}
