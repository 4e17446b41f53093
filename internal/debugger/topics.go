package debugger

import (
	"errors"
	"strings"

	"github.com/simtrun/simtrun/interp"
)

// topic is a topic of the command info.
type topic struct {
	name, also string // also has aliases, separated by blanks
	help       string
	run        func(*Debugger, interp.Warp, string) error
	always     func(*Debugger, string) error // replaces run if the topic needs no launch under way
}

// topics are the topics of info, in the order of its help.
var topics = []topic{
	{"lanes", "l", "the instruction that each lane of the warp is at", (*Debugger).infoLanes, nil},
	{"warps", "w", "the warps of the block", (*Debugger).infoWarps, nil},
	{"threads", "t", "the threads of the block, grouped by the place they are at", (*Debugger).infoThreads, nil},
	{"blocks", "sms", "the resident blocks", (*Debugger).infoBlocks, nil},
	{"locals", "", "the visible variables of the source, structs and arrays only for the lane in focus; in PTX without variables, the registers", (*Debugger).infoLocals, nil},
	{"address", "", "where a variable of the source is", nil, (*Debugger).infoAddress},
	{"symbol", "", "what is at an address", nil, (*Debugger).infoSymbol},
	{"regs", "r registers all-registers", "all registers, one register, or those with names that begin with a word", (*Debugger).infoRegs, nil},
	{"mask", "", "masks of the lanes that started, are live, are active and wait", (*Debugger).infoMask, nil},
	{"stack", "s", "the paths that the warp's lanes are on, and the warp's calls", (*Debugger).infoStack, nil},
	{"frame", "f", "the selected call, and its return address", (*Debugger).infoFrame, nil},
	{"barriers", "", "which lanes wait at barriers, and for which lanes; which lanes poll mbarriers; the mbarriers of the block", (*Debugger).infoBarriers, nil},
	{"schedulers", "", "with a clock: the schedulers of the SM, the state of their warps and until when it lasts, and the cycle of the next possible issue", (*Debugger).infoSchedulers, nil},
	{"scoreboard", "", "with a clock: registers of the warp with a write pending, and the cycle from which they can be read", (*Debugger).infoScoreboard, nil},
	{"cache", "", "with a clock: counters of the SM's L1, of L2 and of device memory so far", (*Debugger).infoCache, nil},
	{"mem", "variables", "buffers, variables, shared and local memory; with a text, those that have it in their names", nil, (*Debugger).infoMem},
	{"findings", "exceptions", "the error that ended the launch, and findings that did not end it", nil, (*Debugger).infoFindings},
	{"args", "parameters params", "the parameters of the function in focus, or of the kernel", nil, (*Debugger).infoArgs},
	{"devices", "gpu gpus", "the modelled GPU", nil, (*Debugger).infoDevices},
	{"launch", "kernels program", "the kernel, its grid, its parameters, and the instructions executed so far", nil, (*Debugger).infoLaunch},
	{"functions", "", "the functions that the kernel can reach, and their labels; with a text, those that have it in their names", nil, (*Debugger).infoFunctions},
	{"scope", "", "the variables of the source that are visible at a place", nil, (*Debugger).infoScope},
	{"types", "", "the types of the source; with a text, those that have it in their names", nil, (*Debugger).infoTypes},
	{"sources", "", "the source files of the kernel's code", nil, (*Debugger).infoSources},
	{"source", "line", "the file and line of the focus, or of a place", nil, (*Debugger).infoSource},
	{"code", "", "whether compiled code executes the instruction when no debugger is attached, and if not, why", (*Debugger).infoCode, nil},
	{"break", "b breakpoints watchpoints", "breakpoints, watchpoints and traces", nil, (*Debugger).infoBreak},
	{"checkpoints", "", "the steps saved by checkpoint", nil, (*Debugger).infoCheckpoints},
	{"display", "d", "expressions shown after every stop", nil, (*Debugger).infoDisplay},
}

func topicNames() []string {
	var names []string
	for _, t := range topics {
		names = append(names, t.name)
	}
	return names
}

// topicNamed finds a topic by one of its names, or an abbreviation.
func topicNamed(word string) (*topic, error) {
	exact, found, names := abbreviated(word, len(topics), func(i int) (string, string) { return topics[i].name, topics[i].also })
	if exact >= 0 {
		return &topics[exact], nil
	}
	switch len(found) {
	case 0:
		if other := topicsInstead[word]; other != "" {
			return nil, errorf("no info %s; %s", word, other)
		}
		return nil, errorf("info needs a topic: %s", strings.Join(topicNames(), ", "))
	case 1:
		return &topics[found[0]], nil
	}
	return nil, errorf("%q is %s", word, strings.Join(names, " or "))
}

func (d *Debugger) infoCommand(c *call) error {
	asked := strings.TrimSpace(strings.TrimPrefix(c.args, "cuda ")) // as in cuda-gdb
	word, args, _ := cutFirst(asked, " ")
	if asked == "cuda" {
		return errors.New(ofCUDA)
	}
	return d.topic(word, strings.TrimSpace(args))
}

// topic shows a topic of info.
func (d *Debugger) topic(word, args string) error {
	t, err := topicNamed(word)
	switch {
	case err != nil:
		return err
	case t.always != nil:
		return t.always(d, args)
	}
	w, err := d.warp()
	if err != nil {
		return err
	}
	return t.run(d, w, args)
}
