// SPDX-License-Identifier: GPL-2.0
/* set, clear, get, balancing, inherit: settings of tasks, and what they are. */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

/* --- nodes ------------------------------------------------------------------------------- */

/* All processes that a name or a user stands for are meant whole; a pid is one thread. */
static bool whole(const struct tasks *tasks)
{
	return tasks->threads || tasks->comm || tasks->user;
}

struct node_change {
	int node;
	bool whole;
};

static int change_node(pid_t pid, void *data)
{
	const struct node_change *change = data;

	return change->whole ? softaff_set_process_node(pid, change->node) :
	       softaff_set_node(pid, change->node);
}

/* Give @node to what the command line names: a cgroup as such, or tasks. */
static int give(struct tasks *tasks, char **pids, int node)
{
	struct node_change change = { .node = node, .whole = whole(tasks) };
	char *what = node == SOFTAFF_NO_NODE ? text("clear its node") : text("set node %d", node);
	int status, err;

	if (tasks->cgroup && !tasks->comm && !tasks->user && !*pids) {
		err = softaff_set_cgroup_node(tasks->cgroup, node);
		status = err ? refused(err, "cgroup %s: %s", tasks->cgroup, what) : EXIT_SUCCESS;
	} else {
		tasks_select(tasks, pids);
		status = tasks_each(tasks, change_node, &change, what);
	}
	tasks_free(tasks);
	free(what);
	return status;
}

static int set(int argc, char **argv)
{
	const char *near = NULL;
	struct tasks tasks = {};
	int option, node;

	while ((option = next_option(argc, argv)) != -1)
		if (!tasks_option(&tasks, option))
			near = optarg;
	argv += optind;
	if (near) {
		if (near_node(near, &node))
			return EXIT_FAILURE;
	} else {
		if (!*argv)
			usage_error("no node given");
		if (parse_node(*argv++, &node))
			return EXIT_USAGE;
	}
	return give(&tasks, argv, node);
}

static const struct option set_longs[] = {
	TASKS_LONGS,
	{ "near", required_argument, NULL, 'n' },
	{ "help", no_argument, NULL, 'h' },
	{}
};

const struct command cmd_set = {
	.name = "set",
	.synopsis = "[-a] NODE|--near DEVICE PID...|--cgroup PATH|--comm NAME|--user USER",
	.summary = "Give tasks, processes or a cgroup their node",
	.options = TASKS_OPTIONS
		   " -n, --near DEVICE    the node that a device hangs on\n",
	.shorts = TASKS_SHORTS "n:h",
	.longs = set_longs,
	.run = set,
};

static int clear(int argc, char **argv)
{
	struct tasks tasks = {};
	int option;

	while ((option = next_option(argc, argv)) != -1)
		tasks_option(&tasks, option);
	return give(&tasks, argv + optind, SOFTAFF_NO_NODE);
}

static const struct option tasks_longs[] = {
	TASKS_LONGS,
	{ "help", no_argument, NULL, 'h' },
	{}
};

const struct command cmd_clear = {
	.name = "clear",
	.synopsis = "[-a] PID...|--cgroup PATH|--comm NAME|--user USER",
	.summary = "Take the node of tasks, processes or a cgroup away",
	.options = TASKS_OPTIONS,
	.shorts = TASKS_SHORTS "h",
	.longs = tasks_longs,
	.run = clear,
};

static int print_node(pid_t pid, void *data)
{
	int node, err = softaff_get_node(pid, &node);

	(void)data;
	if (err)
		return err;
	if (node == SOFTAFF_NO_NODE)
		printf("%d none\n", pid);
	else
		printf("%d %d\n", pid, node);
	return 0;
}

static void add_thread(pid_t tid, void *data)
{
	struct tasks *threads = data;

	threads->pids = need(reallocarray(threads->pids, threads->nr + 1, sizeof(tid)));
	threads->pids[threads->nr++] = tid;
}

/* In the place of each process its threads; a process that is gone stays, to be complained of. */
static void expand_threads(struct tasks *tasks)
{
	struct tasks threads = { .failed = tasks->failed };
	char dir[32];
	size_t i, before;

	for (i = 0; i < tasks->nr; i++) {
		before = threads.nr;
		snprintf(dir, sizeof(dir), "/proc/%d/task", tasks->pids[i]);
		for_each_pid(dir, add_thread, &threads);
		if (threads.nr == before)
			add_thread(tasks->pids[i], &threads);
	}
	free(tasks->pids);
	*tasks = threads;
}

static int get(int argc, char **argv)
{
	struct tasks tasks = {};
	int option, status;

	while ((option = next_option(argc, argv)) != -1)
		tasks_option(&tasks, option);
	tasks_select(&tasks, argv + optind);
	if (tasks.threads)
		expand_threads(&tasks);
	status = tasks_each(&tasks, print_node, NULL, "get its node");
	tasks_free(&tasks);
	return status;
}

