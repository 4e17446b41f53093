package debugger

import (
	"strings"

	"github.com/simtrun/simtrun/internal/debuginfo"
)

// captured returns a variable that a lambda captures whose code was inlined, so that there may be no object of its
// class: a member of a copy of the object that a caller has; or the caller's variable, if it is captured by reference
// or cannot have changed since. Parameters of kernels are shown as they were passed here, too.
func (s *scope) captured(class *debuginfo.Type, name string) (lvalue, bool) {
	field, _ := fieldOf(class, name)
	around := s.frames()
	for k := range around[1:] {
		in := *s
		in.outer = len(around) - 2 - k
		for _, v := range around[1+k].Vars {
			if v.Type.Bare() == class {
				if l, err := in.located(v); err == nil {
					if l, err = in.member(l, name); err == nil && in.isKnown(l) {
						return l, true
					}
				}
			}
			_, passed := in.passed(v)
			same := passed || v.Type.Kind == debuginfo.Const || field.Type.Bare().Kind == debuginfo.Reference
			if v.Name == name && same && encloses(around[1+k].Symbol, around[0].Symbol) {
				if l, err := in.located(v); err == nil {
					if l, err = in.referred(l); err == nil {
						return l, true
					}
				}
			}
		}
	}
	return lvalue{}, false
}

// isKnown reports whether a number has a place; the parts of another object may have.
func (s *scope) isKnown(l lvalue) bool {
	if !l.typ.IsScalar() {
		return true
	}
	_, err := s.value(l)
	return err == nil
}

// encloses reports whether the mangled name of a lambda is that of one in the function.
func encloses(function, lambda string) bool {
	return strings.HasPrefix(lambda, "_ZZ"+strings.TrimPrefix(function, "_Z")+"E")
}
