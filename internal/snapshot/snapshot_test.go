package snapshot

import (
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"reflect"
	"runtime"
	"sync/atomic"
	"testing"
	"unsafe"
)

// machine has one of each kind of thing that leads to others.
type machine struct {
	name   string
	count  int
	memory []byte
	part   []byte // of memory
	nodes  []*node
	inline [3]node
	wide   []*[40]node // large objects
	first  *int        // count
	byName map[string]*node
	sizes  map[int]node
	any    any
	boxed  any // a pair
	atom   atomic.Pointer[node]
	nested struct{ deep *node }
	code   *program
	own    owner
}

type node struct {
	value int
	next  *node
	list  []int
}

type pair struct {
	left, right *node
}

// program is shared.
type program struct{ runs int }

// owner has memory that its type does not show.
type owner struct {
	at   *byte
	size int
}

// Owned implements Owner.
func (o *owner) Owned() []byte { return unsafe.Slice(o.at, o.size) }

func newMachine() *machine {
	m := &machine{name: "m", memory: make([]byte, 3*pageBytes+5), byName: map[string]*node{}, sizes: map[int]node{}, code: new(program)}
	m.part, m.first = m.memory[pageBytes:][:100], &m.count
	for i := range 5 {
		n := &node{value: i, list: []int{i, i}}
		if i > 0 {
			n.next = m.nodes[i-1]
		}
		m.nodes = append(m.nodes, n)
		m.byName[fmt.Sprint(i)] = n
		m.sizes[i] = node{value: i, next: &node{value: 100 + i}}
	}
	m.nodes[0].next = m.nodes[4] // a cycle
	m.any, m.boxed, m.nested.deep = m.nodes[2], pair{&node{value: 7}, m.nodes[1]}, &node{value: 9}
	m.atom.Store(&node{value: 11})
	for range 3 {
		m.wide = append(m.wide, new([40]node))
	}
	owned := make([]byte, 300)
	m.own = owner{&owned[0], len(owned)}
	return m
}

var seed = maphash.MakeSeed()

// text shows everything that a snapshot holds.
func (m *machine) text() string {
	text := fmt.Sprint(m.name, m.count, maphash.Bytes(seed, m.memory), maphash.Bytes(seed, m.part), *m.first, m.own.Owned())
	for _, n := range m.nodes {
		text += fmt.Sprint(" ", n.value, n.next.value, n.list)
	}
	for _, w := range m.wide {
		for _, n := range w {
			if text += fmt.Sprint(n.value, n.list); n.next != nil {
				text += fmt.Sprint(n.next.value)
			}
		}
	}
	for i := range 100 {
		if n := m.byName[fmt.Sprint(i)]; n != nil {
			text += fmt.Sprint(" ", i, n.value)
		}
		if n, ok := m.sizes[i]; ok {
			text += fmt.Sprint(" ", i, n.value, n.next.value)
		}
	}
	p := m.boxed.(pair)
	return text + fmt.Sprint(m.inline[1].value, m.any.(*node).value, p.left.value, p.right.value, m.atom.Load().value, m.nested.deep.value)
}

// change changes something.
func (m *machine) change(r *rand.Rand) {
	switch v := r.IntN(1000); v % 18 {
	case 0:
		m.name, m.count = fmt.Sprint(v), v
	case 1:
		m.memory[r.IntN(len(m.memory))]++
	case 2:
		m.part[r.IntN(len(m.part))]++
	case 3:
		m.nodes = append(m.nodes, &node{value: v, next: m.nodes[0]})
	case 4:
		m.nodes[r.IntN(len(m.nodes))].value = v
	case 5:
		m.nodes = m.nodes[:max(2, len(m.nodes)-1)]
	case 6:
		m.byName[fmt.Sprint(v%100)] = m.nodes[0]
	case 7:
		delete(m.byName, fmt.Sprint(v%100))
		m.sizes[v%100] = node{value: v, next: &node{value: v}}
	case 8:
		m.sizes = map[int]node{3: {value: v, next: m.nodes[1]}}
	case 9:
		m.any, m.inline[1] = &node{value: v}, node{value: v}
	case 10:
		m.boxed.(pair).left.value = v
	case 11:
		m.atom.Store(&node{value: v})
	case 12:
		m.own.Owned()[r.IntN(300)]++
	case 13:
		m.memory = append([]byte(nil), m.memory...)
	case 14, 15, 16:
		n := &m.wide[r.IntN(len(m.wide))][r.IntN(40)]
		*n = node{value: v, next: n.next, list: n.list}
		if v%3 == 0 {
			n.next = &node{value: -v}
		}
		if v%7 == 0 {
			n.list = make([]int, v%5+1)
		}
	case 17:
		m.nested.deep.value++
		m.nodes[1].list = append(m.nodes[1].list, v)
	}
}

