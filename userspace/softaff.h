/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR LGPL-2.1 */
/*
 * softaff for applications: the prctls that the module offers while it is loaded, and libsoftaff,
 * which finds their numbers and uses sysfs where they do not reach.
 *
 *	#include <sys/prctl.h>
 *	#include <softaff.h>
 *
 *	prctl(PR_PREFERRED_NID, PR_PREFERRED_NID_SET, pid, node, 0);	pid 0: this thread
 *	prctl(PR_PREFERRED_NID, PR_PREFERRED_NID_GET, pid, 0, &node);	-1: none
 *
 * Errors: EINVAL no such node, or the module is not loaded; ENODEV the node is offline or has no
 * CPU that the task may use; ERANGE no such command; ESRCH no such task; EPERM not allowed: reading
 * needs ptrace's read access, setting in addition the same owner or CAP_SYS_NICE; EOPNOTSUPP kernel
 * thread; EBUSY the module is being loaded or unloaded.
 *
 *	prctl(PR_NUMA_BALANCING, PR_SET_NUMA_BALANCING_DISABLED, 0, 0, 0);	this process
 *	prctl(PR_NUMA_BALANCING, PR_GET_NUMA_BALANCING, &mode, 0, 0);
 *
 * The numbers are the module's parameters prctl_preferred_node and prctl_numa_balancing.
 */
#ifndef SOFTAFF_H
#define SOFTAFF_H

/* The number that Oracle's UEK uses; mainline has nothing there. */
#define PR_PREFERRED_NID		101
#define PR_PREFERRED_NID_GET		0
#define PR_PREFERRED_NID_SET		1

#define PR_NUMA_BALANCING		102
#define PR_SET_NUMA_BALANCING_DISABLED	0
#define PR_SET_NUMA_BALANCING_ENABLED	1
#define PR_SET_NUMA_BALANCING_DEFAULT	2
#define PR_GET_NUMA_BALANCING		3

#ifndef __KERNEL__

#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * libsoftaff. Every function returns 0, or a negative errno that softaff_strerror() explains; all
 * are thread-safe and keep no state. A pid of 0 is the caller: its thread, or its process where a
 * function acts on processes. libsoftaff(3) says more.
 */

#define SOFTAFF_NO_NODE		(-1)

/** enum softaff_balancing_mode - NUMA balancing of a process; the values are the prctl's */
enum softaff_balancing_mode {
	SOFTAFF_BALANCING_OFF = PR_SET_NUMA_BALANCING_DISABLED,
	SOFTAFF_BALANCING_ON = PR_SET_NUMA_BALANCING_ENABLED,
	SOFTAFF_BALANCING_DEFAULT = PR_SET_NUMA_BALANCING_DEFAULT,
};

/** enum softaff_inherit_rule - who gets a task's node with its birth */
enum softaff_inherit_rule {
	SOFTAFF_INHERIT_DEFAULT,	/* what the machine's default says */
	SOFTAFF_INHERIT_THREADS,	/* new threads of the process */
	SOFTAFF_INHERIT_CHILDREN,	/* child processes too */
	SOFTAFF_INHERIT_NONE,
};

int softaff_set_node(pid_t tid, int node);
int softaff_get_node(pid_t tid, int *node);
int softaff_clear_node(pid_t tid);
int softaff_set_process_node(pid_t pid, int node);
int softaff_set_cgroup_node(const char *path, int node);
int softaff_set_balancing(pid_t pid, int mode);
int softaff_get_balancing(pid_t pid, int *mode);
int softaff_set_inherit(pid_t tid, int rule);
int softaff_get_inherit(pid_t tid, int *rule);
int softaff_near(const char *device, int *node);
const char *softaff_strerror(int err);

#ifdef __cplusplus
}
#endif

#endif /* __KERNEL__ */
#endif /* SOFTAFF_H */
