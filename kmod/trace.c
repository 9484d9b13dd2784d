// SPDX-License-Identifier: GPL-2.0-only
/* The code behind the tracepoints. */
#define CREATE_TRACE_POINTS
#include "kmod/trace.h"
