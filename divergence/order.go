package divergence

import (
	"cmp"
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
)

// Order says which side of a divergent branch runs first.
type Order uint8

const (
	Taken       Order = iota // the targets in text order, then the fall-through
	FallThrough              // the fall-through, then the targets, last one first
	Majority                 // the side with most lanes; if equal, the lower PC
	numOrders
)

var orderNames = [numOrders]string{"taken", "fallthrough", "majority"}

// String returns the order's name for --path-order.
func (o Order) String() string { return orderNames[o] }

// ParseOrder returns the order with a name. Its error lists the names.
func ParseOrder(name string) (Order, error) {
	if i := slices.Index(orderNames[:], name); i >= 0 {
		return Order(i), nil
	}
	return 0, isa.Unknown("path order", name, orderNames[:])
}

// arrange sorts groups, which are in text order, so that the one to run first comes last.
func (o Order) arrange(groups []Group) {
	switch o {
	case Taken:
		slices.Reverse(groups)
	case Majority:
		for i := range groups { // at most 32, and without memory for a sort function
			for j := i; j > 0 && groups[j].isBefore(&groups[j-1]); j-- {
				groups[j], groups[j-1] = groups[j-1], groups[j]
			}
		}
	}
}

// isBefore reports whether a group comes before another with Majority: it has fewer lanes or, if equally many, the
// higher PC.
func (g *Group) isBefore(other *Group) bool {
	return cmp.Or(cmp.Compare(g.Mask.Count(), other.Mask.Count()), cmp.Compare(other.PC, g.PC)) < 0
}
