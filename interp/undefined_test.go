package interp_test

import (
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

// TestUndefinedShufflesAreReported: a launch says that a lane read an absent one, also if only compiled code executed
// the shuffle that did, and never else.
func TestUndefinedShufflesAreReported(t *testing.T) {
	for _, c := range []struct {
		name, lanes, shuffle string
		block                uint32
		want                 interp.Undefined
	}{
		{"outside the mask", "11", "shfl.sync.down.b32 %r1, %r1, 4, 31, 0x7ff", 32, interp.UndefinedShuffle},
		{"outside the mask, result unused", "11", "shfl.sync.down.b32 %r2, %r1, 4, 31, 0x7ff", 32, interp.UndefinedShuffle},
		{"at the end of the loop", "8", "shfl.sync.bfly.b32 %r1, %r1, %r6, 31, 0xff", 32, 0},
		{"late", "4", "shfl.sync.bfly.b32 %r1, %r1, %r6, 31, 0xf", 32, interp.UndefinedShuffle},
		{"without .sync", "11", "shfl.down.b32 %r1, %r1, 4, 31", 32, interp.UndefinedShuffle},
		{"of the upper half", "20", "shfl.sync.idx.b32 %r1, %r1, 24, 31, 0xfffff", 32, interp.UndefinedShuffle},
		{"lanes that the block lacks", "32", "shfl.sync.down.b32 %r1, %r1, 8, 31, -1", 12, interp.UndefinedShuffle},
		{"clamped to itself", "8", "shfl.sync.down.b32 %r1, %r1, 4, 0x1807, 0xff", 32, 0},
		{"all lanes", "32", "shfl.sync.down.b32 %r1, %r1, 4, 31, -1", 32, 0},
		{"masks in registers", "8", "vote.sync.ballot.b32 %r7, 1, 0xff; shfl.sync.idx.b32 %r1, %r1, 9, 31, %r7", 32, interp.UndefinedShuffle},
	} {
		source := strings.NewReplacer("LANES", c.lanes, "SHUFFLE", c.shuffle).Replace(kerneltest.Source(t, "testdata/kernels/undefined.txt", "shuffled"))
		configs := []interp.Config{{Compile: interp.CompileNever}, {Compile: interp.CompileAlways}}
		for _, level := range kerneltest.EvaluatedLevels {
			configs = append(configs, interp.Config{Compile: interp.CompileAlways, Lanes: level, Evaluate: kerneltest.NewCPU})
		}
		for _, cfg := range configs {
			cfg.Threads = 1
			k := kerneltest.Kernel{Source: source, Block: kerneltest.Dim(c.block, 1), Words: []int{32}, Config: cfg}
			if _, stats, err := k.Run(t); err != nil || stats.Undefined != c.want {
				t.Errorf("%s, compiled %v at %v: undefined %d, want %d; %v", c.name, cfg.Compile, cfg.Lanes, stats.Undefined, c.want, err)
			}
		}
	}
}

// TestUncertainLifetimesAreReported: a launch says that a CTA accessed shared memory of another one that may not have
// started or may have ended, although it was there this time, and says nothing if a barrier of the cluster, or anything
// that may make the CTA wait, is in between.
func TestUncertainLifetimesAreReported(t *testing.T) {
	const meet, start, access = "barrier.cluster.arrive; barrier.cluster.wait;\n", `
	.shared .u32 s[32];
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, %cluster_ctarank;
	mov.u32 %r3, s;
`, `
	xor.b32 %r4, %r2, 1;
	mapa.shared::cluster.u32 %r5, %r3, %r4;
	ld.shared::cluster.u32 %r6, [%r5];
`
	for _, c := range []struct {
		name, body string
		want       interp.Undefined
	}{
		{"no barrier", access, interp.UndefinedLifetime},
		{"only before", meet + access, interp.UndefinedLifetime},
		{"only after", access + meet, interp.UndefinedLifetime},
		{"both", meet + access + meet, 0},
		{"a block barrier after", kerneltest.Source(t, "testdata/kernels/undefined.txt", "a block barrier after"), interp.UndefinedLifetime},
		{"only its own memory", strings.Replace(access, "xor.b32 %r4, %r2, 1", "mov.u32 %r4, %r2", 1), 0},
		{"a load that may be a flag", kerneltest.Source(t, "testdata/kernels/undefined.txt", "a load that may be a flag"), 0},
	} {
		for _, compile := range []interp.Compilation{interp.CompileNever, interp.CompileAlways} {
			k := kerneltest.Kernel{Source: kerneltest.Source(t, "testdata/kernels/undefined.txt", "undefined lifetimes", "$body", c.body),
				Grid: kerneltest.Dim(4, 1), Cluster: isa.Dim{X: 2, Y: 1, Z: 1}, Words: []int{128}, Config: interp.Config{Compile: compile}}
			if _, stats, err := k.Run(t); err != nil && !strings.Contains(err.Error(), "has ended") || err == nil && stats.Undefined != c.want {
				t.Errorf("%s, compiled %v: undefined %d, want %d; %v", c.name, compile, stats.Undefined, c.want, err)
			}
		}
	}
}