func newTestStore() *Store {
	return NewStore(func(t reflect.Type) bool { return t == reflect.TypeFor[program]() })
}

// TestRestorePutsAllBack changes a state at random, takes snapshots, and restores them in any order.
func TestRestorePutsAllBack(t *testing.T) {
	for n := range uint64(20) {
		r, s, m := rand.New(rand.NewPCG(n, 0)), newTestStore(), newMachine()
		var taken []*Snapshot
		var want []string
		var last *Snapshot
		for range 100 {
			for range r.IntN(8) {
				m.change(r)
			}
			m.code.runs++
			if r.IntN(3) == 0 || len(taken) == 0 {
				last = s.Take(last, &m)
				taken, want = append(taken, last), append(want, m.text())
				continue
			}
			runtime.KeepAlive(m)
			if r.IntN(60) == 0 {
				runtime.GC()
			}
			i := r.IntN(len(taken))
			taken[i].Restore()
			last = taken[i]
			if got := m.text(); got != want[i] {
				t.Fatalf("seed %d: after restoring snapshot %d:\n%s\nwant\n%s", n, i, got, want[i])
			}
		}
		if m.code.runs != 100 {
			t.Errorf("a shared object was restored: %d runs", m.code.runs)
		}
		for _, of := range taken {
			s.Drop(of)
		}
		if s.Bytes() != 0 {
			t.Errorf("%d bytes are left after all snapshots were dropped", s.Bytes())
		}
	}
}

// TestSnapshotsShareWhatIsUnchanged: a second snapshot of a large memory needs only the page that has changed.
func TestSnapshotsShareWhatIsUnchanged(t *testing.T) {
	memory := make([]byte, 1000*pageBytes)
	for i := range memory {
		memory[i] = byte(i)
	}
	s := newTestStore()
	first := s.Take(nil, &memory)
	before := s.Bytes()
	memory[5*pageBytes]++
	s.Take(first, &memory)
	const most = pageBytes + 1001*16 + 200
	if more := s.Bytes() - before; more > most {
		t.Errorf("the second snapshot needs %d bytes, want at most %d", more, most)
	}
}

// TestSnapshotsHoldWordsThatDiffer: a snapshot after a word of each of many large objects has changed needs little more
// memory than these words, whether they are pointers or not.
func TestSnapshotsHoldWordsThatDiffer(t *testing.T) {
	all, s := make([]*[40]node, 100), newTestStore()
	for i := range all {
		all[i] = new([40]node)
	}
	first := s.Take(nil, &all)
	full, last := s.Bytes(), first
	for i := range all {
		all[i][i%40].value, all[i][39].next = i+1, &all[i][i%40]
	}
	last = s.Take(first, &all)
	part, objects := s.Bytes()-full, int64(len(last.objects))
	if most := objects*(objectBytes+keptBytes+differenceBytes) + 100*(2*wordBytes+pointerBytes); part > most || most > full/4 {
		t.Errorf("the second snapshot needs %d bytes, want at most %d of %d", part, most, full)
	}
	again := s.Take(last, &all)
	if more := s.Bytes() - full - part; more > objects*objectBytes {
		t.Errorf("a snapshot after no change needs %d bytes, want at most %d", more, objects*objectBytes)
	}
	s.Drop(first)
	s.Drop(last)
	all[3][3], all[4] = node{value: 1}, new([40]node)
	again.Restore()
	for i := range all {
		if n := all[i][i%40]; n.value != i+1 || all[i][39].next != &all[i][i%40] {
			t.Fatalf("object %d has %d and %p after it was restored", i, n.value, all[i][39].next)
		}
	}
}

// TestLimitRefusesSnapshots: a snapshot that needs more memory than is allowed is not taken, and leaves nothing.
func TestLimitRefusesSnapshots(t *testing.T) {
	memory, s := make([]byte, 1000*pageBytes), newTestStore()
	for i := range memory {
		memory[i] = byte(i)
	}
	s.Limit = 999 * pageBytes
	if s.Take(nil, &memory) != nil || s.Bytes() != 0 {
		t.Errorf("a snapshot of %d bytes was taken with a limit of %d; %d bytes are left", len(memory), s.Limit, s.Bytes())
	}
	s.Limit = 1100 * pageBytes
	if s.Take(nil, &memory) == nil {
		t.Errorf("no snapshot of %d bytes was taken with a limit of %d", len(memory), s.Limit)
	}
}
