/* A stand-in for one of NVIDIA's libraries: it has the library's names, so that programs load that may never call
 * them, and each call is refused with the library's status for what is not supported. Functions take no parameters:
 * in the calling conventions of x86-64 and AArch64 the caller owns the arguments, and so they can be ignored.
 *
 * The build defines LIBRARY and STATUS_NAME, strings, STATUS, a number, and FUNCTIONS, a file with a line
 * STATUS_OF(name), TEXT_OF(name) or NONE_OF(name) for each function. */
#include <stdatomic.h>
#include <stdio.h>

/* Says which function was called first. */
static void refuse(const char *function)
{
	static atomic_flag told = ATOMIC_FLAG_INIT;

	if (!atomic_flag_test_and_set(&told))
		fprintf(stderr, "simtrun: %s: simtrun does not support this function of " LIBRARY "; such calls return " STATUS_NAME "\n",
		        function);
}

/* A function that returns a status. */
#define STATUS_OF(name) int name(void) { return refuse(#name), STATUS; }

/* A function that returns the text of a status, which can only be the one. */
#define TEXT_OF(name) const char *name(void) { return STATUS_NAME; }

/* A function that returns a number, such as a version: 0. */
#define NONE_OF(name) unsigned long name(void) { return refuse(#name), 0ul; }

#include FUNCTIONS
