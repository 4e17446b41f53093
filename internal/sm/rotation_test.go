package sm

import (
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/gpu"
)

// placed is a launch on a GPU whose CTAs noted their SMs.
type placed struct {
	name string
	perSM,
	ctas int
	sms []int // by CTA
}

// placedOn returns the launches of testdata/distribution.csv of a GPU.
func placedOn(t *testing.T, name string) (all []placed) {
	text, err := os.ReadFile("../gpu/testdata/" + name + "/distribution.csv")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimSpace(line), ",")
		if strings.HasPrefix(line, "#") || cells[0] == "threads" {
			continue
		}
		p := placed{name: name + " " + strings.Join(cells[:4], "/")}
		p.perSM, _ = strconv.Atoi(cells[2])
		p.ctas, _ = strconv.Atoi(cells[3])
		for _, word := range strings.Fields(cells[4]) {
			sm, err := strconv.Atoi(word)
			if err != nil {
				t.Fatal(err)
			}
			p.sms = append(p.sms, sm)
		}
		if len(p.sms) != p.ctas || p.perSM == 0 {
			t.Fatalf("%s: %d SMs", p.name, len(p.sms))
		}
		all = append(all, p)
	}
	return all
}

// TestOrderOfCTAsMatchesH100 compares the SMs of the CTAs that fill a GPU with those on an H100 and an H200. Which GPC
// is first there depends on the launches before, and so does which of the two pairs of TPCs outside of GPCs is first.
func TestOrderOfCTAsMatchesH100(t *testing.T) {
	h100 := gpu.H100()
	plan := h100.Floorplan()
	for _, p := range slices.Concat(placedOn(t, "h100-sxm"), placedOn(t, "h200")) {
		r := newRotation(h100, plan)
		if !slices.Contains(r.outside, p.sms[0]) {
			t.Fatalf("%s: SM %d is first", p.name, p.sms[0])
		}
		r.next = plan.GPC[p.sms[len(r.outside)]]
		room := make([]int, h100.SMs)
		for sm := range room {
			room[sm] = p.perSM
		}
		l := &launch{ctaCount: ctaCount{total: int64(p.ctas)}}
		var got []int
		for len(got) < min(p.ctas, p.perSM*h100.SMs) {
			sm, ok := r.choose(l, int64(p.ctas-len(got)), func(sm int) bool { return room[sm] > 0 })
			if !ok {
				t.Fatalf("%s: no room for CTA %d", p.name, len(got))
			}
			room[sm]--
			got = append(got, sm)
		}
		want := p.sms[:len(got)]
		if slices.Index(want, r.outside[0]) != 0 {
			want = swapPairs(want, r.outside)
		}
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("%s: CTA %d goes to SM %d, and on the GPU to SM %d", p.name, i, got[i], want[i])
				break
			}
		}
		if _, ok := r.choose(l, 1, func(int) bool { return false }); ok {
			t.Errorf("%s: a CTA goes to a full GPU", p.name)
		}
	}
}

// TestFirstCTAsGoToExpectedSMs: the SMs that get the first CTAs.
func TestFirstCTAsGoToExpectedSMs(t *testing.T) {
	for order, want := range map[Order][]int{MostRoom: {0, 1, 2, 3}, Linear: {0, 1, 2, 3}, ByGPC: {124, 125, 126, 127}} {
		if got := order.First(gpu.H100(), 4); !slices.Equal(got, want) {
			t.Errorf("%v: %v, want %v", order, got, want)
		}
	}
	two := gpu.Config{Chip: gpu.Chip{GPCs: 1, TPCs: 1, SMs: 2}}
	if got := ByGPC.First(&two, 4); !slices.Equal(got, []int{0, 1}) {
		t.Errorf("of two SMs: %v", got)
	}
}

// swapPairs returns sms with the first half of the SMs outside of GPCs in place of the second, and the reverse.
func swapPairs(sms, outside []int) []int {
	half := len(outside) / 2
	swapped := slices.Clone(sms)
	for i, sm := range sms {
		if at := slices.Index(outside, sm); at >= 0 {
			swapped[i] = outside[(at+half)%len(outside)]
		}
	}
	return swapped
}

// TestCTAsAlwaysGetFreeSM draws GPUs with any GPCs and TPCs, SMs that are full in part, and several launches: a CTA
// always gets an SM with room as long as there is one, and a launch of as many CTAs as SMs puts one on each SM of an
// empty GPU. With fewer CTAs than TPCs in GPCs, after those of the SMs outside, no TPC of a GPC gets two.
func TestCTAsAlwaysGetFreeSM(t *testing.T) {
	for seed := range uint64(2000) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		on := gpu.Config{Chip: gpu.Chip{GPCs: 1 + rnd.IntN(9)}}
		inGPCs := 0
		for range on.GPCs {
			n := 1 + rnd.IntN(9)
			on.GPCTPCs, inGPCs = append(on.GPCTPCs, int64(n)), inGPCs+n
		}
		on.TPCs = inGPCs + rnd.IntN(5)*rnd.IntN(2)
		on.SMs = on.TPCs * (1 + rnd.IntN(2))
		if rnd.IntN(4) == 0 {
			on.SMs += rnd.IntN(on.TPCs) // TPCs of different sizes
		}
		r := newRotation(&on, on.Floorplan())
		r.next = rnd.IntN(on.GPCs)
		for range 3 {
			room, places := make([]int, on.SMs), 0
			most := 1 + rnd.IntN(4)
			empty := rnd.IntN(2) == 0
			for sm := range room {
				if room[sm] = most; !empty {
					room[sm] = rnd.IntN(most + 1)
				}
				places += room[sm]
			}
			total := 1 + rnd.IntN(2*on.SMs*most)
			l := &launch{ctaCount: ctaCount{total: int64(total)}}
			got, perTPC := make([]int, on.SMs), make(map[int]int)
			for i := range min(total, places) {
				sm, ok := r.choose(l, int64(total-i), func(sm int) bool { return room[sm] > 0 })
				if !ok || room[sm] == 0 {
					t.Fatalf("seed %d: CTA %d of %d: SM %d, %v; %d places", seed, i, total, sm, ok, places)
				}
				room[sm]--
				got[sm]++
				perTPC[r.tpcs[sm]]++
			}
			if total > places {
				if sm, ok := r.choose(l, int64(total-places), func(sm int) bool { return room[sm] > 0 }); ok {
					t.Fatalf("seed %d: SM %d is full", seed, sm)
				}
			}
			if empty && total == on.SMs && slices.Min(got) != 1 {
				t.Errorf("seed %d: CTAs by SM: %v", seed, got)
			}
			for sm, tpc := range r.tpcs {
				if empty && total <= len(r.outside)+inGPCs && perTPC[tpc] > 1 && !slices.Contains(r.outside, sm) {
					t.Errorf("seed %d: TPC %d has %d of %d CTAs", seed, tpc, perTPC[tpc], total)
				}
			}
		}
	}
}
