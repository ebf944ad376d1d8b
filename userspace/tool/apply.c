// SPDX-License-Identifier: GPL-2.0
/*
 * apply: settings by rule, once or, with --follow, for every process that starts.
 *
 *	start, SIGHUP    rules read, all processes looked at
 *	exec, setuid     that process looked at
 *	end              nothing undone; what was done is written down for the next start
 *
 * A process that may not run on its node at that moment, as one that binds itself to CPUs while it
 * starts, is looked at again a little later.
 *
 * A process or cgroup that had a node before a rule came to it keeps that, and what is taken away
 * when a rule has gone is only what a rule has given and nobody has changed since.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "rules.h"

#define STATE_FILE "/run/softaff/applied"

/* What a rule has given. */
struct given {
	pid_t pid;			/* 0: a cgroup */
	unsigned long long id;		/* of the process, its start; of the cgroup, its inode */
	int setting[SETTING_NR];	/* or UNSET */
	bool held;			/* a rule gives it still */
	char *cgroup;
};

/* A process to be looked at again. */
struct later {
	pid_t pid;
	unsigned long long start;
	time_t due;			/* NEVER: it was, often enough */
	unsigned int tries;
};

#define NEVER	0

static struct {
	struct rules rules;
	char **files;
	struct given *given;
	struct later *later;
	unsigned int nr_given, nr_later;
	unsigned int failed;
	bool force, dry, verbose, follow;
} apply;

static struct given *find_given(pid_t pid, unsigned long long id)
{
	unsigned int i;

	for (i = 0; i < apply.nr_given; i++)
		if (apply.given[i].pid == pid && apply.given[i].id == id)
			return &apply.given[i];
	return NULL;
}

/* Its entry, which is made where there is none. */
static struct given *note_given(pid_t pid, unsigned long long id, const char *cgroup)
{
	struct given *given = find_given(pid, id);

	if (!given) {
		apply.given = need(reallocarray(apply.given, apply.nr_given + 1, sizeof(*given)));
		given = &apply.given[apply.nr_given++];
		*given = (struct given){ .pid = pid, .id = id, .setting = { UNSET, UNSET, UNSET } };
		if (cgroup)
			given->cgroup = text("%s", cgroup);
	}
	given->held = true;
	return given;
}

static void forget_given(struct given *given)
{
	free(given->cgroup);	/* NOLINT(clang-analyzer-unix.Malloc): it loses count of nr_given */
	*given = apply.given[--apply.nr_given];
}

static time_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return t.tv_sec;
}

/* Is that process to be looked at again? After one second or two, then after some ten. */
static bool put_off(const struct process *process)
{
	struct later *later = apply.later;

	if (!apply.follow)
		return false;
	while (later < apply.later + apply.nr_later &&
	       (later->pid != process->pid || later->start != process->start))
		later++;
	if (later == apply.later + apply.nr_later) {
		apply.later = need(reallocarray(apply.later, apply.nr_later + 1, sizeof(*later)));
		later = &apply.later[apply.nr_later++];
		*later = (struct later){ .pid = process->pid, .start = process->start };
	}
	if (later->due != NEVER)
		return true;
	later->due = later->tries < 2 ? now() + (later->tries ? 10 : 2) : NEVER;
	later->tries++;
	return later->due != NEVER;
}

/* One thing done, or refused; true if done. */
static bool report(int err, const struct rule *rule, const struct process *process, const char *what)
{
	char *who = text("pid %d (%s)", process->pid, process->fact[MATCH_COMM] ?: "?");

	if (err == -ESRCH) {
		/* It has ended meanwhile. */
	} else if (err) {
		apply.failed++;
		refused(err, "%s:%u: %s: %s", rule->file, rule->line, who, what);
	} else if (apply.dry || apply.verbose || apply.follow) {
		printf("%s:%u: %s: %s\n", rule->file, rule->line, who, what);
		fflush(stdout);
	}
	free(who);
	return !err;
}

/* --- settings of processes ---------------------------------------------------------------- */

struct inherit_change {
	int rule;
	int err;
};

