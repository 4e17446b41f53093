#include "../mma.h"
