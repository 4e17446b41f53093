package asm

import (
	"strings"
	"testing"
)

// TestShflAndVoteWithoutSyncWarn: by PTX ISA 6.4, shfl and vote without .sync are not supported on sm_70 or higher.
func TestShflAndVoteWithoutSyncWarn(t *testing.T) {
	const code = ".entry k() {\n\tshfl.down.b32 %r1, %r2, 1, 31;\n\tshfl.up.b32 %r1, %r2, 1, 0;\n\tvote.all.pred %p1, %p2;\n\tshfl.sync.idx.b32 %r1, %r2, 0, 31, -1;\n\tret;\n}\n"
	const (
		shfl = "x.s:3:2: shfl without .sync is not in PTX for sm_70 and later; write shfl.sync with the mask of the lanes that take part, -1 for all (2 times, first here)"
		vote = "x.s:5:2: vote without .sync is not in PTX for sm_70 and later; write vote.sync with the mask of the lanes that take part, -1 for all"
	)
	for target, want := range map[string]string{
		"//":                  shfl + "\n" + vote,
		".target sm_90a":      shfl + "\n" + vote,
		".target sm_70,debug": shfl + "\n" + vote,
		".target sm_61":       "",
		".target sm_20":       "",
	} {
		var got []string
		for _, w := range Warnings(parse(t, target+"\n"+code)) {
			got = append(got, w.Error())
		}
		if text := strings.Join(got, "\n"); text != want {
			t.Errorf("%s: %s\nwant %s", target, text, want)
		}
	}
}
