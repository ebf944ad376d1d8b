// SPDX-License-Identifier: GPL-2.0
/* list: the tasks that have settings. */
#include <stdlib.h>

#include "tool.h"

static int list(int argc, char **argv)
{
	struct view view = { .standard = "pid,comm,node,curnode,cpu,home_pct,reason" };
	struct table table = {};
	int option, err;

	while ((option = next_option(argc, argv)) != -1) {
		switch (option) {
		case 'o':
			view.columns = optarg;
			break;
		case 'J':
			view.json = true;
			break;
		case 'r':
			view.raw = true;
			break;
		case 'n':
			view.noheadings = true;
			break;
		case 'T':
			view.tree = true;
			break;
		}
	}
	if (argv[optind])
		usage_error("unexpected argument '%s'", argv[optind]);
	if (view.json && view.raw)
		usage_error("--json and --raw exclude each other");
	table_check_columns(&view);
	err = table_tasks(&table);
	if (!err)
		table_print(&table, &view);
	table_free(&table);
	return err ? refused(err, "list") : EXIT_SUCCESS;
}

static const struct option longs[] = {
	{ "output", required_argument, NULL, 'o' },
	{ "json", no_argument, NULL, 'J' },
	{ "raw", no_argument, NULL, 'r' },
	{ "noheadings", no_argument, NULL, 'n' },
	{ "tree", no_argument, NULL, 'T' },
	{ "help", no_argument, NULL, 'h' },
	{}
};

const struct command cmd_list = {
	.name = "list",
	.synopsis = "[options]",
	.summary = "List the tasks that have settings",
	.options = " -o, --output COLUMNS which columns; +COLUMNS: in addition to the default\n"
		   " -J, --json           as JSON\n"
		   " -r, --raw            as words, white space in them escaped\n"
		   " -n, --noheadings     without column names\n"
		   " -T, --tree           threads below their process\n",
	.shorts = "o:JrnTh",
	.longs = longs,
	.run = list,
};
