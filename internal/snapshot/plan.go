package snapshot

import (
	"reflect"
	"strings"
	"unsafe"
)

// owning is a type with a pointer to more memory than the type of the pointer says: *T has the method.
type owning interface {
	// Owned returns that memory, in which there are no pointers.
	Owned() []byte
}

var (
	ownerType = reflect.TypeFor[owning]()
	byteType  = reflect.TypeFor[byte]()
)

// plan has the places of a type that lead to other objects.
type plan struct {
	typ      reflect.Type
	pointers bool // the garbage collector finds pointers in it
	refs     []ref
	words    []bool // with pointers: which words of 8 bytes are pointers
}

// ref is something in an object, at an offset, that leads to others.
type ref struct {
	off  uintptr
	kind reflect.Kind // Pointer, Slice, Map, Interface, or Invalid for an Owner
	typ  reflect.Type // of the map, interface or Owner
	plan *plan        // of the target of a pointer or slice
}

// plan returns the plan of a type.
func (s *Store) plan(t reflect.Type) *plan {
	if p := s.plans[t]; p != nil {
		return p
	}
	p := &plan{typ: t, pointers: hasPointers(t)}
	s.plans[t] = p
	p.refs = s.refs(nil, t, 0)
	if p.pointers {
		p.words = make([]bool, t.Size()/wordBytes)
		pointerWords(p.words, t, 0)
	}
	return p
}

// refs appends the places of a type that lead to other objects.
func (s *Store) refs(to []ref, t reflect.Type, off uintptr) []ref {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		if !s.shared(t.Elem()) && t.Elem().Size() > 0 {
			to = append(to, ref{off: off, kind: t.Kind(), plan: s.plan(t.Elem())})
		}
	case reflect.Map, reflect.Interface:
		if !s.shared(t) {
			to = append(to, ref{off: off, kind: t.Kind(), typ: t})
		}
	case reflect.Array:
		one := s.refs(nil, t.Elem(), 0)
		for i := 0; len(one) > 0 && i < t.Len(); i++ {
			for _, r := range one {
				r.off += off + uintptr(i)*t.Elem().Size()
				to = append(to, r)
			}
		}
	case reflect.Struct:
		return s.refsOfStruct(to, t, off)
	}
	return to
}

func (s *Store) refsOfStruct(to []ref, t reflect.Type, off uintptr) []ref {
	if elem, ok := atomicPointer(t); ok {
		if !s.shared(elem) {
			to = append(to, ref{off: off + t.Field(t.NumField()-1).Offset, kind: reflect.Pointer, plan: s.plan(elem)})
		}
		return to
	}
	if s.shared(t) {
		return to
	}
	s.plan(t) // for Types
	if reflect.PointerTo(t).Implements(ownerType) {
		to = append(to, ref{off: off, kind: reflect.Invalid, typ: t})
	}
	for i := range t.NumField() {
		f := t.Field(i)
		to = s.refs(to, f.Type, off+f.Offset)
	}
	return to
}

// atomicPointer returns T of an atomic.Pointer[T].
func atomicPointer(t reflect.Type) (elem reflect.Type, ok bool) {
	if t.PkgPath() != "sync/atomic" || !strings.HasPrefix(t.Name(), "Pointer[") {
		return nil, false
	}
	return t.Field(0).Type.Elem().Elem(), true // it begins with a [0]*T
}

// hasPointers reports whether the garbage collector finds pointers in a type.
func hasPointers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface, reflect.Func, reflect.Chan, reflect.String, reflect.UnsafePointer:
		return true
	case reflect.Array:
		return t.Len() > 0 && hasPointers(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if hasPointers(t.Field(i).Type) {
				return true
			}
		}
	}
	return false
}

// visit is something that was reached.
type visit struct {
	at   unsafe.Pointer
	plan *plan
}

// work is objects of a plan's type, one after the other, to be copied.
type work struct {
	at   unsafe.Pointer
	plan *plan
	n    int
}

// taking is a call of Store.Take.
type taking struct {
	*Store
	to, before *Snapshot
	visited    map[visit]int // how many objects of the type are from there on
	work       []work
	near       int // index in before of the next object, if nothing has changed
}

// reach notes that n objects of a type, one after the other, are to be copied.
func (t *taking) reach(at unsafe.Pointer, p *plan, n int) {
	if at == nil || n == 0 || p.typ.Size() == 0 || t.visited[visit{at, p}] >= n {
		return
	}
	t.visited[visit{at, p}] = n
	t.work = append(t.work, work{at, p, n})
}

// copy copies objects, and reaches for those to which they lead.
func (t *taking) copy(w work) {
	size := w.plan.typ.Size()
	bytes := unsafe.Slice((*byte)(w.at), size*uintptr(w.n))
	switch {
	case w.plan.typ.Kind() == reflect.Map:
		return // copied when it was found
	case !w.plan.pointers:
		t.keepPages(bytes)
		return
	}
	t.keepObjects(w, bytes)
	for i := range uintptr(w.n) {
		t.follow(w.plan, unsafe.Add(w.at, i*size))
	}
}

