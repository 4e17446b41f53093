// Launches 3000 times, and reads after each 1000 what SIMTRUN_REPORT has of them.
// TestBatchedReportLinesReachFile reads the whole.
#include "../check.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char ptx[] = PTX_HEAD
	".visible .entry none()\n{\nret;\n}\n"
	".visible .entry wild()\n{\n.reg .b64 %d;\nmov.u64 %d, 16;\nst.global.u32 [%d], 1;\nret;\n}\n";

static CUfunction none, wild;

static void launch(int n)
{
	for (int i = 0; i < n; i++)
		OK(cuLaunchKernel(none, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0));
}

/* Returns the lines that the report has. */
static int lines(void)
{
	FILE *f = fopen(getenv("SIMTRUN_REPORT"), "r");
	int n = 0;

	for (int c; (c = getc(f)) != EOF;)
		n += c == '\n';
	fclose(f);
	return n;
}

int main(int argc, char **argv)
{
	CUmodule module;
	pid_t child;

	begin();
	OK(cuModuleLoadData(&module, ptx));
	OK(cuModuleGetFunction(&none, module, "none"));
	OK(cuModuleGetFunction(&wild, module, "wild"));
	launch(1000);
	for (int i = 0; i < 1000 && lines() < 1000; i++) /* the lines that are kept are written 5 ms later */
		nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
	HAVE(1000, lines());
	launch(1000);
	if ((child = fork()) == 0)
		exit(0); /* writes nothing of its parent's */
	waitpid(child, NULL, 0);
	launch(1000);
	if (argc > 1 && strcmp(argv[1], "fault") == 0) {
		OK(cuLaunchKernel(wild, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0));
		HAVE(3001, lines()); /* a failure is written at once, with what was kept */
		raise(SIGKILL);
	}
	return failures != 0;
}