static void set_thread_inherit(pid_t tid, void *data)
{
	struct inherit_change *change = data;
	int err = softaff_set_inherit(tid, change->rule);

	if (err && err != -ESRCH)
		change->err = err;
}

static int set_process_inherit(pid_t pid, int rule)
{
	struct inherit_change change = { .rule = rule };
	char dir[32];

	snprintf(dir, sizeof(dir), "/proc/%d/task", pid);
	for_each_pid(dir, set_thread_inherit, &change);
	return change.err;
}

/* In their order: inherit before the node, so that no child is born without it. */
static const struct {
	const char *name;
	const char *const *words;	/* or NULL: a number */
	int none;			/* what a process has that was given nothing */
	int (*get)(pid_t pid, int *value);
	int (*set)(pid_t pid, int value);
} settings[] = {
	[SETTING_INHERIT] = { "inherit", inherit_words, SOFTAFF_INHERIT_DEFAULT, softaff_get_inherit,
			      set_process_inherit },
	[SETTING_NODE] = { "node", NULL, SOFTAFF_NO_NODE, softaff_get_node, softaff_set_process_node },
	[SETTING_BALANCING] = { "balancing", balancing_words, SOFTAFF_BALANCING_DEFAULT,
				softaff_get_balancing, softaff_set_balancing },
};

/* May a rule give @wanted to what has @has, and was given @given? */
static bool may_give(int wanted, int has, int none, int given)
{
	return has != wanted && (has == none || has == given || apply.force);
}

static void give(const struct rule *rule, const struct process *process, int i)
{
	struct given *given = find_given(process->pid, process->start);
	int wanted = rule->setting[i], has, err;
	char *what;

	if (settings[i].get(process->pid, &has))
		has = settings[i].none;
	if (!may_give(wanted, has, settings[i].none, given ? given->setting[i] : UNSET))
		return;
	what = settings[i].words ? text("%s %s", settings[i].name, settings[i].words[wanted]) :
	       text("%s %d", settings[i].name, wanted);
	err = apply.dry ? 0 : settings[i].set(process->pid, wanted);
	if (err == -ENODEV && put_off(process))
		;
	else if (report(err, rule, process, what))
		note_given(process->pid, process->start, NULL)->setting[i] = wanted;
	free(what);
}

/* --- nodes of cgroups --------------------------------------------------------------------- */

static unsigned long long cgroup_id(const char *cgroup)
{
	char path[PATH_MAX];
	struct stat st;

	return stat(root_path(path, "/sys/fs/cgroup%s", cgroup), &st) ? 0 : st.st_ino;
}

/* The node that the module has for a cgroup; debugfs tells. */
static int cgroup_node(const char *cgroup)
{
	FILE *f = root_fopen(SOFTAFF_DEBUGFS "/cgroups");
	struct table cgroups = {};
	int node = SOFTAFF_NO_NODE;
	size_t i;

	if (!f)
		return SOFTAFF_NO_NODE;
	if (!table_parse(&cgroups, f))
		for (i = 0; i < cgroups.nr_rows; i++)
			if (!strcmp(table_get(&cgroups, i, "path") ?: "", cgroup))
				node = atoi(table_get(&cgroups, i, "node") ?: "-1");
	fclose(f);
	table_free(&cgroups);
	return node;
}

static void give_cgroup(const struct rule *rule, const struct process *process, const char *cgroup)
{
	int wanted = rule->setting[SETTING_NODE], has = cgroup_node(cgroup), err;
	unsigned long long id = cgroup_id(cgroup);
	struct given *given = find_given(0, id);
	char *what;

	if (given)
		given->held = true;
	if (!may_give(wanted, has, SOFTAFF_NO_NODE, given ? given->setting[SETTING_NODE] : UNSET))
		return;
	/* Not readable is not none: do not write again and again. */
	if (given && has == SOFTAFF_NO_NODE && !root_exists(SOFTAFF_DEBUGFS) &&
	    given->setting[SETTING_NODE] == wanted)
		return;
	what = text("cgroup %s: node %d", cgroup, wanted);
	err = apply.dry ? 0 : softaff_set_cgroup_node(cgroup, wanted);
	if (report(err, rule, process, what))
		note_given(0, id, cgroup)->setting[SETTING_NODE] = wanted;
	free(what);
}

