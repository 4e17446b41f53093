package workloads

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// Irregular are workloads with loops whose trip counts come from memory, in warps that end after some hundred
// instructions.
var Irregular = Set{"irregular", "irregular.ptx", []Workload{
	{Name: "bfs", Grid: plane(256, 1), Block: plane(256, 1), inputs: bfs, Launches: bfsLevels},
	{Name: "hash_insert", Grid: plane(1024, 1), Block: plane(256, 1), inputs: hashInsert},
	{Name: "list_walk", Grid: plane(16, 1), Block: plane(256, 1), inputs: listWalk},
	{Name: "rays", Grid: plane(256, 1), Block: plane(256, 1), inputs: rays},
}}

// none marks a vertex that was not reached, the end of a list, and a ray that hits nothing.
const none = math.MaxUint32

// bfsLevels is the number of levels of the graph of bfs.
const bfsLevels = 7

// bfs searches a graph of 1 M edges between random vertices from vertex 0.
func bfs() *Inputs {
	const vertices, edges = 1 << 16, 1 << 20
	r := XorShift(12345)
	start, to := make([]uint32, vertices+1), make([]uint32, edges)
	from := make([]uint32, edges)
	for i := range from {
		from[i], to[i] = r.Next()%vertices, r.Next()%vertices
		start[from[i]+1]++
	}
	slices.Sort(from)
	for v := range vertices {
		start[v+1] += start[v]
	}
	distance, queue, sizes := make([]uint32, vertices), make([]uint32, 2*vertices), make([]uint32, bfsLevels+1)
	for v := 1; v < vertices; v++ {
		distance[v] = none
	}
	sizes[0] = 1
	return &Inputs{Args: []any{start, to, distance, queue, sizes, int32(vertices), int32(0)}, Out: 2, reference: func(out *output) error {
		want := slices.Clone(distance)
		for now := []uint32{0}; len(now) > 0; now = now[1:] {
			for _, v := range to[start[now[0]]:start[now[0]+1]] {
				if want[v] == none {
					want[v] = want[now[0]] + 1
					now = append(now, v)
				}
			}
		}
		for v, d := range want {
			if err := same(out, v, d); err != nil {
				return err
			}
		}
		return nil
	}}
}

// hashInsert fills half of a table. Some of the keys occur twice.
func hashInsert() *Inputs {
	const n, places = 1 << 18, 1 << 19
	r := XorShift(12345)
	keys := make([]uint32, n)
	for i := range keys {
		keys[i] = 1 + r.Next()%(8*n)
	}
	return &Inputs{Args: []any{keys, make([]uint32, places), int32(places - 1)}, Out: 1, reference: func(out *output) error {
		held := 0
		for i := range places {
			if out.word(i) != 0 {
				held++
			}
		}
		different := slices.Clone(keys)
		slices.Sort(different)
		if want := len(slices.Compact(different)); held != want {
			return fmt.Errorf("the table has %d keys, want %d", held, want)
		}
		for _, key := range keys {
			at := key * 2654435769 >> 8
			for ; out.word(int(at%places)) != uint64(key); at++ {
				if out.word(int(at%places)) == 0 {
					return fmt.Errorf("the table does not have %d", key)
				}
			}
		}
		return nil
	}}
}

// listWalk has lists of up to 63 nodes, which are anywhere in memory.
func listWalk() *Inputs {
	const lists, nodes = 1 << 14, 1 << 19
	r := XorShift(12345)
	free := make([]uint32, nodes)
	for i := range free {
		free[i] = uint32(i)
		j := r.Next() % uint32(i+1)
		free[i], free[j] = free[j], free[i]
	}
	heads, next, value := make([]uint32, lists), make([]uint32, nodes), make([]uint32, nodes)
	want := make([]uint32, lists)
	for list := range heads {
		heads[list] = none
		for range min(r.Next()%64, uint32(len(free))) {
			node := free[0]
			free = free[1:]
			value[node] = r.Next()
			want[list] += value[node]
			next[node], heads[list] = heads[list], node
		}
	}
	return &Inputs{Args: []any{heads, next, value, make([]uint32, lists), make([]uint32, 1), int32(lists)}, Out: 3, reference: func(out *output) error {
		for i, sum := range want {
			if err := same(out, i, sum); err != nil {
				return err
			}
		}
		return nil
	}}
}

// box is a bounding box: its lower and its upper corner.
type box [6]float32

// tree is a tree of bounding boxes; see rays in irregular.cu.
type tree struct {
	bounds   []box
	children []int32
}

// build builds node at of the tree for boxes in order, split in the middle along the axes in turn.
func (t *tree) build(at int, boxes []box, order []uint32, axis int) {
	t.bounds[at] = boxes[order[0]]
	for _, i := range order {
		for c := range 3 {
			t.bounds[at][c], t.bounds[at][c+3] = min(t.bounds[at][c], boxes[i][c]), max(t.bounds[at][c+3], boxes[i][c+3])
		}
	}
	if len(order) == 1 {
		t.children[at] = ^int32(order[0])
		return
	}
	slices.SortFunc(order, func(a, b uint32) int {
		switch x, y := boxes[a][axis], boxes[b][axis]; {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	child := len(t.bounds)
	t.bounds, t.children = append(t.bounds, box{}, box{}), append(t.children, 0, 0)
	t.children[at] = int32(child)
	half := len(order) / 2
	t.build(child, boxes, order[:half], (axis+1)%3)
	t.build(child+1, boxes, order[half:], (axis+1)%3)
}

// rays looks at 1,024 boxes through a window of 256 x 256 pixels.
func rays() *Inputs {
	const n, width, ox, oy = 1 << 10, 256, float32(0.4567), float32(0.5432)
	r := XorShift(12345)
	boxes, order := make([]box, n), make([]uint32, n)
	for i := range boxes {
		b := &boxes[i]
		for c := range 3 {
			b[c] = 2 * r.float()
			b[c+3] = b[c] + 0.01 + 0.05*(r.float()+0.5)
		}
		b[2], b[5] = b[2]+2, b[5]+2
		order[i] = uint32(i)
	}
	t := &tree{make([]box, 1), make([]int32, 1)}
	t.build(0, boxes, order, 0)
	bounds := make([]float32, 0, 6*len(t.bounds))
	for _, b := range t.bounds {
		bounds = append(bounds, b[:]...)
	}
	return &Inputs{Args: []any{bounds, t.children, make([]uint32, width*width), ox, oy, int32(width)}, Out: 2, reference: func(out *output) error {
		for i := range width * width {
			dx, dy := 1/(float32(i%width)/width-ox), 1/(float32(i/width)/width-oy)
			best, hit := float32(3e38), uint32(none)
			for k, b := range boxes {
				x0, x1, y0, y1 := (b[0]-ox)*dx, (b[3]-ox)*dx, (b[1]-oy)*dy, (b[4]-oy)*dy
				near := max(min(x0, x1), min(y0, y1), b[2])
				if far := min(max(x0, x1), max(y0, y1), b[5]); near <= far && near < best {
					best, hit = near, uint32(k)
				}
			}
			if err := same(out, i, hit); err != nil {
				return err
			}
		}
		return nil
	}}
}

// SetLaunch prepares launch number n of a workload, if it has several: the last argument is n.
func (p *Prepared) SetLaunch(n int) {
	if p.launches <= 1 {
		return
	}
	at := len(p.Launch.Params) - 4
	binary.LittleEndian.PutUint32(p.Launch.Params[at:], uint32(n))
}
