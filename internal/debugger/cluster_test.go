package debugger

import (
	"strings"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/interp"
)

// TestSteppingRunsBlocksOfCluster checks the places of blocks in their cluster, and that stepping a warp that waits for
// other blocks runs those blocks.
func TestSteppingRunsBlocksOfCluster(t *testing.T) {
	const src = `.entry k()
.reqnctapercluster 2
{
	.shared .u32 s;
	mov.u32 %r1, %cluster_ctarank;
	add.u32 %r1, %r1, 40;
	st.shared.u32 [s], %r1;
	barrier.cluster.arrive;
	barrier.cluster.wait;
	mov.u32 %r2, 7;
	barrier.cluster.arrive;
	barrier.cluster.wait;
	ret;
}`
	mod, err := asm.Parse("k.s", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t}
	b.Debugger, err = New(Config{Out: &b.out, Sources: map[string][]string{"k.s": strings.Split(src, "\n")}, Prepare: func() (*Program, error) {
		m, err := interp.New(mod, interp.Config{})
		if err != nil {
			return nil, err
		}
		l := interp.Launch{Kernel: "k", Grid: isa.Dim{X: 4, Y: 1, Z: 1}, Block: isa.Dim{X: 32, Y: 1, Z: 1}}
		return &Program{Machine: m, Launches: []interp.Launch{l}}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.out.String(), "k  grid 4x1x1  cluster 2x1x1  block 32x1x1") {
		t.Errorf("at the start: %s", b.out.String())
	}
	for _, c := range []struct {
		line string
		want []string
	}{
		{"stepi 4", []string{"=> 9"}},
		{"info blocks", []string{"* b0    (0,0,0)  cluster (0,0,0) rank 0  1 of 1 warp live", "  b1    (1,0,0)  cluster (0,0,0) rank 1  1 of 1 warp live"}},
		{"stepi", []string{"b0.w0 waits: lanes 0-31 waiting at L9: barrier.cluster.wait"}},
		{"why", []string{"for b1.w0 lanes 0-31: active at L5"}},
		{"stepi", []string{"in other blocks of the cluster", "=> 10"}},
		{"print shared:0x1100000", []string{"41"}},
		{"print shared:0x1000000", []string{"40"}},
		{"print global:0x2100000", []string{"41"}},
	} {
		got := b.do(c.line)
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q lacks %q", c.line, got, want)
			}
		}
	}
}