/* --- taking back ------------------------------------------------------------------------- */

/* Take back one setting that a rule has given to a process, if that still has it. */
static void take_back_setting(struct given *given, int i)
{
	int has;

	if (given->setting[i] != UNSET && !settings[i].get(given->pid, &has) && has == given->setting[i])
		settings[i].set(given->pid, settings[i].none);
	given->setting[i] = UNSET;
}

/* Take back all that a rule has given. */
static void take_back(struct given *given)
{
	struct process process;
	int i;

	if (!given->pid) {
		if (cgroup_id(given->cgroup) == given->id &&
		    cgroup_node(given->cgroup) == given->setting[SETTING_NODE])
			softaff_set_cgroup_node(given->cgroup, SOFTAFF_NO_NODE);
		return;
	}
	/* A process that has ended has nothing to take back, and its pid may be another's. */
	if (process_read(given->pid, &process) && process.start == given->id)
		for (i = 0; i < SETTING_NR; i++)
			take_back_setting(given, i);
	process_free(&process);
}

/* --- looking ----------------------------------------------------------------------------- */

/* Does a rule give the process itself that setting? A node may be its cgroup's instead. */
static bool gives(const struct rule *rule, const char *cgroup, int i)
{
	return rule->setting[i] != UNSET && !(cgroup && i == SETTING_NODE);
}

static void look_at(pid_t pid)
{
	const struct rule *rule;
	struct process process;
	struct given *given;
	char *cgroup = NULL;
	int i;

	if (process_read(pid, &process)) {
		rule = rules_find(&apply.rules, &process);
		given = find_given(pid, process.start);
		if (given)
			given->held = rule;
		if (rule)
			cgroup = rule_cgroup(rule, &process);
		/* First, because giving may move the entry. */
		for (i = 0; rule && given && i < SETTING_NR; i++)
			if (!gives(rule, cgroup, i))
				take_back_setting(given, i);
		if (cgroup && rule->setting[SETTING_NODE] != UNSET)
			give_cgroup(rule, &process, cgroup);
		for (i = 0; rule && i < SETTING_NR; i++)
			if (gives(rule, cgroup, i))
				give(rule, &process, i);
	}
	free(cgroup);
	process_free(&process);
}

static void look_at_one(pid_t pid, void *data)
{
	(void)data;
	look_at(pid);
}

/* All processes; what no rule gives any more is taken back. */
static void look_at_all(void)
{
	unsigned int i;

	for (i = 0; i < apply.nr_given; i++)
		apply.given[i].held = false;
	for_each_pid("/proc", look_at_one, NULL);
	for (i = apply.nr_given; i-- > 0; ) {
		if (apply.given[i].held)
			continue;
		take_back(&apply.given[i]);
		forget_given(&apply.given[i]);
	}
}

/* Those that are due; the milliseconds until the next of them, or -1. */
static int look_again(void)
{
	time_t next = NEVER;
	unsigned int i;

	for (i = 0; i < apply.nr_later; i++) {
		struct later *later = &apply.later[i];

		if (later->due != NEVER && later->due <= now()) {
			later->due = NEVER;
			look_at(later->pid);	/* which may put it off again, and move the array */
		}
		if (apply.later[i].due != NEVER && (next == NEVER || apply.later[i].due < next))
			next = apply.later[i].due;
	}
	return next == NEVER ? -1 : (next - now()) * 1000;
}

static void on_end(pid_t pid)
{
	unsigned int i;

	for (i = apply.nr_later; i-- > 0; )
		if (apply.later[i].pid == pid)
			apply.later[i] = apply.later[--apply.nr_later];
	for (i = apply.nr_given; i-- > 0; )
		if (apply.given[i].pid == pid)
			forget_given(&apply.given[i]);
}

/* --- what was given, from one start to the next ------------------------------------------ */

static void read_state(void)
{
	FILE *f = root_fopen(STATE_FILE);
	char line[ROOT_TEXT];
	struct given given, *noted;
	int at;

	while (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "%d %llu %d %d %d %n", &given.pid, &given.id, &given.setting[0],
			   &given.setting[1], &given.setting[2], &at) != 5)
			continue;
		noted = note_given(given.pid, given.id, given.pid ? NULL : line + at);
		memcpy(noted->setting, given.setting, sizeof(given.setting));
	}
	if (f)
		fclose(f);
}

