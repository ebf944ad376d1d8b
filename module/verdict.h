/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The decisions, as pure functions of plain values: no locks, no kernel state, so that they can
 * be checked by eye and tested outside the kernel.
 *
 * All of softness is one inequality, used in both directions. A task leaves home only where it
 * will share its CPU with fewer others, and comes back as soon as it would not be worse off:
 *
 *	leave:   here >= there + 2	(here counts the task itself; no room at home)
 *	return:  home + 1 <= here
 *
 * After a move that the first allows the second does not hold, so a task that has just left does
 * not turn round; and an idle CPU at home (home == 0) always brings it back. A CPU at home that is
 * taken only for a moment, by a task that has used little of it, counts as idle.
 */
#ifndef _SOFTAFF_VERDICT_H
#define _SOFTAFF_VERDICT_H

enum softaff_verdict {
	VERDICT_NONE,		/* the kernel decides as if softaff were not there */
	VERDICT_WELCOME,	/* towards home */
	VERDICT_SPILL,		/* away from home, and better so */
	VERDICT_REFUSE,		/* away from home for no gain */
};

/**
 * softaff_lb_verdict - may the load balancer move a waiting task?
 * @home: the forced node
 * @src_nid: the node that it waits on
 * @dst_nid: the node that would take it
 * @src_nr: tasks that share its CPU now, itself included
 * @dst_nr: tasks on the other CPU
 * @home_room: it need not wait long at home: another CPU of the forced node is idle, and the balance
 *	inside the node will use it, or those that share its CPU use little of it; or it has
 *	only just come
 */
static inline enum softaff_verdict
softaff_lb_verdict(int home, int src_nid, int dst_nid, unsigned int src_nr, unsigned int dst_nr,
		   int home_room)
{
	if (src_nid == dst_nid)
		return VERDICT_NONE;
	if (dst_nid == home)
		return VERDICT_WELCOME;
	if (src_nid != home)
		return VERDICT_NONE;
	return src_nr >= dst_nr + 2 && !home_room ? VERDICT_SPILL : VERDICT_REFUSE;
}

/**
 * softaff_home_rank - how good is a CPU of the home node for a task that is away?
 * @idle: nothing runs on the CPU
 * @idle_core: nothing runs on its SMT siblings either
 * @last: the task ran there when it was last at home
 * @light: what runs there now has left most of the CPU unused lately
 * @home_nr: tasks on the CPU
 * @here_nr: tasks that share the task's CPU now, itself included, those that use little of it not;
 *	UINT_MAX if it sleeps
 *
 * Return: lower is better, negative is no.
 */
static inline int softaff_home_rank(int idle, int idle_core, int last, int light,
				    unsigned int home_nr, unsigned int here_nr)
{
	if (idle)
		return (idle_core ? 0 : 2) + !last;
	if (light)
		return 4;
	if (home_nr + 1 <= here_nr)
		return 5 + (home_nr > 1000 ? 1000 : home_nr);
	return -1;
}

enum softaff_scan_verdict {
	SCAN_RUN,
	SCAN_SKIP_OFF,		/* the process says off */
	SCAN_SKIP_DEFAULT,	/* the process says nothing, the machine says off */
	SCAN_SKIP_CPUSET,	/* nothing can follow */
};

/**
 * softaff_scan_verdict - is a scan of a task's memory worth it?
 * @off: the process says no
 * @on: the process says yes
 * @default_off: the machine says no for those who say nothing
 * @one_node: its memory may be on one node only, and such are to be skipped
 */
static inline enum softaff_scan_verdict
softaff_scan_verdict(int off, int on, int default_off, int one_node)
{
	if (off)
		return SCAN_SKIP_OFF;
	if (!on && default_off)
		return SCAN_SKIP_DEFAULT;
	return one_node ? SCAN_SKIP_CPUSET : SCAN_RUN;
}

#endif /* _SOFTAFF_VERDICT_H */
