package memory

import (
	"math/bits"
	"unsafe"

	"github.com/simtrun/simtrun/internal/lanes"
)

// Locate finds the places of the lanes of m in data, a region that starts at base: lane i accesses size bytes at
// addr[i] + disp, which wraps at the width of the addresses. size is a power of two. Locate reports whether all lanes
// are within the region and their addresses aligned to size; if not, a is undefined.
func Locate[S lanes.Bits](a *lanes.Access, data []byte, base uint64, addr *[lanes.Width]S, disp, size uint64, m lanes.Mask) bool {
	if uint64(len(data)) < size {
		return m == 0
	}
	a.Mem, a.Size = data, size
	limit := uint64(len(data)) - size
	if low, high, ok := strides(addr, S(size)); ok {
		a.Strided, a.Stride = true, [2]uint64{uint64(low), uint64(high)}
		first, second := uint64(addr[0]+S(disp)), uint64(addr[half]+S(disp))
		a.Off[0], a.Off[half] = first-base, second-base
		if fits(a.Off[0], a.Stride[0], limit) && fits(a.Off[half], a.Stride[1], limit) && (first|second)&(size-1) == 0 {
			return true
		}
	}
	// Both set all fields of a.
	if m == lanes.AllLanes {
		return locateAll(a, addr, S(disp), base, limit, size)
	}
	return locateSome(a, addr, S(disp), base, limit, size, m)
}

const half = lanes.Width / 2

// strides returns the stride between lanes in each half of the warp. It returns false if a stride differs between
// lanes of a half, or is neither 0 nor size; it may if addresses wrap.
func strides[S lanes.Bits](addr *[lanes.Width]S, size S) (low, high S, ok bool) {
	low, high = addr[1]-addr[0], addr[half+1]-addr[half]
	if low != 0 && low != size || high != 0 && high != size {
		return 0, 0, false
	}
	if unsafe.Sizeof(size) == 4 {
		return low, high, isStrided32(addr, 0, low) && isStrided32(addr, half, high)
	}
	inLow, inHigh, differ := addr[0], addr[half], S(0)
	low2, high2 := 2*low, 2*high
	for i := 0; i < half; i += 4 {
		a, b := (*[4]S)(addr[i:]), (*[4]S)(addr[half+i:])
		differ |= (a[0] ^ inLow) | (a[1] ^ (inLow + low)) | (b[0] ^ inHigh) | (b[1] ^ (inHigh + high))
		inLow, inHigh = inLow+low2, inHigh+high2
		differ |= (a[2] ^ inLow) | (a[3] ^ (inLow + low)) | (b[2] ^ inHigh) | (b[3] ^ (inHigh + high))
		inLow, inHigh = inLow+low2, inHigh+high2
	}
	return low, high, differ == 0
}

// isStrided32 reports whether the addresses of half a warp, from lane first on, which have 32 bits, are a stride apart.
// It compares two at once. It may return false if they wrap.
func isStrided32[S lanes.Bits](addr *[lanes.Width]S, first int, stride S) bool {
	next := uint64(addr[first]) | uint64(addr[first]+stride)<<32
	step := uint64(2*stride) | uint64(2*stride)<<32
	differ := uint64(0)
	for i := 0; i < half; i += 4 {
		a := (*[4]S)(addr[first+i:])
		differ |= (uint64(a[0]) | uint64(a[1])<<32) ^ next
		next += step
		differ |= (uint64(a[2]) | uint64(a[3])<<32) ^ next
		next += step
	}
	return differ == 0
}

// fits reports whether half a warp's lanes, the first at off and the others at multiples of a stride, are all within
// limit.
func fits(off, stride, limit uint64) bool {
	return off <= limit && (half-1)*stride <= limit-off
}

// outside is negative, as an int64, if off > limit. limit is far below 2^63.
func outside(off, limit uint64) uint64 { return (limit - off) | off }

// locateAll is Locate for all lanes, at any places.
func locateAll[S lanes.Bits](a *lanes.Access, addr *[lanes.Width]S, disp S, base, limit, size uint64) bool {
	a.Strided = false
	var out, low uint64 // low is the OR of all addresses: its lowest bits must be 0
	for i := range addr {
		at := uint64(addr[i] + disp)
		off := at - base
		a.Off[i] = off
		out |= outside(off, limit)
		low |= at
	}
	return int64(out) >= 0 && low&(size-1) == 0
}

// locateSome is Locate for some lanes, at any addresses. It detects addresses that belong to a contiguous access of the
// full warp.
func locateSome[S lanes.Bits](a *lanes.Access, addr *[lanes.Width]S, disp S, base, limit, size uint64, m lanes.Mask) bool {
	first := firstLane(m)
	start := uint64(addr[first]+disp) - base - uint64(first)*size // of lane 0, if the access is contiguous
	var out, low, differ uint64
	for ; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(uint32(m)) & (lanes.Width - 1)
		at := uint64(addr[i] + disp)
		off := at - base
		a.Off[i] = off
		differ |= off ^ (start + uint64(i)*size)
		out |= outside(off, limit)
		low |= at
	}
	a.Strided = differ == 0 && start <= limit && (lanes.Width-1)*size <= limit-start
	if a.Strided {
		a.Off[0], a.Off[half], a.Stride = start, start+half*size, [2]uint64{size, size}
	}
	return int64(out) >= 0 && low&(size-1) == 0
}

// LocateLocal is Locate for memory that is divided among the lanes, with addresses from 0: data holds perLane bytes for
// each lane, one after the other. It sets all of a except the space.
func LocateLocal[S lanes.Bits](a *lanes.Access, data []byte, perLane uint64, addr *[lanes.Width]S, disp, size uint64, m lanes.Mask) bool {
	a.Mem, a.Strided, a.Size = data, false, size
	a.Base, a.Region = 0, lanes.NoRegion
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
