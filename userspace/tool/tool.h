/* SPDX-License-Identifier: GPL-2.0 */
/*
 * softaff, the tool: what one file of it offers to the others.
 *
 *	softaff.c   the table of commands; options, usage and messages
 *	tasks.c     which tasks a command is about: pids, names, users, cgroups
 *	table.c     what the module and /proc say of tasks, as rows of named columns, and its print
 *	memory.c    on which nodes a process's memory is
 *	rules.c     rules, and what processes they match; events.c: processes as they start
 *	set.c run.c list.c show.c status.c load.c top.c suggest.c apply.c export.c   one file a command or a few
 */
#ifndef SOFTAFF_TOOL_H
#define SOFTAFF_TOOL_H

#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "../lib/root.h"
#include "../softaff.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof(*(a)))

/* Exit statuses; softaff(1) has them. */
enum {
	EXIT_USAGE = 2,		/* the command line is wrong */
	EXIT_NOT_LOADED = 3,	/* status: the module is not loaded */
	EXIT_SOME = 64,		/* done for some of several tasks */
	EXIT_RUN_SELF = 125,	/* run: the program was not started, because of softaff */
	EXIT_RUN_NOT_EXEC = 126,
	EXIT_RUN_NOT_FOUND = 127,
};

/**
 * struct command - a command of the tool
 * @name: its name
 * @synopsis: what follows the name in the usage
 * @summary: what it does, one line
 * @options: its options, a line each, for --help
 * @shorts: its options, as for getopt()
 * @longs: its options, as for getopt_long()
 * @run: does it; returns the exit status
 * @usage_status: exit status for a wrong command line, 0 for EXIT_USAGE
 */
struct command {
	const char *name;
	const char *synopsis;
	const char *summary;
	const char *options;
	const char *shorts;
	const struct option *longs;
	int (*run)(int argc, char **argv);
	int usage_status;
};

extern const struct command cmd_run, cmd_set, cmd_clear, cmd_get, cmd_balancing, cmd_inherit;
extern const struct command cmd_list, cmd_show, cmd_status, cmd_load, cmd_unload, cmd_top;
extern const struct command cmd_suggest, cmd_apply, cmd_export;

/* --- softaff.c --------------------------------------------------------------------------- */

int next_option(int argc, char **argv);
void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
int refused(int err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void usage_error(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));
int find_word(const char *what, const char *word, const char *const *words);
unsigned int parse_count(const char *what, const char *word, unsigned int min, unsigned int max);
void *need(void *memory);
char *text(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

extern const char *const balancing_words[], *const inherit_words[];

/* --- tasks.c ----------------------------------------------------------------------------- */

/**
 * struct tasks - the tasks that a command is about
 * @pids: their pids
 * @nr: how many
 * @failed: how many of those that were named do not exist
 * @threads: -a: all threads of them
 * @cgroup: --cgroup, or NULL
 */
struct tasks {
	pid_t *pids;
	size_t nr;
	size_t failed;
	bool threads;
	const char *cgroup;
	const char *comm;
	const char *user;
};

#define TASKS_SHORTS "ag:c:u:"
#define TASKS_LONGS						\
	{ "all-tasks", no_argument, NULL, 'a' },		\
	{ "cgroup", required_argument, NULL, 'g' },		\
	{ "comm", required_argument, NULL, 'c' },		\
	{ "user", required_argument, NULL, 'u' }
#define TASKS_OPTIONS							\
	" -a, --all-tasks      all threads of the processes, now and later\n"	\
	" -g, --cgroup PATH    the tasks of a cgroup and those below it\n"	\
	" -c, --comm NAME      all processes of that name\n"			\
	" -u, --user USER      all processes of that user\n"

bool tasks_option(struct tasks *tasks, int option);
void tasks_select(struct tasks *tasks, char **pids);
void tasks_free(struct tasks *tasks);
int tasks_each(struct tasks *tasks, int (*act)(pid_t pid, void *data), void *data,
	       const char *what);
int parse_pid(const char *word, pid_t *pid);
int parse_node(const char *word, int *node);
int near_node(const char *device, int *node);
void for_each_pid(const char *dir, void (*act)(pid_t pid, void *data), void *data);
int task_user(pid_t pid, uid_t *uid);
char *task_user_name(pid_t pid);
int task_cgroup(pid_t pid, char *path);
int cpu_node(int cpu);

/* --- table.c ----------------------------------------------------------------------------- */

/**
 * struct table - rows of named columns
 * @names: the columns' names, in lower case
 * @nr_names: how many
 * @rows: @nr_rows * @nr_names words; NULL where there is nothing to say
 * @nr_rows: how many
 */
struct table {
	char **names;
	size_t nr_names;
	char **rows;
	size_t nr_rows;
};

/**
 * struct view - how a table is printed
 * @columns: which, comma separated, "+" before them: in addition to the default; NULL: default
 * @standard: the default columns
 */
struct view {
	const char *columns;
	const char *standard;
	bool json, raw, noheadings, tree;
};

void table_column(struct table *table, const char *name);
void table_row(struct table *table);
void table_set(struct table *table, const char *name, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
const char *table_get(const struct table *table, size_t row, const char *name);
int table_parse(struct table *table, FILE *f);
int table_tasks(struct table *table);
void table_free(struct table *table);
bool table_at_home(const struct table *tasks, size_t row);
void table_by_node(const struct table *tasks, struct table *nodes);
void table_check_columns(const struct view *view);
void table_print(const struct table *table, const struct view *view);
void table_print_record(const struct table *table, bool json);
void table_help(void);

/* --- memory.c ---------------------------------------------------------------------------- */

#define MAX_NODES 1024

/**
 * struct memory - where a process's memory is
 * @kib: by node
 * @total: of all nodes
 */
struct memory {
	unsigned long long kib[MAX_NODES];
	unsigned long long total;
};

int memory_read(pid_t pid, struct memory *memory);

/* --- load.c ------------------------------------------------------------------------------ */

int patch_state(char *state);

#endif /* SOFTAFF_TOOL_H */
