package jit

import (
	"runtime"
	"strings"
	"testing"
)

func TestChooseRefusesWhatHostLacks(t *testing.T) {
	if got, err := choose(""); got != Best() || err != nil {
		t.Errorf("no value: %v, %v, want %v", got, err, Best())
	}
	if got, err := choose("go"); got != None || err != nil {
		t.Errorf("go: %v, %v", got, err)
	}
	for l := AVX2; l <= AVX512; l++ {
		got, err := choose(l.String())
		if Best() >= l && (got != l || err != nil) || Best() < l && (got != None || err == nil) {
			t.Errorf("%v where %v is best: %v, %v", l, Best(), got, err)
		}
	}
	for value, l := range map[string]Level{"verify": Best(), "verify-avx2": AVX2, "verify-avx512": AVX512} {
		got, err := choose(value)
		if has := Best() >= l && Best() > None; has != (err == nil) || has && got != l {
			t.Errorf("%s where %v is best: %v, %v", value, Best(), got, err)
		}
	}
	for _, value := range []string{"verify-go", "verify-", "verifyavx2"} {
		if got, err := choose(value); got != None || err == nil {
			t.Errorf("%s: %v, %v", value, got, err)
		}
	}
	const want = "SIMTRUN_LANES=AVX2: no such level; it takes go, avx2, avx512, verify, and verify-LEVEL"
	if got, err := choose("AVX2"); got != None || err == nil || err.Error() != want {
		t.Errorf("AVX2: %v, %v, want %s", got, err, want)
	}
}

// TestBestIsNoneElsewhere is about other architectures: there Lacks names them.
func TestBestIsNoneElsewhere(t *testing.T) {
	if Lacks(None) != nil {
		t.Errorf("the Go loop does not run: %v", Lacks(None))
	}
	if runtime.GOARCH == "amd64" {
		return
	}
	if err := Lacks(AVX2); Best() != None || err == nil || !strings.Contains(err.Error(), runtime.GOARCH) {
		t.Errorf("Best is %v, Lacks says %v", Best(), err)
	}
}

func TestLevelHasItsName(t *testing.T) {
	for l, want := range map[Level]string{None: "go", AVX2: "avx2", AVX512: "avx512", 7: "Level(7)"} {
		if got := l.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
