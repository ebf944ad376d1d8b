// SPDX-License-Identifier: GPL-2.0
/*
 * softaff's tracepoints, in a module of their own: kernels before 6.8 make no trace events for a
 * module that carries a livepatch. modprobe loads it with softaff and removes it with it.
 */
#include <linux/module.h>

#define CREATE_TRACE_POINTS
#include "trace.h"

EXPORT_TRACEPOINT_SYMBOL_GPL(softaff_set);
EXPORT_TRACEPOINT_SYMBOL_GPL(softaff_home);
EXPORT_TRACEPOINT_SYMBOL_GPL(softaff_no_room);
EXPORT_TRACEPOINT_SYMBOL_GPL(softaff_refused);
EXPORT_TRACEPOINT_SYMBOL_GPL(softaff_spill);
EXPORT_TRACEPOINT_SYMBOL_GPL(softaff_scan_skipped);

MODULE_DESCRIPTION("Tracepoints of softaff");
MODULE_LICENSE("GPL");
