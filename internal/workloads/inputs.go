package workloads

import "math"

// XorShift is the generator that fills the inputs.
type XorShift uint32

// Next returns the next word.
func (r *XorShift) Next() uint32 {
	*r ^= *r << 13
	*r ^= *r >> 17
	*r ^= *r << 5
	return uint32(*r)
}

// float returns a number in [-0.5, 0.5).
func (r *XorShift) float() float32 { return float32(r.Next()>>8)/16777216 - 0.5 }

func (r *XorShift) floats(n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = r.float()
	}
	return v
}

func saxpyLoop() *Inputs {
	const n, iterations, a = 65536, 256, float32(0.999)
	r := XorShift(12345)
	y, x := r.floats(n), r.floats(n)
	return &Inputs{Args: []any{y, x, a, int32(iterations)}, Out: 0, Near: 1e-5, reference: func(out *output) error {
		for i := range n {
			acc := y[i]
			for range iterations {
				acc = fma32(acc, a, x[i])
			}
			if err := same(out, i, acc); err != nil {
				return err
			}
		}
		return nil
	}}
}

// fma32 is the correctly rounded a*b + c: the product is exact in float64, and
// rounding the sum to odd first makes the second rounding harmless.
func fma32(a, b, c float32) float32 {
	p, s := float64(a)*float64(b), 0.0
	s = p + float64(c)
	t := s - p
	e := (p - (s - t)) + (float64(c) - t)
	if bits := math.Float64bits(s); e != 0 && bits&1 == 0 {
		if (e > 0) == (s > 0) {
			s = math.Float64frombits(bits + 1)
		} else {
			s = math.Float64frombits(bits - 1)
		}
	}
	return float32(s)
}

func vecadd() *Inputs {
	const n = 1 << 20
	r := XorShift(12345)
	a, b := r.floats(n), r.floats(n)
	return &Inputs{Args: []any{a, b, make([]float32, n)}, Out: 2, reference: func(out *output) error {
		for i := range n {
			if err := same(out, i, a[i]+b[i]); err != nil {
				return err
			}
		}
		return nil
	}}
}

func matmul() *Inputs {
	const n = 256
	r := XorShift(12345)
	a, b := r.floats(n*n), r.floats(n*n)
	return &Inputs{Args: []any{a, b, make([]float32, n*n), int32(n)}, Out: 2, Near: 1e-4, reference: func(out *output) error {
		for row := range n {
			for col := range n {
				acc := float32(0)
				for k := range n {
					acc = fma32(a[row*n+k], b[k*n+col], acc)
				}
				if err := same(out, row*n+col, acc); err != nil {
					return err
				}
			}
		}
		return nil
	}}
}

func reduce() *Inputs {
	const n = 1 << 20
	r := XorShift(12345)
	in := make([]int32, n)
	for i := range in {
		in[i] = int32(r.Next()%1000) - 500
	}
	return &Inputs{Args: []any{in, make([]int32, n/256)}, Out: 1, reference: func(out *output) error {
		for b := range n / 256 {
			sum := int32(0)
			for _, v := range in[b*256 : (b+1)*256] {
				sum += v
			}
			if err := same(out, b, sum); err != nil {
				return err
			}
		}
		return nil
	}}
}

func histogram() *Inputs {
	const n = 1 << 20
	r := XorShift(12345)
	in := make([]uint32, n)
	var bins [256]uint32
	for i := range in {
		in[i] = r.Next()
		bins[in[i]&255]++
	}
	return &Inputs{Args: []any{in, make([]uint32, 256), int32(16)}, Out: 1, reference: func(out *output) error {
		for i, want := range bins {
			if err := same(out, i, want); err != nil {
				return err
			}
		}
		return nil
	}}
}

func mandelbrot() *Inputs {
	const w, h, limit = 512, 512, 256
	return &Inputs{Args: []any{make([]int32, w*h), int32(w), int32(h), int32(limit)}, Out: 0, Few: w * h / 200, reference: func(out *output) error {
		for py := range h {
			for px := range w {
				// Rounded like the PTX, which contracts nothing except the fma.
				cx := float32(float32(float32(px)*3)/w) - 2
				cy := float32(float32(float32(py)*3)/h) - 1.5
				var zx, zy float32
				it := int32(0)
				for it < limit {
					x2, y2 := float32(zx*zx), float32(zy*zy)
					if float32(y2+x2) > 4 {
						break
					}
					zy = fma32(zx+zx, zy, cy)
					zx = cx + float32(x2-y2)
					it++
				}
				if err := same(out, py*w+px, it); err != nil {
					return err
				}
			}
		}
		return nil
	}}
}

func collatz() *Inputs {
	const n = 65536
	return &Inputs{Args: []any{make([]uint32, n)}, Out: 0, reference: func(out *output) error {
		for i := range n {
			steps := uint32(0)
			for v := uint32(i + 1); v != 1; steps++ {
				if v&1 != 0 {
					v = 3*v + 1
				} else {
					v >>= 1
				}
			}
			if err := same(out, i, steps); err != nil {
				return err
			}
		}
		return nil
	}}
}

func nbody() *Inputs {
	const n, eps2 = 2048, float32(0.01)
	r := XorShift(12345)
	pos := r.floats(4 * n)
	for i := 3; i < len(pos); i += 4 {
		pos[i] = 0.5 + float32(math.Abs(float64(pos[i])))
	}
	return &Inputs{Args: []any{pos, make([]float32, 4*n), int32(n), eps2}, Out: 1, Near: 4e-3, reference: func(out *output) error {
		for i := range n {
			p := pos[4*i : 4*i+4]
			var acc [3]float32
			for j := range n {
				q := pos[4*j : 4*j+4]
				dx, dy, dz := q[0]-p[0], q[1]-p[1], q[2]-p[2]
				r2 := fma32(dx, dx, fma32(dy, dy, fma32(dz, dz, eps2)))
				inv := 1 / float32(math.Sqrt(float64(r2)))
				s := float32(inv * float32(inv*float32(q[3]*inv)))
				acc[0], acc[1], acc[2] = fma32(s, dx, acc[0]), fma32(s, dy, acc[1]), fma32(s, dz, acc[2])
			}
			for c, want := range acc {
				if err := same(out, 4*i+c, want); err != nil {
					return err
				}
			}
		}
		return nil
	}}
}

func transpose() *Inputs {
	const n = 1024
	r := XorShift(12345)
	in := r.floats(n * n)
	return &Inputs{Args: []any{in, make([]float32, n*n), int32(n)}, Out: 1, reference: func(out *output) error {
		for row := range n {
			for col := range n {
				if err := same(out, col*n+row, in[row*n+col]); err != nil {
					return err
				}
			}
		}
		return nil
	}}
}
