/* NVRTC, implemented by the command simtrun cc. A program is written to a temporary folder, the command compiles
 * it to PTX there, and clang's messages are its log. Name expressions become variables after the source that are
 * initialised with the addresses: PTX has the lowered names there. */
#include <nvrtc.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <libgen.h>
#include <limits.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <simtrun/version.h>

extern char **environ;

/* An expression that names a kernel or a variable. */
struct name {
	char *expression, *lowered; /* lowered: NULL before the compilation */
};

struct header {
	char *path, *text;
};

struct _nvrtcProgram {
	char *source, *name;
	struct header *headers;
	int n_headers;
	struct name *names;
	int n_names;
	int compiled; /* a compilation has ended, successfully or not */
	int for_gpu;  /* the architecture was an sm_, not a compute_ */
	char *ptx, *log;
};

const char *nvrtcGetErrorString(nvrtcResult result)
{
	static const char *const names[] = {
		"NVRTC_SUCCESS",
		"NVRTC_ERROR_OUT_OF_MEMORY",
		"NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
		"NVRTC_ERROR_INVALID_INPUT",
		"NVRTC_ERROR_INVALID_PROGRAM",
		"NVRTC_ERROR_INVALID_OPTION",
		"NVRTC_ERROR_COMPILATION",
		"NVRTC_ERROR_BUILTIN_OPERATION_FAILURE",
		"NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
		"NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
		"NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
		"NVRTC_ERROR_INTERNAL_ERROR",
		"NVRTC_ERROR_TIME_FILE_WRITE_FAILED",
		"NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED",
		"NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED",
		"NVRTC_ERROR_PCH_CREATE",
		"NVRTC_ERROR_CANCELLED",
	};
	if ((unsigned)result >= sizeof names / sizeof names[0])
		return "NVRTC_ERROR unknown";
	return names[result];
}

nvrtcResult nvrtcVersion(int *major, int *minor)
{
	if (major == NULL || minor == NULL)
		return NVRTC_ERROR_INVALID_INPUT;
	*major = CUDART_VERSION / 1000;
	*minor = CUDART_VERSION % 1000 / 10;
	return NVRTC_SUCCESS;
}

/* The architectures of CUDA 12 that every clang from version 18 on knows. */
static const int archs[] = {50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90};

