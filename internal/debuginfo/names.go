package debuginfo

import (
	"cmp"
	"debug/dwarf"
	"slices"
	"strings"
)

// outsides returns, for each mark, the number of the mark around it; -1 if there is none.
func (i *Info) outsides() []int32 {
	if i.around != nil {
		return i.around
	}
	i.around = make([]int32, len(i.marks))
	at := int32(-1)
	for n := range i.marks {
		m := &i.marks[n]
		i.around[n] = at
		switch {
		case m.tag == 0 && at >= 0:
			at = i.around[at]
		case m.children:
			at = int32(n)
		}
	}
	return i.around
}

// outside returns the namespaces and classes around the entry at an offset, each with "::" after it. Namespaces without
// a name have none.
func (i *Info) outside(at dwarf.Offset) string {
	n, found := slices.BinarySearchFunc(i.marks, at, func(m mark, at dwarf.Offset) int { return cmp.Compare(m.at, at) })
	if !found {
		return ""
	}
	var names []string
	for k := i.outsides()[n]; k >= 0; k = i.around[k] {
		switch i.marks[k].tag {
		case dwarf.TagNamespace, dwarf.TagStructType, dwarf.TagClassType, dwarf.TagUnionType:
			if name := i.nameAt(i.marks[k].at); name != "" {
				names = append(names, name+"::")
			}
		}
	}
	slices.Reverse(names)
	return strings.Join(names, "")
}

// classWord begins the name of an enum class in debug information of simtrun cc, because DWARF 2, which clang writes
// for PTX, does not tell it from other enumerations.
const classWord = "class "

// enumClass is the attribute of an enum class from DWARF 4 on.
const enumClass = dwarf.Attr(0x6d)

func cutClass(name string) (string, bool) { return strings.CutPrefix(name, classWord) }

// qualified returns the name of the entry at an offset with the namespaces and classes around it; "" if it has none.
func (i *Info) qualified(at dwarf.Offset) string {
	name, _ := cutClass(i.nameAt(at))
	if name == "" {
		return ""
	}
	return i.outside(at) + name
}

// nameAt returns the name that the entry at an offset has itself.
func (i *Info) nameAt(at dwarf.Offset) string {
	e := i.Entry(at)
	if e == nil {
		return ""
	}
	name, _ := e.Val(dwarf.AttrName).(string)
	return name
}

// qualifiedOf returns the qualified name of a variable that is defined outside functions: a member of a class is
// declared there and defined outside.
func (i *Info) qualifiedOf(e *dwarf.Entry) string {
	if at, ok := e.Val(dwarf.AttrSpecification).(dwarf.Offset); ok {
		return i.qualified(at)
	}
	return i.qualified(e.Offset)
}

// Match says how well a qualified name is meant by one that was typed inside a function: 0 if it is not, and more for
// the namespaces and classes around the function, the innermost most. One that is in none of them is meant last.
func Match(qualified, typed, function string) int {
	if rooted, ok := strings.CutPrefix(typed, "::"); ok {
		return map[bool]int{true: 1}[qualified == rooted]
	}
	before, ok := strings.CutSuffix(qualified, typed)
	switch {
	case !ok || before != "" && !strings.HasSuffix(before, "::"):
		return 0
	case before == "" || strings.HasPrefix(function, before):
		return 2 + len(before)
	}
	return 1
}

// TypeNamed returns the type of that name, which may stand after struct, class, union or enum; nil if there is none.
func (i *Info) TypeNamed(name string) *Type {
	for _, word := range []string{"struct ", "class ", "union ", "enum ", "::"} {
		name = strings.TrimPrefix(name, word)
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.findNames()
	if at, ok := i.named.types[name]; ok {
		return i.typeAt(at)
	}
	return nil
}

// Enumerator returns the value of a name of an enumeration, and its type.
func (i *Info) Enumerator(name string) (n int64, t *Type, ok bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.findNames()
	short := lastName(name)
	for _, at := range i.named.enumerators[short] {
		of := i.typeAt(at)
		for _, v := range of.Values {
			// An enumerator may be written with the name of its type, too, if that is not an enum class.
			if lastName(v.Name) == short && (Match(v.Name, name, "") > 0 || Match(of.Name+"::"+short, name, "") > 0) {
				return v.Value, of, true
			}
		}
	}
	return 0, nil, false
}

// lastName returns a name without namespaces and classes.
func lastName(name string) string { return name[strings.LastIndex(name, ":")+1:] }

// HasVariable reports whether a variable or parameter has a name.
func (i *Info) HasVariable(name string) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.findNames()
	return i.named.variables[name]
}

// names has entries by their names. Of several types with one name it has the first.
type names struct {
	types       map[string]dwarf.Offset
	enumerators map[string][]dwarf.Offset // of their types, by names that are not qualified
	variables   map[string]bool
}

// findNames fills the names at the first search.
func (i *Info) findNames() {
	if i.named.types != nil {
		return
	}
	i.named = names{make(map[string]dwarf.Offset), make(map[string][]dwarf.Offset), make(map[string]bool)}
	for _, m := range i.marks {
		switch {
		case isType(m.tag) || m.tag == dwarf.TagBaseType:
			i.findType(m.at)
		case m.tag == dwarf.TagVariable || m.tag == dwarf.TagFormalParameter:
			i.named.variables[i.nameAt(m.at)] = true
		}
		if m.tag == dwarf.TagEnumerationType {
			for _, v := range i.typeAt(m.at).Values {
				short := lastName(v.Name)
				i.named.enumerators[short] = append(i.named.enumerators[short], m.at)
			}
		}
	}
}

// findType adds a type by its name and by that of each namespace and class in front of it.
func (i *Info) findType(at dwarf.Offset) {
	short, _ := cutClass(i.nameAt(at))
	if short == "" {
		return
	}
	first := func(name string) {
		if _, known := i.named.types[name]; !known {
			i.named.types[name] = at
		}
	}
	outside := i.outside(at)
	for first(short); outside != ""; _, outside, _ = strings.Cut(outside, "::") {
		first(outside + short)
	}
}

// isType reports whether entries of a tag are types with a name.
func isType(tag dwarf.Tag) bool {
	switch tag {
	case dwarf.TagStructType, dwarf.TagClassType, dwarf.TagUnionType, dwarf.TagTypedef, dwarf.TagEnumerationType:
		return true
	}
	return false
}

// TypeNames returns the names of all types that the source declares, qualified where they are in a namespace or class.
func (i *Info) TypeNames() (all []string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.findNames()
	seen := make(map[dwarf.Offset]bool)
	for _, at := range i.named.types {
		if !seen[at] && isType(i.Entry(at).Tag) {
			all = append(all, i.qualified(at))
		}
		seen[at] = true
	}
	return all
}
