package sm

import (
	"slices"

	"github.com/simtrun/simtrun/internal/gpu"
)

// rotation is the order ByGPC, in which an H100 and an H200 fill their SMs (docs/hardware-measured.md, Which SM). GPCs
// take turns: in its turn a GPC gets a CTA for each of its SMs. TPCs outside of GPCs have turns of their own, sooner.
// If fewer CTAs are left than SMs, each TPC of each GPC gets one, in turn, before any gets a second.
type rotation struct {
	gpcs    [][]int // SMs of each GPC, by TPC
	outside []int   // SMs of TPCs outside of GPCs
	tpcs    []int   // TPC of each SM
	next    int     // GPC that has the next turn

	launch *launch // launch whose CTAs are handed out
	turn   []int   // SMs that get the next CTAs
	// turns that the launch has had: of GPCs, of TPCs outside, and the most of these that it may have
	turns, turnsOutside, mostOutside int
	chosen                           []bool // by SM: it gets one of the last CTAs; nil if all SMs do
}

func newRotation(on *gpu.Config, plan *gpu.Floorplan) rotation {
	r := rotation{gpcs: make([][]int, plan.GPCs)}
	for sm, group := range plan.Group {
		r.tpcs = append(r.tpcs, sm*on.TPCs/on.SMs)
		if group < plan.GPCs {
			r.gpcs[group] = append(r.gpcs[group], sm)
		} else {
			r.outside = append(r.outside, sm)
		}
	}
	return r
}

// First returns the first n SMs, or all, that get CTAs of a launch of many on a GPU without others.
func (o Order) First(on *gpu.Config, n int) []int {
	n = min(n, on.SMs)
	var first []int
	r, l := newRotation(on, on.Floorplan()), &launch{ctaCount: ctaCount{total: int64(on.SMs)}}
	for i := range n {
		if o == ByGPC {
			i, _ = r.choose(l, int64(on.SMs-i), func(int) bool { return true })
		}
		first = append(first, i)
	}
	return first
}

// begin starts with the CTAs of another launch.
func (r *rotation) begin(l *launch) {
	r.launch, r.turn, r.turns, r.turnsOutside, r.chosen = l, nil, 0, 0, nil
	r.mostOutside = int((l.total + int64(len(r.tpcs)) - 1) / int64(len(r.tpcs)))
}

// choose returns the SM that gets the next CTA of a launch that has left CTAs to start; false if none has room.
func (r *rotation) choose(l *launch, left int64, room func(sm int) bool) (sm int, ok bool) {
	if r.launch != l {
		r.begin(l)
	}
	for range 2 * (len(r.gpcs) + 1) { // two rounds: the CTAs left were counted before the first
		for len(r.turn) > 0 {
			sm, r.turn = r.turn[0], r.turn[1:]
			if room(sm) && (r.chosen == nil || r.chosen[sm]) {
				return sm, true
			}
		}
		r.takeTurn(left, room)
	}
	for sm := range r.tpcs {
		if room(sm) {
			return sm, true
		}
	}
	return 0, false
}

// takeTurn begins the turn of the next GPC, or that of the TPCs outside of GPCs: these are the first, and come again
// after 5, 11, 17, ... turns of GPCs, until they have had their part of the launch.
func (r *rotation) takeTurn(left int64, room func(sm int) bool) {
	if r.turnsOutside < r.mostOutside && r.turns >= max(0, 6*r.turnsOutside-1) {
		r.turnsOutside++
		r.turn = r.outside
		return
	}
	if r.turns%len(r.gpcs) == 0 {
		r.choosePart(left, room)
	}
	r.turn = r.gpcs[r.next]
	r.next = (r.next + 1) % len(r.gpcs)
	r.turns++
}

// choosePart chooses the SMs for the CTAs left if there are fewer of these.
func (r *rotation) choosePart(left int64, room func(sm int) bool) {
	r.chosen = nil
	var first, second [][]int // by place in a GPC's turn
	for _, sms := range r.gpcs {
		tpc, a, b := -1, 0, 0
		for _, sm := range sms {
			if !room(sm) {
				continue
			}
			if r.tpcs[sm] != tpc {
				tpc, first, a = r.tpcs[sm], with(first, a, sm), a+1
			} else {
				second, b = with(second, b, sm), b+1
			}
		}
	}
	order := slices.Concat(slices.Concat(first...), slices.Concat(second...))
	if int64(len(order)) <= left {
		return
	}
	r.chosen = make([]bool, len(r.tpcs))
	for _, sm := range slices.Concat(r.outside, order[:left]) {
		r.chosen[sm] = true
	}
}

// with returns lists with an SM added to list i.
func with(lists [][]int, i, sm int) [][]int {
	if i == len(lists) {
		lists = append(lists, nil)
	}
	lists[i] = append(lists[i], sm)
	return lists
}

// inRotation returns the SM that gets the next CTA of a launch in order ByGPC, and whether none has room.
func (s *Session) inRotation(l *launch) (sm int, full bool) {
	sm, ok := s.distributor.rotation.choose(l, l.total-l.next, func(sm int) bool { return l.room(&s.sms[sm]) > 0 })
	return sm, !ok
}
