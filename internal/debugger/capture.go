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
			isCopy := v.Type.Bare() == class
			if !isCopy && (v.Name != name || !encloses(around[1+k].Symbol, around[0].Symbol) || !in.isConstant(v) && field.Type.Bare().Kind != debuginfo.Reference) {
				continue
			}
			l, err := in.located(v)
			if err == nil && isCopy {
				l, err = in.member(l, name)
			} else if err == nil {
				l, err = in.referred(l)
			}
			if err == nil && l.typ.IsScalar() {
				_, err = in.value(l) // a part may have no place
			}
			if err == nil {
				return l, true
			}
		}
	}
	return lvalue{}, false
}

// isConstant reports whether a variable keeps its value: it is const, or a parameter of the kernel.
func (s *scope) isConstant(v *debuginfo.Variable) bool {
	_, passed := s.passed(v)
	return passed || v.Type.Kind == debuginfo.Const
}

// encloses reports whether the mangled name of a lambda is that of one in the function.
func encloses(function, lambda string) bool {
	return strings.HasPrefix(lambda, "_ZZ"+strings.TrimPrefix(function, "_Z")+"E")
}
