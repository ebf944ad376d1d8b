// SPDX-License-Identifier: GPL-2.0
/* status: is all in place, and if not, what is lost? */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "tool.h"

#define LIVEPATCHES "/sys/kernel/livepatch"

/* Sentences about what is not as it should be. */
struct problems {
	char *text[64];
	unsigned int nr;
};

static void problem(struct problems *problems, char *sentence)
{
	if (problems->nr < ARRAY_SIZE(problems->text))
		problems->text[problems->nr++] = sentence;
	else
		free(sentence);
}

/* Does that livepatch replace a function that ours replaces? */
static void look_for_shadow(const char *other, struct problems *problems)
{
	DIR *dir = root_opendir(LIVEPATCHES "/%s/vmlinux", other);
	struct dirent *entry;

	if (!dir)
		return;
	while ((entry = readdir(dir)))
		if (strchr(entry->d_name, ',') &&
		    root_exists(LIVEPATCHES "/softaff/vmlinux/%s", entry->d_name))
			problem(problems, text("livepatch %s replaces %.*s() too: the one loaded last counts",
					       other, (int)strcspn(entry->d_name, ","), entry->d_name));
	closedir(dir);
}

static char *other_livepatches(struct problems *problems)
{
	DIR *dir = root_opendir(LIVEPATCHES);
	char *others = NULL, *more;
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.' || !strcmp(entry->d_name, "softaff"))
			continue;
		more = text("%s%s%s", others ?: "", others ? " " : "", entry->d_name);
		free(others);
		others = more;
		look_for_shadow(entry->d_name, problems);
	}
	if (dir)
		closedir(dir);
	return others;
}

/* "NAME FUNCTION HOW", or "NAME - WHY: what is lost", or a comment */
static void count_hooks(unsigned int *all, unsigned int *there, struct problems *problems)
{
	FILE *f = root_fopen(SOFTAFF_SYSFS "/hooks");
	char line[512], name[64], function[64];

	*all = *there = 0;
	while (f && fgets(line, sizeof(line), f)) {
		if (line[0] == '#' || sscanf(line, "%63s %63s", name, function) != 2)
			continue;
		++*all;
		line[strcspn(line, "\n")] = '\0';
		if (strcmp(function, "-"))
			++*there;
		else if (!strstr(line, "switched off"))
			problem(problems, text("hook %s", line));
	}
	if (f)
		fclose(f);
}

/* The word in brackets of "none [integrity] confidentiality" */
static bool read_lockdown(char *word)
{
	char line[ROOT_TEXT], *start;

	if (root_read(line, "/sys/kernel/security/lockdown") < 0)
		return false;
	start = strchr(line, '[');
	return start && sscanf(start, "[%31[^]]", word) == 1;
}

/* The value behind "NAME: " in the module's state */
static const char *state_value(char *state, const char *name)
{
	char *line, *save;
	size_t len = strlen(name);

	for (line = strtok_r(state, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		if (!strncmp(line, name, len) && line[len] == ':')
			return line + len + 2;
	return NULL;
}

static void look(struct table *record, struct problems *problems)
{
	static const char *const names[] = {
		"module", "kernel", "patch", "steered", "numa_balancing", "hooks", "livepatches",
		"debugfs", "lockdown",
	};
	char state[ROOT_TEXT], word[ROOT_TEXT];
	unsigned int all, there, i;
	struct utsname kernel;
	const char *value;
	char *others;
	FILE *f;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		table_column(record, names[i]);
	table_row(record);
	uname(&kernel);
	table_set(record, "kernel", "%s", kernel.release);
	if (read_lockdown(word))
		table_set(record, "lockdown", "%s", word);
	if (root_read(word, SOFTAFF_SYSFS "/version") < 0) {
		table_set(record, "module", "not loaded");
		problem(problems, text("the module is not loaded; 'softaff load' as root loads it"));
		return;
	}
	table_set(record, "module", "%s", word);
	if (!patch_state(word)) {
		table_set(record, "patch", "%s", word);
		if (strcmp(word, "enabled"))
			problem(problems, text("the livepatch is %s: settings are refused or not enforced", word));
	}
	if (root_read(state, SOFTAFF_SYSFS "/state") > 0) {
		strcpy(word, state);
		value = state_value(word, "tasks");
		if (value)
			table_set(record, "steered", "%s", value);
		value = state_value(state, "numa_balancing");
		if (value) {
			table_set(record, "numa_balancing", "%s", value);
			if (atoi(value) != 1 && atoi(value) != 3)
				problem(problems, text("kernel.numa_balancing is %s; memory does not follow tasks",
						       value));
		}
	}
	count_hooks(&all, &there, problems);
	table_set(record, "hooks", "%u of %u", there, all);
	others = other_livepatches(problems);
	table_set(record, "livepatches", "%s", others ?: "no others");
	free(others);
	f = root_fopen(SOFTAFF_DEBUGFS "/tasks");
	if (!f) {
		table_set(record, "debugfs", "not readable");
		problem(problems, text("%s cannot be read: 'list', 'show' and 'top' know less; be root, "
				       "mount debugfs", SOFTAFF_DEBUGFS));
	} else {
		table_set(record, "debugfs", "readable");
		fclose(f);
	}
}

static int status(int argc, char **argv)
{
	struct problems problems = {};
	struct table record = {};
	bool json = false, quiet = false;
	int option, result;
	unsigned int i;

	while ((option = next_option(argc, argv)) != -1) {
		if (option == 'J')
			json = true;
		else
			quiet = true;
	}
	if (argv[optind])
		usage_error("unexpected argument '%s'", argv[optind]);
	look(&record, &problems);
	if (!quiet)
		table_print_record(&record, json);
	for (i = 0; i < problems.nr; i++) {
		if (!quiet && !json)
			printf("%s%s\n", i ? "" : "\n", problems.text[i]);
		free(problems.text[i]);
	}
	result = !root_exists(SOFTAFF_SYSFS) ? EXIT_NOT_LOADED : problems.nr ? EXIT_FAILURE : EXIT_SUCCESS;
	table_free(&record);
	return result;
}

static const struct option longs[] = {
	{ "json", no_argument, NULL, 'J' },
	{ "quiet", no_argument, NULL, 'q' },
	{ "help", no_argument, NULL, 'h' },
	{}
};

const struct command cmd_status = {
	.name = "status",
	.synopsis = "[--json] [--quiet]",
	.summary = "Show whether softaff is in place, and what is lost if not all of it is",
	.options = " -J, --json           as JSON\n"
		   " -q, --quiet          only the exit status: 0 all is well, 1 not all, 3 not loaded\n",
	.shorts = "Jqh",
	.longs = longs,
	.run = status,
};
