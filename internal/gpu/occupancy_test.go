package gpu_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/gpu"
)

// ofCapability returns a GPU of a compute capability.
func ofCapability(t *testing.T, major, minor int) *gpu.Config {
	t.Helper()
	name := map[[2]int]string{{7, 0}: "v100", {8, 0}: "a100", {8, 6}: "a6000", {8, 9}: "rtx4090", {9, 0}: "h100", {10, 0}: "b200"}[[2]int{major, minor}]
	c, err := gpu.Preset(name)
	if err != nil {
		t.Fatal(err)
	}
	if c.Capability != [2]int{major, minor} {
		t.Fatalf("%s is of compute capability %v", name, c.Capability)
	}
	return c
}

// worked are cases calculated by hand from the published rules. The columns: compute capability, threads, registers,
// static + dynamic shared memory, carve-out in percent, CTAs on an SM, their limiters, warps, occupancy in percent,
// and the limits by warps, registers, shared memory and CTAs.
const worked = `
7.0   32    16   0+0       dflt  32  blocks             32  50.0   64/128/-/32
7.0   64    32   0+0       dflt  32  warps+regs+blocks  64  100.0  32/32/-/32
7.0   96    40   0+0       dflt  16  regs               48  75.0   21/16/-/32
7.0   128   33   0+0       dflt  12  regs               48  75.0   16/12/-/32
7.0   256   32   0+0       dflt  8   warps+regs         64  100.0  8/8/-/32
7.0   256   37   0+0       dflt  6   regs               48  75.0   8/6/-/32
7.0   512   64   0+0       dflt  2   regs               32  50.0   4/2/-/32
7.0   512   65   0+0       dflt  1   regs               16  25.0   4/1/-/32
7.0   1024  64   0+0       dflt  1   regs               32  50.0   2/1/-/32
7.0   1024  65   0+0       dflt  0   regs               0   0.0    2/0/-/32
7.0   1024  32   0+0       dflt  2   warps+regs         64  100.0  2/2/-/32
7.0   256   32   16384+0   dflt  6   smem               48  75.0   8/8/6/32
7.0   256   32   49152+0   dflt  2   smem               16  25.0   8/8/2/32
7.0   256   32   0+98304   dflt  1   smem               8   12.5   8/8/1/32
7.0   256   32   10240+0   50    6   smem               48  75.0   8/8/6/32
7.0   256   32   10240+0   0     1   smem               8   12.5   8/8/1/32
7.0   160   128  0+0       dflt  3   regs               15  23.4   12/3/-/32
7.0   33    255  0+0       dflt  4   regs               8   12.5   32/4/-/32
8.0   256   32   0+0       dflt  8   warps+regs         64  100.0  8/8/164/32
8.0   128   72   0+0       dflt  7   regs               28  43.8   16/7/164/32
8.0   256   32   16384+0   dflt  8   warps+regs         64  100.0  8/8/9/32
8.0   256   32   0+82944   dflt  2   smem               16  25.0   8/8/2/32
8.0   256   32   0+166912  dflt  1   smem               8   12.5   8/8/1/32
8.0   256   32   0+167936  dflt  0   smem               0   0.0    8/8/0/32
8.0   1024  40   0+0       dflt  1   regs               32  50.0   2/1/164/32
8.0   288   96   0+0       dflt  2   regs               18  28.1   7/2/164/32
8.0   256   32   8192+0    50    8   warps+regs         64  100.0  8/8/11/32
8.0   64    128  3072+0    dflt  8   regs               16  25.0   32/8/41/32
8.6   256   32   0+0       dflt  6   warps              48  100.0  6/8/100/16
8.6   1024  32   0+0       dflt  1   warps              32  66.7   1/2/100/16
8.6   64    32   0+0       dflt  16  blocks             32  66.7   24/32/100/16
8.6   256   40   4224+0    dflt  6   warps+regs         48  100.0  6/6/19/16
8.9   64    32   0+0       dflt  24  warps+blocks       48  100.0  24/32/100/24
8.9   768   40   0+49152   dflt  2   warps+regs+smem    48  100.0  2/2/2/24
8.9   128   255  0+101376  dflt  1   smem               4   8.3    12/2/1/24
9.0   256   32   0+0       dflt  8   warps+regs         64  100.0  8/8/228/32
9.0   384   168  0+232448  dflt  1   regs+smem          12  18.8   5/1/1/32
9.0   128   128  32768+0   dflt  4   regs               16  25.0   16/4/6/32
9.0   256   64   0+115712  dflt  2   smem               16  25.0   8/4/2/32
9.0   1024  33   0+0       dflt  1   regs               32  50.0   2/1/228/32
9.0   32    24   6144+0    dflt  32  smem+blocks        32  50.0   64/84/32/32
10.0  256   32   0+0       dflt  8   warps+regs         64  100.0  8/8/228/32
10.0  192   80   0+57344   dflt  4   regs+smem          24  37.5   10/4/4/32
10.0  1024  64   0+204800  dflt  1   regs+smem          32  50.0   2/1/1/32
`

