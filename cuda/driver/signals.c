/* A thread of the program that calls the driver executes Go on a stack of Go, which has a few kilobytes at first. A
 * signal handler that the program has installed without SA_ONSTACK runs on the stack that it interrupts, and would
 * overwrite the memory below it. So
 *
 *   - the Go stack of each thread of the program grows once, to a size with room for handlers, and never shrinks
 *     (first_call, growStack, gcshrinkstackoff in the Makefile);
 *   - threads of Go, on which goroutines with small stacks run, block all signals except for faults (start_go), and
 *     Go sends none (asyncpreemptoff in the Makefile);
 *   - a call that waits for others, or that loads a module, waits in C (signals_wait, waitAside in signals.go), where
 *     a handler may use as much stack as it needs;
 *   - a thread without an alternative signal stack gets one here, before Go would give it one of 32 KiB.
 *
 * Blocking signals in each call would take two system calls, which cost more than many calls of the driver. */
#define _GNU_SOURCE
#define SIMTRUN_CUDA_TYPES_ONLY
#include "../include/cuda.h"
#include "calls.h"
#include "signals.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

/* The library's data about a thread. */
struct thread {
	volatile sig_atomic_t inside; /* in a call of the driver, but not in a function of the program that the call runs */
	int go;                       /* it is a thread of Go */
	void *stack;                  /* the alternative stack that the library gave it; NULL for none */
	int leaves;                   /* free_thread was called */
};

/* Handlers of different signals nest on the alternative stack, where a program without it has the thread's 8 MiB.
 * Memory is taken for the pages that they touch. */
enum { STACK_BYTES = 1 << 20, GUARD_BYTES = 64 << 10 };

extern void growStack(void); /* in signals.go */

static _Thread_local struct thread *self;
static pthread_key_t key; /* frees self */

/* Sets the signals that may be blocked: all except faults, since a blocked fault ends the process. */
static void deferrable(sigset_t *set)
{
	static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};

	sigfillset(set);
	for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
		sigdelset(set, faults[i]);
}

/* When Go begins to use a thread, it unblocks some signals, among them SIGCHLD and SIGPROF, whatever the mask of the
 * thread is. SIGSTKFLT, which nothing else uses, is also one of them. If it is pending at that moment, it is delivered
 * before the others, and this handler blocks them again in the mask to which it returns. */
static void block_again(int signal, siginfo_t *info, void *context)
{
	sigset_t set, *mask = &((ucontext_t *)context)->uc_sigmask;

	(void)signal;
	if (info->si_code != SI_TKILL || info->si_pid != getpid())
		return;
	deferrable(&set);
	sigdelset(&set, SIGSTKFLT);
	for (int s = 1; s < NSIG; s++)
		if (sigismember(&set, s) == 1)
			sigaddset(mask, s); /* not a copy of the set: the kernel's mask is shorter than sigset_t */
}

/* Called in a thread that has all signals blocked and has not yet executed Go. */
static void block_signals_of_go(void)
{
	struct sigaction now, action = {.sa_sigaction = block_again, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};

	sigfillset(&action.sa_mask);
	sigaction(SIGSTKFLT, NULL, &now);
	if (now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN)
		sigaction(SIGSTKFLT, &action, NULL);
	else if (!(now.sa_flags & SA_SIGINFO) || now.sa_sigaction != block_again)
		return; /* the program uses it */
	pthread_kill(pthread_self(), SIGSTKFLT);
}

static void free_thread(void *of)
{
	struct thread *t = of;
	stack_t none = {.ss_flags = SS_DISABLE}, now;

	if (!t->leaves++) { /* Go has a destructor, too, and uses the stack until that has run */
		pthread_setspecific(key, t);
		return;
	}
	if (t->stack != NULL) {
		if (sigaltstack(NULL, &now) == 0 && now.ss_sp == (char *)t->stack + GUARD_BYTES)
			sigaltstack(&none, NULL);
		munmap(t->stack, GUARD_BYTES + STACK_BYTES);
	}
	self = NULL;
	free(t);
}

__attribute__((constructor(101))) static void make_key(void) { pthread_key_create(&key, free_thread); }

