package sm

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/splitmix"
)

// Policy is how a warp scheduler picks one of the warps that can issue.
type Policy struct {
	kind policyKind
	seed uint64 // of random
}

type policyKind uint8

const (
	greedyYoungest policyKind = iota
	greedyOldest
	oldest
	longestStalled
	roundRobin
	bankAware
	random
	numPolicies
)

// The names are those of --sched.
var policyNames = [numPolicies]string{"gty", "gto", "oldest", "stalled", "lrr", "bank-aware", "random"}

// PolicyNames are what --sched takes; that of random is followed by a seed.
func PolicyNames() []string {
	return append(append([]string{}, policyNames[:random]...), "random:SEED")
}

// ParsePolicy is the policy of that name. Its error lists the names.
func ParsePolicy(name string) (Policy, error) {
	for kind, n := range policyNames[:random] {
		if n == name {
			return Policy{kind: policyKind(kind)}, nil
		}
	}
	if text, ok := strings.CutPrefix(name, policyNames[random]+":"); ok {
		if seed, err := strconv.ParseUint(text, 10, 64); err == nil {
			return Policy{random, seed}, nil
		}
		return Policy{}, fmt.Errorf("%q is not a seed; it is written random:7", text)
	}
	return Policy{}, isa.Unknown("warp scheduler", name, PolicyNames())
}

// String is the policy's name.
func (p Policy) String() string {
	if p.kind == random {
		return fmt.Sprintf("%s:%d", policyNames[random], p.seed)
	}
	return policyNames[p.kind]
}

// pick is one of the slots of e, which is not empty, at cycle t.
func (p Policy) pick(c *scheduler, e uint64, t int64) int {
	if e&(e-1) == 0 {
		return bits.TrailingZeros64(e)
	}
	switch p.kind {
	case greedyOldest:
		if e>>c.last&1 != 0 {
			return c.last
		}
		return c.oldest(e)
	case oldest:
		return c.oldest(e)
	case longestStalled:
		return c.stalledLongest(e)
	case roundRobin:
		return c.after(e)
	case bankAware:
		if free := e &^ c.conflicts; free != 0 {
			e = free
		}
	case random:
		return nth(e, int(splitmix.Mix(p.seed+splitmix.Mix(uint64(t)<<8|uint64(c.id)))%uint64(bits.OnesCount64(e))))
	}
	if e>>c.last&1 != 0 {
		return c.last
	}
	return c.youngest(e)
}

// youngest is the slot of e whose warp started last.
func (c *scheduler) youngest(e uint64) int {
	i := bits.TrailingZeros64(e)
	for younger := e & c.slots[i].younger; younger != 0; younger = e & c.slots[i].younger {
		i = bits.TrailingZeros64(younger)
	}
	return i
}

// oldest is the slot of e whose warp started first.
func (c *scheduler) oldest(e uint64) int {
	for rest := e; ; {
		i := bits.TrailingZeros64(rest)
		older := e &^ c.slots[i].younger &^ (1 << i)
		if older == 0 {
			return i
		}
		rest = older
	}
}

// after is the slot of e behind the one that issued last, and so on in turn.
func (c *scheduler) after(e uint64) int {
	if behind := e &^ (2<<c.last - 1); behind != 0 {
		return bits.TrailingZeros64(behind)
	}
	return bits.TrailingZeros64(e)
}

// stalledLongest is the slot of e whose warp can issue since longest; of several, the
// first behind the one that issued last.
func (c *scheduler) stalledLongest(e uint64) int {
	best, since := -1, int64(0)
	for range bits.OnesCount64(e) {
		i := c.after(e)
		if behind := e &^ (2<<c.last - 1); behind == 0 {
			i = bits.TrailingZeros64(e)
		}
		if w := c.slots[i].wake.cycle(); best < 0 || w < since {
			best, since = i, w
		}
		e &^= 1 << i
	}
	return best
}

// nth is the number of the n-th bit of e that is set, from 0.
func nth(e uint64, n int) int {
	for ; n > 0; n-- {
		e &= e - 1
	}
	return bits.TrailingZeros64(e)
}
