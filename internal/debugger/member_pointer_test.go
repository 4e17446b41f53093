package debugger

import (
	"regexp"
	"testing"
)

// TestPointersToMembersNameThem: they are shown as &S::x, and name a member of an object, in each lane another one.
// members-clang19.ptx is what simtrun cc -G makes of members.cu.
func TestPointersToMembersNameThem(t *testing.T) {
	b := newCells(t, "members-clang19.ptx")
	for _, c := range [][2]string{
		{"break 15", `^break 1 at L15: `},
		{"run", `^break 1 at L15 `},
		{"p either", `^either int S::\*   0-30 by 2: &S::y   1-31 by 2: &S::x$`},
		{"p none", `^none int S::\*   all: nullptr$`},
		{"p id", `^id long Base::\*   all: &Base::id$`},
		{"whatis either", `^type = int S::\*$`},
		{"p obj.*id", `^obj\.\*id long   all: 5$`},
		{"p to->*(&S::y)", `^to->\*\(&S::y\) int   all: 64$`},
		{"p obj.*either", `(?s)^obj\.\*either int.*0: 64 +1 +64 +3 +64 +5 `},
		{"p to->*either * 2 + 1", `(?s) int.*0: 129 3   129 7   129 11`},
		{"p either == &S::x", `^either == &S::x pred   aaaaaaaa   1-31 by 2$`},
		{"p &S::x", `^&S::x int S::\* = &S::x$`},
		{"p obj.*none", `^none is a null pointer$`},
		{"p obj.*n", `^n is not a pointer to a member, as &S::x is$`},
		{"p n.*either", `^n is int, and either points to a member of S$`},
		{"p 2.*n", `^2\.\*n double   all: 128$`},
		{"p obj == obj", `^obj is S: an expression calls no operator == of a class; take members, as in obj\.x == \.\.\.$`},
		{"p 1 + obj", `^obj is S: an expression calls no operator \+ of a class; take members, as in obj\.x \+ \.\.\.$`},
		{"set obj.*either = 7", `^obj\.\*either in lanes 0-31 set$`},
		{"p obj.y", `(?s)^obj\.y int   0-30 by 2: 7   1-31 by 2: 64$`},
	} {
		if got := b.do(c[0]); !regexp.MustCompile(c[1]).MatchString(got) {
			t.Errorf("%s:\n%s\nwant %s", c[0], got, c[1])
		}
	}
}