static void write_state(void)
{
	char path[PATH_MAX];
	FILE *f = fopen(root_path(path, STATE_FILE), "we");
	unsigned int i;

	if (!f)
		return;		/* not run as a service: what was given is then given */
	for (i = 0; i < apply.nr_given; i++) {
		const struct given *given = &apply.given[i];

		fprintf(f, "%d %llu %d %d %d %s\n", given->pid, given->id, given->setting[0],
			given->setting[1], given->setting[2], given->cgroup ?: "");
	}
	fclose(f);
}

/* --- the command ------------------------------------------------------------------------- */

static void reload(void)
{
	apply.nr_later = 0;
	rules_free(&apply.rules);
	rules_read(&apply.rules, apply.files);
	look_at_all();
}

static int follow(void)
{
	struct signalfd_siginfo signal;
	struct pollfd fds[2];
	sigset_t signals;

	fds[0].fd = events_open();
	if (fds[0].fd < 0) {
		complain("apply: cannot listen to new processes: %s; be root, outside of containers",
			 strerror(-fds[0].fd));
		return EXIT_FAILURE;
	}
	sigemptyset(&signals);
	sigaddset(&signals, SIGHUP);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	fds[1].fd = signalfd(-1, &signals, SFD_CLOEXEC);
	fds[0].events = fds[1].events = POLLIN;
	read_state();
	/* Listening already: what starts from now on is seen either here or below. */
	reload();
	printf("following; rules: %u\n", apply.rules.nr);
	fflush(stdout);
	for (;;) {
		if (poll(fds, 2, look_again()) < 0 && errno != EINTR)
			break;
		if (fds[0].revents && !events_read(fds[0].fd, look_at, on_end))
			look_at_all();
		if (!(fds[1].revents & POLLIN) || read(fds[1].fd, &signal, sizeof(signal)) != sizeof(signal))
			continue;
		if (signal.ssi_signo != SIGHUP)
			break;
		reload();
		printf("read anew; rules: %u\n", apply.rules.nr);
		fflush(stdout);
	}
	write_state();
	close(fds[0].fd);
	close(fds[1].fd);
	return EXIT_SUCCESS;
}

static int run_apply(int argc, char **argv)
{
	int option, status;

	while ((option = next_option(argc, argv)) != -1) {
		switch (option) {
		case 'f':
			apply.follow = true;
			break;
		case 'F':
			apply.force = true;
			break;
		case 'n':
			apply.dry = true;
			break;
		case 'v':
			apply.verbose = true;
			break;
		}
	}
	if (apply.follow && apply.dry)
		usage_error("--follow and --dry-run exclude each other");
	if (!apply.dry && !root_exists(SOFTAFF_SYSFS))
		return refused(-ENOSYS, "apply");
	apply.files = argv + optind;
	if (apply.follow) {
		status = follow();
	} else {
		reload();
		status = !apply.rules.wrong && !apply.failed ? EXIT_SUCCESS :
			 apply.rules.nr ? EXIT_SOME : EXIT_FAILURE;
	}
	rules_free(&apply.rules);
	while (apply.nr_given)
		forget_given(apply.given);
	free(apply.given);
	free(apply.later);
	return status;
}

static const struct option longs[] = {
	{ "follow", no_argument, NULL, 'f' },
	{ "force", no_argument, NULL, 'F' },
	{ "dry-run", no_argument, NULL, 'n' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "help", no_argument, NULL, 'h' },
	{}
};

const struct command cmd_apply = {
	.name = "apply",
	.synopsis = "[options] [FILE...]",
	.summary = "Make the settings that rules give to processes",
	.options = " -f, --follow         go on, for every process that starts; SIGHUP reads the rules anew\n"
		   " -F, --force          also where a process or cgroup has another node already\n"
		   " -n, --dry-run        only print what would be done\n"
		   " -v, --verbose        print what is done\n",
	.shorts = "fFnvh",
	.longs = longs,
	.run = run_apply,
};
