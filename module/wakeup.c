// SPDX-License-Identifier: GPL-2.0
/*
 * Where a steered task begins to run: at a wakeup, after fork, at exec.
 *
 * select_task_rq_fair() proposes a CPU. For a wakeup it looks at the caches of the waker and of the
 * CPU used last, for fork and exec at the whole machine, and never at the preferred node. Where home
 * has room its arguments are changed so that it returns a CPU there: without a reason for the search
 * it gives back the CPU that it was told as the previous one.
 *
 * It is listened to through ftrace rather than replaced, so that it is untouched while nobody is
 * steered: wakeups are many. Without it a task is brought home a moment after it has begun to run.
 */
#include <linux/ftrace.h>
#include <linux/rcupdate.h>
#include <linux/sched/topology.h>

#include "private.h"
#include "softaff.h"

#define FUNCTION "select_task_rq_fair"
#define PROTOTYPE "int (struct task_struct *, int, int)"

/* The reasons, in the lower bits of the third argument, are those that sched domains know. */
#define REASONS (SD_BALANCE_WAKE | SD_BALANCE_FORK | SD_BALANCE_EXEC)

/* The arguments that x86-64 passes in registers. The task's pi_lock is held. */
static void select_probe(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			 struct ftrace_regs *fregs)
{
	struct pt_regs *regs = ftrace_get_regs(fregs);
	struct softaff_task *st;
	int cpu = -1;

	if (!regs || !(regs->dx & REASONS))
		return;
	rcu_read_lock();
	st = softaff_task_find((struct task_struct *)regs->di);
	if (st)
		cpu = softaff_begin_cpu(st, (int)regs->si, regs->dx & REASONS);
	rcu_read_unlock();
	if (cpu < 0)
		return;
	softaff_count(begun_home);
	regs->si = cpu;
	regs->dx = 0;
}

static struct ftrace_ops select_ops = {
	.func = select_probe,
	.flags = FTRACE_OPS_FL_SAVE_REGS,
};

static bool present, listening;

/**
 * softaff_wakeup_init - look for the function
 *
 * Context: may sleep; after softaff_layout_init().
 * Return: 0, or -ENOEXEC where its prototype is another one, with a line in the log.
 */
int softaff_wakeup_init(void)
{
	unsigned long site = softaff_ftrace_site(FUNCTION);
	char text[160];

	if (!site) {
		pr_notice("softaff: this kernel has no %s() that can be traced: %s\n", FUNCTION,
			  SOFTAFF_WAKEUP_LOSES);
		return 0;
	}
	if (softaff_prototype(FUNCTION, text, sizeof(text)) || strcmp(text, PROTOTYPE))
		return softaff_prototype_refuse(FUNCTION, PROTOTYPE);
	present = !ftrace_set_filter_ip(&select_ops, site, 0, 0);
	return 0;
}

/**
 * softaff_wakeup_present - can begin of tasks be led?
 *
 * Context: any.
 */
bool softaff_wakeup_present(void)
{
	return present;
}

/**
 * softaff_wakeup_listens - is every wakeup of a steered task seen?
 *
 * Context: any.
 */
bool softaff_wakeup_listens(void)
{
	return READ_ONCE(listening);
}

/**
 * softaff_wakeup_listen - begin or end to lead steered tasks home when they begin to run
 * @on: begin
 *
 * Context: may sleep; calls do not overlap. Nothing of it runs any more when it has ended.
 */
void softaff_wakeup_listen(bool on)
{
	if (!present || on == listening)
		return;
	if (!on)
		unregister_ftrace_function(&select_ops);
	WRITE_ONCE(listening, on && !register_ftrace_function(&select_ops));
	if (on && !listening)
		pr_notice_once("softaff: %s() cannot be traced now: %s\n", FUNCTION,
			       SOFTAFF_WAKEUP_LOSES);
}

/**
 * softaff_wakeup_exit - undo softaff_wakeup_init()
 *
 * Context: may sleep; softaff_wakeup_listen() has ended it.
 */
void softaff_wakeup_exit(void)
{
	ftrace_free_filter(&select_ops);
}
