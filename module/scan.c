// SPDX-License-Identifier: GPL-2.0
/*
 * When scanning a task's memory is worth it.
 *
 * A scan takes away PTEs so that the faults that follow show who uses which memory. It is not
 * worth it where the process, or the machine for it, does not want it, nor where its memory may be
 * on one node only, so that no page can follow. The scan's other use, that tasks go to where their
 * memory is, is kept by "smart": a task whose memory is on one node, and which may run there as
 * well as elsewhere, is steered to that node instead.
 */
#include <linux/nodemask.h>
#include <linux/task_work.h>
#include <linux/tracepoint.h>

#include "private.h"
#include "softaff.h"
#include "trace.h"
#include "verdict.h"

int softaff_cpuset_skip = CPUSET_SKIP_OFF;
int softaff_default_balancing = BALANCING_ON;

DEFINE_STATIC_CALL_NULL(original_task_numa_work, task_numa_work);

static int *sysctl_mode;	/* kernel.numa_balancing; NULL where this kernel has no such symbol */
static bool kernel_skips;

/* The one node that the current task's memory may be on, or NUMA_NO_NODE. */
static int one_node(void)
{
	if (num_node_state(N_MEMORY) < 2 || nodes_weight(cpuset_current_mems_allowed) != 1)
		return NUMA_NO_NODE;
	return first_node(cpuset_current_mems_allowed);
}

/* Does the current task's CPU mask hold CPUs of @nid and of other nodes? */
static bool spans(int nid)
{
	const struct cpumask *node = cpumask_of_node(nid), *mask = current->cpus_ptr;

	return cpumask_intersects(mask, node) && !cpumask_subset(mask, node);
}

/* What the current task's cpuset says of its node, as a change if it is one. */
static void follow_cpuset(int nid)
{
	struct softaff_change change = {
		.what = CHANGE_NODE,
		.source = SOURCE_CPUSET,
		.nid = nid != NUMA_NO_NODE && spans(nid) ? nid : NUMA_NO_NODE,
	};

	if (softaff_task_has(current, &change))
		return;
	softaff_steer(current, &change, GFP_KERNEL);
	/* Another policy may have come meanwhile, and have passed over this task. */
	if (READ_ONCE(softaff_cpuset_skip) != CPUSET_SKIP_SMART) {
		change.nid = NUMA_NO_NODE;
		softaff_steer(current, &change, GFP_KERNEL);
	}
}

/**
 * softaff_scan_bound - keep the current task's adaptive scan period within its bounds
 *
 * Context: process context of the current task.
 */
void softaff_scan_bound(void)
{
	struct task_struct *p = current;
	unsigned int min = 0, max = 0;
	struct softaff_task *st;

	rcu_read_lock();
	st = softaff_task_find(p);
	if (st) {
		min = READ_ONCE(st->scan_min);
		max = READ_ONCE(st->scan_max);
	}
	rcu_read_unlock();
	if (!p->numa_scan_period)
		return;		/* not begun */
	if (max) {
		p->numa_scan_period_max = min(p->numa_scan_period_max, max);
		p->numa_scan_period = min(p->numa_scan_period, max);
	}
	if (min) {
		p->numa_scan_period_max = max(p->numa_scan_period_max, min);
		p->numa_scan_period = max(p->numa_scan_period, min);
	}
}

static void scan(struct callback_head *work)
{
	softaff_count(scans_run);
	if (static_branch_unlikely(&softaff_used))
		softaff_scan_bound();
	original_call(task_numa_work)(work);
	if (static_branch_unlikely(&softaff_used))
		softaff_scan_bound();
}

/**
 * softaff_task_numa_work - replaces task_numa_work(): no scan where nothing can come of it
 * @work: the current task's numa_work
 *
 * The current task's mems_allowed is read anew each time, so a change of its cpuset counts at
 * once. Semantics of the patch set "sched/numa: Skip VMA scanning on memory pinned to one NUMA
 * node via cpuset.mems", which kernels from 6.16 on have themselves, and of "sched/numa: add
 * per-process numa_balancing".
 *
 * Context: task work of the current task; may sleep.
 */
