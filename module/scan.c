// SPDX-License-Identifier: GPL-2.0
/*
 * When scanning a task's memory is worth it.
 *
 * A scan takes away PTEs so that the faults that follow show who uses which memory. Where the
 * memory may be on one node only, no page can follow them.
 */
#include <linux/nodemask.h>
#include <linux/task_work.h>

#include "private.h"
#include "softaff.h"

int softaff_cpuset_skip = CPUSET_SKIP_OFF;

DEFINE_STATIC_CALL_NULL(original_task_numa_work, task_numa_work);

/* May the current task's memory be on one node only, although the machine has several? */
static bool one_node_memory(void)
{
	return num_node_state(N_MEMORY) > 1 && nodes_weight(cpuset_current_mems_allowed) == 1;
}

/**
 * softaff_task_numa_work - replaces task_numa_work(): no scan where nothing can come of it
 * @work: the current task's numa_work
 *
 * The current task's mems_allowed is read anew each time, so a change of its cpuset counts at
 * once. Semantics of the patch set "sched/numa: Skip VMA scanning on memory pinned to one NUMA
 * node via cpuset.mems", which kernels from 6.16 on have themselves.
 *
 * Context: task work of the current task.
 */
void softaff_task_numa_work(struct callback_head *work)
{
	if (READ_ONCE(softaff_cpuset_skip) != CPUSET_SKIP_OFF && one_node_memory()) {
		work->next = work;	/* it is not queued any more, as the original says it */
		softaff_count(scans_skipped_cpuset);
		return;
	}
	softaff_count(scans_run);
	original_call(task_numa_work)(work);
}
