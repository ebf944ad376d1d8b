// SPDX-License-Identifier: GPL-2.0
/*
 * Somebody else's livepatch on functions that softaff replaces: NUMA balancing scans nothing, and
 * stores no node. With cumulative=1 it takes the place of all livepatches that are there.
 */
#include <linux/livepatch.h>
#include <linux/module.h>

struct callback_head;
struct task_struct;

static bool cumulative;
module_param(cumulative, bool, 0444);

static void other_task_numa_work(struct callback_head *work)
{
	WRITE_ONCE(work->next, work);	/* as the original leaves it: not queued */
}

static void other_sched_setnuma(struct task_struct *p, int nid)
{
}

static struct klp_func funcs[] = {
	{ .old_name = "task_numa_work", .new_func = other_task_numa_work },
	{ .old_name = "sched_setnuma", .new_func = other_sched_setnuma },
	{ }
};

static struct klp_object objs[] = {
	{ .funcs = funcs },
	{ }
};

static struct klp_patch patch = {
	.mod = THIS_MODULE,
	.objs = objs,
};

static int __init otherpatch_init(void)
{
	patch.replace = cumulative;
	return klp_enable_patch(&patch);
}

static void __exit otherpatch_exit(void)
{
}

module_init(otherpatch_init);
module_exit(otherpatch_exit);
MODULE_LICENSE("GPL");
MODULE_INFO(livepatch, "Y");
MODULE_DESCRIPTION("a livepatch beside softaff's, for its tests");
