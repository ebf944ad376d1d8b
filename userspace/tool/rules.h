/* SPDX-License-Identifier: GPL-2.0 */
/* Rules: what softaff.conf(5) describes. */
#ifndef SOFTAFF_RULES_H
#define SOFTAFF_RULES_H

#include "tool.h"

#define UNSET (-2)	/* a setting that a rule does not make; SOFTAFF_NO_NODE is one that it does */

enum match { MATCH_EXE, MATCH_CMDLINE, MATCH_COMM, MATCH_USER, MATCH_UNIT, MATCH_CGROUP, MATCH_NR };

enum setting { SETTING_INHERIT, SETTING_NODE, SETTING_BALANCING, SETTING_NR };

/**
 * struct rule - which processes get which settings
 * @file: where it stands
 * @line: its line there
 * @match: a pattern for each fact, or NULL
 * @setting: by enum setting: a node, enum softaff_inherit_rule, enum softaff_balancing_mode; or UNSET
 */
struct rule {
	char *file;
	unsigned int line;
	char *match[MATCH_NR];
	int setting[SETTING_NR];
};

/**
 * struct rules - all rules, the first that matches counts
 * @rule: the rules
 * @nr: how many
 * @wrong: lines that were none, each with a message
 */
struct rules {
	struct rule *rule;
	unsigned int nr;
	unsigned int wrong;
};

/**
 * struct process - what rules look at
 * @pid: its pid
 * @start: when it was started, so that a reused pid is another process
 * @fact: by enum match; for MATCH_UNIT the cgroup as well
 */
struct process {
	pid_t pid;
	unsigned long long start;
	char *fact[MATCH_NR];
};

void rules_read(struct rules *rules, char **files);
void rules_free(struct rules *rules);
const struct rule *rules_find(const struct rules *rules, const struct process *process);
char *rule_cgroup(const struct rule *rule, const struct process *process);
bool process_read(pid_t pid, struct process *process);
void process_free(struct process *process);

int events_open(void);
bool events_read(int fd, void (*started)(pid_t pid), void (*ended)(pid_t pid));

#endif /* SOFTAFF_RULES_H */
