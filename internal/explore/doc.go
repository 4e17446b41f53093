// Package explore executes launches in many orders of their threads, and finds whether the result depends on the order.
//
// # Transitions
//
// A thread is one lane: lanes of a warp are not kept together (divergence.SingleLanes). A transition is what one thread
// does from a decision to the next: at most one instruction that may access memory that threads share, the first one,
// and others up to the next such instruction, or until it waits. An execution is a sequence of transitions; memory is
// sequentially consistent.
//
// # Partial-order reduction
//
// Two transitions of different threads depend on each other if they access a byte that one of them changes. Executions
// that differ only in the order of independent transitions have the same end, and one of them is enough (Mazurkiewicz
// traces). Exploration begins with one execution. In each execution every race, a pair of dependent transitions that
// nothing orders, asks for another execution in which the second comes first: at the node of the tree before the first
// one, a thread is added that starts such an execution (source sets of Abdulla, Aronis, Jonsson and Sagonas, Optimal
// Dynamic Partial Order Reduction, 2014; dynamic partial-order reduction is by Flanagan and Godefroid, 2005). Sleep
// sets (Godefroid, 1996) leave out executions that only repeat others. What orders transitions is the program order,
// barriers, .sync instructions and dependent transitions before them, by vector clocks.
//
// # Polling
//
// A thread that comes back to the head of a loop in the same state, and has changed no memory since, has polled in
// vain. An execution without that iteration has the same end. So the iteration is forgotten, and the thread waits until
// a word that it read has changed. If the iteration is the branch that a race has asked for, the execution ends there:
// other branches of the node cover it, and it counts as none of the threads with which an execution could begin.
//
// # Faults
//
// An execution ends with the first fault, and hides what other threads would have done, and which races that has. So it
// is executed once more, with the thread stopped for ever before the instruction that fails.
package explore
