//go:build amd64 && (linux || darwin || windows)

package jit

import (
	"bytes"
	"encoding/hex"
	"os"
	"os/exec"
	"runtime"
	runtimepprof "runtime/pprof"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/google/pprof/profile"

	"github.com/simtrun/simtrun/internal/short"
)

// Machine code by GNU as 2.44 for the text in the comments.
const (
	// mov eax, 42; ret
	answerCode = "b82a000000 c3"
	// mov rax, [r9]; add rax, [rdi+8]; mov [r9+16], rax; ret
	sumCode = "498b01 48034708 49894110 c3"
	// vmovups ymm15, [r9]; vaddps ymm15, ymm15, [r9+32]; vmovups [r9+64], ymm15; vzeroupper; xor eax, eax; ret
	vectorCode = "c4417c1039 c441045879 20 c4417c117940 c5f877 31c0 c3"
	// vcvtph2ps ymm0, [r9]; vmovups [r9+32], ymm0; mov rax, [r9]; lzcnt rax, rax; vzeroupper; ret
	halfCode = "c4c27d1301 c4c17c114120 498b01 f3480fbdc0 c5f877 c3"
	// vpternlogd zmm0, zmm0, zmm0, 0xff; vmovdqu32 [r9], zmm0; vzeroupper; xor eax, eax; ret
	onesCode = "62f37d4825c0ff 62d17e487f01 c5f877 31c0 c3"
	// All bits of xmm15, ymm0 (before vzeroupper), and of every general
	// register but rsp, r9 and rax; eight pushes; add rsp, 64; mov rax, [r9]; ret
	clobberCode = "c4410576ff c57d7ff8 c57d7fff c5f877 66450f76ff" +
		"48c7c3ffffffff 48c7c1ffffffff 48c7c2ffffffff 48c7c6ffffffff 48c7c7ffffffff 48c7c5ffffffff" +
		"49c7c0ffffffff 49c7c2ffffffff 49c7c3ffffffff 49c7c4ffffffff 49c7c5ffffffff 49c7c6ffffffff 49c7c7ffffffff" +
		"53 53 53 53 53 53 53 53 4883c440 498b01 c3"
	// mov rcx, [r9]; 1: inc qword ptr [r9+8]; dec rcx; jnz 1b; mov rax, [r9+8]; ret
	spinCode = "498b09 49ff4108 48ffc9 75f7 498b4108 c3"
)

