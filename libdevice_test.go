package simtrun_test

import (
	"strings"
	"testing"

	"github.com/simtrun/simtrun"
)

// TestLibdevice: a program that names a function of libdevice has it, unless it is left out.
func TestLibdevice(t *testing.T) {
	p, err := simtrun.Load("k.s", []byte(".extern .func (.param .b32 r) __nv_sinf(.param .b32 x);\n.entry k()\n{\n.reg .b64 f;\nmov.u64 f, __nv_sinf;\nret;\n}"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.NewMachine(simtrun.Options{}); err != nil {
		t.Error(err)
	}
	if _, err := p.NewMachine(simtrun.Options{NoLibdevice: true}); err == nil || !strings.Contains(err.Error(), "k.s:1:31: __nv_sinf is declared but not defined") {
		t.Errorf("without libdevice: %v", err)
	}
}
