//go:build amd64

package jit

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// permissions returns the permissions at addr, as in /proc/self/maps: "r-xp"; "" if nothing is mapped there. With
// addr 0 it returns those of the first mapping that is both writable and executable.
func permissions(t *testing.T, addr uintptr) string {
	f, err := os.Open("/proc/self/maps")
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var first, end uintptr
		var perm string
		if _, err := fmt.Sscanf(lines.Text(), "%x-%x %s", &first, &end, &perm); err != nil {
			t.Fatalf("%s: %v", lines.Text(), err)
		}
		if addr == 0 && strings.HasPrefix(perm[1:], "wx") || first <= addr && addr < end {
			return perm
		}
	}
	return ""
}

// TestNeverWritableAndExecutable checks all mappings while code is made and closed.
func TestNeverWritableAndExecutable(t *testing.T) {
	c, err := NewCode([]byte{0xC3}, 0)
	if err != nil {
		t.Skip(err)
	}
	if got := permissions(t, c.Addr(0)); got != "r-xp" {
		t.Errorf("code is %q", got)
	}
	var done atomic.Bool
	finished := make(chan bool)
	go func() {
		for !done.Load() {
			c, err := NewCode(make([]byte, 1<<16), 1<<16)
			if err == nil {
				_, err = c.Append(make([]byte, 1<<16))
			}
			if err != nil {
				t.Error(err)
				break
			}
			c.Close()
		}
		close(finished)
	}()
	for range 200 {
		if got := permissions(t, 0); got != "" {
			t.Errorf("a mapping is %q", got)
			break
		}
	}
	done.Store(true)
	<-finished
	addr := c.Addr(0)
	c.Close()
	if got := permissions(t, addr); strings.Contains(got, "x") {
		t.Errorf("closed code is %q", got)
	}
}

// TestForgottenCodeIsFreed drops Codes without closing them.
func TestForgottenCodeIsFreed(t *testing.T) {
	var addrs [50]uintptr
	for i := range addrs {
		c, err := NewCode([]byte{0xC3}, 0)
		if err != nil {
			t.Skip(err)
		}
		addrs[i] = c.Addr(0)
	}
	mapped := func() (n int) {
		for _, addr := range addrs {
			if strings.Contains(permissions(t, addr), "x") {
				n++
			}
		}
		return n
	}
	// The last Code may still be in a register or on the stack.
	for deadline := time.Now().Add(10 * time.Second); mapped() > 1; {
		if time.Now().After(deadline) {
			t.Fatalf("%d of %d Codes are still there", mapped(), len(addrs))
		}
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
}

// refuseVariable makes TestJITNeedsNoExecutableMemory the process that it starts.
const refuseVariable = "SIMTRUN_TEST_REFUSE"

// TestJITNeedsNoExecutableMemory runs in a process that may not make pages executable, as under SELinux without
// execmem: prctl's PR_MDWE_REFUSE_EXEC_GAIN (Linux 6.3).
func TestJITNeedsNoExecutableMemory(t *testing.T) {
	if os.Getenv(refuseVariable) == "" {
		again(t, "^TestJITNeedsNoExecutableMemory$", refuseVariable+"=1", Variable+"=")
		return
	}
	if err := unix.Prctl(unix.PR_SET_MDWE, unix.PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0); err != nil {
		t.Skip(err)
	}
	if _, err := NewCode([]byte{0xC3}, 0); !errors.Is(err, errNoMemory) || !errors.Is(err, unix.EACCES) {
		t.Errorf("NewCode: %v", err)
	}
	if level, err := Chosen(); level != None || err != nil || Best() != None {
		t.Errorf("Chosen is %v, %v; Best is %v", level, err, Best())
	}
	if len(missingFeatures(AVX2)) > 0 {
		return
	}
	const refused = "executable memory refused: permission denied"
	if err := Lacks(AVX2); err == nil || err.Error() != refused {
		t.Errorf("Lacks: %v, want %s", err, refused)
	}
	if level, err := choose("avx2"); level != None || err == nil || err.Error() != "SIMTRUN_LANES=avx2: "+refused {
		t.Errorf("choose: %v, %v", level, err)
	}
}

// TestLevelsMatchThoseOfLinux compares with Linux's list of the CPU's features.
func TestLevelsMatchThoseOfLinux(t *testing.T) {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		t.Skip(err)
	}
	flags := map[string]bool{}
	for line := range strings.Lines(string(info)) {
		if name, list, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "flags" {
			for _, flag := range strings.Fields(list) {
				flags[flag] = true
			}
			break
		}
	}
	for level, names := range map[Level]string{
		AVX2:   "avx2 fma f16c bmi1 bmi2 popcnt abm",
		AVX512: "avx2 fma f16c bmi1 bmi2 popcnt abm avx512f avx512bw avx512dq avx512vl avx512cd",
	} {
		var want []string
		for _, name := range strings.Fields(names) {
			if !flags[name] {
				want = append(want, strings.ReplaceAll(name, "abm", "lzcnt"))
			}
		}
		if got := missingFeatures(level); strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%v: missing are %v, and by /proc/cpuinfo %v", level, got, want)
		}
	}
}
