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
	seed uint64 // for random
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

// PolicyNames returns the names that --sched accepts; random is followed by a seed.
func PolicyNames() []string {
	return append(append([]string{}, policyNames[:random]...), "random:SEED")
}

// ParsePolicy returns the policy with a name. Its error lists the names.
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
		return Policy{}, fmt.Errorf("%q is not a seed: expected a number, as in random:7", text)
	}
	return Policy{}, isa.Unknown("warp scheduler", name, PolicyNames())
}

// String returns the policy's name.
func (p Policy) String() string {
	if p.kind == random {
		return fmt.Sprintf("%s:%d", policyNames[random], p.seed)
	}
	return policyNames[p.kind]
}

// pick returns one of the slots of e, which is not empty, at cycle t.
func (p *Policy) pick(c *scheduler, e uint64, t int64) int {
	if e&(e-1) == 0 {
		return bits.TrailingZeros64(e)
	}
	return p.pickOf(c, e, t)
}

// pickOf is pick for several slots.
func (p *Policy) pickOf(c *scheduler, e uint64, t int64) int {
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
	if e>>(c.last&63)&1 != 0 {
		return c.last
	}
	return c.youngest(e)
}

// youngest returns the slot of e with the warp that started last.
func (c *scheduler) youngest(e uint64) int {
	i := bits.TrailingZeros64(e)
	for younger := e & c.younger[i]; younger != 0; younger = e & c.younger[i] {
		i = bits.TrailingZeros64(younger)
	}
	return i
}

// oldest returns the slot of e with the warp that started first.
func (c *scheduler) oldest(e uint64) int {
	for rest := e; ; {
		i := bits.TrailingZeros64(rest)
		older := e &^ c.younger[i] &^ (1 << i)
		if older == 0 {
			return i
		}
		rest = older
	}
}

// after returns the first slot of e after the one that issued last, in round-robin order.
func (c *scheduler) after(e uint64) int {
	if behind := e &^ (2<<c.last - 1); behind != 0 {
		return bits.TrailingZeros64(behind)
	}
	return bits.TrailingZeros64(e)
}

// stalledLongest returns the slot of e with the warp that has been able to issue for the longest time; of equals, the
// first after the slot that issued last.
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

// nth returns the position of the n-th set bit of e, counted from 0.
func nth(e uint64, n int) int {
	for ; n > 0; n-- {
		e &= e - 1
	}
	return bits.TrailingZeros64(e)
}
