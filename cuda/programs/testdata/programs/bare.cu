// A program without an #include, which has what nvcc includes by itself.
__global__ void kernel(int *p) {
	assert(*p == 7);
	*p += (int)(clock() != 0);
	printf("kernel %d\n", *p);
}

struct __device_builtin__ __builtin_align__(8) Pair {
	float x, y;
};

int main() {
	int *p, v = 7;
	time_t now = time(NULL);
	if (cudaMalloc(&p, sizeof(v)) != cudaSuccess || alignof(Pair) != 8)
		exit(1);
	cudaMemcpy(p, &v, sizeof(v), cudaMemcpyHostToDevice);
	kernel<<<1, 1>>>(p);
	memset(&v, 0, sizeof(v));
	if (cudaMemcpy(&v, p, sizeof(v), cudaMemcpyDeviceToHost) != cudaSuccess || v != 8 || now == (time_t)-1 || strlen("abc") != 3 || sqrt(4.0) != 2)
		abort();
	fflush(stdout);
	printf("ok\n");
}
