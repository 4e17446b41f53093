package cuda_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"math/bits"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/simtrun/simtrun"
	"github.com/simtrun/simtrun/cuda"
	"github.com/simtrun/simtrun/internal/cudatest"
	"github.com/simtrun/simtrun/internal/short"
)

// TestMain uses a temporary folder instead of the user's cache.
func TestMain(m *testing.M) {
	cudatest.Main(m)
}

// device is a compiled file of testdata/device, loaded into a machine.
type device struct {
	*simtrun.Machine
	t      *testing.T
	stdout bytes.Buffer
}

func newDevice(t *testing.T, name string, options ...string) *device {
	t.Helper()
	file := filepath.Join("testdata", "device", name+".cu")
	p, err := simtrun.Load(file+".ptx", devicePTX(t, file, options))
	if err != nil {
		t.Fatal(err)
	}
	d := &device{t: t}
	if d.Machine, err = p.NewMachine(simtrun.Options{Stdout: &d.stdout}); err != nil {
		t.Fatal(err)
	}
	return d
}

// compiled caches the PTX of devicePTX by file and options. Tests of one file share it; none of them runs in
// parallel.
var compiled = make(map[string][]byte)

func devicePTX(t *testing.T, file string, options []string) []byte {
	t.Helper()
	key := strings.Join(append([]string{file}, options...), " ")
	if ptx, ok := compiled[key]; ok {
		return ptx
	}
	c := compiler(t)
	o, err := cuda.Parse(options)
	if err != nil {
		t.Fatal(err)
	}
	var messages bytes.Buffer
	ptx, err := c.PTX(t.Context(), file, o, &messages)
	if err != nil || messages.Len() > 0 {
		t.Fatalf("%v\n%s", err, &messages)
	}
	compiled[key] = ptx
	return ptx
}

func (d *device) launch(l simtrun.Launch) {
	d.t.Helper()
	if _, err := d.Launch(context.Background(), l); err != nil {
		d.t.Fatal(err)
	}
}

func buffer[T simtrun.Number](d *device, values []T) *simtrun.Buffer {
	d.t.Helper()
	b, err := simtrun.AllocOf(d.Machine, "", values)
	if err != nil {
		d.t.Fatal(err)
	}
	return b
}

func compare[T comparable](t *testing.T, what string, got, want []T) {
	t.Helper()
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%s[%d] is %v, want %v", what, i, got[i], want[i])
		}
	}
}

func TestThreadIndicesCoverGrid(t *testing.T) {
	d := newDevice(t, "indices")
	const n = 2 * 3 * 4 * 2 * 2
	out, points := buffer(d, make([]uint32, n)), buffer(d, make([]uint32, 6*n))
	d.launch(simtrun.Launch{Kernel: "indices", Grid: simtrun.Dim{X: 2, Y: 2}, Block: simtrun.Dim{X: 2, Y: 3, Z: 4}, Args: []any{out, points}})
	var want, wantPoints []uint32
	for block := range uint32(4) {
		for thread := range uint32(24) {
			i := uint32(len(want))
			want = append(want, thread%2|thread/2%3<<8|block%2<<16|block/2<<20|32<<24)
			x := math.Float32bits
			wantPoints = append(wantPoints, x(float32(i)+4), x(0.75), x(258), 0, 12, 16+800+160000)
		}
	}
	for i := range n { // an int2 is aligned to 8 bytes
		copy(wantPoints[6*i:], []uint32{wantPoints[6*i], wantPoints[6*i+1], wantPoints[6*i+2], 0, 12, 16 + 800 + 160000})
	}
	compare(t, "out", simtrun.Read[uint32](out), want)
	compare(t, "points", simtrun.Read[uint32](points), wantPoints)
}

// TestRegistersMayHaveOnePercent checks PTX registers that inline assembly names with one %, which nvcc accepts.
func TestRegistersMayHaveOnePercent(t *testing.T) {
	short.Skip(t)
	short.Alternates(t, 0, 3)
	d := newDevice(t, "one_percent")
	out := buffer(d, make([]uint32, 64))
	d.launch(simtrun.Launch{Kernel: "onePercent", Grid: simtrun.Dim{X: 1}, Block: simtrun.Dim{X: 64}, Args: []any{out}})
	var want []uint32
	for i := range uint32(64) {
		want = append(want, i%32+100*i+10000*64)
	}
	compare(t, "out", simtrun.Read[uint32](out), want)
}

func TestSharedMemoryIsOneForBlock(t *testing.T) {
	d := newDevice(t, "shared")
	out := buffer(d, make([]int32, 64))
	d.launch(simtrun.Launch{Kernel: "shared", Grid: simtrun.Dim{X: 1}, Block: simtrun.Dim{X: 64}, Shared: 256, Args: []any{out}})
	weights := []int32{1, 10, 100, 1000}
	var want []int32
	for i := range int32(64) {
		want = append(want, 3*i*1000+32*10+1+1+weights[i&3]*1000000)
	}
	compare(t, "out", simtrun.Read[int32](out), want)
}

