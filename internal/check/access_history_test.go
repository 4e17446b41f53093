package check

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/simtrun/simtrun/internal/lanes"
)

// TestTouchedWordsTellConflicts compares random accesses with a list of all earlier ones: one conflicts if another
// thread has accessed one of its words since the beginning, and one of the two writes.
func TestTouchedWordsTellConflicts(t *testing.T) {
	type event struct {
		thread int
		word   uint64
		writes bool
	}
	r, conflicts := rand.New(rand.NewPCG(1, 2)), 0
	tt := accessHistory{now: math.MaxUint32 - 50*tags + 1} // tags overflow after 50 beginnings
	for range 300 {
		tt.begin(256 * wordBytes)
		var all []event
		for range 12 {
			a, warp, writes, m := lanes.Access{Size: wordBytes << r.IntN(3)}, r.IntN(3), r.IntN(3) == 0, lanes.AllLanes
			first := uint64(r.IntN(16)) * a.Size
			if r.IntN(2) == 0 { // whole rows
				a.Size, first = wordBytes, uint64(r.IntN(4))*rowBytes
			}
			switch r.IntN(3) {
			case 0:
				a.Strided, a.Stride, a.Off[0], a.Off[lanes.Width/2] = true, [2]uint64{a.Size, a.Size}, first, first+lanes.Width/2*a.Size
			case 1:
				a.Strided, a.Off[0], a.Off[lanes.Width/2], writes = true, first, first, false
			default:
				m = lanes.Mask(r.Uint32() & r.Uint32() & r.Uint32())
				for lane := range a.Off {
					a.Off[lane] = uint64(r.IntN(256*wordBytes/int(a.Size))) * a.Size
				}
			}
			want := true
			for left := m; left != 0; left &= left - 1 {
				for i := range a.Size / wordBytes {
					e := event{warp*lanes.Width + left.First(), a.At(left.First())/wordBytes + i, writes}
					for _, o := range all {
						want = want && (o.word != e.word || o.thread == e.thread || !o.writes && !e.writes)
					}
					all = append(all, e)
				}
			}
			if got := tt.access(&a, m, warp, writes); got != want {
				t.Fatalf("after %d accesses: no conflict %v, want %v", len(all), got, want)
			}
			if !want {
				conflicts++
				break
			}
		}
	}
	if conflicts == 0 || conflicts == 300 {
		t.Errorf("%d of 300 intervals have a conflict", conflicts)
	}
}
