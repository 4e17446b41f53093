// Shuffles, votes, matches and reductions of a warp.
extern "C" __global__ void warp(long long *out) {
	const unsigned all = 0xffffffff;
	int lane = threadIdx.x;
	long long *o = out + 16 * lane;
	o[0] = __shfl_sync(all, lane * 3, lane ^ 5);
	o[1] = __shfl_up_sync(all, lane + 100ll, 3);
	o[2] = (long long)(4 * __shfl_down_sync(all, lane * 0.25, 2, 8));
	o[3] = (long long)__shfl_xor_sync(all, (float)lane, 16);
	o[4] = __ballot_sync(all, lane % 3 == 0);
	o[5] = __any_sync(all, lane == 7) * 10 + __all_sync(all, lane < 31);
	o[6] = __match_any_sync(all, lane / 4);
	int pred;
	o[7] = __match_all_sync(all, 5.0, &pred);
	o[7] += pred;
	o[8] = __reduce_add_sync(all, lane) + __reduce_max_sync(all, lane) * 1000 + __reduce_xor_sync(all, 1u << lane % 3);
	if (lane & 1)
		o[9] = __activemask();
	else
		o[9] = __popc(__activemask());
	__syncwarp();
	o[10] = __shfl_sync(all, 7ul * lane, 31);
	o[11] = __fns(0x00ff00f0, 0, lane % 12 + 1);
}
