package explore

import (
	"context"
	"encoding/binary"
	"testing"
)

// spinLock is a kernel in which each thread takes a lock, adds 1 to a word by a load and a store, and frees the lock.
const spinLock = `.version 8.0
.target sm_80
.address_size 64
.entry k(.param .u64 out)
{
	.reg .u32 %r<4>; .reg .u64 %m; .reg .pred %p;
	ld.param.u64 %m, [out];
L:
	atom.acquire.gpu.global.cas.b32 %r1, [%m], 0, 1;
	setp.ne.u32 %p, %r1, 0;
	@%p bra L;
	ld.global.u32 %r2, [%m+4];
	add.u32 %r2, %r2, 1;
	st.global.u32 [%m+4], %r2;
	atom.release.gpu.global.exch.b32 %r3, [%m], 0;
	ret;
}`

// TestSpinLockOf64ThreadsIsExhausted: threads that wait are twins, so the number of executions grows with that of the
// threads: each of them is tried once while another one has the lock.
func TestSpinLockOf64ThreadsIsExhausted(t *testing.T) {
	for _, shape := range [][2]int{{1, 2}, {1, 64}, {64, 1}, {2, 32}} {
		threads := shape[0] * shape[1]
		r, err := Explore(context.Background(), programOf(t, spinLock, shape[0], shape[1], 2), Options{Preemptions: -1})
		if err != nil {
			t.Fatal(err)
		}
		if !r.Exhausted || len(r.Outcomes) != 1 || r.Executions > 2*threads {
			t.Fatalf("%v: exhausted %v, %d outcomes, %d executions", shape, r.Exhausted, len(r.Outcomes), r.Executions)
		}
		if n := binary.LittleEndian.Uint32(r.Outcomes[0].Memory[0][4:]); int(n) != threads {
			t.Errorf("%v: the word is %d", shape, n)
		}
	}
}
