// What the programs share: random numbers, and vectors of the device brought back.
#pragma once
#include "../programs/check.h"
#include <thrust/device_vector.h>
#include <vector>

// numbers are n values from low to high - 1 of a linear congruential generator.
template <typename T> std::vector<T> numbers(int n, int low, int high, unsigned seed = 1) {
	std::vector<T> v(n);
	for (T &x : v) {
		seed = seed * 1664525 + 1013904223;
		x = (T)(low + (int)((seed >> 8) % (unsigned)(high - low)));
	}
	return v;
}

template <typename T> std::vector<T> host(const thrust::device_vector<T> &v) {
	std::vector<T> h(v.size());
	thrust::copy(v.begin(), v.end(), h.begin());
	return h;
}