func TestAtomicsOfLanesAggregate(t *testing.T) {
	d := newDevice(t, "aggregate")
	const n = 128
	count, sum, places := buffer(d, []int32{0}), buffer(d, []float64{0}), buffer(d, make([]int32, n))
	d.launch(simtrun.Launch{Kernel: "aggregate", Grid: simtrun.Dim{X: 1}, Block: simtrun.Dim{X: n}, Args: []any{count, sum, places}})
	compare(t, "count", simtrun.Read[int32](count), []int32{n})
	compare(t, "sum", simtrun.Read[float64](sum), []float64{n / 32 * 0.5})
	got := simtrun.Read[int32](places)
	slices.Sort(got)
	for i, place := range got { // warps are in any order, but in the same one for both sums
		if place != int32(1000+i) {
			t.Errorf("place %d is %d", i, place)
		}
	}
}

func TestWarpIntrinsicsExchangeLanes(t *testing.T) {
	d := newDevice(t, "warp")
	out := buffer(d, make([]int64, 16*32))
	d.launch(simtrun.Launch{Kernel: "warp", Grid: simtrun.Dim{X: 1}, Block: simtrun.Dim{X: 32}, Args: []any{out}})
	got := simtrun.Read[int64](out)
	for lane := range int64(32) {
		up, down := lane-3, lane+2
		if up < 0 {
			up = lane
		}
		if down/8 != lane/8 {
			down = lane
		}
		active := int64(0xaaaaaaaa)
		if lane&1 == 0 {
			active = 16
		}
		fns, n := int64(-1)&0xffffffff, int64(0)
		for bit := range int64(32) {
			if 0x00ff00f0>>bit&1 == 1 {
				if n++; n == lane%12+1 {
					fns = bit
				}
			}
		}
		want := []int64{(lane ^ 5) * 3, up + 100, down, lane ^ 16, 0x49249249, 10, 15 << (lane &^ 3), 0xffffffff + 1, 496 + 31000 + 3, active, 7 * 31, fns}
		// 11, 11 and 10 lanes set each of three bits.
		compare(t, "out", got[16*lane:][:len(want)], want)
	}
}