func TestOccupancyMatchesHandWork(t *testing.T) {
	for _, line := range strings.Split(strings.TrimSpace(worked), "\n") {
		f := strings.Fields(line)
		number := func(s string) int {
			n, err := strconv.Atoi(s)
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			return n
		}
		major, minor, _ := strings.Cut(f[0], ".")
		static, dynamic, _ := strings.Cut(f[3], "+")
		c := ofCapability(t, number(major), number(minor))
		u := gpu.Usage{Threads: number(f[1]), Registers: number(f[2]), Static: int64(number(static)), Dynamic: int64(number(dynamic)), OptIn: c.Residency.SharedOptIn}
		if f[4] != "dflt" {
			u.Carveout = new(number(f[4]))
		}
		o := c.Occupancy(u)
		got := fmt.Sprintf("%d %s %d %.1f %s", o.CTAs, limiters(&o), o.Warps, 100*o.Fraction(), limits(&o))
		if want := strings.Join(f[5:], " "); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", strings.Join(f[:5], " "), got, want)
		}
		if (o.Refusal != "") != (o.CTAs == 0) {
			t.Errorf("%s: refusal %q", line, o.Refusal)
		}
	}
}

func limiters(o *gpu.Occupancy) string {
	short := map[gpu.Resource]string{gpu.WarpSlots: "warps", gpu.RegisterFile: "regs", gpu.SharedMemory: "smem", gpu.CTASlots: "blocks"}
	var names []string
	for _, r := range o.Limiters() {
		names = append(names, short[r])
	}
	return strings.Join(names, "+")
}

func limits(o *gpu.Occupancy) string {
	var all []string
	for _, r := range []gpu.Resource{gpu.WarpSlots, gpu.RegisterFile, gpu.SharedMemory, gpu.CTASlots} {
		if o.Limits[r] == gpu.Unlimited {
			all = append(all, "-")
		} else {
			all = append(all, strconv.Itoa(o.Limits[r]))
		}
	}
	return strings.Join(all, "/")
}

