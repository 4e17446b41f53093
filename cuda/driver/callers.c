#include "callers.h"

#include <unwind.h>

int notes_callers;

static _Thread_local struct callers noted;

static _Unwind_Reason_Code note(struct _Unwind_Context *context, void *to)
{
	struct callers *all = to;
	uintptr_t at = _Unwind_GetIP(context);

	if (at == 0 || all->count == MOST_CALLERS)
		return _URC_END_OF_STACK;
	all->at[all->count++] = at;
	return _URC_NO_REASON;
}

void note_callers(void)
{
	noted.count = 0;
	_Unwind_Backtrace(note, &noted);
}

void forget_callers(void) { noted.count = 0; }

const struct callers *noted_callers(void) { return &noted; }
