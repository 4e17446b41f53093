package conformance

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

// formsText has forms that compilers were seen to emit, alternateText those of the alternate floating-point formats,
// videoText those of video instructions, lateText forms that compilers have not been seen to emit.
var (
	//go:embed forms.txt
	formsText string
	//go:embed alternate.txt
	alternateText string
	//go:embed video.txt
	videoText string
	//go:embed late.txt
	lateText string
)

// Forms returns the claims that an instruction computes what the PTX ISA says, on all edge values of its types and on
// random ones: one for each form of the lists. For forms that the ISA does not have, the claim is that they are
// refused.
func Forms() []Claim {
	var claims []Claim
	for line := range strings.Lines(formsText + alternateText + videoText + lateText) {
		f := parseForm(strings.TrimSpace(line))
		claims = append(claims, Claim{f.text, f.op, f.try})
	}
	return claims
}

// Launches returns the launches that test a form, given as its mnemonic with all modifiers, in full even with -short.
// It returns none for an unknown form.
func Launches(mnemonic string) []Launch {
	f := parseForm(mnemonic)
	makeTrials := trialMakers[f.op]
	if makeTrials == nil || f.has("param::func") ||
		f.op == "st" && f.has("async") || f.op == "red" && f.has("async") || f.has("reduce") || f.has("multicast::cluster") ||
		f.op == "barrier" && f.has("cluster") || f.op == "fence" && f.has("proxy") { // they have other operands, or none
		return nil
	}
	var all []Launch
	for _, tr := range makeTrials(f) {
		tr = tr.on(mostTuples)
		all = append(all, tr.launch())
	}
	return all
}

// forbidden are forms that have been seen in the wild and that the PTX ISA does not have, or no longer has, with what
// the refusal must say.
var forbidden = map[string]string{
	"mul.wide.u64": "no such type; mul.wide takes",
	"mad.f32":      "needs one of .rn .rz .rm .rp (rounding) from PTX 3.2 on",
}

// form is a mnemonic with its modifiers and types.
type form struct {
	text, op string
	mods     []string // types among them
	types    []string // those of mods that are types
}

// subspaces are other names for spaces of one CTA and one kernel.
var subspaces = strings.NewReplacer("shared::cta", "shared", "param::entry", "param")

func parseForm(text string) form {
	words := strings.Split(text, ".")
	f := form{text: text, op: words[0], mods: words[1:]}
	for i, m := range f.mods {
		m = subspaces.Replace(m)
		f.mods[i] = m
		if _, ok := typeBits[m]; ok {
			f.types = append(f.types, m)
		}
	}
	return f
}

// has reports whether m is a modifier of f.
func (f *form) has(m string) bool { return slices.Contains(f.mods, m) }

// oneOf is the modifier of f among the given ones, or "".
func (f *form) oneOf(mods ...string) string {
	for _, m := range f.mods {
		if slices.Contains(mods, m) {
			return m
		}
	}
	return ""
}

type trialMaker = func(f form) []trial

// trialMakers give the trials of a form, by opcode.
var trialMakers = mergeMakers(integerMakers, videoMakers, floatMakers, compareMakers, conversionMakers, memoryMakers, warpMakers, controlMakers, asyncMakers)

func mergeMakers(all ...map[string]trialMaker) map[string]trialMaker {
	merged := make(map[string]trialMaker)
	for _, makers := range all {
		for op, m := range makers {
			if merged[op] != nil {
				panic("two makers of trials for " + op)
			}
			merged[op] = m
		}
	}
	return merged
}

// try runs the trials of f, or checks that it is refused if it must be.
func (f form) try(run Run) error {
	if reason, ok := forbidden[f.text]; ok {
		return f.refused(run, reason)
	}
	makeTrials := trialMakers[f.op]
	if makeTrials == nil {
		return fmt.Errorf("no trials for %s", f.op)
	}
	trials := makeTrials(f)
	if len(trials) == 0 {
		return fmt.Errorf("no trials for the form")
	}
	for _, tr := range trials {
		tr = tr.prepared()
		if !strings.Contains(tr.src, f.text) {
			return fmt.Errorf("a trial is not of the form:\n%s", tr.src)
		}
		if err := tr.try(run); err != nil {
			return fmt.Errorf("%w in\n%s", err, tr.src)
		}
	}
	return nil
}

// refused checks that f is refused with the reason.
func (f form) refused(run Run, reason string) error {
	tr := trial{src: header + ".entry k()\n{\n\t.reg .b64 %rd<4>;\n\t" + f.text + " %rd1, %rd2, %rd3;\n\tret;\n}\n"}
	err := tr.try(run)
	if err == nil || !strings.Contains(err.Error(), reason) {
		return fmt.Errorf("got %v, want a refusal with %q", err, reason)
	}
	return nil
}