// TestOccupancyMatchesDocumentedExamples has the examples of NVIDIA's documents and of a Hopper
// scheduling text.
func TestOccupancyMatchesDocumentedExamples(t *testing.T) {
	for _, c := range []struct {
		name string
		cc   [2]int
		u    gpu.Usage
		want string // CTAs, percent, limiters
	}{
		{"64 registers", [2]int{9, 0}, gpu.Usage{Threads: 512, Registers: 64}, "2 50.0 regs"},
		{"65 registers", [2]int{9, 0}, gpu.Usage{Threads: 512, Registers: 65}, "1 25.0 regs"},
		{"RTX 3090, 4224 bytes", [2]int{8, 6}, gpu.Usage{Threads: 32, Static: 4224}, "16 33.3 blocks"},
		{"1024 threads of 1536", [2]int{8, 6}, gpu.Usage{Threads: 1024}, "1 66.7 warps"},
		{"1024 threads of 1536", [2]int{8, 9}, gpu.Usage{Threads: 1024}, "1 66.7 warps"},
		{"16 registers", [2]int{9, 0}, gpu.Usage{Threads: 256, Registers: 16}, "8 100.0 warps"},
		{"32 registers", [2]int{9, 0}, gpu.Usage{Threads: 256, Registers: 32}, "8 100.0 warps+regs"},
		{"48 registers", [2]int{9, 0}, gpu.Usage{Threads: 256, Registers: 48}, "5 62.5 regs"},
		{"64 registers", [2]int{9, 0}, gpu.Usage{Threads: 256, Registers: 64}, "4 50.0 regs"},
		{"96 registers", [2]int{9, 0}, gpu.Usage{Threads: 256, Registers: 96}, "2 25.0 regs"},
		{"128 registers", [2]int{9, 0}, gpu.Usage{Threads: 256, Registers: 128}, "2 25.0 regs"},
		{"255 registers", [2]int{9, 0}, gpu.Usage{Threads: 256, Registers: 255}, "1 12.5 regs"},
		{"256 registers", [2]int{9, 0}, gpu.Usage{Threads: 256, Registers: 256}, "0 0.0 regs"},
		{"FlashAttention", [2]int{9, 0}, gpu.Usage{Threads: 128, Registers: 72, Dynamic: 102400, OptIn: 232448}, "2 12.5 smem"},
		{"64 KB", [2]int{9, 0}, gpu.Usage{Threads: 128, Dynamic: 64 << 10, OptIn: 232448}, "3 18.8 smem"},
		{"16 KB", [2]int{9, 0}, gpu.Usage{Threads: 256, Registers: 32, Static: 16 << 10}, "8 100.0 warps+regs"},
		{"48 warps leave 16 slots", [2]int{9, 0}, gpu.Usage{Threads: 24 * 32}, "2 75.0 warps"},
		{"24 warps of 40 registers leave 16 slots", [2]int{9, 0}, gpu.Usage{Threads: 24 * 32, Registers: 40}, "2 75.0 warps+regs"},
		{"idealised, 48 registers", [2]int{9, 0}, gpu.Usage{Threads: 256, Registers: 48, Idealised: true}, "5 62.5 regs"},
		{"idealised, 40 registers", [2]int{9, 0}, gpu.Usage{Threads: 96, Registers: 40, Idealised: true}, "17 79.7 regs"},
		{"idealised, 57 KB", [2]int{9, 0}, gpu.Usage{Threads: 256, Registers: 32, Dynamic: 57 << 10, OptIn: 232448, Idealised: true}, "4 50.0 smem"},
		{"57 KB", [2]int{9, 0}, gpu.Usage{Threads: 256, Registers: 32, Dynamic: 57 << 10, OptIn: 232448}, "3 37.5 smem"},
		{"idealised, 256 registers", [2]int{9, 0}, gpu.Usage{Threads: 256, Registers: 256, Idealised: true}, "0 0.0 regs"},
		{"16 named barriers", [2]int{9, 0}, gpu.Usage{Threads: 32, Barriers: 16}, "4 6.2 "},
		{"16 named barriers", [2]int{8, 0}, gpu.Usage{Threads: 32, Barriers: 16}, "32 50.0 blocks"},
	} {
		o := ofCapability(t, c.cc[0], c.cc[1]).Occupancy(c.u)
		if diff := cmp.Diff(c.want, fmt.Sprintf("%d %.1f %s", o.CTAs, 100*o.Fraction(), limiters(&o))); diff != "" {
			t.Errorf("%s on %v (-want +got):\n%s", c.name, c.cc, diff)
		}
	}
	if o := ofCapability(t, 8, 6).Occupancy(gpu.Usage{Threads: 32, Static: 4224}); o.Limits[gpu.SharedMemory] != 19 {
		t.Errorf("4224 bytes of 100 KB: %d CTAs, want 19", o.Limits[gpu.SharedMemory])
	}
	// min(32, 8, 8, 14) = 8, idealised: 228 KB have 14 times 16.
	ideal := ofCapability(t, 9, 0).Occupancy(gpu.Usage{Threads: 256, Registers: 32, Static: 16 << 10, Idealised: true})
	if diff := cmp.Diff("8/8/14/32", limits(&ideal)); diff != "" || ideal.CTAs != 8 {
		t.Errorf("%d CTAs (-want +got):\n%s", ideal.CTAs, diff)
	}
}

