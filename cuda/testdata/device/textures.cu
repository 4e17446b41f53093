// Textures and surfaces of a machine: by a handle that is an argument, and by the name of a reference.
texture<float, 2> picture;
surface<void, 1> strip;

extern "C" __global__ void fetch(float *out, cudaTextureObject_t line) {
	int i = threadIdx.x;
	out[i] = tex2D(picture, i % 4 + 1.0f, i / 4 + 0.5f) + 100 * tex1Dfetch<float>(line, i);
	surf1Dwrite(i * i, strip, 4 * i);
}
