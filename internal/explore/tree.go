package explore

import (
	"container/heap"
	"slices"
)

// node is a state that an execution has reached.
type node struct {
	parent   *node
	choice             // that led from the parent here
	accesses []access  // of that transition
	known    bool      // accesses are all that it does
	last     int32     // thread of the latest transition that was not early; -1 for none
	depth    int       // transitions before
	preempts int       // preemptions among them
	enabled  bits      // threads that can run here
	before   []sleeper // threads that need not be explored here
	kinds    []uint64  // of threads that are enabled; nil if none are twins
	asked    []*branch // in the order of the requests
}

// branch is a thread that is or will be explored from a node.
type branch struct {
	thread int32
	child  *node // nil before the execution
	vain   bool  // it polls in vain: the other branches cover it, and it covers none
	// instead has, before the execution, the requests that are satisfied already, unless this branch polls in vain and
	// covers nothing.
	instead []request
}

// pending is a branch without an execution yet.
type pending struct {
	from     *node
	choice   choice
	branch   *branch
	preempts int
	number   int // of the request
}

// queue has the pending branches: those with the fewest preemptions first, and of these the oldest.
type queue []pending

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, k int) bool {
	if q[i].preempts != q[k].preempts {
		return q[i].preempts < q[k].preempts
	}
	return q[i].number < q[k].number
}
func (q queue) Swap(i, k int) { q[i], q[k] = q[k], q[i] }
func (q *queue) Push(x any)   { *q = append(*q, x.(pending)) }
func (q *queue) Pop() any {
	old := *q
	last := old[len(old)-1]
	*q = old[:len(old)-1]
	return last
}

// tree is the executions so far.
type tree struct {
	queue    queue
	requests int // that have become branches
	nodes    int
	cut      int // branches with more than preemptions
	// preemptions is the most preemptions of a branch; -1 for any number.
	preemptions int
}

// path returns the nodes from the root to n.
func (n *node) path() []*node {
	all := make([]*node, n.depth+1)
	for ; n != nil; n = n.parent {
		all[n.depth] = n
	}
	return all
}

// job returns the execution of a pending branch. Threads that were explored from the node before sleep.
func (p *pending) job() *job {
	j := &job{prefix: make([]choice, p.from.depth+1)}
	for n := p.from; n.parent != nil; n = n.parent {
		j.prefix[n.depth-1] = n.choice
	}
	j.prefix[p.from.depth] = p.choice
	j.sleep = append(j.sleep, p.from.before...)
	for _, b := range p.from.asked {
		if b != p.branch && b.child != nil && b.child.known {
			j.sleep = append(j.sleep, sleeper{b.thread, b.vain, b.child.accesses})
		}
	}
	return j
}

// add adds an execution to the tree, that of a pending branch; p is nil for the first one.
func (t *tree) add(p *pending, j *job, res *result) {
	var n *node
	if p == nil {
		n = &node{last: -1}
	} else {
		n, p.branch.vain = p.from, res.vain
		if res.vain {
			for _, q := range p.branch.instead {
				t.askAt(n, q)
			}
		}
		p.branch.instead = nil
	}
	sleep := j.sleep
	for k := n.depth; k < len(res.steps); k++ {
		st := &res.steps[k]
		if n.enabled == nil {
			n.enabled, n.kinds, n.before = st.enabled, st.kinds, sleep
		}
		var b *branch
		if p != nil && k == p.from.depth {
			b = p.branch
		} else {
			b = &branch{thread: st.thread}
			n.asked = append(n.asked, b)
		}
		child := &node{parent: n, last: n.last, choice: st.choice, accesses: st.accesses, depth: k + 1, preempts: n.preempts, known: !st.stops && (res.failed == nil || k < len(res.steps)-1)}
		if res.vain && k == p.from.depth { // it sleeps until a word changes that it has polled
			for i := range res.steps[k+1:] {
				child.accesses = append(child.accesses, res.steps[k+1+i].accesses...)
			}
		}
		if !st.early {
			child.last = st.thread
		}
		if st.preempts {
			child.preempts++
		}
		b.child = child
		t.nodes++
		var awake []sleeper
		for _, s := range sleep {
			if s.thread != st.thread && independent(s.accesses, st.accesses) {
				awake = append(awake, s)
			}
		}
		sleep, n = awake, child
	}
	if res.failed != nil && n.parent != nil {
		last := n.parent
		b := &branch{thread: res.failed.thread}
		last.asked = append(last.asked, b)
		t.push(last, b, *res.failed, n.preempts)
	}
	t.ask(n, res.requests)
}

// ask adds the branches that races ask for, on the path to n.
func (t *tree) ask(n *node, requests []request) {
	path := n.path()
	for _, q := range requests {
		t.askAt(path[q.depth], q)
	}
}

// askAt adds the branches that a race asks for at a node.
func (t *tree) askAt(n *node, q request) {
	if i := slices.IndexFunc(q.threads, n.covers); !q.all && i >= 0 {
		if b := n.branch(q.threads[i]); b != nil && b.child == nil {
			b.instead = append(b.instead, q)
		}
		return
	}
	for _, thread := range q.threads {
		if n.branch(thread) != nil || n.sleeps(thread) != nil {
			continue
		}
		b := &branch{thread: thread}
		n.asked = append(n.asked, b)
		t.push(n, b, choice{thread: thread}, n.preempts+n.preempting(thread))
		if !q.all {
			b.instead = append(b.instead, q)
			break
		}
	}
}

// branch returns the branch of a thread, or of a twin of it; nil if there is none.
func (n *node) branch(thread int32) *branch {
	for _, b := range n.asked {
		if b.thread == thread || n.kinds != nil && n.kinds[thread] != 0 && n.kinds[b.thread] == n.kinds[thread] {
			return b
		}
	}
	return nil
}

// covers reports whether a thread is or will be explored from n, or need not be.
func (n *node) covers(thread int32) bool {
	b, s := n.branch(thread), n.sleeps(thread)
	return b != nil && !b.vain || s != nil && !s.vain
}

// sleeps returns the thread's entry among those that sleep, or nil.
func (n *node) sleeps(thread int32) *sleeper {
	for i := range n.before {
		if n.before[i].thread == thread {
			return &n.before[i]
		}
	}
	return nil
}

// preempting returns 1 if the thread would preempt the one that led to n, else 0.
func (n *node) preempting(thread int32) int {
	if n.last >= 0 && n.last != thread && n.enabled.has(n.last) {
		return 1
	}
	return 0
}

// push adds a pending branch.
func (t *tree) push(from *node, b *branch, c choice, preempts int) {
	if t.preemptions >= 0 && preempts > t.preemptions {
		t.cut++
		return
	}
	heap.Push(&t.queue, pending{from, c, b, preempts, t.requests})
	t.requests++
}
