package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/launch"
)

// TestColourNeedsTerminal checks that auto adds no colours without a terminal, and that always adds nothing but
// colours.
func TestColourNeedsTerminal(t *testing.T) {
	const green, red, alarm, plain = "\x1b[32m", "\x1b[31m", "\x1b[1;31m", "\x1b[0m"
	bad := body("\tst.global.u32 [%rd1+2], 1;")
	for _, tt := range []struct {
		source string
		args   []string
		want   []string
	}{
		{triple, nil, []string{"\n" + green + "ok" + plain + "      warp-instr"}},
		{triple, []string{"--expect", "out[1] == 9"}, []string{"0 passed, " + red + "1 failed" + plain + "\n", ": " + red + "1 of 1 element differs" + plain + "\n"}},
		{bad, nil, []string{"k.s:5:2: " + alarm + "error:" + plain + " misaligned store"}},
	} {
		args := append([]string{"FILE"}, tt.args...)
		never := simtrun(t, tt.source, append(args, "--color", "never")...)
		if diff := cmp.Diff(never, simtrun(t, tt.source, args...), cmp.AllowUnexported(output{})); diff != "" || strings.Contains(never.stdout+never.stderr, "\x1b") {
			t.Errorf("never and auto:\n%s", diff)
		}
		got := simtrun(t, tt.source, append(args, "--color", "always")...)
		for _, want := range tt.want {
			if !strings.Contains(got.stdout+got.stderr, want) {
				t.Errorf("%+v does not hold %q", got, want)
			}
		}
		bare := strings.NewReplacer(green, "", red, "", alarm, "", plain, "")
		got.stdout, got.stderr = bare.Replace(got.stdout), bare.Replace(got.stderr)
		if diff := cmp.Diff(never, got, cmp.AllowUnexported(output{})); diff != "" {
			t.Errorf("beside the colours:\n%s", diff)
		}
	}
	got := simtrun(t, triple, "FILE", "--color", "always", "--json")
	if strings.Contains(got.stdout, "\x1b") {
		t.Errorf("colour in JSON: %q", got.stdout)
	}
}

func TestProgressTextCountsBlocks(t *testing.T) {
	for _, tt := range []struct {
		progress launch.Progress
		want     string
	}{
		{launch.Progress{Launches: 1}, "loading"},
		{launch.Progress{Kernel: "k", Launch: 1, Launches: 1, Done: 132, Total: 528}, "k  132 of 528 blocks done  25%"},
		{launch.Progress{Kernel: "k", Launch: 2, Launches: 3, Done: 0, Total: 1}, "k  launch 2 of 3  0 of 1 block done  0%"},
		{launch.Progress{Kernel: "k", Launch: 1, Beside: 2, Launches: 3, Done: 7, Total: 14}, "k and others  launches 1-3 of 3  7 of 14 blocks done  50%"},
		{launch.Progress{Kernel: "k", Launch: 1, Launches: 1, Total: 528, Cycles: 1_234_567, Instructions: 999}, "k  1.2M cycles, 999 instructions  0 of 528 blocks done"},
		{launch.Progress{Kernel: "k", Launch: 1, Launches: 1, Done: 132, Total: 528, Cycles: 999_999, Instructions: 88_249_999_999}, "k  1.0M cycles, 88.2G instructions  132 of 528 blocks done  25%"},
		{launch.Progress{Kernel: "k", Launch: 1, Launches: 1, Total: 1, Cycles: 1000, Instructions: 999_949}, "k  1.0k cycles, 999.9k instructions  0 of 1 block done"},
	} {
		if got := progressText(tt.progress); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

// TestProgressLineIsRewritten checks that the line is rewritten, cut to the terminal's width, removed for other text
// and at the end, and waits while another line is incomplete.
func TestProgressLineIsRewritten(t *testing.T) {
	const erase = "\r\x1b[K"
	var screen bytes.Buffer
	line := &progressLine{w: &screen, columns: 8}
	above := aboveLine{line, &screen}
	line.show("1 of 3")
	line.show("2 of 3 blocks")
	for _, text := range []string{"a\n", "b"} {
		if _, err := above.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	line.show("not yet")
	if _, err := above.Write([]byte("c\n")); err != nil {
		t.Fatal(err)
	}
	line.show("3 of 3")
	line.follow(func() string { return "" })()
	want := erase + "1 of 3" + erase + "2 of 3 " + erase + "a\nbc\n" + erase + "3 of 3" + erase
	if diff := cmp.Diff(want, screen.String()); diff != "" {
		t.Error(diff)
	}
}

// TestLongRunShowsProgress waits until a run is long enough for a progress line.
func TestLongRunShowsProgress(t *testing.T) {
	var screen bytes.Buffer
	line := &progressLine{w: &screen, columns: 80}
	asked := make(chan bool, 10)
	stop := line.follow(func() string {
		asked <- true
		return pointsText(0, 2, 1234*time.Millisecond)
	})
	began := time.Now()
	<-asked
	if waited := time.Since(began); waited < progressAfter/2 {
		t.Errorf("a line after %v", waited)
	}
	stop()
	if want := "\r\x1b[K0 of 2 points done  1 s"; !strings.HasPrefix(screen.String(), want) || !strings.HasSuffix(screen.String(), "\r\x1b[K") {
		t.Errorf("%q", &screen)
	}
}

func TestProgressNeedsTerminal(t *testing.T) {
	var screen bytes.Buffer
	line := newProgressLine(&screen)
	line.follow(func() string { t.Error("asked"); return "" })()
	if line != nil || line.above(&screen) != &screen {
		t.Errorf("%+v", line)
	}
}
