// SPDX-License-Identifier: GPL-2.0
/*
 * softaff - NUMA soft affinity for kernels that people already run.
 *
 * A task is told its node (control.c). From then on
 *
 *	sched_setnuma()			cannot store another one,
 *	numa_migrate_preferred()	brings it home at a hint fault,
 *	migrate_degrades_locality()	tells the load balancer "welcome" towards home and "no" away
 *					from it, unless the task would wait less elsewhere,
 *
 * a worker brings it home when it is away and its node has room (placement.c), and where it begins
 * to run, by a wakeup, fork or exec, it does so at home (wakeup.c). Apart from that,
 * task_numa_work() does not scan memory from which nothing can follow (scan.c).
 *
 * The four functions are replaced by a livepatch (hooks.c). What they need of the kernel is found
 * when the module is loaded (symbols.c, layout.c), and a kernel that does not fit is refused with
 * one sentence before anything has been touched.
 *
 * Read on in verdict.h (all decisions, 60 lines), then placement.c.
 */
#include <linux/module.h>

#include "softaff.h"

/* What the module is made of, each part with its undo, in the order in which they depend. */
static const struct {
	int (*init)(void);
	void (*exit)(void);
} parts[] = {
	{ softaff_symbols_init },
	{ softaff_layout_init },
	{ softaff_wakeup_init, softaff_wakeup_exit },
	{ softaff_tasks_init, softaff_tasks_exit },
	{ softaff_placement_init, softaff_placement_exit },
	{ softaff_scan_init },
	{ softaff_cgroup_init, softaff_cgroup_exit },
	{ softaff_prctl_init },
	{ softaff_hooks_init },
	{ softaff_sysfs_init, softaff_sysfs_exit },
	{ softaff_debugfs_init, softaff_debugfs_exit },
	{ softaff_hooks_enable },	/* last: from here on the kernel runs our functions */
};

static void undo(unsigned int nr)
{
	while (nr--)
		if (parts[nr].exit)
			parts[nr].exit();
}

static int __init softaff_init(void)
{
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		err = parts[i].init();
		if (err) {
			undo(i);
			return err;
		}
	}
	return 0;
}

/* Runs only when the livepatch is disabled and its transition is over; klp holds us until then. */
static void __exit softaff_exit(void)
{
	undo(ARRAY_SIZE(parts));
}

module_init(softaff_init);
module_exit(softaff_exit);
MODULE_DESCRIPTION("NUMA soft affinity by livepatch");
MODULE_LICENSE("GPL");
MODULE_VERSION(SOFTAFF_VERSION);
MODULE_INFO(livepatch, "Y");
