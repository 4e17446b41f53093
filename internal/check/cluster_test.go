package check_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/check"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/interp"
)

// mbarrierOf makes 8 bytes of each CTA's shared memory an mbarrier for 64 arrivals, or for one arrival and a number
// of words. Its address is in %r12, and that of the other CTA's in %r13. The following text is on line 6.
func mbarrierOf(words int) string {
	count, expect := 64, ""
	if words > 0 {
		count, expect = 1, fmt.Sprintf("@%%p2 mbarrier.arrive.expect_tx.shared.b64 _, [%%r12], %d;", 4*words)
	}
	return fmt.Sprintf(`mov.u32 %%r12, s; add.u32 %%r12, %%r12, 512; mapa.shared::cluster.u32 %%r13, %%r12, %%r7; setp.eq.u32 %%p2, %%r1, 0;
@%%p2 mbarrier.init.shared.b64 [%%r12], %d;
%s
barrier.cluster.arrive; barrier.cluster.wait;
`, count, expect)
}

// waits polls the mbarrier, in a line.
func waits(by string) string {
	return "WAIT: " + by + " %p3, [%r12], 0; @!%p3 bra WAIT;\n"
}

const meet = "\nbarrier.cluster.arrive; barrier.cluster.wait;"

// TestClusterRaces: two clusters of two CTAs. %r6 is the address of s in the other CTA of the cluster.
func TestClusterRaces(t *testing.T) {
	const begin = `mov.u32 %r7, %cluster_ctarank; xor.b32 %r7, %r7, 1; mapa.shared::cluster.u32 %r6, s, %r7; add.u32 %r6, %r6, %r5; ` +
		`mov.u32 %r8, s; add.u32 %r8, %r8, %r5; setp.eq.u32 %p1, %r7, 0; barrier.cluster.arrive.relaxed; barrier.cluster.wait;` + "\n"
	for _, c := range []struct {
		name, body string
		want       []string
	}{
		{"the barrier of the cluster orders what is done on either side", `st.shared.u32 [%r8], 1;
			barrier.cluster.arrive;
			barrier.cluster.wait;
			ld.shared::cluster.u32 %r9, [%r6];
			barrier.cluster.arrive;
			barrier.cluster.wait;
			st.shared.u32 [%r8], 2;
			barrier.cluster.arrive.release;
			st.shared.u32 [%r8], 3;
			barrier.cluster.wait.acquire;`, nil},
		{"what is done behind the arrival is not", `barrier.cluster.arrive;
			st.shared.u32 [%r8], 1;
			barrier.cluster.wait;
			ld.shared::cluster.u32 %r9, [%r6];
			barrier.cluster.arrive;
			barrier.cluster.wait;`, []string{"race-raw 3 5"}},
		{"a relaxed arrival orders nothing", `st.shared.u32 [%r8], 1;
			barrier.cluster.arrive.relaxed;
			barrier.cluster.wait;
			ld.shared::cluster.u32 %r9, [%r6];
			barrier.cluster.arrive;
			barrier.cluster.wait;`, []string{"race-raw 2 5"}},
		{"a barrier of the block does not order the other", `st.shared.u32 [%r8], 1;
			bar.sync 0;
			ld.shared::cluster.u32 %r9, [%r6];
			barrier.cluster.arrive;
			barrier.cluster.wait;`, []string{"race-raw 2 4"}},
		{"an own word is another than that of the other block", `st.shared.u32 [%r8], 1;
			ld.shared.u32 %r9, [%r8];
			barrier.cluster.arrive;
			barrier.cluster.wait;`, nil},
		{"both write", `@%p1 st.shared.u32 [%r8], 1;
			@!%p1 st.shared::cluster.u32 [%r6], 2;
			barrier.cluster.arrive;
			barrier.cluster.wait;`, []string{"race-waw 2 3"}},
		{"atomics do not race with each other", `red.shared.add.u32 [%r8], 1;
			red.shared::cluster.add.u32 [%r6], 2;
			barrier.cluster.arrive;
			barrier.cluster.wait;`, nil},
		{"an asynchronous store in the other block, whose mbarrier it tells", mbarrierOf(64) +
			`st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r6], %r5, [%r13];
` + waits("mbarrier.try_wait.parity.shared.b64") + `ld.shared.u32 %r9, [%r8];` + meet, nil},
		{"the same, not waited for", mbarrierOf(64) + `st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r6], %r5, [%r13];
ld.shared.u32 %r9, [%r8];` + meet, []string{"race-raw 6 7"}},
		{"reductions do not race with each other", mbarrierOf(128) + `red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r6], %r5, [%r13];
red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r6], %r5, [%r13];
` + waits("mbarrier.try_wait.parity.acquire.cluster.shared.b64") + `ld.shared.u32 %r9, [%r8];` + meet, nil},
		{"an arrival at the other block's mbarrier orders what is before", mbarrierOf(0) + `st.shared::cluster.u32 [%r6], 1;
mbarrier.arrive.shared::cluster.b64 _, [%r13];
` + waits("mbarrier.try_wait.parity.shared.b64") + `ld.shared.u32 %r9, [%r8];` + meet, nil},
		{"one of the scope of the block does not", mbarrierOf(0) + `st.shared::cluster.u32 [%r6], 1;
mbarrier.arrive.release.cta.shared::cluster.b64 _, [%r13];
` + waits("mbarrier.try_wait.parity.shared.b64") + `ld.shared.u32 %r9, [%r8];` + meet, []string{"race-raw 6 9", "race-raw 7 8"}},
		{"in global memory too", `st.global.u32 [%rd2], 1;
			@%p1 barrier.cluster.arrive;
			@!%p1 barrier.cluster.arrive;
			barrier.cluster.wait;`, []string{"race-same-value 2 2"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			mod := parsed(t, prologue+begin+c.body+"\nret;\n}\n")
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
			if diff := cmp.Diff(c.want, summary(found)); diff != "" {
				t.Errorf("races (-want +got):\n%s", diff)
			}
			for _, f := range found {
				if f.Space == isa.Shared && !strings.Contains(c.body, "mbarrier") && !strings.Contains(f.Advice.String(), "barrier.cluster.wait") {
					t.Errorf("the advice is %q", f.Advice)
				}
			}
		})
	}
}