// TestCarveoutIsRoundedUp: the request is rounded up to a possible configuration that is enough for one CTA.
func TestCarveoutIsRoundedUp(t *testing.T) {
	for _, c := range []struct {
		cc      [2]int
		percent int
		static  int64
		want    int64 // KB
	}{
		{[2]int{7, 0}, 50, 0, 64},
		{[2]int{8, 0}, 50, 0, 100},
		{[2]int{9, 0}, 50, 0, 132},
		{[2]int{9, 0}, 0, 0, 8}, // the system's 1 KB
		{[2]int{7, 0}, 0, 0, 0},
		{[2]int{9, 0}, 0, 40 << 10, 64},
		{[2]int{9, 0}, 100, 0, 228},
	} {
		o := ofCapability(t, c.cc[0], c.cc[1]).Occupancy(gpu.Usage{Threads: 32, Static: c.static, Carveout: new(c.percent)})
		if o.Capacity != c.want<<10 {
			t.Errorf("%v, %d %%, %d bytes: %d bytes of shared memory, want %d KB", c.cc, c.percent, c.static, o.Capacity, c.want)
		}
	}
}

// TestRefusalNamesExceededResource: a CTA that cannot fit is refused because of the resource that it exceeds, and
// accepted with the maximum of the resource.
func TestRefusalNamesExceededResource(t *testing.T) {
	h := ofCapability(t, 9, 0)
	for _, c := range []struct {
		fits, not gpu.Usage
		want      string
	}{
		{gpu.Usage{Threads: 1024}, gpu.Usage{Threads: 1025}, "1025 threads per block, at most 1024"},
		{gpu.Usage{Threads: 32, Registers: 255}, gpu.Usage{Threads: 32, Registers: 256}, "256 registers per thread, at most 255"},
		{gpu.Usage{Threads: 1024, Registers: 64}, gpu.Usage{Threads: 1024, Registers: 65}, "1024 threads of 65 registers take 73728 registers per block, at most 65536"},
		{gpu.Usage{Threads: 32, Static: 49152}, gpu.Usage{Threads: 32, Static: 1, Dynamic: 49152}, "49153 bytes of shared memory per block, at most 49152"},
		{gpu.Usage{Threads: 32, Dynamic: 232448, OptIn: 232448}, gpu.Usage{Threads: 32, Static: 1, Dynamic: 232448, OptIn: 232448}, "232449 bytes of shared memory per block, at most 232448"},
		{gpu.Usage{Threads: 32, Dynamic: 65536, OptIn: 65536}, gpu.Usage{Threads: 32, Dynamic: 65537, OptIn: 65536}, "65537 bytes of dynamic shared memory per block, the kernel has opted in to 65536"},
		{gpu.Usage{Threads: 32, Barriers: 16}, gpu.Usage{Threads: 32, Barriers: 17}, "17 named barriers per block, at most 16"},
	} {
		if o := h.Occupancy(c.fits); o.CTAs == 0 || o.Refusal != "" {
			t.Errorf("%+v: %d CTAs, refused: %s", c.fits, o.CTAs, o.Refusal)
		}
		o := h.Occupancy(c.not)
		if diff := cmp.Diff(c.want, o.Refusal); diff != "" || o.CTAs != 0 {
			t.Errorf("%+v: %d CTAs (-want +got):\n%s", c.not, o.CTAs, diff)
		}
	}
}

// TestMostIsMost: with the reported maximum of registers or bytes the given number of CTAs reside, and with one more
// they do not.
func TestMostIsMost(t *testing.T) {
	for _, cc := range [][2]int{{7, 0}, {8, 6}, {9, 0}} {
		c := ofCapability(t, cc[0], cc[1])
		for _, u := range []gpu.Usage{{}, {Idealised: true}, {Carveout: new(0)}, {Carveout: new(20)}, {Carveout: new(50)}, {Carveout: new(100)}} {
			u.Static, u.OptIn = 100, c.Residency.SharedOptIn
			for u.Threads = 32; u.Threads <= 1024; u.Threads += 96 {
				for ctas := 1; ctas <= 16; ctas++ {
					checkMost(t, c, u, ctas)
				}
			}
		}
	}
}

