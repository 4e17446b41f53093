// Package splitmix is the generator SplitMix64 (Steele, Lea, Flood: Fast Splittable
// Pseudorandom Number Generators, 2014), whose step is a hash of 64 bits.
package splitmix

// gamma is what the generator's state grows by with each output.
const gamma = 0x9e3779b97f4a7c15

// Mix is the first output of the generator started at seed. It is a bijection, and each
// bit of it depends on all bits of seed.
func Mix(seed uint64) uint64 {
	z := seed + gamma
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// At is output i of the generator started at seed, from 0.
func At(seed, i uint64) uint64 { return Mix(seed + i*gamma) }