// follow visits the objects that an object leads to.
func (t *taking) follow(p *plan, at unsafe.Pointer) {
	for i := range p.refs {
		r := &p.refs[i]
		field := unsafe.Add(at, r.off)
		switch r.kind {
		case reflect.Pointer:
			t.reach(*(*unsafe.Pointer)(field), r.plan, 1)
		case reflect.Slice:
			t.reach(*(*unsafe.Pointer)(field), r.plan, len(*(*[]struct{})(field)))
		case reflect.Map:
			t.keepMap(*(*unsafe.Pointer)(field), r.typ)
		case reflect.Interface:
			t.followInterface(reflect.NewAt(r.typ, field).Elem().Elem())
		default:
			owned := reflect.NewAt(r.typ, field).Interface().(owning).Owned()
			t.reach(unsafe.Pointer(unsafe.SliceData(owned)), t.plan(byteType), len(owned))
		}
	}
}

// followInterface visits the objects that the value in an interface leads to. The value itself never changes.
func (t *taking) followInterface(v reflect.Value) {
	switch {
	case !v.IsValid() || t.shared(v.Type()):
	case v.Kind() == reflect.Pointer:
		if !t.shared(v.Type().Elem()) {
			t.reach(v.UnsafePointer(), t.plan(v.Type().Elem()), 1)
		}
	default:
		t.followCopy(v)
	}
}

// followCopy is follow for a value that has no address.
func (t *taking) followCopy(v reflect.Value) {
	if p := t.plan(v.Type()); len(p.refs) > 0 {
		held := reflect.New(v.Type())
		held.Elem().Set(v)
		t.follow(p, held.UnsafePointer())
	}
}

// keepPages copies memory without pointers.
func (t *taking) keepPages(bytes []byte) {
	pages := t.plan(byteType)
	for len(bytes) > 0 {
		page := bytes[:min(len(bytes), pageBytes)]
		bytes = bytes[len(page):]
		at := unsafe.Pointer(unsafe.SliceData(page))
		k := t.known(at, page, pages)
		if k == nil && len(page) == pageBytes && same(at, zeros.bytes) {
			k = zeros
		}
		if k == nil {
			k = &kept{bytes: append([]byte(nil), page...)}
			t.bytes += k.cost()
		}
		t.add(at, k)
		if t.Limit > 0 && t.bytes > t.Limit {
			return
		}
	}
}

// keepObjects copies objects that have pointers.
func (t *taking) keepObjects(w work, bytes []byte) {
	k := t.known(w.at, bytes, w.plan)
	if k == nil {
		held := reflect.MakeSlice(reflect.SliceOf(w.plan.typ), w.n, w.n)
		reflect.Copy(held, reflect.SliceAt(w.plan.typ, w.at, w.n))
		k = &kept{bytes: unsafe.Slice((*byte)(held.UnsafePointer()), len(bytes)), value: held}
		t.bytes += k.cost()
	}
	t.add(w.at, k)
}

// keepMap copies a map, and visits the objects that its values lead to.
func (t *taking) keepMap(at unsafe.Pointer, typ reflect.Type) {
	if at == nil || t.visited[visit{at, t.plan(typ)}] > 0 {
		return
	}
	t.visited[visit{at, t.plan(typ)}] = 1
	m := mapAt(&at, typ)
	held := reflect.MakeMapWithSize(typ, m.Len())
	for each := m.MapRange(); each.Next(); {
		held.SetMapIndex(each.Key(), each.Value())
		t.followCopy(each.Key())
		t.followCopy(each.Value())
	}
	k := &kept{value: held}
	t.bytes += k.cost()
	t.add(at, k)
}

// known returns the copy of an object in the snapshot before, if it has not changed since, or what differs from that
// copy, if that is little. Otherwise it returns nil.
func (t *taking) known(at unsafe.Pointer, contents []byte, p *plan) *kept {
	i, k := t.before.find(at, t.near)
	t.near = i
	if k == nil || len(k.bytes) != len(contents) || k.value.IsValid() != p.pointers || p.pointers && k.value.Type().Elem() != p.typ {
		return nil
	}
	base := k
	if k.diff != nil {
		base = k.diff.base
	} else if same(at, k.bytes) {
		return k
	}
	d := &t.differ
	d.base = base
	switch {
	case len(contents) < leastDiffering || !d.compare(p, contents):
		return nil
	case k.diff != nil && k.diff.equals(d):
		return k
	}
	if base != zeros {
		base.users++
	}
	k = &kept{bytes: base.bytes, value: base.value, diff: d.clone()}
	t.bytes += k.cost()
	return k
}

func (t *taking) add(at unsafe.Pointer, k *kept) {
	if k != zeros {
		k.users++
	}
	t.near++
	t.to.objects = append(t.to.objects, object{at, k})
}