func checkMost(t *testing.T, c *gpu.Config, u gpu.Usage, ctas int) {
	t.Helper()
	reside := func(u gpu.Usage, r gpu.Resource) bool {
		o := c.Occupancy(u)
		return o.Limits[r] >= ctas
	}
	r := u
	if r.Registers = c.MostRegisters(u, ctas); r.Registers > 0 && !reside(r, gpu.RegisterFile) {
		t.Errorf("%s, %+v: %d CTAs do not fit with %d registers", c.Name, u, ctas, r.Registers)
	}
	if r.Registers++; reside(r, gpu.RegisterFile) {
		t.Errorf("%s, %+v: %d CTAs fit with %d registers too", c.Name, u, ctas, r.Registers)
	}
	if u.Dynamic = c.AvailableDynamic(u, ctas); u.Dynamic >= 0 && !reside(u, gpu.SharedMemory) {
		t.Errorf("%s, %+v: %d CTAs do not fit", c.Name, u, ctas)
	}
	if u.Dynamic = max(0, u.Dynamic+1); reside(u, gpu.SharedMemory) {
		t.Errorf("%s, %+v: %d CTAs fit too", c.Name, u, ctas)
	}
}

// TestLaunchBoundsCapRegisters: __launch_bounds__(threads, CTAs) caps registers.
func TestLaunchBoundsCapRegisters(t *testing.T) {
	for _, c := range []struct{ threads, ctas, want int }{{256, 2, 128}, {1024, 1, 64}, {1024, 2, 32}, {256, 3, 80}, {128, 1, 255}, {32, 32, 64}} {
		if got := ofCapability(t, 9, 0).MostRegisters(gpu.Usage{Threads: c.threads}, c.ctas); got != c.want {
			t.Errorf("__launch_bounds__(%d, %d): %d registers, want %d", c.threads, c.ctas, got, c.want)
		}
	}
}

func TestBestBlockMaximisesOccupancy(t *testing.T) {
	h := ofCapability(t, 9, 0)
	for _, c := range []struct {
		u             gpu.Usage
		atMost        int
		threads, ctas int
	}{
		{gpu.Usage{Registers: 32}, 1024, 1024, 2},
		{gpu.Usage{Registers: 32}, 1000, 512, 4}, // 992 leaves slots unused
		{gpu.Usage{Registers: 40}, 1024, 768, 2},
		{gpu.Usage{Registers: 256}, 1024, 0, 0},
	} {
		if threads, o := h.BestBlock(c.u, c.atMost); threads != c.threads || o.CTAs != c.ctas {
			t.Errorf("%d registers, at most %d threads: %d threads, %d CTAs, want %d, %d", c.u.Registers, c.atMost, threads, o.CTAs, c.threads, c.ctas)
		}
	}
}

// TestMaxActiveClustersFollowGPCs: an H100 has two GPCs of 18 SMs, five of 16 and one of 8; the eight other SMs only
// run clusters with the other SM of their TPC (testdata/h100-sxm/gpcs.csv).
func TestMaxActiveClustersFollowGPCs(t *testing.T) {
	h100 := gpu.H100()
	for _, c := range []struct{ size, ctasPerSM, want int }{{1, 1, 132}, {2, 1, 66}, {4, 1, 2*4 + 5*4 + 2}, {8, 1, 2*2 + 5*2 + 1}, {16, 1, 7}, {16, 2, 2*2 + 5*2 + 1}, {16, 0, 0}, {5, 3, 2*10 + 5*9 + 4 + 4*1}} {
		if got := h100.MaxActiveClusters(c.size, c.ctasPerSM); got != c.want {
			t.Errorf("clusters of %d, %d on an SM: %d, want %d", c.size, c.ctasPerSM, got, c.want)
		}
	}
}