// load makes machine code of hexadecimal text.
func load(t testing.TB, text string) *Code {
	t.Helper()
	raw, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewCode(raw, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(c.Close)
	return c
}

func TestEnterReturnsRAX(t *testing.T) {
	code := load(t, answerCode)
	if got := Enter(code.Addr(0), nil); got != 42 {
		t.Errorf("got %d, want 42", got)
	}
}

// TestEnterPassesContext finds ctx in both registers that Enter promises.
func TestEnterPassesContext(t *testing.T) {
	code := load(t, sumCode)
	ctx := [3]uint64{1 << 40, 2, 0}
	if got := Enter(code.Addr(0), unsafe.Pointer(&ctx)); got != 1<<40+2 || ctx[2] != got {
		t.Errorf("got %d and %v", got, ctx)
	}
}

func TestVectorCodeRuns(t *testing.T) {
	if Best() < AVX2 {
		t.Skip(Lacks(AVX2))
	}
	code := load(t, vectorCode)
	var ctx [3][8]float32
	for i := range 8 {
		ctx[0][i], ctx[1][i] = float32(i), 100
	}
	if status := Enter(code.Addr(0), unsafe.Pointer(&ctx)); status != 0 {
		t.Errorf("status %d", status)
	}
	if want := [8]float32{100, 101, 102, 103, 104, 105, 106, 107}; ctx[2] != want {
		t.Errorf("got %v, want %v", ctx[2], want)
	}
}

// TestLevelsRun executes an instruction of each extension that has a separate bit in CPUID: instructions of a
// supported level must not be illegal.
func TestLevelsRun(t *testing.T) {
	if Best() < AVX2 {
		t.Skip(Lacks(AVX2))
	}
	halves := struct {
		in  [16]uint16
		out [8]float32
	}{in: [16]uint16{0x3C00, 0xC000, 0, 1}}
	if zeros := Enter(load(t, halfCode).Addr(0), unsafe.Pointer(&halves)); zeros != 15 {
		t.Errorf("lzcnt: %d leading zeros of 0x0001_0000_c000_3c00, want 15", zeros)
	}
	if want := [8]float32{1, -2, 0, 0x1p-24}; halves.out != want {
		t.Errorf("f16c: got %v, want %v", halves.out, want)
	}
	if Lacks(AVX512) != nil {
		return
	}
	var ones [16]uint32
	Enter(load(t, onesCode).Addr(0), unsafe.Pointer(&ones))
	for _, word := range ones {
		if word != ^uint32(0) {
			t.Fatalf("avx512: got %#x", ones)
		}
	}
}

// TestRegistersSurvive enters code that changes every register, between work that needs them: a goroutine pointer, a
// register of zeros, maps, floats, allocation, and stacks that grow and move.
func TestRegistersSurvive(t *testing.T) {
	if Best() < AVX2 {
		t.Skip(Lacks(AVX2))
	}
	code := load(t, clobberCode)
	entry := code.Addr(0)
	counts, sum, kept := map[uint64]int{}, 0.0, [][]byte(nil)
	for i := range 20_000 {
		ctx := uint64(i % 64) // on the stack, which moves
		x := float64(i) * 0.5
		counts[Enter(entry, unsafe.Pointer(&ctx))]++
		var zeros [96]byte // cleared by way of X15
		if zeros != [96]byte{} || len(kept) > 0 && kept[len(kept)-1][7] != 0 {
			t.Fatalf("entry %d: memory is not clear", i)
		}
		sum += x
		kept = append(kept[max(0, len(kept)-10):], make([]byte, 32+i%64))
		if i%1000 == 0 {
			if got := deepest(entry, 2000+i%3000); got != 7 {
				t.Fatalf("entry %d: got %d from a deep stack, want 7", i, got)
			}
			runtime.GC()
		}
	}
	if sum != 0.5*20_000*19_999/2 {
		t.Errorf("sum of floats is %g", sum)
	}
	for value, count := range counts {
		if want := 20_000/64 + min(1, max(0, 20_000%64-int(value))); count != want {
			t.Errorf("status %d came back %d times, want %d", value, count, want)
		}
	}
}

// deepest enters code at the end of a stack of n frames, in a goroutine that begins with the smallest stack.
func deepest(entry uintptr, n int) uint64 {
	result := make(chan uint64)
	var deeper func(n int) uint64
	deeper = func(n int) uint64 {
		ctx := [4]uint64{7}
		if n == 0 {
			return Enter(entry, unsafe.Pointer(&ctx))
		}
		return deeper(n-1)*ctx[0]/7 + Enter(entry, unsafe.Pointer(&ctx)) - 7
	}
	go func() { result <- deeper(n) }()
	return <-result
}

// spin enters code that counts to n, and reports whether it counted right.
func spin(entry uintptr, n uint64) bool {
	ctx := new([2]uint64)
	ctx[0] = n
	return Enter(entry, unsafe.Pointer(ctx)) == n && ctx[1] == n
}

// TestCodeRunsDespiteSignals runs code for some 50 ms at a time, many times what Enter allows, while other goroutines
// collect garbage and try to preempt it: each collection sends signals that find no safe point.
func TestCodeRunsDespiteSignals(t *testing.T) {
	short.Alternates(t, 1, 3)
	code := load(t, spinCode)
	entry := code.Addr(0)
	var done atomic.Bool
	collections := make(chan int)
	go func() {
		n := 0
		for ; !done.Load(); n++ {
			runtime.GC()
		}
		collections <- n
	}()
	for range rounds() {
		if !spin(entry, 100_000_000) {
			t.Error("the code did not count right")
		}
		if !spin(entry, 1000) {
			t.Error("the code did not count right")
		}
	}
	done.Store(true)
	if n := <-collections; n == 0 {
		t.Error("no garbage was collected")
	}
}

func rounds() int {
	if testing.Short() {
		return 4
	}
	return 20
}

// TestMoreGoroutinesThanThreadsEnter has more goroutines in code than Go has threads.
func TestMoreGoroutinesThanThreadsEnter(t *testing.T) {
	code := load(t, spinCode)
	entry := code.Addr(0)
	right := make(chan bool)
	const goroutines = 8
	for range goroutines {
		go func() {
			ok := true
			var garbage [][]byte
			for i := range 2000 {
				ok = spin(entry, 10_000) && ok
				garbage = append(garbage[:i%7], make([]byte, 64<<10))
			}
			runtime.KeepAlive(garbage)
			right <- ok
		}()
	}
	for range goroutines {
		if !<-right {
			t.Error("the code did not count right")
		}
	}
}

// TestCodePassesUnderRuntimeChecks runs the tests above with a collector that checks twice and overwrites freed memory,
// that runs all the time, and without preemption by signals.
func TestCodePassesUnderRuntimeChecks(t *testing.T) {
	short.Alternates(t, 2, 3)
	for _, env := range [][]string{
		{"GODEBUG=gccheckmark=1,clobberfree=1", "GOGC=20"},
		{"GODEBUG=gcstoptheworld=1", "GOMAXPROCS=1"},
		{"GODEBUG=asyncpreemptoff=1"},
	} {
		t.Run(strings.Join(env, " "), func(t *testing.T) {
			again(t, "^(TestRegistersSurvive|TestCodeRunsDespiteSignals|TestMoreGoroutinesThanThreadsEnter)$", env...)
		})
	}
}

// again runs tests of this binary in a process with other variables.
func again(t *testing.T, tests string, env ...string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run", tests, "-test.short", "-test.timeout=2m")
	cmd.Env = append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestProfileAccountsCode takes a CPU profile of code: its samples belong to no Go function, and are attributed to
// runtime._ExternalCode.
func TestProfileAccountsCode(t *testing.T) {
	code := load(t, spinCode)
	entry := code.Addr(0)
	var raw bytes.Buffer
	if err := runtimepprof.StartCPUProfile(&raw); err != nil {
		t.Skip(err)
	}
	for start := time.Now(); time.Since(start) < 300*time.Millisecond; {
		if !spin(entry, 10_000) {
			t.Error("the code did not count right")
		}
	}
	runtimepprof.StopCPUProfile()
	p, err := profile.Parse(&raw)
	if err != nil {
		t.Fatal(err)
	}
	var all int64
	samples := map[string]int64{}
	for _, s := range p.Sample {
		name := s.Location[0].Line[0].Function.Name
		samples[name] += s.Value[0]
		all += s.Value[0]
	}
	if all > 5 && samples["runtime._ExternalCode"] == 0 { // a busy host may take few samples
		t.Errorf("no sample is external code: %v", samples)
	}
}

func BenchmarkEnter(b *testing.B) {
	code := load(b, answerCode)
	entry := code.Addr(0)
	ctx := new([4]uint64)
	for b.Loop() {
		Enter(entry, unsafe.Pointer(ctx))
	}
}

func BenchmarkNewCode(b *testing.B) {
	raw := bytes.Repeat([]byte{breakpoint}, 16<<10)
	for b.Loop() {
		c, err := NewCode(raw, 0)
		if err != nil {
			b.Skip(err)
		}
		c.Close()
	}
}

// TestContextVectorsStayInLines: vectors of 64 bytes that cross cache lines take twice as long.
func TestContextVectorsStayInLines(t *testing.T) {
	for name, off := range map[string]int32{"masks": ctxMasks, "bits": ctxBits, "spills": ctxSpills, "offsets": ctxOffsets, "published": ctxPublished} {
		if (off+8)%64 != 0 {
			t.Errorf("%s are at %d, %d bytes behind a cache line", name, off, (off+8)%64)
		}
	}
}
