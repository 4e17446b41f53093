package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/simtrun/simtrun/cuda"
	"github.com/simtrun/simtrun/internal/needs"
	"github.com/simtrun/simtrun/internal/short"
)

// TestLinesShareWrites checks that lines of a batch are written together: 64 KiB and not a line each time. A socket of
// packets counts the writes.
func TestLinesShareWrites(t *testing.T) {
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET, 0)
	if err != nil {
		t.Fatal(err)
	}
	f, packets := os.NewFile(uintptr(ends[0]), "sink"), os.NewFile(uintptr(ends[1]), "packets")
	defer packets.Close()
	const lines = 2000
	s := launchLog{name: "test", file: f, batches: true, waiting: true, timer: time.NewTimer(time.Hour)}
	go func() {
		for range lines {
			s.write(&cuda.Launched{Kernel: "tiny", Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{32, 1, 1}, Seconds: 1e-5, WarpInstrs: 8, LaneInstrs: 256})
		}
		s.end()
		f.Close()
	}()
	var text bytes.Buffer
	writes, packet := 0, make([]byte, 2*batchSize)
	for ; ; writes++ {
		n, err := packets.Read(packet)
		if n == 0 || err != nil {
			break
		}
		text.Write(packet[:n])
	}
	if n := bytes.Count(text.Bytes(), []byte("\n")); n != lines {
		t.Errorf("%d lines arrive, want %d", n, lines)
	}
	if most := text.Len()/batchSize + 1; writes > most {
		t.Errorf("%d writes of %d bytes, want at most %d", writes, text.Len(), most)
	}
}

// TestReportIsCheap: tiny launches take less than 1.2 times as many host instructions with SIMTRUN_REPORT as without.
// Launches of 8 warp instructions spend the largest part of their time on what is done once for each.
func TestReportIsCheap(t *testing.T) {
	short.Alternates(t, 0, 3)
	dir := libraryDir(t)
	valgrind := needs.Tool(t, "valgrind")
	program := compile(t, dir, "testdata/killed/tiny.c", "-L"+dir, "-lcuda")
	file := filepath.Join(t.TempDir(), "report")
	const few, many = 50, 1050
	start := instructions(t, dir, valgrind, program, few)
	without := instructions(t, dir, valgrind, program, many) - start
	with := instructions(t, dir, valgrind, program, many, cuda.EnvReport+"="+file) - start
	text, err := os.ReadFile(file)
	if err != nil || bytes.Count(text, []byte(`"kernel":"inc"`)) != many {
		t.Fatalf("the report has not %d lines: %v\n%.500s", many, err, text)
	}
	t.Logf("%d host instructions a launch, %d with a report: %.3f times", without/(many-few), with/(many-few), float64(with)/float64(without))
	if with*5 > without*6 {
		t.Errorf("launches take %d host instructions with a report, %d without", with/(many-few), without/(many-few))
	}
}

// TestSummaryIsCheap: tiny launches take less than 1.1 times as many host instructions with the lines for simtrun host
// as without them.
func TestSummaryIsCheap(t *testing.T) {
	short.Alternates(t, 0, 3)
	dir := libraryDir(t)
	valgrind := needs.Tool(t, "valgrind")
	program := compile(t, dir, "testdata/killed/tiny.c", "-L"+dir, "-lcuda")
	const few, many = 1050, 2050 // above eachHasLine
	summary := cuda.EnvSummary + "=" + filepath.Join(t.TempDir(), "summary")
	without := instructions(t, dir, valgrind, program, many) - instructions(t, dir, valgrind, program, few)
	with := instructions(t, dir, valgrind, program, many, summary) - instructions(t, dir, valgrind, program, few, summary)
	t.Logf("%d host instructions a launch, %d with a summary: %.3f times", without/(many-few), with/(many-few), float64(with)/float64(without))
	if with*10 > without*11 {
		t.Errorf("launches take %d host instructions with a summary, %d without", with/(many-few), without/(many-few))
	}
}

// instructions returns the host instructions of a process that launches n times, which valgrind counts.
func instructions(t *testing.T, dir, valgrind, program string, n int, env ...string) int {
	t.Helper()
	log := filepath.Join(t.TempDir(), "log")
	r := run{args: []string{strconv.Itoa(n)}, env: append(env, "SIMTRUN_LANES=go", "GODEBUG=asyncpreemptoff=1", "GOMAXPROCS=1", "GOGC=off")}
	r.do(t, dir, valgrind, "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", "--log-file="+log, program)
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	refs := regexp.MustCompile(`I +refs: +([0-9,]+)`).FindStringSubmatch(string(text))
	if refs == nil {
		t.Fatalf("valgrind has not counted instructions:\n%s", text)
	}
	count, err := strconv.Atoi(strings.ReplaceAll(refs[1], ",", ""))
	if err != nil {
		t.Fatal(err)
	}
	return count
}
