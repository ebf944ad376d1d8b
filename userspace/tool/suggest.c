// SPDX-License-Identifier: GPL-2.0
/*
 * suggest: a node for a process, from where its devices and its memory are.
 *
 *	devices that it has open, all on one node	that node: they cannot move
 *	two thirds of its memory on one node		that node: it need not move
 *	disks of its files, all on one node		that node
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "tool.h"

#define SEVERAL (-2)

/* The node that a kind of evidence speaks for: none, one, or SEVERAL. */
struct vote {
	int node;
};

struct evidence {
	struct table table;
	struct vote devices, disks;
	char dir[32];
	bool readable;
};

static void vote(struct vote *vote, int node)
{
	if (vote->node == SOFTAFF_NO_NODE)
		vote->node = node;
	else if (vote->node != node)
		vote->node = SEVERAL;
}

static bool is_known(const struct table *table, const char *what)
{
	size_t i;

	for (i = 0; i < table->nr_rows; i++)
		if (!strcmp(table_get(table, i, "what"), what))
			return true;
	return false;
}

/* The name of a device by its number, as sysfs has it. */
static char *device_name(const char *kind, dev_t number)
{
	char path[PATH_MAX], target[PATH_MAX];
	ssize_t len = readlink(root_path(path, "/sys/dev/%s/%u:%u", kind, major(number), minor(number)),
			       target, sizeof(target) - 1);

	if (len <= 0)
		return NULL;
	target[len] = '\0';
	return text("%s", basename(target));
}

static void look_at_file(pid_t fd, void *data)
{
	struct evidence *evidence = data;
	char path[PATH_MAX], *name = NULL;
	bool disk = false;
	struct stat st;
	int node;

	if (stat(root_path(path, "%s/%d", evidence->dir, fd), &st))
		return;
	evidence->readable = true;
	if (S_ISCHR(st.st_mode)) {
		name = device_name("char", st.st_rdev);
	} else if (S_ISBLK(st.st_mode)) {
		name = device_name("block", st.st_rdev);
	} else if (S_ISREG(st.st_mode)) {
		disk = true;
		name = device_name("block", st.st_dev);
	}
	if (name && !is_known(&evidence->table, name) && !softaff_near(name, &node)) {
		table_row(&evidence->table);
		table_set(&evidence->table, "kind", disk ? "disk" : "device");
		table_set(&evidence->table, "what", "%s", name);
		table_set(&evidence->table, "node", "%d", node);
		vote(disk ? &evidence->disks : &evidence->devices, node);
	}
	free(name);
}

/* Which node has most of the memory; *@share is its percentage. */
static int look_at_memory(struct evidence *evidence, const struct memory *memory, unsigned int *share)
{
	int node, most = SOFTAFF_NO_NODE;

	*share = 0;
	for (node = 0; node < MAX_NODES; node++) {
		if (!memory->kib[node])
			continue;
		table_row(&evidence->table);
		table_set(&evidence->table, "kind", "memory");
		table_set(&evidence->table, "what", "%llu MiB", memory->kib[node] / 1024);
		table_set(&evidence->table, "node", "%d", node);
		if (memory->kib[node] * 100 / memory->total > *share) {
			*share = memory->kib[node] * 100 / memory->total;
			most = node;
		}
	}
	return most;
}

static int choose(const struct evidence *evidence, int most, unsigned int share, const char **why)
{
	if (evidence->devices.node >= 0) {
		*why = "the devices that it has open are there, and they cannot move";
		return evidence->devices.node;
	}
	if (share >= 67) {
		*why = "most of its memory is there";
		return most;
	}
	if (evidence->disks.node >= 0) {
		*why = "the disks of its files are there";
		return evidence->disks.node;
	}
	return SOFTAFF_NO_NODE;
}

static int suggest(int argc, char **argv)
{
	struct evidence evidence = { .devices = { SOFTAFF_NO_NODE }, .disks = { SOFTAFF_NO_NODE } };
	struct view view = { .standard = "kind,what,node" };
	int err, most, node;
	struct memory memory;
	unsigned int share;
	const char *why;
	pid_t pid;

	while (next_option(argc, argv) != -1)
		view.json = true;
	if (!argv[optind])
		usage_error("no process given");
	if (argv[optind + 1])
		usage_error("unexpected argument '%s'", argv[optind + 1]);
	if (parse_pid(argv[optind], &pid))
		return EXIT_USAGE;
	err = memory_read(pid, &memory);
	if (err)
		return refused(err, "suggest a node for %d", pid);
	table_column(&evidence.table, "kind");
	table_column(&evidence.table, "what");
	table_column(&evidence.table, "node");
	most = look_at_memory(&evidence, &memory, &share);
	snprintf(evidence.dir, sizeof(evidence.dir), "/proc/%d/fd", pid);
	for_each_pid(evidence.dir, look_at_file, &evidence);
	node = choose(&evidence, most, share, &why);
	if (view.json) {
		/* The proposal is a row like the evidence, so that one query finds it. */
		table_row(&evidence.table);
		table_set(&evidence.table, "kind", "suggestion");
		table_set(&evidence.table, "node", "%d", node);
		table_print(&evidence.table, &view);
	} else {
		table_print(&evidence.table, &view);
		if (node == SOFTAFF_NO_NODE)
			printf("\nNo node: neither its devices nor most of its memory are on one node.\n");
		else
			printf("\nNode %d: %s. 'softaff set -a %d %d' gives it to all its threads.\n", node,
			       why, node, pid);
	}
	table_free(&evidence.table);
	return node == SOFTAFF_NO_NODE ? EXIT_FAILURE : EXIT_SUCCESS;
}

static const struct option longs[] = {
	{ "json", no_argument, NULL, 'J' },
	{ "help", no_argument, NULL, 'h' },
	{}
};

const struct command cmd_suggest = {
	.name = "suggest",
	.synopsis = "[--json] PID",
	.summary = "Propose a node for a process, with the evidence",
	.options = " -J, --json           as JSON\n",
	.shorts = "Jh",
	.longs = longs,
	.run = suggest,
};