void softaff_task_numa_work(struct callback_head *work)
{
	int balancing = BALANCING_DEFAULT, skip = READ_ONCE(softaff_cpuset_skip);
	int nid = skip == CPUSET_SKIP_OFF ? NUMA_NO_NODE : one_node();
	enum softaff_scan_verdict verdict;

	if (current->flags & PF_EXITING) {
		original_call(task_numa_work)(work);
		return;
	}
	if (static_branch_unlikely(&softaff_used)) {
		struct softaff_task *st;

		rcu_read_lock();
		st = softaff_task_find(current);
		if (st)
			balancing = READ_ONCE(st->balancing);
		rcu_read_unlock();
	}
	if (skip == CPUSET_SKIP_SMART)
		follow_cpuset(nid);

	verdict = softaff_scan_verdict(balancing == BALANCING_OFF, balancing == BALANCING_ON,
				       READ_ONCE(softaff_default_balancing) == BALANCING_OFF,
				       nid != NUMA_NO_NODE);
	switch (verdict) {
	case SCAN_RUN:
		scan(work);
		return;
	case SCAN_SKIP_OFF:
		softaff_count(scans_skipped_off);
		break;
	case SCAN_SKIP_DEFAULT:
		softaff_count(scans_skipped_default);
		break;
	case SCAN_SKIP_CPUSET:
		softaff_count(scans_skipped_cpuset);
		break;
	}
	trace_softaff_scan_skipped(current, verdict);
	work->next = work;	/* it is not queued any more, as the original says it */
}

/* The state of any task that its cpuset steers, held, or NULL. */
static struct softaff_task *find_steered(void)
{
	struct rhashtable_iter iter;
	struct softaff_task *st;

	softaff_task_walk_enter(&iter);
	softaff_task_walk_start(&iter, false);
	do {
		st = softaff_task_walk_next(&iter);
	} while (st && (READ_ONCE(st->want[SOURCE_CPUSET]) == NUMA_NO_NODE ||
			!refcount_inc_not_zero(&st->ref)));
	softaff_task_walk_stop(&iter);
	softaff_task_walk_exit(&iter);
	return st;
}

/**
 * softaff_scan_set_cpuset_skip - change the policy for one-node cpusets
 * @skip: enum softaff_cpuset_skip
 *
 * What "smart" has steered is let go when another policy takes its place.
 *
 * Context: may sleep.
 */
void softaff_scan_set_cpuset_skip(int skip)
{
	const struct softaff_change change = {
		.what = CHANGE_NODE,
		.source = SOURCE_CPUSET,
		.nid = NUMA_NO_NODE,
	};
	struct softaff_task *st;

	WRITE_ONCE(softaff_cpuset_skip, skip);
	if (skip == CPUSET_SKIP_SMART)
		return;
	/* A walk may pass over the neighbour of a state that goes, so begin anew after each. */
	while ((st = find_steered())) {
		softaff_steer(st->task, &change, GFP_KERNEL);
		softaff_task_put(st);
		cond_resched();
	}
}

/**
 * softaff_scan_kernel_skips - does this kernel skip one-node cpusets by itself?
 */
bool softaff_scan_kernel_skips(void)
{
	return kernel_skips;
}

/**
 * softaff_scan_sysctl - kernel.numa_balancing, the kernel's own bit mask
 *
 * Return: bit 0 normal, bit 1 memory tiering; -1 where it cannot be told.
 */
int softaff_scan_sysctl(void)
{
	return sysctl_mode ? READ_ONCE(*sysctl_mode) : -1;
}

static void match_skip(struct tracepoint *tp, void *data)
{
	if (!strcmp(tp->name, "sched_skip_cpuset_numa"))
		kernel_skips = true;
}

/**
 * softaff_scan_init - learn what this kernel does by itself
 *
 * Context: may sleep.
 * Return: 0.
 */
int softaff_scan_init(void)
{
	sysctl_mode = softaff_lookup("sysctl_numa_balancing_mode");
	for_each_kernel_tracepoint(match_skip, NULL);
	return 0;
}
