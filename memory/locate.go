package memory

import (
	"math/bits"

	"github.com/simtrun/simtrun/lanes"
)

// Locate finds where the lanes of m go in the data of a region that starts at
// base: lane i at addr[i] + disp, which wraps at the width of the addresses,
// size bytes. Size is a power of two and the access must be aligned to it. Locate reports whether all of it is inside and
// aligned; if so it has filled a, else a holds nothing of use.
func Locate[S lanes.Bits](a *lanes.Access, data []byte, base uint64, addr *[lanes.Width]S, disp, size uint64, m lanes.Mask) bool {
	if uint64(len(data)) < size {
		return m == 0
	}
	a.Mem, a.Size = data, size
	limit := uint64(len(data)) - size
	if m != lanes.AllLanes {
		return locateSome(a, addr, S(disp), base, limit, size, m)
	}
	low, ok := run((*[half]S)(addr[:half]), S(size))
	high, ok2 := run((*[half]S)(addr[half:]), S(size))
	if !ok || !ok2 {
		return locateAll(a, addr, S(disp), base, limit, size)
	}
	a.Runs, a.Step = true, [2]uint64{uint64(low), uint64(high)}
	a.Off[0], a.Off[half] = uint64(addr[0]+S(disp))-base, uint64(addr[half]+S(disp))-base
	return fits(a.Off[0], a.Step[0], limit) && fits(a.Off[half], a.Step[1], limit) && (a.Off[0]|a.Off[half])&(size-1) == 0
}

const half = lanes.Width / 2

// run is the distance from lane to lane, and whether it is the same for all:
// either 0 or size.
func run[S lanes.Bits](addr *[half]S, size S) (step S, ok bool) {
	step = addr[1] - addr[0]
	if step != 0 && step != size {
		return 0, false
	}
	next := addr[0]
	for _, at := range addr {
		if at != next {
			return 0, false
		}
		next += step
	}
	return step, true
}

// fits reports whether a run of a half's lanes from off stays within limit.
func fits(off, step, limit uint64) bool {
	return off <= limit && (half-1)*step <= limit-off
}

// outside is negative, as an int64, where off > limit. Limit is far below 2^63.
func outside(off, limit uint64) uint64 { return (limit - off) | off }

func locateAll[S lanes.Bits](a *lanes.Access, addr *[lanes.Width]S, disp S, base, limit, size uint64) bool {
	a.Runs = false
	var out, low uint64
	for i := range addr {
		off := uint64(addr[i]+disp) - base
		a.Off[i] = off
		out |= outside(off, limit)
		low |= off
	}
	return int64(out) >= 0 && low&(size-1) == 0
}

func locateSome[S lanes.Bits](a *lanes.Access, addr *[lanes.Width]S, disp S, base, limit, size uint64, m lanes.Mask) bool {
	lead := bits.TrailingZeros32(uint32(m)) & (lanes.Width - 1)
	start := uint64(addr[lead]+disp) - base - uint64(lead)*size // where lane 0 would be in a row
	var out, low, strange uint64
	for i := range addr {
		off := uint64(addr[i]+disp) - base
		a.Off[i] = off
		active := -(uint64(m>>i) & 1)
		strange |= (off ^ (start + uint64(i)*size)) & active
		out |= outside(off, limit) & active
		low |= off & active
	}
	a.Runs = strange == 0 && start <= limit && (lanes.Width-1)*size <= limit-start
	if a.Runs {
		a.Off[0], a.Off[half], a.Step = start, start+half*size, [2]uint64{size, size}
	}
	return int64(out) >= 0 && low&(size-1) == 0
}

// LocateLocal is Locate for local memory: data holds perLane bytes for each
// lane in turn, and every lane has addresses from 0 of its own.
func LocateLocal[S lanes.Bits](a *lanes.Access, data []byte, perLane uint64, addr *[lanes.Width]S, disp, size uint64, m lanes.Mask) bool {
	a.Mem, a.Runs = data, false
	for ; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(uint32(m))
		off := uint64(addr[i] + S(disp))
		if perLane < size || off > perLane-size || off&(size-1) != 0 {
			return false
		}
		a.Off[i] = uint64(i)*perLane + off
	}
	return true
}
