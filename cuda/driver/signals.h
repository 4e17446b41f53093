/* Signal handlers of the program that interrupt its threads in Go; signals.c explains the problem. */
#ifndef SIMTRUN_SIGNALS_H
#define SIMTRUN_SIGNALS_H

#include <semaphore.h>
#include <signal.h>

/* signals_enter is called before a thread of the program enters Go. If it fails, as in a handler that has interrupted a
 * call of the driver, the call returns that error instead. signals_leave is called when the thread has left Go. */
int signals_enter(void);
void signals_leave(void);

/* State to restore after Go has called a function of the program. */
struct outside {
	int inside, go;
	sigset_t mask;
};

/* signals_call_program and signals_called_program are called before and after Go calls a function of the program. */
void signals_call_program(struct outside *o);
void signals_called_program(const struct outside *o);

/* signals_semaphore makes a semaphore, which is never destroyed. */
sem_t *signals_semaphore(void);

/* signals_wait waits on the stack of the calling thread until s is posted. */
int signals_wait(sem_t *s);

/* signals_catch_interrupt makes SIGINT set a flag, unless the program ignores SIGINT. signals_interrupted returns the
 * flag. signals_release_interrupt returns it, too, restores the program's handler, and sends the process the SIGINT
 * that it missed. */
int signals_catch_interrupt(void);
int signals_interrupted(void);
int signals_release_interrupt(void);

/* signals_drop_interrupt restores the program's handler, and forgets the SIGINT that has come. */
int signals_drop_interrupt(void);

#endif
