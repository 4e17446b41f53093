package cost

import (
	"fmt"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/sass"
)

// assembledText returns the machine instructions of a kernel by the machine code of a listing: stall counts, and what
// they do.
func assembledText(t *testing.T, ptx, listing string) string {
	t.Helper()
	mod, err := asm.Parse("k.s", []byte(ptx))
	if err != nil {
		t.Fatal(err)
	}
	code, err := sass.Parse(listing)
	if err != nil {
		t.Fatal(err)
	}
	all := AssembledListing(mod.Funcs[0], h100(), code[0], func(string) bool { return false })
	var text strings.Builder
	for line := range strings.Lines(all) {
		fmt.Fprintln(&text, strings.Join(strings.Fields(line), " "))
	}
	return text.String()
}

const twoSums = `.entry k(.param .u64 a) {
ld.param.u64 %rd1, [a]; ld.global.u32 %r3, [%rd1];
ld.global.u32 %r4, [%rd1+4];
add.u32 %r5, %r3, 1;
add.u32 %r6, %r4, 2;
st.global.u32 [%rd1], %r5;
st.global.u32 [%rd1+4], %r6;
ret;
}`

// TestInstructionsFollowListing: machine instructions are in the order of a listing: by line information, if it has
// that, otherwise by kind. What it has in addition is issued, and what it lacks is not.
func TestInstructionsFollowListing(t *testing.T) {
	const byKind = `Function : k
/*0000*/ LDG.E R4, desc[UR4][R2.64] ; /* 0x0000000000000000 */
                                      /* 0x00000e0000000000 */
/*0010*/ LDG.E R3, desc[UR4][R2.64+0x4] ;
/*0020*/ MOV R9, R8 ;
/*0030*/ IADD3 R5, R3, 0x1, RZ ;
/*0040*/ STG.E desc[UR4][R2.64], R5 ;
/*0050*/ IADD3 R6, R4, 0x2, RZ ;
/*0060*/ IADD3 R7, R4, 0x2, RZ ;
/*0070*/ STG.E desc[UR4][R2.64+0x4], R6 ;
/*0080*/ EXIT ;
`
	lines := strings.NewReplacer(
		"/*0000*/", "//## File \".nv_debug_ptx_txt\", line 3\n/*0000*/", "/*0010*/", "//## File \".nv_debug_ptx_txt\", line 2\n/*0010*/",
		"/*0020*/", "//## File \".nv_debug_ptx_txt\", line 9\n/*0020*/", "/*0030*/", "//## File \".nv_debug_ptx_txt\", line 5\n/*0030*/",
		"/*0040*/", "//## File \".nv_debug_ptx_txt\", line 7\n/*0040*/", "/*0050*/", "//## File \".nv_debug_ptx_txt\", line 4\n/*0050*/",
		"/*0060*/", "//## File \".nv_debug_ptx_txt\", line 9\n/*0060*/", "/*0070*/", "//## File \".nv_debug_ptx_txt\", line 6\n/*0070*/")
	for _, c := range []struct {
		name, listing string
		want          []string
	}{
		{"kind", byKind, []string{"7 load_global L2", "1 load_global L3", "1 integer", "integer L4", "1 store_global L6", "integer L5", "1 integer", "1 store_global L7", "1 exit", "7 of 9"}},
		{"lines", lines.Replace(byKind), []string{"load_global L3", "load_global L2", "integer", "integer L5", "store_global L7", "integer L4", "integer", "store_global L6", "exit"}},
	} {
		text := assembledText(t, twoSums, c.listing)
		rest := text
		for _, want := range c.want {
			_, after, found := strings.Cut(rest, want)
			if !found {
				t.Errorf("%s: no %q behind what is before it:\n%s", c.name, want, text)
				break
			}
			rest = after
		}
	}
}