func TestAtomicFunctionsMatchReference(t *testing.T) {
	short.Alternates(t, 2, 3)
	d := newDevice(t, "atomics", "-arch=sm_90")
	cells := make([]byte, 88)
	binary.LittleEndian.PutUint32(cells[24:], 4) // down
	out, err := d.Alloc("cells", int64(len(cells)))
	if err != nil {
		t.Fatal(err)
	}
	copy(out.Bytes(), cells)
	d.launch(simtrun.Launch{Kernel: "atomics", Grid: simtrun.Dim{X: 2}, Block: simtrun.Dim{X: 64}, Args: []any{out}})
	var got struct {
		Sum, Least, Most, Bits, Swapped int32
		Up, Down, Sub, Chain            uint32
		_                               uint32
		Wide, WideMost                  uint64
		WideLeast                       int64
		Single                          float32
		_                               uint32
		Twice                           float64
		Small                           uint16
		_                               [6]byte
	}
	if err := binary.Read(bytes.NewReader(out.Bytes()), binary.LittleEndian, &got); err != nil {
		t.Fatal(err)
	}
	want := got
	want.Sum, want.Least, want.Most, want.Bits, want.Swapped = 128, -127, 127, 1<<30, 1
	want.Up, want.Down, want.Sub, want.Chain = 128%50, (4+1280-128)%10, 0xffffffff-255, 3*128
	want.Wide, want.WideMost, want.WideLeast = 128<<33, 127<<40, -127<<40
	want.Single, want.Twice, want.Small = 64, 32, 128
	// The last lane to set or toggle bit 30 decides: it is set unless the toggling lane came last.
	want.Bits, got.Bits = want.Bits&^(1<<30), got.Bits&^(1<<30)
	if got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestOrderedAtomicsMatchReference(t *testing.T) {
	short.Skip(t)
	short.Alternates(t, 0, 3)
	for i, arch := range []string{"sm_70", "sm_90"} {
		if short.Skips(i) {
			continue
		}
		d := newDevice(t, "atomics", "-arch="+arch)
		type cells struct {
			Sum, Least   int32
			Bits, Stored uint32
			Wide, Chain  int64
			Single, _    float32
			Twice        float64
		}
		out, err := d.Alloc("cells", int64(binary.Size(cells{})))
		if err != nil {
			t.Fatal(err)
		}
		clear(out.Bytes())
		d.launch(simtrun.Launch{Kernel: "ordered", Grid: simtrun.Dim{X: 2}, Block: simtrun.Dim{X: 64}, Args: []any{out}})
		var got cells
		if err := binary.Read(bytes.NewReader(out.Bytes()), binary.LittleEndian, &got); err != nil {
			t.Fatal(err)
		}
		bits := uint32(0)
		for i := range 128 {
			bits ^= 1<<(i&31) | 1<<(i>>2&31)
		}
		want := cells{Sum: 256, Least: -127, Bits: bits, Stored: 7, Wide: -128 << 33, Chain: 3 * 128, Single: -64, Twice: 32}
		if got != want {
			t.Errorf("%s: got  %+v\nwant %+v", arch, got, want)
		}
	}
}

func TestIntegerIntrinsicsMatchReference(t *testing.T) {
	d := newDevice(t, "integers")
	a := []uint32{0, 1, 0xffffffff, 0x80000000, 0x12345678, 0xdeadbeef, 0x7fffffff, 0x00ff80c3}
	b := []uint32{0, 0xffffffff, 1, 0x7fffffff, 0x9abcdef0, 0x01010101, 0x80000001, 0xff00c3c3}
	out := buffer(d, make([]uint32, 32*len(a)))
	d.launch(simtrun.Launch{Kernel: "integers", Grid: simtrun.Dim{X: 1}, Block: simtrun.Dim{X: uint32(len(a))}, Args: []any{buffer(d, a), buffer(d, b), out}})
	got := simtrun.Read[uint32](out)
	for i := range a {
		compare(t, "out", got[32*i:][:32], integers(a[i], b[i]))
	}
}

func TestBytesAreSwapped(t *testing.T) {
	d := newDevice(t, "integers")
	a := []uint64{0, 1, 0x0123456789abcdef, 0xff00ff00ff008001}
	out := buffer(d, make([]uint64, 3*len(a)))
	d.launch(simtrun.Launch{Kernel: "swaps", Grid: simtrun.Dim{X: 1}, Block: simtrun.Dim{X: uint32(len(a))}, Args: []any{buffer(d, a), out}})
	got := simtrun.Read[uint64](out)
	for i, x := range a {
		want := []uint64{uint64(bits.ReverseBytes16(uint16(x))), uint64(bits.ReverseBytes32(uint32(x))), bits.ReverseBytes64(x)}
		compare(t, "out", got[3*i:][:3], want)
	}
}

// integers returns the expected results of the kernel of the same name.
func integers(x, y uint32) []uint32 {
	sx, sy := int32(x), int32(y)
	abs := func(v int64) uint32 { return uint32(max(v, -v)) }
	low24 := func(v int32) int32 { return v << 8 >> 8 }
	perm := func(selector uint32) (r uint32) {
		all := uint64(y)<<32 | uint64(x)
		for n := range 4 {
			r |= uint32(all>>(8*(selector>>(4*n)&7))&0xff) << (8 * n)
		}
		return r
	}
	bytewise := func(f func(p, q uint32) uint32) (r uint32) {
		for n := 0; n < 32; n += 8 {
			r |= f(x>>n&0xff, y>>n&0xff) & 0xff << n
		}
		return r
	}
	halfwise := func(f func(p, q uint32) uint32) (r uint32) {
		for n := 0; n < 32; n += 16 {
			r |= f(x>>n&0xffff, y>>n&0xffff) & 0xffff << n
		}
		return r
	}
	truth := func(b bool, yes uint32) uint32 {
		if b {
			return yes
		}
		return 0
	}
	wide, sum, dot := uint64(x)*uint64(y), uint32(0), int32(10)
	for n := 0; n < 32; n += 8 {
		sum += abs(int64(x>>n&0xff) - int64(y>>n&0xff))
		dot += int32(int8(x>>n)) * int32(int8(y>>n))
	}
	high, _ := bits.Mul64(uint64(x)<<32, uint64(y)<<32)
	ffs := uint32(0)
	if x != 0 {
		ffs = uint32(bits.TrailingZeros32(x)) + 1
	}
	right := uint32((uint64(y)<<32 | uint64(x)) >> 5)
	return []uint32{
		uint32(bits.OnesCount32(x)), uint32(bits.LeadingZeros32(x)), ffs, bits.Reverse32(x), perm(0x3715),
		uint32((uint64(y)<<32 | uint64(x)) << 5 >> 32), right, y, uint32(wide >> 32), uint32(int64(sx) * int64(sy) >> 32),
		uint32(low24(sx) * low24(sy)), abs(int64(x)-int64(y)) + 7, uint32((int64(sx) + int64(sy)) >> 1), uint32((int64(sx) + int64(sy) + 1) >> 1),
		uint32(bits.OnesCount32(x) + bits.OnesCount32(y)), uint32(bits.LeadingZeros64(uint64(y))), uint32(high >> 32),
		min(x, 100) + uint32(max(sy, -5)) + uint32(min(3, int64(x))),
		bytewise(func(p, q uint32) uint32 { return p + q }), halfwise(func(p, q uint32) uint32 { return p - q }),
		bytewise(func(p, q uint32) uint32 { return (p + q + 1) / 2 }), bytewise(func(p, q uint32) uint32 { return truth(p > q, 0xff) }),
		halfwise(func(p, q uint32) uint32 { return uint32(max(int16(p), int16(q))) }), bytewise(func(p, q uint32) uint32 { return min(p, q) }),
		bytewise(func(p, q uint32) uint32 { return abs(int64(p) - int64(q)) }), bytewise(func(p, q uint32) uint32 { return min(p+q, 0xff) }),
		sum, halfwise(func(p, q uint32) uint32 { return truth(p == q, 0xffff) }), uint32(dot), abs(int64(sx)), x + 3,
		bytewise(func(p, q uint32) uint32 { return truth(p < q, 1) }),
	}
}

func TestDPXMatchesReference(t *testing.T) {
	d := newDevice(t, "integers", "-arch=sm_90")
	a := []uint32{0, 1, 0xffffffff, 0x80000000, 0x12345678, 0xdeadbeef, 0x7fffffff, 0x00ff80c3}
	b := []uint32{0, 0xffffffff, 1, 0x7fffffff, 0x9abcdef0, 0x01010101, 0x80000001, 0xff00c3c3}
	c := []uint32{5, 0xfffffffe, 0x80008000, 0x7fff0001, 0, 0xdfae0000, 2, 0x80007fff}
	out := buffer(d, make([]uint32, 40*len(a)))
	d.launch(simtrun.Launch{Kernel: "dpx", Grid: simtrun.Dim{X: 1}, Block: simtrun.Dim{X: uint32(len(a))}, Args: []any{buffer(d, a), buffer(d, b), buffer(d, c), out}})
	got := simtrun.Read[uint32](out)
	for i := range a {
		compare(t, "out", got[40*i:][:40], dpx(a[i], b[i], c[i]))
	}
}

// dpx returns the expected results of the kernel of the same name.
func dpx(x, y, z uint32) []uint32 {
	halves := func(f func(x, y, z uint16) uint16) uint32 {
		return uint32(f(uint16(x>>16), uint16(y>>16), uint16(z>>16)))<<16 | uint32(f(uint16(x), uint16(y), uint16(z)))
	}
	sx, sy, sz := int32(x), int32(y), int32(z)
	truth := func(conditions ...bool) (r uint32) {
		for _, c := range conditions {
			r <<= 1
			if c {
				r |= 1
			}
		}
		return r
	}
	signed := func(f func(x, y, z int16) int16) uint32 {
		return halves(func(x, y, z uint16) uint16 { return uint16(f(int16(x), int16(y), int16(z))) })
	}
	return []uint32{
		uint32(max(sx+sy, sz)), uint32(min(sx+sy, sz)), max(x+y, z), min(x+y, z),
		signed(func(x, y, z int16) int16 { return max(x+y, z) }), signed(func(x, y, z int16) int16 { return min(x+y, z) }),
		halves(func(x, y, z uint16) uint16 { return max(x+y, z) }), halves(func(x, y, z uint16) uint16 { return min(x+y, z) }),
		uint32(max(sx+sy, sz, 0)), uint32(max(min(sx+sy, sz), 0)),
		signed(func(x, y, z int16) int16 { return max(x+y, z, 0) }), signed(func(x, y, z int16) int16 { return max(min(x+y, z), 0) }),
		uint32(max(sx, sy, sz)), uint32(min(sx, sy, sz)), max(x, y, z), min(x, y, z),
		signed(func(x, y, z int16) int16 { return max(x, y, z) }), signed(func(x, y, z int16) int16 { return min(x, y, z) }),
		halves(func(x, y, z uint16) uint16 { return max(x, y, z) }), halves(func(x, y, z uint16) uint16 { return min(x, y, z) }),
		uint32(max(sx, sy, sz, 0)), uint32(max(min(sx, sy, sz), 0)),
		signed(func(x, y, z int16) int16 { return max(x, y, z, 0) }), signed(func(x, y, z int16) int16 { return max(min(x, y, z), 0) }),
		uint32(max(sx, sy, 0)), uint32(max(min(sx, sy), 0)),
		signed(func(x, y, _ int16) int16 { return max(x, y, 0) }), signed(func(x, y, _ int16) int16 { return max(min(x, y), 0) }),
		uint32(max(sx, sy)), truth(sx >= sy), min(x, y), truth(x <= y),
		halves(func(x, y, _ uint16) uint16 { return max(x, y) }), truth(x>>16 >= y>>16, uint16(x) >= uint16(y)),
		signed(func(x, y, _ int16) int16 { return min(x, y) }), truth(sx>>16 <= sy>>16, int16(x) <= int16(y)),
		uint32(int64(sx) * int64(sy) >> 32), uint32(uint64(x) * uint64(y) >> 32), 2 + 3,
		uint32(int32(int16(x))*int32(int8(y>>16)) + sx>>16*int32(int8(y>>24)) + sz),
	}
}

// near reports whether a result is within a few units in the last place of float32, or of float64.
func near(got, want, eps float64) bool {
	return got == want || math.Abs(got-want) <= eps*max(math.Abs(want), 1e-3) || math.IsNaN(got) && math.IsNaN(want)
}

func TestMathOverloadsAgree(t *testing.T) {
	d := newDevice(t, "overloads")
	in := []float32{0.3, 2, 2.5, -1.5, -0.7, 3, 1, 1, -3.5, 0.25}
	n := len(in) / 2
	different, numbers := buffer(d, make([]int32, n)), buffer(d, make([]float64, 4*n))
	d.launch(simtrun.Launch{Kernel: "overloads", Grid: simtrun.Dim{X: 1}, Block: simtrun.Dim{X: uint32(n)}, Args: []any{buffer(d, in), different, numbers}})
	compare(t, "different", simtrun.Read[int32](different), make([]int32, n))
	var want []float64
	for i := range n {
		x, y := float64(in[2*i]), float64(in[2*i+1])
		want = append(want, math.Round(x), math.Trunc(x), max(x, y), math.Exp2(math.RoundToEven(x)))
	}
	compare(t, "numbers", simtrun.Read[float64](numbers), want)
}

func TestMathFunctionsMatchGo(t *testing.T) {
	d := newDevice(t, "math")
	in := []float64{0.1, 0.5, 0.9, 1, 1.5, 2.25, 3.7, 10}
	out := buffer(d, make([]float64, 40*len(in)))
	d.launch(simtrun.Launch{Kernel: "functions", Grid: simtrun.Dim{X: 1}, Block: simtrun.Dim{X: uint32(len(in))}, Args: []any{buffer(d, in), out}})
	got := simtrun.Read[float64](out)
	for i, x := range in {
		f := float32(x)
		g := float64(f)
		up := float64(f * f)
		if up < g*g {
			up = float64(math.Nextafter32(float32(up), math.MaxFloat32))
		}
		tens := math.RoundToEven(float64(f*10)) + math.Trunc(float64(f*10))*100 + math.Ceil(g)*1e6
		fraction, e := math.Frexp(x)
		want := []float64{
			math.Sin(x), math.Cos(x), math.Exp(x), math.Log(x), math.Sqrt(x), math.Pow(x, 1.5), math.Atan2(x, 2), math.Cbrt(x), math.Floor(x),
			math.Mod(x, 0.3), math.FMA(x, x, 1), math.Erf(x), math.Sin(g), math.Exp(g), math.Log(g), 1 / math.Sqrt(g), math.Pow(g, 2.5), math.Tanh(g),
			g, max(g, 2), max(g, 1), x, math.Round(g), 1 / math.Sqrt(x), math.Hypot(x, 1), math.Exp2(g), math.Log10(x), math.Gamma(x), -x,
			g, up, float64(f / 3), math.Nextafter(x, 100), tens, math.Floor(-x), min(g, 1), float64(float32(math.Sqrt(g))), 2,
			math.Sin(x) + math.Cos(x), fraction + float64(e) + min(g, 9) + math.RoundToEven(x) + math.Sin(math.Pi*math.Mod(x, 2)),
		}
		for n, w := range want {
			eps := 1e-13
			if n >= 12 && n <= 17 || n == 25 || n == 29 {
				eps = 1e-6
			}
			if !near(got[40*i+n], w, eps) {
				t.Errorf("%d of %v is %v, want %v", n, x, got[40*i+n], w)
			}
		}
	}
}

func TestFastFunctionsAreNearExactOnes(t *testing.T) {
	d := newDevice(t, "math")
	in := []float32{0.25, 0.5, 1, 2, 3.5, 7}
	out := buffer(d, make([]float32, 8*len(in)))
	d.launch(simtrun.Launch{Kernel: "fast", Grid: simtrun.Dim{X: 1}, Block: simtrun.Dim{X: uint32(len(in))}, Args: []any{buffer(d, in), out}})
	got := simtrun.Read[float32](out)
	for i, x := range in {
		g := float64(x)
		for n, w := range []float64{math.Exp(g), math.Log(g), math.Sin(g), g / 3, math.Pow(g, 1.5), 1 / g, 1 / math.Sqrt(g), g*g + 0.5} {
			if !near(float64(got[8*i+n]), w, 1e-5) && math.Abs(float64(got[8*i+n])-w) > 1e-6 {
				t.Errorf("%d of %v is %v, want %v", n, x, got[8*i+n], w)
			}
		}
	}
}

// rounded rounds x to a float with that many fraction bits, to nearest even, down or up. The result must be normal.
func rounded(x float64, fraction int, mode func(float64) float64) float64 {
	if x == 0 || math.IsInf(x, 0) {
		return x
	}
	_, e := math.Frexp(x)
	unit := math.Ldexp(1, e-1-fraction)
	return mode(x/unit) * unit
}

func TestHalfFunctionsMatchReference(t *testing.T) {
	short.Skip(t)
	short.Alternates(t, 1, 3)
	for i, arch := range []string{"sm_70", "sm_80", "sm_90"} {
		if short.Skips(i) {
			continue
		}
		t.Run(arch, func(t *testing.T) { testHalves(t, arch) })
	}
}

func testHalves(t *testing.T, arch string) {
	d := newDevice(t, "halves", "-arch="+arch)
	in := []float32{1, 2, 0.1, 3.3, -7.77, 0.625, 100.06, -0.3333, 3.14159, 2.71828, 1e-3, 12.5, 2049, 1, -1, -1}
	n := len(in) / 2
	out := buffer(d, make([]float32, 24*n))
	d.launch(simtrun.Launch{Kernel: "halves", Grid: simtrun.Dim{X: 1}, Block: simtrun.Dim{X: uint32(n)}, Args: []any{buffer(d, in), out}})
	got := simtrun.Read[float32](out)
	even := math.RoundToEven
	h := func(x float64) float64 { return rounded(x, 10, even) }
	b := func(x float64) float64 { return rounded(x, 7, even) }
	for i := range n {
		a, c := float64(in[2*i]), float64(in[2*i+1])
		x, y, u, v := h(a), h(c), b(a), b(c)
		other := h(float64(in[2*(i^1)]))
		less := 0.0
		if x < y {
			less = 1
		}
		want := []float64{
			x, h(x + y), h(x * y), h(x / y), h(x*y + x), less, max(x, y), h(x + y), h(y * 2), h(y*2 + y),
			h(math.Sqrt(math.Abs(x))), even(x), rounded(a, 10, math.Trunc), -y,
			u, b(u + v), b(u * v), b(u*v + u), min(u, v), 2 * u, b(4 * v * v), other, rounded(a, 10, math.Ceil), rounded(a, 10, math.Floor),
		}
		for n, w := range want {
			if float64(got[24*i+n]) != w {
				t.Errorf("%d of %v and %v is %v, want %v", n, a, c, got[24*i+n], w)
			}
		}
	}

	cells := buffer(d, make([]uint16, 8))
	d.launch(simtrun.Launch{Kernel: "sums", Grid: simtrun.Dim{X: 2}, Block: simtrun.Dim{X: 50}, Args: []any{cells, cells.Addr() + 4, cells.Addr() + 8}})
	compare(t, "sums", simtrun.Read[uint16](cells), []uint16{0x5640, 0, 0x5640, 0x5a40, 0x42c8})
}

func TestHalvesConvertToIntegers(t *testing.T) {
	short.Skip(t)
	short.Alternates(t, 1, 3)
	for i, arch := range []string{"sm_70", "sm_90"} {
		if short.Skips(i) {
			continue
		}
		d := newDevice(t, "halves", "-arch="+arch)
		in := []int64{0, 1, -1, 255, 257, -1000, 2049, 33554431, -33554431, 65519, 1<<60 + 1<<52 + 1, -(1<<60 + 1<<52 + 1), 1 << 62}
		out := buffer(d, make([]float32, 16*len(in)))
		d.launch(simtrun.Launch{Kernel: "conversions", Grid: simtrun.Dim{X: 1}, Block: simtrun.Dim{X: uint32(len(in))}, Args: []any{buffer(d, in), out}})
		got := simtrun.Read[float32](out)
		for i, a := range in {
			// Directed rounding of a number that float64 cannot represent is that of the nearest float64.
			exact := float64(a)
			if a == 1<<60+1<<52+1 {
				exact = 1<<60 + 1<<52 + 1<<8
			}
			if a == -(1<<60 + 1<<52 + 1) {
				exact = -(1<<60 + 1<<52 + 1<<8)
			}
			half := func(x float64) float64 {
				if math.Abs(x) > 65504 {
					return math.Inf(int(x))
				}
				return x
			}
			b := rounded(float64(float32(a)*0.37), 7, math.RoundToEven)
			mask := func(yes bool) float64 {
				if yes {
					return 0xffff00
				}
				return 0
			}
			third := half(rounded(float64(float32(a)), 10, math.RoundToEven))
			want := []float64{
				rounded(exact, 7, math.RoundToEven), rounded(exact, 7, math.Trunc), rounded(exact, 7, math.Floor), rounded(exact, 7, math.Ceil),
				half(rounded(exact, 10, math.RoundToEven)), halfUp(exact), rounded(float64(int32(a)), 7, math.Trunc), min(rounded(float64(uint32(a)), 10, math.Floor), 65504),
				max(min(math.Floor(b), 1<<31), -1<<31), max(min(math.RoundToEven(b), 32767), -32768), max(min(math.Trunc(b), 255), 0),
				max(math.Ceil(b), 0), half(rounded(b, 10, math.RoundToEven)), rounded(third, 7, math.RoundToEven), mask(third != 5), mask(third < 5),
			}
			for n, w := range want {
				if float64(got[16*i+n]) != float64(float32(w)) {
					t.Errorf("%s: %d of %d is %v, want %v", arch, n, a, got[16*i+n], w)
				}
			}
		}
	}
}

// halfUp returns the smallest half-precision number that is not below an integer.
func halfUp(x float64) float64 {
	switch r := rounded(x, 10, math.Ceil); {
	case r > 65504:
		return math.Inf(1)
	case r < -65504:
		return -65504
	default:
		return r
	}
}

func TestFP8ConversionsMatchReference(t *testing.T) {
	short.Skip(t)
	short.Alternates(t, 2, 3)
	for i, arch := range []string{"sm_70", "sm_90"} {
		if short.Skips(i) {
			continue
		}
		d := newDevice(t, "halves", "-arch="+arch)
		var in []float32
		for code := range 256 {
			for _, f := range []float64{eighth(code, 3, 7), eighth(code, 2, 15)} {
				f32 := float32(f)
				next := float32(eighth(code^1, 2, 15))
				in = append(in, f32, math.Nextafter32(f32, 0), math.Nextafter32(f32, 1e9), (f32+next)/2, f32*1.03)
			}
		}
		for n := uint32(7); len(in)%256 != 0 || len(in) < 4096; n = n*1664525 + 1013904223 {
			in = append(in, math.Float32frombits(n))
		}
		out, back := buffer(d, make([]uint8, 6*len(in))), buffer(d, make([]float32, 512))
		d.launch(simtrun.Launch{Kernel: "eighths", Grid: simtrun.Dim{X: uint32(len(in) / 256)}, Block: simtrun.Dim{X: 256}, Args: []any{buffer(d, in), out, back}})
		got, numbers := simtrun.Read[uint8](out), simtrun.Read[float32](back)
		for code := range 256 {
			for n, want := range []float64{eighth(code, 3, 7), eighth(code, 2, 15)} {
				if f := float64(numbers[2*code+n]); f != want && !(math.IsNaN(f) && math.IsNaN(want)) {
					t.Errorf("%s: %d of code %#x is %v, want %v", arch, n, code, f, want)
				}
			}
		}
		for i, f := range in {
			e4, e5 := toEighth(f, 3, 7, true), toEighth(f, 2, 15, true)
			want := []uint8{e4, e5, toEighth(f, 3, 7, false), toEighth(f, 2, 15, false), e4, e5}
			if !slices.Equal(got[6*i:6*i+6], want) {
				t.Errorf("%s: %v (%#x) is %x, want %x", arch, f, math.Float32bits(f), got[6*i:6*i+6], want)
			}
		}
	}
}

// eighth returns the value of an 8-bit code with that many fraction bits. In formats without infinities only the last
// code is NaN.
func eighth(code, digits, bias int) float64 {
	e, fraction := code&0x7f>>digits, float64(code&(1<<digits-1))/float64(int(1)<<digits)
	f := math.Ldexp(1+fraction, e-bias)
	switch {
	case e == 0:
		f = math.Ldexp(fraction, 1-bias)
	case code&0x7f == 0x7f, digits == 2 && code&0x7f > 0x7c:
		return math.NaN()
	case digits == 2 && code&0x7f == 0x7c:
		f = math.Inf(1)
	}
	if code >= 0x80 {
		f = -f
	}
	return f
}

// toEighth returns the code of the number nearest to f, ties to even, found by trying all.
func toEighth(f float32, digits, bias int, saturate bool) uint8 {
	if f != f {
		return 0x7f
	}
	beyond, best := 0x7f, 0 // the code after the greatest number, which would be the next one
	if digits == 2 {
		beyond = 0x7c
	}
	x := min(math.Abs(float64(f)), 1e6)
	number := func(code int) float64 {
		return math.Ldexp(float64(1<<digits+code&(1<<digits-1)), max(code>>digits, 1)-bias-digits) - math.Ldexp(float64(int(1)<<digits), 1-bias-digits)*float64(1-min(code>>digits, 1))
	}
	for code := range beyond + 1 {
		away, least := math.Abs(x-number(code)), math.Abs(x-number(best))
		if away < least || away == least && code&1 == 0 {
			best = code
		}
	}
	if best == beyond && saturate {
		best = beyond - 1
	}
	if math.Signbit(float64(f)) {
		best |= 0x80
	}
	return uint8(best)
}

func TestCooperativeGroupsMatchReference(t *testing.T) {
	short.Alternates(t, 1, 3)
	d := newDevice(t, "groups")
	out, total := buffer(d, make([]int32, 12*64*3)), buffer(d, make([]int32, 1))
	d.launch(simtrun.Launch{Kernel: "groups", Grid: simtrun.Dim{X: 2}, Block: simtrun.Dim{X: 64}, Cooperative: true, Args: []any{out, total}})
	got := simtrun.Read[int32](out)
	for thread := range int32(128) {
		i := thread % 64
		warp, part := i&^31, i&^7
		scan, down := int32(0), i+1
		for n := part; n <= i; n++ {
			scan += n
		}
		if down/8 != i/8 {
			down = i
		}
		all, some, before := 32*warp+496, int32(0), int32(0)
		for n := warp; n < warp+32; n++ {
			if n%3 == 0 {
				if some++; n < i {
					before++
				}
			}
		}
		third, sum, any9 := int32(-1), int32(2016), int32(0)
		if i%3 == 0 {
			third = before + 100*some + 10000*some
		}
		if part == 8 {
			any9 = 1000
		}
		first := warp + i%4
		want := []int32{all, part + 7, scan, i % 32, sum, down + 100*(i%32/8), third, first + 800, 0xaa + any9, 0, 128, 256}
		line := got[12*thread:][:12]
		line[4] = map[bool]int32{true: line[4], false: sum}[i == 0] // the sum is in the first thread
		compare(t, "out", line, want)
	}
}

// TestHalfConstantsHaveTheirBits checks the bits of infinity, NaN, the smallest and the largest number, -0, 0 and 1.
func TestHalfConstantsHaveTheirBits(t *testing.T) {
	short.Alternates(t, 0, 3)
	d := newDevice(t, "halves")
	out := buffer(d, make([]uint16, 14))
	d.launch(simtrun.Launch{Kernel: "constants", Grid: simtrun.Dim{X: 1}, Block: simtrun.Dim{X: 1}, Args: []any{out}})
	want := []uint16{0x7c00, 0x7fff, 1, 0x7bff, 0x8000, 0, 0x3c00, 0x7f80, 0x7fff, 1, 0x7f7f, 0x8000, 0, 0x3f80}
	compare(t, "out", simtrun.Read[uint16](out), want)
}

// TestGroupsKnowTheirPlace checks ranks among the groups of a parent, and how many it has, as CUDA's guide defines
// meta_group_rank and meta_group_size.
func TestGroupsKnowTheirPlace(t *testing.T) {
	d := newDevice(t, "groups")
	out := buffer(d, make([]int32, 10*96))
	d.launch(simtrun.Launch{Kernel: "places", Grid: simtrun.Dim{X: 1}, Block: simtrun.Dim{X: 96}, Args: []any{out}})
	got := simtrun.Read[int32](out)
	for i := range int32(96) {
		lane := i % 32
		third, some, rank := int32(200), int32(300), lane
		if i%3 == 0 {
			third = 201
		}
		// Labels of lanes 0 to 4 are 0, 2, 4, 1 and 3: groups are in the order of their first lanes.
		label := []int32{0, 3, 1, 4, 2}[lane*7%10%5]
		if lane >= 20 {
			some, rank = 200, lane-20
		}
		want := []int32{i/32 + 300, i/8 + 1200, lane/8 + 400, i%8/4 + 200, i%4/2 + 200, 100, third, 100, label + 500, some + rank/8}
		compare(t, "out", got[10*i:][:10], want)
	}
}

// TestTilesMaySpanWarps checks 256 threads in tiles of 64.
func TestTilesMaySpanWarps(t *testing.T) {
	short.Alternates(t, 2, 3)
	d := newDevice(t, "groups")
	out, stored := buffer(d, make([]int32, 8*256)), buffer(d, make([]int32, 4))
	d.launch(simtrun.Launch{Kernel: "warps", Grid: simtrun.Dim{X: 1}, Block: simtrun.Dim{X: 256}, Args: []any{out, stored}})
	got := simtrun.Read[int32](out)
	for i := range int32(256) {
		tile, rank := i/64, i%64
		first, down, up := 64*tile, min(i+1, 64*tile+63), i
		if rank >= 2 {
			up = i - 2
		}
		any70, all64, last := int32(0), int32(2), int32(0)
		switch tile {
		case 0:
			all64 = 0
		case 1:
			any70 = 1
		case 2:
			last = 191
		}
		want := []int32{64*first + 63*32, rank + 1000*tile + 40000, first + 5 + 1000*down, rank + 1, any70 + all64, last, first + 7, up + (i ^ 32)}
		compare(t, "out", got[8*i:][:8], want)
	}
	compare(t, "stored", simtrun.Read[int32](stored), []int32{63, 127, 191, 255})
}

func TestDeviceHeapAndVirtualCallsWork(t *testing.T) {
	d := newDevice(t, "system")
	out := buffer(d, make([]float32, 8))
	args := make([]byte, 16)
	for i, f := range []float32{1, 0.5, 2.25} {
		binary.LittleEndian.PutUint32(args[4*i:], math.Float32bits(f))
	}
	args[12] = 'x'
	d.launch(simtrun.Launch{Kernel: "systemCalls", Grid: simtrun.Dim{X: 1}, Block: simtrun.Dim{X: 8}, Args: []any{out, args}})
	var want []float32
	for i := range 8 {
		f := float32(i)
		if i%2 == 1 {
			want = append(want, f*f+(2*(2+0.5)+0.5)+4)
		} else {
			want = append(want, 3*f*f+(2*(2+0.5)+0.5)+8)
		}
	}
	compare(t, "out", simtrun.Read[float32](out), want)
	if got, want := d.stdout.String(), "3 x 2.25 text 1099511627776\n"; got != want {
		t.Errorf("printed %q, want %q", got, want)
	}
}

func TestAsyncCopiesMoveData(t *testing.T) {
	short.Skip(t)
	short.Alternates(t, 1, 3)
	for i, arch := range []string{"sm_75", "sm_80"} {
		if short.Skips(i) {
			continue
		}
		d := newDevice(t, "copies", "-arch="+arch)
		in := make([]float32, 4*64)
		for i := range in {
			in[i] = float32(i % 17)
		}
		out, facts := buffer(d, make([]float32, len(in))), buffer(d, make([]uint32, 64))
		d.launch(simtrun.Launch{Kernel: "copies", Grid: simtrun.Dim{X: 1}, Block: simtrun.Dim{X: 64}, Args: []any{buffer(d, in), out, facts}})
		var want []float32
		var wantFacts []uint32
		for i := range 64 {
			a, b := in[4*(63-i):], in[4*i:]
			want = append(want, a[0], a[3], b[0]*b[2]-b[1]*b[3], b[0]*b[3]+b[1]*b[2])
			wantFacts = append(wantFacts, 15)
		}
		compare(t, "out", simtrun.Read[float32](out), want)
		compare(t, "facts", simtrun.Read[uint32](facts), wantFacts)
	}
}

func TestTextureFunctionsFetchTexels(t *testing.T) {
	d := newDevice(t, "textures")
	texels, words := buffer(d, []float32{0, 1, 2, 3, 4, 5, 6, 7}), buffer(d, make([]int32, 8))
	if _, err := d.Texture("picture", texels, "2d 4x2 format=f32x1 filter=linear"); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Surface("strip", words, "1d 8 format=s32x1"); err != nil {
		t.Fatal(err)
	}
	line, err := d.Texture("line", texels, "1d 8 format=f32x1")
	if err != nil {
		t.Fatal(err)
	}
	out := buffer(d, make([]float32, 8))
	d.launch(simtrun.Launch{Kernel: "fetch", Grid: simtrun.Dim{X: 1}, Block: simtrun.Dim{X: 8}, Args: []any{out, line}})
	var want []float32
	var wantWords []int32
	for i := range 8 {
		between := float32(i) + 0.5 // halfway between a texel and the next; after the last of a row, the last
		if i%4 == 3 {
			between = float32(i)
		}
		want, wantWords = append(want, between+100*float32(i)), append(wantWords, int32(i*i))
	}
	compare(t, "out", simtrun.Read[float32](out), want)
	compare(t, "words", simtrun.Read[int32](words), wantWords)
}

// TestAccumulatorsStayInRegisters: arrays that are indexed in loops of a constant number of iterations take no local
// memory, as nvcc has it.
func TestAccumulatorsStayInRegisters(t *testing.T) {
	if ptx := devicePTX(t, filepath.Join("testdata", "device", "accumulators.cu"), nil); bytes.Contains(ptx, []byte(".local")) {
		t.Error("accumulators are in local memory")
	}
}
