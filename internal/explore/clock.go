package explore

// clock is a vector clock: for each thread the number of its transitions that happen before.
type clock []uint32

func (c clock) join(o clock) {
	for i, n := range o {
		c[i] = max(c[i], n)
	}
}

// bits is a set of threads.
type bits []uint64

func newBits(n int) bits { return make(bits, (n+63)/64) }

func (b bits) has(i int32) bool { return int(i>>6) < len(b) && b[i>>6]>>(i&63)&1 != 0 }

// list returns the threads of the set.
func (b bits) list() (all []int32) {
	for i := range int32(64 * len(b)) {
		if b.has(i) {
			all = append(all, i)
		}
	}
	return all
}

func (b bits) add(i int32) { b[i>>6] |= 1 << (i & 63) }
