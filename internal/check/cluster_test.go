package check_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/check"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

// TestRacesBetweenClusterBlocksAreFound: two clusters of two CTAs. %r6 is the address of s in the other CTA of the
// cluster.
func TestRacesBetweenClusterBlocksAreFound(t *testing.T) {
	const begin = `mov.u32 %r7, %cluster_ctarank; xor.b32 %r7, %r7, 1; mapa.shared::cluster.u32 %r6, s, %r7; add.u32 %r6, %r6, %r5; ` +
		`mov.u32 %r8, s; add.u32 %r8, %r8, %r5; setp.eq.u32 %p1, %r7, 0; barrier.cluster.arrive.relaxed; barrier.cluster.wait;` + "\n"
	for _, c := range kerneltest.Cases(t, "testdata/clusters.txt", "finds", "advises") {
		t.Run(c.Name, func(t *testing.T) {
			mod := parsed(t, prologue+begin+c.Body+"ret;\n}\n")
			m, l, _ := launchOf(t, mod, interp.Config{}, dim(4, 1, 1), dim(64, 1, 1))
			l.Cluster = dim(2, 1, 1)
			races, err := check.Attach(m, &l)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := functional.Run(context.Background(), m, l); err != nil {
				t.Fatal(err)
			}
			found := races.Findings()
			if diff := cmp.Diff(c.Values("finds"), summary(found)); diff != "" {
				t.Errorf("races (-want +got):\n%s", diff)
			}
			for i, f := range found {
				if want := c.Values("advises"); want != nil && f.Fix != want[i] {
					t.Errorf("the advice is %q", f.Fix)
				}
				if f.Space == isa.Shared && !strings.Contains(c.Body, "mbarrier") && !strings.Contains(f.Advice.String(), "barrier.cluster.wait") {
					t.Errorf("the advice is %q", f.Advice)
				}
			}
		})
	}
}
