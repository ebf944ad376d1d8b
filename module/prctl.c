// SPDX-License-Identifier: GPL-2.0
/*
 * The prctls, for applications: reached by patching security_task_prctl(), which the kernel asks
 * before it looks at an option itself.
 *
 *	prctl(prctl_preferred_node, PR_PREFERRED_NID_GET, pid, 0, int *node)
 *	prctl(prctl_preferred_node, PR_PREFERRED_NID_SET, pid, node, 0)
 *	prctl(prctl_numa_balancing, PR_SET_NUMA_BALANCING_..., 0, 0, 0)
 *	prctl(prctl_numa_balancing, PR_GET_NUMA_BALANCING, int *mode, 0, 0)
 *
 * Arguments, results and errors are those of the patch sets "sched/numa: prctl to set/override
 * task's numa_preferred_nid" and "sched/numa: add per-process numa_balancing". Setting another
 * task's node needs more than there: what sched_setaffinity() needs.
 */
#include <linux/cred.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/sched/task.h>
#include <linux/uaccess.h>

#include "private.h"
#include "prctl_numbers.h"	/* made from the kernel's own prctl.h */
#include "softaff.h"
#include "../userspace/softaff.h"

static unsigned int prctl_preferred_node = PR_PREFERRED_NID;
module_param(prctl_preferred_node, uint, 0444);
MODULE_PARM_DESC(prctl_preferred_node, "prctl option for a task's node, 0: none (101, as in UEK)");

static unsigned int prctl_numa_balancing = PR_NUMA_BALANCING;
module_param(prctl_numa_balancing, uint, 0444);
MODULE_PARM_DESC(prctl_numa_balancing, "prctl option for a process's NUMA balancing, 0: none (102)");

DEFINE_STATIC_CALL_NULL(original_security_task_prctl, security_task_prctl);

/* As sched_setaffinity() has it, after ptrace's read access. */
static bool may_set(struct task_struct *p)
{
	const struct cred *cred = current_cred(), *target;
	bool allowed;

	rcu_read_lock();
	target = __task_cred(p);
	allowed = uid_eq(cred->euid, target->euid) || uid_eq(cred->euid, target->uid) ||
		  ns_capable(target->user_ns, CAP_SYS_NICE);
	rcu_read_unlock();
	return allowed && !kernel_call(security_task_setscheduler)(p);
}

static int get_node(struct task_struct *p, int __user *where)
{
	struct softaff_task *st;
	int nid = NUMA_NO_NODE;

	if ((unsigned long)where & (sizeof(int) - 1))
		return -EINVAL;
	rcu_read_lock();
	st = softaff_task_find(p);
	if (st)
		nid = READ_ONCE(st->nid);
	rcu_read_unlock();
	return put_user(nid, where);
}

static noinline int preferred_node(unsigned long cmd, pid_t nr, int nid, int __user *where)
{
	struct task_struct *p;
	struct pid *pid;
	int err;

	if (cmd > PR_PREFERRED_NID_SET)
		return -ERANGE;
	if (nr) {
		pid = find_get_pid(nr);
		p = get_pid_task(pid, PIDTYPE_PID);
		put_pid(pid);
	} else {
		p = get_task_struct(current);
	}
	if (!p)
		return -ESRCH;

	if (!kernel_call(ptrace_may_access)(p, PTRACE_MODE_READ_REALCREDS))
		err = -EPERM;
	else if (cmd == PR_PREFERRED_NID_GET)
		err = get_node(p, where);
	else if (!may_set(p))
		err = -EPERM;
	else
		err = softaff_prctl_set_node(p, nid);
	put_task_struct(p);
	return err;
}

/* The words of the patch set for ours. */
static const u8 modes[] = {
	[PR_SET_NUMA_BALANCING_DISABLED] = BALANCING_OFF,
	[PR_SET_NUMA_BALANCING_ENABLED] = BALANCING_ON,
	[PR_SET_NUMA_BALANCING_DEFAULT] = BALANCING_DEFAULT,
};

static noinline int numa_balancing(unsigned long cmd, int __user *where)
{
	struct softaff_task *st;
	int mode, balancing = BALANCING_DEFAULT;

	if (cmd < ARRAY_SIZE(modes))
		return softaff_prctl_set_balancing(modes[cmd]);
	if (cmd != PR_GET_NUMA_BALANCING)
		return -EINVAL;
	rcu_read_lock();
	st = softaff_task_find(current);
	if (st)
		balancing = READ_ONCE(st->balancing);
	rcu_read_unlock();
	for (mode = 0; modes[mode] != balancing; mode++)
		;
	return put_user(mode, where);
}

/**
 * softaff_security_task_prctl - replaces security_task_prctl(): knows two options more
 * @option: the option
 * @arg2: its command
 * @arg3: pid, or where to store the mode
 * @arg4: node
 * @arg5: where to store the node
 *
 * Context: the system call; may sleep.
 * Return: the option's result, or what the security modules say of other options.
 */
int softaff_security_task_prctl(int option, unsigned long arg2, unsigned long arg3,
				unsigned long arg4, unsigned long arg5)
{
	if (unlikely(option && option == prctl_preferred_node))
		return preferred_node(arg2, arg3, arg4, (int __user *)arg5);
	if (unlikely(option && option == prctl_numa_balancing))
		return numa_balancing(arg2, (int __user *)arg3);
	return original_call(security_task_prctl)(option, arg2, arg3, arg4, arg5);
}

/**
 * softaff_prctl_wanted - is any option switched on?
 */
bool softaff_prctl_wanted(void)
{
	return prctl_preferred_node || prctl_numa_balancing;
}

static int check_number(const char *parameter, unsigned int number)
{
	static const unsigned int taken[] = { SOFTAFF_PRCTL_NUMBERS };
	unsigned int i;

	if (number > INT_MAX)
		return softaff_refuse(-EINVAL, "%s=%u is not a prctl option", parameter, number);
	for (i = 0; number && i < ARRAY_SIZE(taken); i++)
		if (taken[i] == number)
			return softaff_refuse(-EINVAL, "%s=%u is a prctl of this kernel's own",
					      parameter, number);
	return 0;
}

/**
 * softaff_prctl_init - check the option numbers
 *
 * Context: may sleep.
 * Return: 0, or -EINVAL with a line in the log that names the parameter.
 */
int softaff_prctl_init(void)
{
	if (prctl_preferred_node && prctl_preferred_node == prctl_numa_balancing)
		return softaff_refuse(-EINVAL, "prctl_preferred_node and prctl_numa_balancing are both %u",
				      prctl_numa_balancing);
	return check_number("prctl_preferred_node", prctl_preferred_node) ?:
	       check_number("prctl_numa_balancing", prctl_numa_balancing);
}
