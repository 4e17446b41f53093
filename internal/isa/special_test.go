package isa

import "testing"

func TestSpecialNamesAreUnique(t *testing.T) {
	seen := make(map[string]bool)
	for s := TidX; s < NumSpecials; s++ {
		name := s.String()
		if len(name) < 2 || name[0] != '%' || seen[name] {
			t.Errorf("special register %d is %q", s, name)
		}
		seen[name] = true
		if got, known := SpecialByName(name); !known || got != s {
			t.Errorf("%s is %v, known %v", name, got, known)
		}
	}
	for _, name := range []string{"", "%tid", "%tid.w", "%envreg32", "%foo"} {
		if s, known := SpecialByName(name); known {
			t.Errorf("%q is %v", name, s)
		}
	}
}

func TestSpecialVectorsHaveComponents(t *testing.T) {
	for name, want := range map[string]Special{"%tid": TidX, "%nctaid": NctaidX, "%cluster_ctaid": ClusterCtaidX} {
		first, ok := SpecialVector(name)
		if !ok || first != want || (first+2).String() != name+".z" {
			t.Errorf("%s begins with %v", name, first)
		}
	}
	for _, name := range []string{"%laneid", "%tid.x", "tid"} {
		if first, ok := SpecialVector(name); ok {
			t.Errorf("%s begins with %v", name, first)
		}
	}
}

func TestSpecialRegistersHaveTypes(t *testing.T) {
	for s, want := range map[Special]Type{TidX: U32, Clock: U32, Clock64: U64, GlobalTimer: U64, GlobalTimerHi: U32, GridID: U64, IsExplicitCluster: Pred, EnvReg31: U32} {
		if got := s.Type(); got != want {
			t.Errorf("%s is .%s, want .%s", s, got, want)
		}
	}
}
