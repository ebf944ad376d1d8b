// SPDX-License-Identifier: GPL-2.0
/* Counters: one copy a CPU, summed when they are read. */
#include <linux/cpumask.h>
#include <linux/percpu.h>
#include <linux/seq_file.h>

#include "softaff.h"

DEFINE_PER_CPU(struct softaff_stats, softaff_stats);

#define SOFTAFF_COUNTER_NAME(name) #name,
static const char *const counter_names[] = { SOFTAFF_COUNTERS(SOFTAFF_COUNTER_NAME) };

/**
 * softaff_stats_show - print all counters, one "name value" line each
 * @m: where to print
 *
 * Context: process context. A counter that moves meanwhile may be read before or after.
 */
void softaff_stats_show(struct seq_file *m)
{
	unsigned int i, cpu;

	for (i = 0; i < STAT_NR; i++) {
		u64 sum = 0;

		for_each_possible_cpu(cpu)
			sum += READ_ONCE(per_cpu(softaff_stats, cpu).count[i]);
		seq_printf(m, "%s %llu\n", counter_names[i], sum);
	}
}
