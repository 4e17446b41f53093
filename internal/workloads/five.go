package workloads

import (
	"math"
	"slices"
)

// Five are workloads that are separate from the ten: optimisations that were developed on those are also measured on
// these.
var Five = Set{"five", "five.ptx", []Workload{
	{Name: "stencil", Grid: plane(64, 64), Block: plane(16, 16), inputs: stencil},
	{Name: "softmax", Grid: plane(1024, 1), Block: plane(256, 1), inputs: softmax},
	{Name: "spmv", Grid: plane(256, 1), Block: plane(256, 1), inputs: spmv},
	{Name: "black_scholes", Grid: plane(1024, 1), Block: plane(256, 1), inputs: blackScholes},
	{Name: "hash_sort", Grid: plane(256, 1), Block: plane(256, 1), inputs: hashSort},
}}

func stencil() *Inputs {
	const n, centre, side = 1024, float32(0.6), float32(0.1)
	r := XorShift(12345)
	in := r.floats(n * n)
	at := func(y, x int) float32 {
		if y < 0 || y == n || x < 0 || x == n {
			return 0
		}
		return in[y*n+x]
	}
	return &Inputs{Args: []any{in, make([]float32, n*n), int32(n), centre, side}, Out: 1, Near: 1e-6, reference: func(out *output) error {
		for y := range n {
			for x := range n {
				sides := at(y, x-1) + at(y, x+1) + at(y-1, x) + at(y+1, x)
				if err := same(out, y*n+x, fma32(centre, at(y, x), float32(side*sides))); err != nil {
					return err
				}
			}
		}
		return nil
	}}
}

func softmax() *Inputs {
	const rows, columns = 1024, 1024
	r := XorShift(12345)
	in := r.floats(rows * columns)
	for i := range in {
		in[i] *= 16
	}
	return &Inputs{Args: []any{in, make([]float32, rows*columns), int32(columns)}, Out: 1, Near: 1e-7, crc: 0x5948c9b1, reference: func(out *output) error {
		e := make([]float64, columns)
		for y := range rows {
			row, sum := in[y*columns:][:columns], 0.0
			top := slices.Max(row)
			for x, v := range row {
				e[x] = math.Exp(float64(v) - float64(top))
				sum += e[x]
			}
			for x := range columns {
				if err := same(out, y*columns+x, float32(e[x]/sum)); err != nil {
					return err
				}
			}
		}
		return nil
	}}
}

// spmv's matrix has rows of 4 to 27 elements, and one in 256 has 256 more, like the busiest pages of the web. Half of
// the elements are near the diagonal.
func spmv() *Inputs {
	const n = 65536
	r := XorShift(12345)
	start := make([]uint32, 1, n+1)
	var columns []uint32
	for row := range uint32(n) {
		length := 4 + r.Next()%24
		if r.Next()%256 == 0 {
			length += 256
		}
		for range length {
			column := r.Next()
			if r.Next()%2 == 0 {
				column = row + column%64
			}
			columns = append(columns, column%n)
		}
		start = append(start, uint32(len(columns)))
	}
	doubles := func(n int) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = float64(r.Next())/(1<<32) - 0.5
		}
		return v
	}
	values, x := doubles(len(columns)), doubles(n)
	return &Inputs{Args: []any{start, columns, values, x, make([]float64, n)}, Out: 4, Near: 1e-12, reference: func(out *output) error {
		for row := range n {
			sum := 0.0
			for k := start[row]; k < start[row+1]; k++ {
				sum = math.FMA(values[k], x[columns[k]], sum)
			}
			if err := same(out, row, sum); err != nil {
				return err
			}
		}
		return nil
	}}
}

// blackScholes is compared with the distribution function itself, from which the kernel's polynomial differs by
// 7.5e-8.
func blackScholes() *Inputs {
	const n, rate, volatility = 1 << 18, float32(0.02), float32(0.3)
	r := XorShift(12345)
	between := func(low, high float32) []float32 {
		v := r.floats(n)
		for i := range v {
			v[i] = low + float32((high-low)*(v[i]+0.5))
		}
		return v
	}
	price, strike, years := between(5, 30), between(1, 100), between(0.25, 10)
	distribution := func(d float64) float64 { return math.Erfc(-d/math.Sqrt2) / 2 }
	return &Inputs{Args: []any{price, strike, years, make([]float32, 2*n), rate, volatility}, Out: 3, Near: 5e-5, crc: 0x66900552, reference: func(out *output) error {
		for i := range n {
			s, x, t, v := float64(price[i]), float64(strike[i]), float64(years[i]), float64(volatility)
			d1 := (math.Log(s/x) + (float64(rate)+v*v/2)*t) / (v * math.Sqrt(t))
			d2, now := d1-v*math.Sqrt(t), x*math.Exp(-float64(rate)*t)
			call, put := s*distribution(d1)-now*distribution(d2), now*distribution(-d2)-s*distribution(-d1)
			if err := same(out, 2*i, float32(call)); err != nil {
				return err
			}
			if err := same(out, 2*i+1, float32(put)); err != nil {
				return err
			}
		}
		return nil
	}}
}

func hashSort() *Inputs {
	const blocks, each = 256, 512
	r := XorShift(12345)
	ids := make([]uint64, blocks*each)
	for i := range ids {
		ids[i] = uint64(r.Next())<<32 | uint64(r.Next())
	}
	hash := func(k uint64) uint64 { // the finaliser of MurmurHash3
		k = (k ^ k>>33) * 0xff51afd7ed558ccd
		k = (k ^ k>>33) * 0xc4ceb9fe1a85ec53
		return k ^ k>>33
	}
	return &Inputs{Args: []any{ids, make([]uint64, len(ids))}, Out: 1, reference: func(out *output) error {
		keys := make([]uint64, each)
		for b := range blocks {
			for i := range keys {
				keys[i] = hash(ids[b*each+i])
			}
			slices.Sort(keys)
			for i, key := range keys {
				if err := same(out, b*each+i, key); err != nil {
					return err
				}
			}
		}
		return nil
	}}
}