const struct command cmd_get = {
	.name = "get",
	.synopsis = "[-a] PID...|--cgroup PATH|--comm NAME|--user USER",
	.summary = "Print the nodes of tasks, a line \"PID NODE\" each",
	.options = TASKS_OPTIONS,
	.shorts = TASKS_SHORTS "h",
	.longs = tasks_longs,
	.run = get,
};

/* --- settings that are words ------------------------------------------------------------- */

/**
 * struct word_setting - a setting that is one of some words
 * @what: its name in messages
 * @words: the words, NULL-terminated
 * @file: the machine's default, in sysfs
 * @set: sets it for one task
 * @get: gets it from one task
 * @per_thread: each thread has its own
 */
struct word_setting {
	const char *what;
	const char *const *words;
	const char *file;
	int (*set)(pid_t pid, int value);
	int (*get)(pid_t pid, int *value);
	bool per_thread;
};

struct word_change {
	const struct word_setting *setting;
	int value;
};

static int change_word(pid_t pid, void *data)
{
	const struct word_change *change = data;

	return change->setting->set(pid, change->value);
}

static int print_word(pid_t pid, void *data)
{
	const struct word_change *change = data;
	int value, err = change->setting->get(pid, &value);

	if (!err)
		printf("%d %s\n", pid, change->setting->words[value]);
	return err;
}

/* The machine's default: without a word, print it. */
static int machine(const struct word_setting *setting, const char *word)
{
	char line[ROOT_TEXT];
	int err;

	if (!root_exists(SOFTAFF_SYSFS))
		err = -ENOSYS;
	else if (word)
		err = root_write(word, SOFTAFF_SYSFS "/%s", setting->file);
	else
		err = root_read(line, SOFTAFF_SYSFS "/%s", setting->file);
	if (err < 0)
		return refused(err == -EACCES ? -EPERM : err, "the machine's %s", setting->what);
	if (!word)
		puts(line);
	return EXIT_SUCCESS;
}

static int word_command(int argc, char **argv, const struct word_setting *setting)
{
	struct word_change change = { .setting = setting };
	bool of_machine = false;
	struct tasks tasks = {};
	int option, status;
	char *word = NULL;

	while ((option = next_option(argc, argv)) != -1)
		if (!tasks_option(&tasks, option))
			of_machine = true;
	argv += optind;
	if (*argv && !isdigit((unsigned char)**argv)) {
		word = *argv++;
		change.value = find_word(setting->what, word, setting->words);
	}
	if (of_machine) {
		if (*argv || tasks.comm || tasks.user || tasks.cgroup)
			usage_error("--machine is about no task");
		if (word && !strcmp(word, "default"))
			usage_error("the machine's %s cannot be 'default', it is the default", setting->what);
		return machine(setting, word);
	}
	tasks_select(&tasks, argv);
	if (whole(&tasks) && setting->per_thread)
		expand_threads(&tasks);
	status = tasks_each(&tasks, word ? change_word : print_word, &change, setting->what);
	tasks_free(&tasks);
	return status;
}

static const struct option word_longs[] = {
	TASKS_LONGS,
	{ "machine", no_argument, NULL, 'm' },
	{ "help", no_argument, NULL, 'h' },
	{}
};

#define WORD_OPTIONS TASKS_OPTIONS						\
		     " -m, --machine        what holds for all that say nothing\n"

static int balancing(int argc, char **argv)
{
	static const struct word_setting setting = {
		.what = "NUMA balancing",
		.words = balancing_words,
		.file = "default_balancing",
		.set = softaff_set_balancing,
		.get = softaff_get_balancing,
	};

	return word_command(argc, argv, &setting);
}

const struct command cmd_balancing = {
	.name = "balancing",
	.synopsis = "[on|off|default] PID...|--cgroup PATH|--comm NAME|--user USER|--machine",
	.summary = "Set or print NUMA balancing of processes",
	.options = WORD_OPTIONS,
	.shorts = TASKS_SHORTS "mh",
	.longs = word_longs,
	.run = balancing,
};

static int inherit(int argc, char **argv)
{
	static const struct word_setting setting = {
		.what = "a rule of inheritance",
		.words = inherit_words,
		.file = "inherit",
		.set = softaff_set_inherit,
		.get = softaff_get_inherit,
		.per_thread = true,
	};

	return word_command(argc, argv, &setting);
}

const struct command cmd_inherit = {
	.name = "inherit",
	.synopsis = "[threads|children|none|default] [-a] PID...|--cgroup PATH|--comm NAME|--user USER|--machine",
	.summary = "Set or print who is born with a task's node",
	.options = WORD_OPTIONS,
	.shorts = TASKS_SHORTS "mh",
	.longs = word_longs,
	.run = inherit,
};
