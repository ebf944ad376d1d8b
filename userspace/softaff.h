/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * softaff for applications: the prctls that the module offers while it is loaded.
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

#endif /* SOFTAFF_H */