nvrtcResult nvrtcGetNumSupportedArchs(int *count)
{
	if (count == NULL)
		return NVRTC_ERROR_INVALID_INPUT;
	*count = sizeof archs / sizeof archs[0];
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetSupportedArchs(int *into)
{
	if (into == NULL)
		return NVRTC_ERROR_INVALID_INPUT;
	memcpy(into, archs, sizeof archs);
	return NVRTC_SUCCESS;
}

/* The program. */

static void free_program(nvrtcProgram p)
{
	for (int i = 0; i < p->n_headers; i++) {
		free(p->headers[i].path);
		free(p->headers[i].text);
	}
	for (int i = 0; i < p->n_names; i++) {
		free(p->names[i].expression);
		free(p->names[i].lowered);
	}
	free(p->headers);
	free(p->names);
	free(p->source);
	free(p->name);
	free(p->ptx);
	free(p->log);
	free(p);
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram *prog, const char *src, const char *name, int n, const char *const *headers, const char *const *include_names)
{
	if (prog == NULL || src == NULL || n < 0 || (n > 0 && (headers == NULL || include_names == NULL)))
		return NVRTC_ERROR_INVALID_INPUT;
	nvrtcProgram p = calloc(1, sizeof *p);
	if (p == NULL)
		return NVRTC_ERROR_OUT_OF_MEMORY;
	p->source = strdup(src);
	p->name = strdup(name == NULL || *name == 0 ? "default_program" : name);
	p->headers = calloc(n + 1, sizeof *p->headers);
	int whole = p->source != NULL && p->name != NULL && p->headers != NULL;
	for (int i = 0; i < n && whole; i++) {
		if (headers[i] == NULL || include_names[i] == NULL) {
			free_program(p);
			return NVRTC_ERROR_INVALID_INPUT;
		}
		p->n_headers++;
		p->headers[i] = (struct header){strdup(include_names[i]), strdup(headers[i])};
		whole = p->headers[i].path != NULL && p->headers[i].text != NULL;
	}
	if (!whole) {
		free_program(p);
		return NVRTC_ERROR_OUT_OF_MEMORY;
	}
	*prog = p;
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram *prog)
{
	if (prog == NULL || *prog == NULL)
		return NVRTC_ERROR_INVALID_PROGRAM;
	free_program(*prog);
	*prog = NULL;
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcAddNameExpression(nvrtcProgram p, const char *expression)
{
	if (p == NULL)
		return NVRTC_ERROR_INVALID_PROGRAM;
	if (expression == NULL)
		return NVRTC_ERROR_INVALID_INPUT;
	if (p->compiled)
		return NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
	struct name *more = realloc(p->names, (p->n_names + 1) * sizeof *more);
	if (more == NULL)
		return NVRTC_ERROR_OUT_OF_MEMORY;
	p->names = more;
	if ((more[p->n_names].expression = strdup(expression)) == NULL)
		return NVRTC_ERROR_OUT_OF_MEMORY;
	more[p->n_names++].lowered = NULL;
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetLoweredName(nvrtcProgram p, const char *expression, const char **lowered)
{
	if (p == NULL)
		return NVRTC_ERROR_INVALID_PROGRAM;
	if (expression == NULL || lowered == NULL)
		return NVRTC_ERROR_INVALID_INPUT;
	if (p->ptx == NULL)
		return NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
	for (int i = 0; i < p->n_names; i++) {
		if (strcmp(p->names[i].expression, expression) == 0 && p->names[i].lowered != NULL) {
			*lowered = p->names[i].lowered;
			return NVRTC_SUCCESS;
		}
	}
	return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
}

/* Compilation. */

/* A command line. */
struct words {
	const char **all; /* NULL at the end */
	int n;
};

static int add_word(struct words *w, const char *word)
{
	const char **more = realloc(w->all, (w->n + 2) * sizeof *more);
	if (more == NULL)
		return 0;
	w->all = more;
	more[w->n++] = word;
	more[w->n] = NULL;
	return 1;
}

static int add_words(struct words *w, int n, const char *const *words)
{
	for (int i = 0; i < n; i++)
		if (!add_word(w, words[i]))
			return 0;
	return 1;
}

static char *in_folder(const char *folder, const char *name)
{
	char *path = NULL;
	return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

/* read_file returns a file's text, with a NUL appended, or NULL. */
static char *read_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	char *text = NULL;
	if (f == NULL)
		return NULL;
	if (fseek(f, 0, SEEK_END) == 0) {
		long size = ftell(f);
		rewind(f);
		if (size >= 0 && (text = malloc(size + 1)) != NULL)
			text[fread(text, 1, size, f)] = 0;
	}
	fclose(f);
	return text;
}

/* write_header writes a header under the name with which it is included, and makes folders for it if necessary. */
static int write_header(const char *folder, const struct header *h)
{
	char *path = in_folder(folder, h->path);
	if (path == NULL)
		return 0;
	for (char *slash = strchr(path + strlen(folder) + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		mkdir(path, 0777);
		*slash = '/';
	}
	FILE *f = fopen(path, "wb");
	free(path);
	if (f == NULL)
		return 0;
	int written = fputs(h->text, f) >= 0;
	return fclose(f) == 0 && written;
}

#define NAME_VARIABLE "simtrun_name_"

/* write_source writes the source, with its own line numbers, and a variable for each name expression. */
static int write_source(const char *path, nvrtcProgram p, int all_device)
{
	FILE *f = fopen(path, "wb");
	if (f == NULL)
		return 0;
	if (all_device) /* functions without an execution space are device functions, too */
		fputs("#pragma clang force_cuda_host_device begin\n", f);
	fprintf(f, "#line 1 \"%s\"\n%s\n", p->name, p->source);
	if (all_device)
		fputs("#pragma clang force_cuda_host_device end\n", f);
	for (int i = 0; i < p->n_names; i++) {
		const char *e = p->names[i].expression + strspn(p->names[i].expression, " \t&");
		fprintf(f, "#line 1 \"name expression %s\"\nextern \"C\" __device__ const void *" NAME_VARIABLE "%d = (const void *)&(%s);\n", e, i, e);
	}
	int failed = ferror(f);
	return fclose(f) == 0 && !failed;
}

/* take_names removes the variables of name expressions from the PTX: each is a line that ends "= NAME;" or "=
   generic(NAME);". */
static nvrtcResult take_names(nvrtcProgram p)
{
	for (int i = 0; i < p->n_names; i++) {
		char variable[64];
		snprintf(variable, sizeof variable, " " NAME_VARIABLE "%d = ", i);
		char *at = strstr(p->ptx, variable);
		if (at == NULL)
			return NVRTC_ERROR_INTERNAL_ERROR;
		char *name = at + strlen(variable), *end = strchr(at, '\n');
		if (strncmp(name, "generic(", strlen("generic(")) == 0)
			name += strlen("generic(");
		free(p->names[i].lowered);
		p->names[i].lowered = strndup(name, strcspn(name, ");"));
		if (p->names[i].lowered == NULL)
			return NVRTC_ERROR_OUT_OF_MEMORY;
		while (at > p->ptx && at[-1] != '\n')
			at--;
		memmove(at, end, strlen(end) + 1);
	}
	return NVRTC_SUCCESS;
}

/* find_command finds the command simtrun: the one in SIMTRUN_COMMAND, as simtrun host sets it, or next to the
 * library in a checkout or an installation, or the one in PATH. */
static void find_command(char into[PATH_MAX])
{
	const char *named = getenv("SIMTRUN_COMMAND");
	Dl_info self;
	if (named != NULL && *named != 0) {
		snprintf(into, PATH_MAX, "%s", named);
		return;
	}
	if (dladdr((void *)nvrtcVersion, &self) != 0) {
		static const char *const places[] = {".", "..", "../..", "../bin"};
		char folder[PATH_MAX];
		snprintf(folder, sizeof folder, "%s", self.dli_fname);
		char *directory = dirname(folder);
		for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
			struct stat s;
			if (snprintf(into, PATH_MAX, "%s/%s/simtrun", directory, places[i]) < PATH_MAX && stat(into, &s) == 0 && S_ISREG(s.st_mode) && access(into, X_OK) == 0)
				return;
		}
	}
	snprintf(into, PATH_MAX, "simtrun");
}

/* execute runs a command with its messages in a file. It returns the exit status, or -1 with errno. */
static int execute(const struct words *w, const char *messages)
{
	posix_spawn_file_actions_t actions;
	pid_t pid;
	int status, err;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, messages, O_WRONLY | O_CREAT | O_APPEND, 0666);
	posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
	err = posix_spawnp(&pid, w->all[0], &actions, NULL, (char *const *)w->all, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (err != 0) {
		errno = err;
		return -1;
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static void set_log(nvrtcProgram p, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	free(p->log);
	if (vasprintf(&p->log, format, args) < 0)
		p->log = NULL;
	va_end(args);
}

static int has_prefix(const char *s, const char *prefix) { return strncmp(s, prefix, strlen(prefix)) == 0; }

static int is_one_of(const char *s, const char *const *names)
{
	for (; *names != NULL; names++)
		if (strcmp(s, *names) == 0)
			return 1;
	return 0;
}

/* compile_in compiles in a folder of temporary files. */
static nvrtcResult compile_in(const char *folder, nvrtcProgram p, int n, const char *const *options)
{
	static const char *const device_default[] = {"-default-device", "--device-as-default-execution-space", NULL};
	static const char *const other_code[] = {"-dlto", "--dlink-time-opt", "--gen-opt-lto", "--optix-ir", NULL};
	enum { OPTION_ERROR = 2 }; /* exit status of simtrun for an invalid command line */
	char command[PATH_MAX], beside[PATH_MAX], *headers = in_folder(folder, "headers"), *source = in_folder(folder, "source.cu"), *ptx = in_folder(folder, "out.ptx"),
		*log = in_folder(folder, "log");
	struct words line = {0};
	nvrtcResult result = NVRTC_ERROR_OUT_OF_MEMORY;
	int all_device = 0;

	find_command(command);
	const char *const first[] = {command, "cc", "-ptx", "-x", "cu", "-o", ptx, "-D__CUDACC_RTC__=1", "-I", headers};
	if (headers == NULL || source == NULL || ptx == NULL || log == NULL || !add_words(&line, sizeof first / sizeof first[0], first))
		goto end;
	for (int i = 0; i < n; i++) {
		if (is_one_of(options[i], other_code)) {
			set_log(p, "%s is not supported: simtrun makes PTX\n", options[i]);
			result = NVRTC_ERROR_INVALID_OPTION;
			goto end;
		}
		if (has_prefix(options[i], "-arch") || has_prefix(options[i], "--gpu-architecture"))
			p->for_gpu = strstr(i + 1 < n && strchr(options[i], '=') == NULL ? options[i + 1] : options[i], "sm_") != NULL;
		if (is_one_of(options[i], device_default))
			all_device = 1;
		else if (!add_word(&line, options[i]))
			goto end;
	}
	/* Headers in the folder of the source are found by its name. */
	snprintf(beside, sizeof beside, "%s", p->name);
	const char *const last[] = {"-iquote", dirname(beside), source};
	if (!add_words(&line, sizeof last / sizeof last[0], last))
		goto end;

	mkdir(headers, 0777);
	result = NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;
	for (int i = 0; i < p->n_headers; i++) {
		if (!write_header(headers, &p->headers[i])) {
			set_log(p, "header %s: %s\n", p->headers[i].path, strerror(errno));
			goto end;
		}
	}
	if (!write_source(source, p, all_device)) {
		set_log(p, "%s: %s\n", source, strerror(errno));
		goto end;
	}
	int status = execute(&line, log);
	if (status < 0 || status == 127) {
		set_log(p, "%s: %s; SIMTRUN_COMMAND names the command simtrun, which compiles\n", command, strerror(status < 0 ? errno : ENOENT));
		goto end;
	}
	free(p->log);
	p->log = read_file(log);
	switch (status) {
	case 0:
		p->ptx = read_file(ptx);
		result = p->ptx == NULL ? NVRTC_ERROR_INTERNAL_ERROR : take_names(p);
		break;
	case OPTION_ERROR:
		result = NVRTC_ERROR_INVALID_OPTION;
		break;
	default:
		result = NVRTC_ERROR_COMPILATION;
	}
end:
	free(line.all);
	free(headers);
	free(source);
	free(ptx);
	free(log);
	return result;
}

static int remove_one(const char *path, const struct stat *s, int type, struct FTW *at)
{
	(void)s, (void)type, (void)at;
	return remove(path);
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram p, int n, const char *const *options)
{
	if (p == NULL)
		return NVRTC_ERROR_INVALID_PROGRAM;
	if (n < 0 || (n > 0 && options == NULL))
		return NVRTC_ERROR_INVALID_INPUT;
	const char *parent = getenv("TMPDIR");
	char *folder = in_folder(parent == NULL || *parent == 0 ? "/tmp" : parent, "simtrun-nvrtc-XXXXXX");
	if (folder == NULL)
		return NVRTC_ERROR_OUT_OF_MEMORY;
	p->compiled = 1;
	p->for_gpu = 0;
	free(p->ptx);
	p->ptx = NULL;
	nvrtcResult result = NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;
	if (mkdtemp(folder) == NULL) {
		set_log(p, "%s: %s\n", folder, strerror(errno));
	} else {
		result = compile_in(folder, p, n, options);
		nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	}
	free(folder);
	if (result != NVRTC_SUCCESS) {
		free(p->ptx);
		p->ptx = NULL;
	}
	return result;
}

/* The results of a compilation. */

static nvrtcResult give_size(nvrtcProgram p, const char *text, size_t *size)
{
	if (p == NULL)
		return NVRTC_ERROR_INVALID_PROGRAM;
	if (size == NULL)
		return NVRTC_ERROR_INVALID_INPUT;
	*size = text == NULL ? 0 : strlen(text) + 1;
	return NVRTC_SUCCESS;
}

static nvrtcResult give(nvrtcProgram p, const char *text, char *into)
{
	if (p == NULL)
		return NVRTC_ERROR_INVALID_PROGRAM;
	if (into == NULL)
		return NVRTC_ERROR_INVALID_INPUT;
	if (text == NULL)
		return NVRTC_ERROR_INVALID_PROGRAM;
	strcpy(into, text);
	return NVRTC_SUCCESS;
}

static nvrtcResult ptx_size(nvrtcProgram p, int there, size_t *size)
{
	if (p != NULL && p->ptx == NULL)
		return NVRTC_ERROR_INVALID_PROGRAM;
	return give_size(p, there ? p->ptx : NULL, size);
}

nvrtcResult nvrtcGetPTXSize(nvrtcProgram p, size_t *size) { return ptx_size(p, 1, size); }
nvrtcResult nvrtcGetPTX(nvrtcProgram p, char *into) { return give(p, p == NULL ? NULL : p->ptx, into); }

/* There is a cubin if the architecture was that of a GPU. */
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram p, size_t *size) { return ptx_size(p, p != NULL && p->for_gpu, size); }
nvrtcResult nvrtcGetCUBIN(nvrtcProgram p, char *into) { return give(p, p == NULL || !p->for_gpu ? NULL : p->ptx, into); }

nvrtcResult nvrtcGetLTOIRSize(nvrtcProgram p, size_t *size) { return ptx_size(p, 0, size); }
nvrtcResult nvrtcGetLTOIR(nvrtcProgram p, char *into) { return give(p, NULL, into); }
nvrtcResult nvrtcGetOptiXIRSize(nvrtcProgram p, size_t *size) { return ptx_size(p, 0, size); }
nvrtcResult nvrtcGetOptiXIR(nvrtcProgram p, char *into) { return give(p, NULL, into); }

static const char *log_of(nvrtcProgram p) { return p == NULL || p->log == NULL ? "" : p->log; }

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram p, size_t *size) { return give_size(p, log_of(p), size); }
nvrtcResult nvrtcGetProgramLog(nvrtcProgram p, char *into) { return give(p, log_of(p), into); }

/* The callback could stop a compilation, but none takes long enough. */
nvrtcResult nvrtcSetFlowCallback(nvrtcProgram p, int (*callback)(void *, void *), void *payload)
{
	(void)payload;
	if (p == NULL)
		return NVRTC_ERROR_INVALID_PROGRAM;
	return callback == NULL ? NVRTC_ERROR_INVALID_INPUT : NVRTC_SUCCESS;
}

/* Precompiled headers can be requested by options, and have no effect. */

static size_t pch_heap = 256 << 20;

nvrtcResult nvrtcGetPCHHeapSize(size_t *size)
{
	if (size == NULL)
		return NVRTC_ERROR_INVALID_INPUT;
	*size = pch_heap;
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcSetPCHHeapSize(size_t size)
{
	pch_heap = size;
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetPCHCreateStatus(nvrtcProgram p) { return p == NULL ? NVRTC_ERROR_INVALID_PROGRAM : NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED; }
nvrtcResult nvrtcGetPCHHeapSizeRequired(nvrtcProgram p, size_t *size) { return give_size(p, NULL, size); }
