// SPDX-License-Identifier: GPL-2.0
/*
 * A kernel thread, "stuck", that runs without ever giving its CPU away until this module is removed, or
 * for some seconds at the most, so that no livepatch transition ends before it does.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/module.h>

static unsigned int seconds = 17;	/* below what the watchdogs of the kernel allow */
module_param(seconds, uint, 0444);

static struct task_struct *thread;

static int spin(void *unused)
{
	unsigned long end = jiffies + seconds * HZ;

	preempt_disable();	/* or its stack could be checked while another task runs */
	while (time_before(jiffies, end) && !kthread_should_stop())
		cpu_relax();
	preempt_enable();
	while (!kthread_should_stop())
		msleep(20);
	return 0;
}

static int __init stuck_init(void)
{
	thread = kthread_run(spin, NULL, "stuck");
	return PTR_ERR_OR_ZERO(thread);
}

static void __exit stuck_exit(void)
{
	kthread_stop(thread);
}

module_init(stuck_init);
module_exit(stuck_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("a thread that holds up livepatch transitions, for softaff's tests");
