package interp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/kerneltest"
)

// TestBarrierOfThreadsThatExit: a barrier with a number waits for so many arrivals, and exits are none (PTX ISA
// 9.7.13.1); one without a number waits for the threads that have not exited. %p1 holds in warp 0, and %p2 in warp 1.
func TestBarrierOfThreadsThatExit(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		want string // rule and line of the finding; "" for none
	}{
		"exits first":                     {"@%p1 exit;\nbar.sync 1, 64;", "sync-exited 3"},
		"exits later":                     {"@%p1 bra W;\nbar.sync 1, 64;\nret;\nW: " + delay + "exit;", "sync-exited 3"},
		"the other warp exits":            {"@%p2 exit;\nbar.sync 1, 64;", "sync-exited 3"},
		"barrier without .aligned":        {"@%p1 exit;\nbarrier.sync 1, 64;", "sync-exited 3"},
		"a number in a register":          {"@%p1 exit;\nmov.u32 %r1, 64; bar.sync 1, %r1;", "sync-exited 3"},
		"a reduction":                     {"@%p1 exit;\nbar.red.popc.u32 %r1, 1, 64, %p1;", "sync-exited 3"},
		"barrier 0 with a number":         {"@%p1 exit;\nbar.sync 0, 64;", "sync-exited 3"},
		"the second time":                 {"bar.sync 1, 64;\n@%p1 exit;\nbar.sync 1, 64;", "sync-exited 4"},
		"without a number":                {"@%p1 exit;\nbar.sync 1;", ""},
		"without a number, exits later":   {"@%p1 bra W;\nbar.sync 1;\nret;\nW: " + delay + "exit;", ""},
		"arrives before it exits":         {"@%p1 bra A;\nbar.sync 1, 64;\nret;\nA: bar.arrive 1, 64;\nexit;", ""},
		"waits before it exits":           {"bar.sync 1, 64;\n@%p1 exit;\nret;", ""},
		"the number of those that remain": {"@%p1 exit;\nbar.sync 1, 32;", ""},
		"lanes of a warp exit":            {"setp.lt.u32 %p3, %laneid, 5;\n@%p3 exit;\nbar.sync 1, 64;", ""},
		"half a reduction waits":          {"@%p1 exit;\nbar.red.popc.u32 %r1, 1, 32, %p1;", ""},
		"a warp group of two":             {"bar.sync 1, 64;\nbar.sync 2, 64;\n", ""},
	} {
		k := kerneltest.Kernel{Source: ".entry k(.param .u64 out) { setp.lt.u32 %p1, %tid.x, 32; not.pred %p2, %p1;\n" + c.body + "\nret;\n}\n", Block: kerneltest.Dim(64, 1), Words: []int{4}}
		_, stats, err := k.Run(t)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got []string
		for _, w := range stats.Warnings {
			got = append(got, fmt.Sprintf("%s %d", w.Rule, w.Place.Code.Line))
			if !w.Error || w.Count != 1 {
				t.Errorf("%s: %+v", name, w)
			}
		}
		if text := strings.Join(got, ", "); text != c.want {
			t.Errorf("%s: %q, expected %q", name, text, c.want)
		}
	}
}

// delay makes a warp get later to what follows than another.
const delay = "mov.u32 %r9, 0;\nD: add.u32 %r9, %r9, 1; setp.lt.u32 %p4, %r9, 100; @%p4 bra D; "
