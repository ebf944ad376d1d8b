// SPDX-License-Identifier: GPL-2.0
/*
 * Every decision of module/verdict.h, over all small values: two nodes, up to 8 tasks a CPU. What is
 * tested are not the formulas but what they promise.
 */
#include <limits.h>
#include <stdio.h>

#include "../../module/verdict.h"

#define MOST	8
#define HOME	0
#define AWAY	1

static int number, failed;

static void ok(int good, const char *name)
{
	printf("%sok %d %s\n", good ? "" : "not ", ++number, name);
	failed |= !good;
}

/* After a spill the task does not want back: else it would go to and fro. */
static int no_ping_pong(void)
{
	unsigned int here, there;

	for (here = 1; here <= MOST; here++)
		for (there = 0; there <= MOST; there++) {
			if (softaff_lb_verdict(HOME, HOME, AWAY, here, there, 0) != VERDICT_SPILL)
				continue;
			/* It has moved: one less here, one more there, the task itself included. */
			if (softaff_home_rank(0, 0, 1, 0, here - 1, there + 1) >= 0)
				return 0;
		}
	return 1;
}

/* A CPU never idles while a steered task waits: it may leave whenever that runs it now. */
static int work_conserving(void)
{
	unsigned int here;

	for (here = 2; here <= MOST; here++)
		if (softaff_lb_verdict(HOME, HOME, AWAY, here, 0, 0) != VERDICT_SPILL)
			return 0;
	return 1;
}

/* A task with its CPU to itself is never taken away, whoever asks. */
static int alone_stays(void)
{
	unsigned int there;

	for (there = 0; there <= MOST; there++)
		if (softaff_lb_verdict(HOME, HOME, AWAY, 1, there, 0) != VERDICT_REFUSE)
			return 0;
	return 1;
}

/* Nor is one that waits while its node has an idle CPU. */
static int idle_home_first(void)
{
	unsigned int here, there;

	for (here = 1; here <= MOST; here++)
		for (there = 0; there <= MOST; there++)
			if (softaff_lb_verdict(HOME, HOME, AWAY, here, there, 1) != VERDICT_REFUSE)
				return 0;
	return 1;
}

/* A spill always leaves the task with fewer others than before. */
static int spill_gains(void)
{
	unsigned int here, there;

	for (here = 1; here <= MOST; here++)
		for (there = 0; there <= MOST; there++)
			if (softaff_lb_verdict(HOME, HOME, AWAY, here, there, 0) == VERDICT_SPILL &&
			    there + 1 >= here)
				return 0;
	return 1;
}

static int towards_home(void)
{
	unsigned int here, there;

	for (here = 1; here <= MOST; here++)
		for (there = 0; there <= MOST; there++)
			if (softaff_lb_verdict(HOME, AWAY, HOME, here, there, 0) != VERDICT_WELCOME)
				return 0;
	return 1;
}

/* Inside a node, and between nodes that are not home, the kernel decides. */
static int elsewhere(void)
{
	return softaff_lb_verdict(HOME, HOME, HOME, 5, 0, 0) == VERDICT_NONE &&
	       softaff_lb_verdict(HOME, AWAY, AWAY, 5, 0, 0) == VERDICT_NONE &&
	       softaff_lb_verdict(HOME, AWAY, AWAY + 1, 5, 0, 0) == VERDICT_NONE;
}

static int idle_cpu_always(void)
{
	unsigned int here;

	for (here = 1; here <= MOST; here++)
		if (softaff_home_rank(1, 0, 0, 0, 0, here) < 0)
			return 0;
	return 1;
}

/* Idle core before idle CPU before lightly used before the least loaded; the last CPU first among equals. */
static int order(void)
{
	int best = softaff_home_rank(1, 1, 1, 0, 0, 3);
	int core = softaff_home_rank(1, 1, 0, 0, 0, 3);
	int last = softaff_home_rank(1, 0, 1, 0, 0, 3);
	int idle = softaff_home_rank(1, 0, 0, 0, 0, 3);
	int light = softaff_home_rank(0, 0, 1, 1, 1, 1);
	int one = softaff_home_rank(0, 0, 1, 0, 1, 3);
	int two = softaff_home_rank(0, 0, 1, 0, 2, 3);

	return best < core && core < last && last < idle && idle < light && light < one && one < two &&
	       softaff_home_rank(0, 0, 1, 0, 3, 3) < 0;
}

/* A sleeper's CPU need not be free: it is where it wakes, and from there on it is balanced. */
static int sleeper(void)
{
	return softaff_home_rank(0, 0, 0, 0, 50, UINT_MAX) >= 0 &&
	       softaff_home_rank(0, 0, 0, 0, 1, UINT_MAX) < softaff_home_rank(0, 0, 0, 0, 2, UINT_MAX);
}

static int scans(void)
{
	return softaff_scan_verdict(1, 0, 0, 0) == SCAN_SKIP_OFF &&
	       softaff_scan_verdict(1, 0, 1, 1) == SCAN_SKIP_OFF &&
	       softaff_scan_verdict(0, 1, 1, 0) == SCAN_RUN &&
	       softaff_scan_verdict(0, 1, 1, 1) == SCAN_SKIP_CPUSET &&
	       softaff_scan_verdict(0, 0, 1, 0) == SCAN_SKIP_DEFAULT &&
	       softaff_scan_verdict(0, 0, 0, 1) == SCAN_SKIP_CPUSET &&
	       softaff_scan_verdict(0, 0, 0, 0) == SCAN_RUN;
}

int main(void)
{
	printf("1..11\n");
	ok(no_ping_pong(), "a task that has spilled does not turn round");
	ok(work_conserving(), "no CPU idles while a steered task waits");
	ok(alone_stays(), "a task with its CPU to itself stays");
	ok(idle_home_first(), "an idle CPU at home comes before one elsewhere");
	ok(spill_gains(), "who spills waits less");
	ok(towards_home(), "towards home is welcome");
	ok(elsewhere(), "the kernel decides where home is not concerned");
	ok(idle_cpu_always(), "an idle CPU at home brings a task back");
	ok(order(), "home CPUs in the order of their worth");
	ok(sleeper(), "a sleeper is always given a CPU");
	ok(scans(), "scans by process, machine and cpuset");
	return failed;
}
