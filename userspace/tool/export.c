// SPDX-License-Identifier: GPL-2.0
/* export: the counters in Prometheus's text format, for node_exporter's textfile collector. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool.h"

static void metric(FILE *out, const char *name, const char *type, const char *help)
{
	fprintf(out, "# HELP softaff_%s %s\n# TYPE softaff_%s %s\n", name, help, name, type);
}

/* The module's counters, "NAME VALUE" lines, as they are: a new one needs no change here. */
static void export_stats(FILE *out)
{
	FILE *stats = root_fopen(SOFTAFF_DEBUGFS "/stats");
	unsigned long long value;
	char name[64];

	if (!stats)
		return;
	metric(out, "events_total", "counter", "Events since the module was loaded, by the module's counters.");
	while (fscanf(stats, "%63s %llu", name, &value) == 2)
		fprintf(out, "softaff_events_total{event=\"%s\"} %llu\n", name, value);
	fclose(stats);
}

static void export_tasks(FILE *out)
{
	struct table tasks = {}, nodes = {};
	size_t i;

	if (!root_exists(SOFTAFF_DEBUGFS "/tasks") || table_tasks(&tasks)) {
		table_free(&tasks);
		return;
	}
	metric(out, "tasks", "gauge", "Tasks by the node they have been given, and whether they are on it.");
	table_by_node(&tasks, &nodes);
	for (i = 0; i < nodes.nr_rows; i++) {
		const char *node = table_get(&nodes, i, "node");

		fprintf(out, "softaff_tasks{node=\"%s\",where=\"home\"} %s\n", node,
			table_get(&nodes, i, "home"));
		fprintf(out, "softaff_tasks{node=\"%s\",where=\"away\"} %s\n", node,
			table_get(&nodes, i, "away"));
	}
	table_free(&nodes);
	table_free(&tasks);
}

static void export_all(FILE *out)
{
	char state[ROOT_TEXT];
	bool loaded = !patch_state(state);

	metric(out, "loaded", "gauge", "Whether the module is loaded.");
	fprintf(out, "softaff_loaded %d\n", loaded);
	metric(out, "enabled", "gauge", "Whether the livepatch is in place.");
	fprintf(out, "softaff_enabled %d\n", loaded && !strcmp(state, "enabled"));
	if (loaded) {
		export_tasks(out);
		export_stats(out);
	}
}

/* Readers see the old file or the new one, never half of it. */
static int export_to(const char *path)
{
	char *temporary = text("%s.%d", path, getpid());
	FILE *out = fopen(temporary, "we");
	int err = 0;

	if (out) {
		export_all(out);
		fchmod(fileno(out), 0644);
		err = ferror(out);
		err |= fclose(out);
	}
	if (!out || err || rename(temporary, path)) {
		complain("export to %s: %s", path, strerror(errno));
		if (out)
			unlink(temporary);
		err = EXIT_FAILURE;
	}
	free(temporary);
	return err;
}

static int run_export(int argc, char **argv)
{
	const char *path = NULL;

	while (next_option(argc, argv) != -1)
		path = optarg;
	if (argv[optind])
		usage_error("unexpected argument '%s'", argv[optind]);
	if (path)
		return export_to(path);
	export_all(stdout);
	return EXIT_SUCCESS;
}

static const struct option longs[] = {
	{ "output", required_argument, NULL, 'o' },
	{ "help", no_argument, NULL, 'h' },
	{}
};

const struct command cmd_export = {
	.name = "export",
	.synopsis = "[--output FILE]",
	.summary = "Print the counters in Prometheus's text format",
	.options = " -o, --output FILE    to a file, which is replaced as a whole\n",
	.shorts = "o:h",
	.longs = longs,
	.run = run_export,
};
