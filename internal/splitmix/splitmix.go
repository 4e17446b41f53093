// Package splitmix is the generator SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators,
// 2014). Its step is a 64-bit hash.
package splitmix

// gamma is the increment of the generator's state for each output.
const gamma = 0x9e3779b97f4a7c15

// Mix returns the first output of the generator started at seed. It is a bijection, and each bit of the output
// depends on all bits of seed.
func Mix(seed uint64) uint64 {
	z := seed + gamma
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// At returns output i, counted from 0, of the generator started at seed.
func At(seed, i uint64) uint64 { return Mix(seed + i*gamma) }
