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
	{"lanes", "l", "what each lane of the warp is at", (*Debugger).infoLanes, nil},
	{"warps", "w", "the warps of the block", (*Debugger).infoWarps, nil},
	{"threads", "t", "the threads of the block, those together that are at the same place", (*Debugger).infoThreads, nil},
	{"blocks", "sms", "the blocks that reside", (*Debugger).infoBlocks, nil},
	{"locals", "", "the variables of the source that are visible, those of a struct or array in the lane in focus; in PTX without them its registers", (*Debugger).infoLocals, nil},
	{"address", "", "where a variable of the source is", nil, (*Debugger).infoAddress},
	{"symbol", "", "what is at an address", nil, (*Debugger).infoSymbol},
	{"regs", "r registers all-registers", "all registers, one of them, or those whose names begin with a word", (*Debugger).infoRegs, nil},
	{"mask", "", "lanes that started, live, run and wait", (*Debugger).infoMask, nil},
	{"stack", "s", "the paths that the warp's lanes are on, and its calls", (*Debugger).infoStack, nil},
	{"frame", "f", "the call that is selected, and where it goes back to", (*Debugger).infoFrame, nil},
	{"barriers", "", "which lanes wait at barriers, and for which, or poll at mbarriers; the mbarriers of the block", (*Debugger).infoBarriers, nil},
	{"schedulers", "", "with a clock: the schedulers of the SM, what state their warps are in and until when, and when one can issue next", (*Debugger).infoSchedulers, nil},
	{"scoreboard", "", "with a clock: registers of the warp that are yet to be written, and when they can be read", (*Debugger).infoScoreboard, nil},
	{"cache", "", "with a clock: what L1 of the SM, L2 and device memory have done so far", (*Debugger).infoCache, nil},
	{"mem", "variables", "buffers, variables, shared and local memory, or those with a text in their names", nil, (*Debugger).infoMem},
	{"findings", "exceptions", "the error that ended the launch, and findings that did not end it", nil, (*Debugger).infoFindings},
	{"args", "parameters params", "the parameters of the function in focus, or of the kernel", nil, (*Debugger).infoArgs},
	{"devices", "gpu gpus", "the GPU that is modelled", nil, (*Debugger).infoDevices},
	{"launch", "kernels program", "the kernel, its grid, its parameters, what it has executed", nil, (*Debugger).infoLaunch},
	{"functions", "", "the functions that the kernel can reach, and their labels, or those with a text in their names", nil, (*Debugger).infoFunctions},
	{"scope", "", "the variables of the source that are visible at a place", nil, (*Debugger).infoScope},
	{"types", "", "the types of the source, or those with a text in their names", nil, (*Debugger).infoTypes},
	{"sources", "", "the files that code of the kernel comes from", nil, (*Debugger).infoSources},
	{"source", "line", "the file and line of the focus, or of a place", nil, (*Debugger).infoSource},
	{"code", "", "whether compiled code executes an instruction where no debugger is, or why not", (*Debugger).infoCode, nil},
	{"break", "b breakpoints watchpoints", "breakpoints, watchpoints and traces", nil, (*Debugger).infoBreak},
	{"checkpoints", "", "the steps that checkpoint has remembered", nil, (*Debugger).infoCheckpoints},
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
		return nil, errorf("info about what? There are %s", strings.Join(topicNames(), ", "))
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
