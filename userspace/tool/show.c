// SPDX-License-Identifier: GPL-2.0
/* show: all that is known of one task, and why it is where it is. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

/*
 * Why a task is where it is, and what would change it, by the word of the column "reason". In each
 * the first %s is the task's node, the second the node where it is.
 */
static const struct {
	const char *reason;
	const char *text;
} explanations[] = {
	{ "home", "It is on its node, %1$s. It stays there unless it would wait and another node has a CPU free." },
	{ "busy", "Node %1$s has no CPU free, so it runs on node %2$s. It goes home as soon as one is." },
	{ "asleep", "It sleeps, and was last on node %2$s. It will wake on node %1$s if that has room." },
	{ "mask", "Its CPU mask has no CPU of node %1$s. Widen it with taskset(1), and the node holds again." },
	{ "cpuset", "Its cpuset has no CPU of node %1$s. Widen cpuset.cpus, and the node holds again." },
	{ "class", "Its scheduling class is not the fair one: node %1$s is remembered, not enforced. 'chrt --other' changes the class." },
	{ "offline", "Node %1$s has no CPU online. The node holds again when one is." },
	{ "passive", "The setting placement is passive: the kernel alone decides when it moves to node %1$s. 'echo active > /sys/kernel/softaff/placement' changes that." },
	{ "disabled", "The livepatch is not in place: node %1$s is remembered, not enforced. See 'softaff status'." },
	{ "none", "It has settings but no node. 'softaff set NODE PID' gives it one." },
};

static const char *explain(const struct table *task)
{
	const char *reason = table_get(task, 0, "reason");
	size_t i;

	for (i = 0; reason && i < ARRAY_SIZE(explanations); i++)
		if (!strcmp(explanations[i].reason, reason))
			return explanations[i].text;
	return NULL;
}

/* What the module knows of a task that has settings. */
static int read_task(pid_t pid, struct table *task)
{
	char words[ROOT_TEXT];
	int len = root_read_task(pid, words), err;
	FILE *f;

	if (len < 0)
		return len;
	f = need(fmemopen(words, len, "r"));
	err = table_parse(task, f);
	fclose(f);
	return err ?: task->nr_rows == 1 ? 0 : -EPROTO;
}

/* What prctl and /proc tell of any task. */
static int read_plain(pid_t pid, struct table *task)
{
	char comm[ROOT_TEXT];
	int node, err = softaff_get_node(pid, &node);

	if (err)
		return err;
	if (root_read(comm, "/proc/%d/comm", pid) < 0)
		return -ESRCH;
	table_column(task, "pid");
	table_column(task, "comm");
	table_column(task, "node");
	table_row(task);
	table_set(task, "pid", "%d", pid);
	table_set(task, "comm", "%s", comm);
	table_set(task, "node", "%d", node);
	return 0;
}

/* Add columns to a table that has its row: build it anew. */
static void add_column(struct table *task, const char *name, const char *value)
{
	struct table more = {};
	size_t i;

	for (i = 0; i < task->nr_names; i++)
		table_column(&more, task->names[i]);
	table_column(&more, name);
	table_row(&more);
	for (i = 0; i < task->nr_names; i++)
		if (table_get(task, 0, task->names[i]))
			table_set(&more, task->names[i], "%s", table_get(task, 0, task->names[i]));
	table_set(&more, name, "%s", value);
	table_free(task);
	*task = more;
}

static void add_explanation(struct table *task, bool less)
{
	const char *form = explain(task), *node = table_get(task, 0, "node");
	const char *curnode = table_get(task, 0, "curnode");
	char *words;

	if (form)
		words = text(form, node ?: "?", curnode ?: "?");
	else if (less)
		words = text("The rest is in debugfs, which cannot be read; be root.");
	else if (!strcmp(node, "-1"))
		words = text("It has no settings: the kernel alone decides where it is. 'softaff set NODE %s' gives it a node.",
			     table_get(task, 0, "pid"));
	else
		return;
	add_column(task, "explanation", words);
	free(words);
}

static int show(int argc, char **argv)
{
	struct table task = {};
	bool json = false, less;
	int err, status = EXIT_SUCCESS;
	pid_t pid;

	while (next_option(argc, argv) != -1)
		json = true;
	if (!argv[optind])
		usage_error("no task given");
	if (argv[optind + 1])
		usage_error("unexpected argument '%s'", argv[optind + 1]);
	if (parse_pid(argv[optind], &pid))
		return EXIT_USAGE;
	if (!root_exists(SOFTAFF_SYSFS))
		return refused(-ENOSYS, "show %d", pid);
	err = read_task(pid, &task);
	less = err == -EACCES;
	if (less || err == -ENOENT)
		err = read_plain(pid, &task);
	if (!err) {
		add_explanation(&task, less);
		table_print_record(&task, json);
	} else {
		status = refused(err, "show %d", pid);
	}
	table_free(&task);
	return status;
}

static const struct option longs[] = {
	{ "json", no_argument, NULL, 'J' },
	{ "help", no_argument, NULL, 'h' },
	{}
};

const struct command cmd_show = {
	.name = "show",
	.synopsis = "[--json] PID",
	.summary = "Show all that is known of one task, and why it is where it is",
	.options = " -J, --json           as JSON\n",
	.shorts = "Jh",
	.longs = longs,
	.run = show,
};
