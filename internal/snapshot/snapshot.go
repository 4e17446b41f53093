// Package snapshot copies everything that can be reached from some variables, and puts it back in place later: each
// object has its old contents at its old address, so pointers between objects, and slices of parts of them, hold as
// they did. Objects made since are no longer reached. Snapshots share the copies of what has not changed between them.
// If only a few words of a large object have changed, a snapshot holds these words and refers to an earlier copy.
//
// A state that is spread over hundreds of types of a dozen packages is so copied by one function instead of hundreds,
// none of which can forget a field. What is not to be copied is named: code, configurations, and what belongs to the
// user.
package snapshot

import (
	"reflect"
	"unsafe"
)

// Store takes snapshots, and knows how much memory these need.
type Store struct {
	// Limit is how much memory snapshots may need together, in bytes; 0 means any.
	Limit int64

	shared func(reflect.Type) bool
	plans  map[reflect.Type]*plan
	bytes  int64
	usual  int        // objects of a snapshot
	differ difference // of the object that is being copied; its memory is reused
}

// NewStore makes a Store. An object of a type for which shared returns true is not copied if a pointer or slice leads
// to it, and not followed if it is part of an object.
func NewStore(shared func(reflect.Type) bool) *Store {
	return &Store{shared: shared, plans: make(map[reflect.Type]*plan)}
}

// Bytes returns how much memory the snapshots need that were taken and not dropped.
func (s *Store) Bytes() int64 { return s.bytes }

// Types returns the types of the objects reached so far, including types that are parts of others.
func (s *Store) Types() (all []reflect.Type) {
	for t := range s.plans {
		all = append(all, t)
	}
	return all
}

// Snapshot is the contents of objects at some time.
type Snapshot struct {
	objects []object
	index   map[unsafe.Pointer]int // of the objects; nil until it is needed
}

// object is the place of an object, or of a page of one, and its contents.
type object struct {
	at   unsafe.Pointer
	kept *kept
}

// objectBytes is the memory for an object in addition to its contents.
const objectBytes = int64(unsafe.Sizeof(object{}))

// kept is a copy that snapshots may share.
type kept struct {
	users int           // snapshots, and differences from it
	bytes []byte        // the contents; those of value if that is not a map
	value reflect.Value // of contents with pointers
	diff  *difference   // nil, or where the contents differ; bytes and value are then those of its base
}

// keptBytes is the memory for a copy in addition to its contents.
const keptBytes = int64(unsafe.Sizeof(kept{}))

// pageBytes is the size of the parts in which memory without pointers is copied.
const pageBytes = 4096

// zeros is the copy of every page of zeros.
var zeros = &kept{bytes: make([]byte, pageBytes)}

// Take copies all objects that can be reached from the variables to which roots point. It shares unchanged copies with
// before, an earlier snapshot of the same variables; nil shares nothing. It returns nil if the limit does not allow it.
func (s *Store) Take(before *Snapshot, roots ...any) *Snapshot {
	t := taking{Store: s, to: new(Snapshot), before: before, visited: make(map[visit]int, s.usual)}
	if before == nil {
		t.before = new(Snapshot)
	}
	for _, root := range roots {
		v := reflect.ValueOf(root)
		t.reach(v.UnsafePointer(), t.plan(v.Type().Elem()), 1)
	}
	for len(t.work) > 0 {
		w := t.work[len(t.work)-1]
		t.work = t.work[:len(t.work)-1]
		t.copy(w)
		if s.Limit > 0 && s.bytes+int64(len(t.to.objects))*objectBytes > s.Limit {
			s.bytes += int64(len(t.to.objects)) * objectBytes
			s.Drop(t.to)
			return nil
		}
	}
	s.usual = len(t.visited)
	s.bytes += int64(len(t.to.objects)) * objectBytes
	return t.to
}

// Drop forgets a snapshot, which must not be used any more.
func (s *Store) Drop(of *Snapshot) {
	s.bytes -= int64(len(of.objects)) * objectBytes
	for _, o := range of.objects {
		s.release(o.kept)
	}
	of.objects, of.index = nil, nil
}

// release drops a use of a copy.
func (s *Store) release(k *kept) {
	if k == zeros {
		return
	}
	if k.users--; k.users > 0 {
		return
	}
	s.bytes -= k.cost()
	if k.diff != nil {
		s.release(k.diff.base)
	}
}

func (k *kept) cost() int64 {
	if k.diff != nil {
		return keptBytes + k.diff.cost()
	}
	n := int64(len(k.bytes)) + keptBytes
	if k.value.IsValid() && k.value.Kind() == reflect.Map {
		t := k.value.Type()
		n += int64(k.value.Len()) * int64(t.Key().Size()+t.Elem().Size())
	}
	return n
}

// Restore puts the contents of all objects back. Nothing may use them meanwhile.
func (of *Snapshot) Restore() {
	for _, o := range of.objects {
		k := o.kept
		switch {
		case k.value.IsValid() && k.value.Kind() == reflect.Map:
			refill(mapAt(&o.at, k.value.Type()), k.value)
		case same(o.at, k.bytes):
		case k.value.IsValid(): // it has pointers, and the garbage collector must be notified of their change
			reflect.Copy(reflect.SliceAt(k.value.Type().Elem(), o.at, k.value.Len()), k.value)
		default:
			copy(unsafe.Slice((*byte)(o.at), len(k.bytes)), k.bytes)
		}
		if k.diff != nil {
			k.diff.restore(o.at)
		}
	}
}

// mapAt returns the map of a type that a map variable points to.
func mapAt(at *unsafe.Pointer, t reflect.Type) reflect.Value {
	return reflect.NewAt(t, unsafe.Pointer(at)).Elem()
}

// refill makes a map equal to another.
func refill(m, from reflect.Value) {
	m.Clear()
	for each := from.MapRange(); each.Next(); {
		m.SetMapIndex(each.Key(), each.Value())
	}
}

// same reports whether memory has these contents.
func same(at unsafe.Pointer, contents []byte) bool {
	return string(unsafe.Slice((*byte)(at), len(contents))) == string(contents)
}

// find returns the copy of an object in the snapshot. The objects of two snapshots are mostly in the same order: near
// is where it is then.
func (of *Snapshot) find(at unsafe.Pointer, near int) (i int, k *kept) {
	if near < len(of.objects) && of.objects[near].at == at {
		return near, of.objects[near].kept
	}
	if of.index == nil {
		of.index = make(map[unsafe.Pointer]int, len(of.objects))
		for i, o := range of.objects {
			of.index[o.at] = i
		}
	}
	if i, ok := of.index[at]; ok {
		return i, of.objects[i].kept
	}
	return near, nil
}
