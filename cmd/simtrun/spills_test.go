package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestProfileSaysSpills: blocks of up to 1024 threads leave 64 registers for each, and 90 values are live at once.
func TestProfileSaysSpills(t *testing.T) {
	t.Chdir(t.TempDir())
	var b strings.Builder
	b.WriteString(".version 8.0\n.target sm_80\n.address_size 64\n.entry k(.param .u64 o) .maxntid 1024\n{\n.reg .b64 %rd<2>;\n.reg .b32 %r<91>;\nld.param.u64 %rd1, [o];\n")
	for i := range 90 {
		fmt.Fprintf(&b, "ld.global.u32 %%r%d, [%%rd1+%d];\n", i, 4*i)
	}
	for i := range 90 {
		fmt.Fprintf(&b, "st.global.u32 [%%rd1+%d], %%r%d;\n", 4*i, 89-i)
	}
	b.WriteString("ret;\n}\n")
	if err := os.WriteFile("k.ptx", []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"profile", "occupancy"} {
		arguments := []string{command, "k.ptx", "--block", "32"}
		if command == "profile" {
			arguments = append(arguments, "--arg", "o=zeros:90:u32")
		}
		text := strings.Join(strings.Fields(typed(t, arguments...).stdout), " ")
		if !strings.Contains(text, "(.maxntid; about ") || !strings.Contains(text, " more would be spilled)") {
			t.Errorf("%s does not say what is spilled: %s", command, text)
		}
	}
}