static void give_stack(struct thread *t)
{
	stack_t now;
	void *all;

	if (sigaltstack(NULL, &now) != 0 || !(now.ss_flags & SS_DISABLE))
		return;
	all = mmap(NULL, GUARD_BYTES + STACK_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (all == MAP_FAILED)
		return;
	now = (stack_t){.ss_sp = (char *)all + GUARD_BYTES, .ss_size = STACK_BYTES};
	if (mprotect(now.ss_sp, STACK_BYTES, PROT_READ | PROT_WRITE) == 0 && sigaltstack(&now, NULL) == 0)
		t->stack = all;
	else
		munmap(all, GUARD_BYTES + STACK_BYTES);
}

/* The first call of a thread: its stack of Go is still small. */
static struct thread *first_call(void)
{
	sigset_t set, mask;
	struct thread *t;

	deferrable(&set);
	pthread_sigmask(SIG_BLOCK, &set, &mask);
	if ((t = calloc(1, sizeof *t)) != NULL) {
		self = t;
		pthread_setspecific(key, t);
		give_stack(t);
		block_signals_of_go();
		growStack();
	}
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	return t;
}

int signals_enter(void)
{
	static volatile sig_atomic_t said;
	struct thread *t = self != NULL ? self : first_call();

	if (t == NULL)
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (!t->inside) {
		t->inside = 1;
		return CUDA_SUCCESS;
	}
	if (!said)
		fprintf(stderr, "simtrun: a signal handler has called the driver within another call; such calls return CUDA_ERROR_NOT_PERMITTED\n");
	said = 1;
	return CUDA_ERROR_NOT_PERMITTED;
}

void signals_leave(void) { self->inside = 0; }

void signals_call_program(struct outside *o)
{
	struct thread *t = self;

	o->inside = t != NULL && t->inside;
	o->go = t == NULL || t->go;
	if (t != NULL)
		t->inside = 0;
	if (o->go)
		pthread_sigmask(SIG_SETMASK, context_calls->mask, &o->mask);
}

void signals_called_program(const struct outside *o)
{
	if (o->go)
		pthread_sigmask(SIG_SETMASK, &o->mask, NULL);
	if (self != NULL)
		self->inside = o->inside;
}

sem_t *signals_semaphore(void)
{
	sem_t *s = malloc(sizeof *s);

	if (s == NULL)
		abort();
	sem_init(s, 0, 0);
	return s;
}

int signals_wait(sem_t *s)
{
	int error;

	while ((error = sem_wait(s)) != 0 && errno == EINTR)
		;
	return error;
}

/* SIGINT ends at most one launch at a time. */
static struct {
	volatile sig_atomic_t came, set;
	struct sigaction before;
} interrupt;

static void on_interrupt(int signal)
{
	(void)signal;
	interrupt.came = 1;
}

int signals_catch_interrupt(void)
{
	struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = SA_ONSTACK | SA_RESTART};

	interrupt.came = 0;
	sigaction(SIGINT, NULL, &interrupt.before);
	interrupt.set = interrupt.before.sa_handler != SIG_IGN && sigaction(SIGINT, &action, NULL) == 0;
	return interrupt.set;
}

int signals_interrupted(void) { return interrupt.came; }

int signals_drop_interrupt(void)
{
	interrupt.came = 0;
	return signals_release_interrupt();
}

int signals_release_interrupt(void)
{
	struct sigaction now;
	int came;

	sigaction(SIGINT, NULL, &now);
	if (interrupt.set && now.sa_handler == on_interrupt) /* otherwise the program has installed another handler since */
		sigaction(SIGINT, &interrupt.before, NULL);
	interrupt.set = 0;
	came = interrupt.came;
	interrupt.came = 0;
	if (came)
		kill(getpid(), SIGINT);
	return came;
}

/* Threads that Go makes: the Makefile makes the linker replace Go's calls of pthread_create by __wrap_pthread_create.
 * */

extern int __real_pthread_create(pthread_t *t, const pthread_attr_t *attributes, void *(*start)(void *), void *argument) __attribute__((weak));

struct start {
	void *(*function)(void *);
	void *argument;
};

static void *start_go(void *of)
{
	struct start s = *(struct start *)of;
	sigset_t set;

	free(of);
	deferrable(&set);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	if ((self = calloc(1, sizeof *self)) != NULL) {
		self->go = 1;
		pthread_setspecific(key, self);
	}
	block_signals_of_go();
	return s.function(s.argument);
}

int __wrap_pthread_create(pthread_t *t, const pthread_attr_t *attributes, void *(*function)(void *), void *argument)
{
	struct start *s = malloc(sizeof *s);
	int error;

	if (s == NULL)
		return EAGAIN;
	*s = (struct start){function, argument};
	if ((error = __real_pthread_create(t, attributes, start_go, s)) != 0)
		free(s);
	return error;
}
