// SPDX-License-Identifier: GPL-2.0
/* run: start a program at home. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool.h"

struct plan {
	const char *near;
	const char *balancing;
	const char *inherit;
	bool best_effort;
};

static void take_options(int argc, char **argv, struct plan *plan)
{
	int option;

	while ((option = next_option(argc, argv)) != -1) {
		switch (option) {
		case 'n':
			plan->near = optarg;
			break;
		case 'b':
			find_word("NUMA balancing", optarg, balancing_words);
			plan->balancing = optarg;
			break;
		case 'i':
			find_word("a rule of inheritance", optarg, inherit_words);
			plan->inherit = optarg;
			break;
		case 'e':
			plan->best_effort = true;
			break;
		}
	}
}

/* Set this process up as the program shall have it; exec keeps that. */
static int settle(const struct plan *plan, int node)
{
	int err = softaff_set_node(0, node);

	if (err) {
		refused(err, "run on node %d", node);
		return err;
	}
	if (plan->inherit) {
		err = softaff_set_inherit(0, find_word("", plan->inherit, inherit_words));
		if (err)
			refused(err, "run with --inherit %s", plan->inherit);
	}
	if (!err && plan->balancing) {
		err = softaff_set_balancing(0, find_word("", plan->balancing, balancing_words));
		if (err)
			refused(err, "run with --balancing %s", plan->balancing);
	}
	return err;
}

static int run(int argc, char **argv)
{
	struct plan plan = {};
	int node = SOFTAFF_NO_NODE, err = 0;

	/* Options may stand before and after the node; what follows the command is its own. */
	take_options(argc, argv, &plan);
	if (!plan.near) {
		if (!argv[optind] || !strcmp(argv[optind - 1], "--"))
			usage_error("no node given");
		if (parse_node(argv[optind++], &node))
			return EXIT_RUN_SELF;
		take_options(argc, argv, &plan);
		if (plan.near)
			usage_error("give a node or --near, not both");
	} else {
		err = near_node(plan.near, &node);
	}
	argv += optind;
	if (!*argv)
		usage_error("no command given");
	if (!err)
		err = settle(&plan, node);
	if (err && !plan.best_effort)
		return EXIT_RUN_SELF;
	execvp(*argv, argv);
	err = errno;
	complain("run %s: %s", *argv, strerror(err));
	return err == ENOENT ? EXIT_RUN_NOT_FOUND : EXIT_RUN_NOT_EXEC;
}

static const struct option longs[] = {
	{ "near", required_argument, NULL, 'n' },
	{ "inherit", required_argument, NULL, 'i' },
	{ "balancing", required_argument, NULL, 'b' },
	{ "best-effort", no_argument, NULL, 'e' },
	{ "help", no_argument, NULL, 'h' },
	{}
};

const struct command cmd_run = {
	.name = "run",
	.synopsis = "NODE|--near DEVICE [options] [--] COMMAND [ARGUMENT...]",
	.summary = "Start a program at home",
	.options = " -n, --near DEVICE    the node that a device hangs on\n"
		   " -i, --inherit RULE   threads, children or none: who is born with its node\n"
		   " -b, --balancing MODE on, off or default: its NUMA balancing\n"
		   " -e, --best-effort    start it even where a setting is refused\n",
	.shorts = "+n:i:b:eh",
	.longs = longs,
	.run = run,
	.usage_status = EXIT_RUN_SELF,
};
