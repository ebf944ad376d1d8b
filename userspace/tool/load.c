// SPDX-License-Identifier: GPL-2.0
/*
 * load, unload: the module into the kernel and out of it, with waiting for the livepatch.
 *
 *	load      modprobe --> patching ----> enabled
 *	unload    enabled --0--> unpatching --> disabled --> rmmod
 *	             ^------1-------'  time is up
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tool.h"

#define PATCH "/sys/kernel/livepatch/softaff"

#define WAIT_S 30	/* as long as this by default */
#define TELL_S 5	/* and a word this often */

extern char **environ;

/**
 * patch_state - the state of the livepatch
 * @state: ROOT_TEXT bytes: patching, enabled, unpatching, disabled or unknown
 *
 * Return: 0, or -ENOSYS the module is not loaded.
 */
int patch_state(char *state)
{
	if (root_read(state, SOFTAFF_SYSFS "/state") < 0)
		return -ENOSYS;
	if (sscanf(state, "patch: %31s", state) != 1)
		strcpy(state, "unknown");
	return 0;
}

/* Its exit status, or -1 if it could not be run, with a message. */
static int run_program(char **argv)
{
	int status, err;
	pid_t pid;

	err = posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ);
	if (err) {
		complain("%s: %s", argv[0], strerror(err));
		return -1;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

/* --- the tasks that hold a transition up ------------------------------------------------- */

struct blockers {
	int side;	/* the value of patch_state that means: not yet there */
	unsigned int nr;
	bool print;
};

static void look_at_task(pid_t tid, void *data)
{
	struct blockers *blockers = data;
	char comm[ROOT_TEXT], stack[ROOT_TEXT], *line, *state;
	int side;

	if (root_read_int(&side, "/proc/%d/patch_state", tid) || side != blockers->side)
		return;
	blockers->nr++;
	if (!blockers->print || root_read(comm, "/proc/%d/comm", tid) < 0)
		return;
	complain("waiting for %d (%s)", tid, comm);
	if (root_read(stack, "/proc/%d/stack", tid) < 0)
		return;
	for (line = strtok_r(stack, "\n", &state); line; line = strtok_r(NULL, "\n", &state))
		fprintf(stderr, "    %s\n", line);
}

static void look_at_process(pid_t pid, void *data)
{
	char dir[32];

	snprintf(dir, sizeof(dir), "/proc/%d/task", pid);
	for_each_pid(dir, look_at_task, data);
}

static unsigned int find_blockers(bool enable, bool print)
{
	/* A task on the way says so: 0 has yet to be patched, 1 has yet to be unpatched, -1 is done. */
	struct blockers blockers = { .side = enable ? 0 : 1, .print = print };

	for_each_pid("/proc", look_at_process, &blockers);
	return blockers.nr;
}

/* Wait until the transition is over: true, or false when the time is up, and the tasks named. */
static bool wait_transition(bool enable, unsigned int seconds)
{
	double end = now() + seconds, tell = now() + TELL_S;
	int transition;

	while (!root_read_int(&transition, PATCH "/transition") && transition) {
		if (now() >= end) {
			find_blockers(enable, true);
			return false;
		}
		if (now() >= tell) {
			complain("%s: %u tasks have yet to pass", enable ? "load" : "unload",
				 find_blockers(enable, false));
			tell += TELL_S;
		}
		usleep(100000);
	}
	return true;
}

/* --- the commands ------------------------------------------------------------------------ */

static unsigned int take_wait(int argc, char **argv)
{
	unsigned int seconds = WAIT_S;

	while (next_option(argc, argv) != -1)
		seconds = parse_count("a number of seconds", optarg, 0, 86400);
	return seconds;
}

/* The kernel's log, from here on; -1 if it may not be read. */
static int open_log(void)
{
	int fd = root_open(O_RDONLY | O_NONBLOCK, "/dev/kmsg");

	if (fd >= 0)
		lseek(fd, 0, SEEK_END);
	return fd;
}

/* How a refusal begins: the module's own, and those of a kernel that wants it signed. */
static const char *const refusals[] = {
	";softaff: ", ";Lockdown: modprobe: ", ";Loading of unsigned module", ";Loading of module with",
};

/* If @line of the log is a refusal, its text; *@sign: for want of a signature. */
static const char *refusal(const char *line, bool *sign)
{
	const char *said;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(refusals); i++) {
		said = strstr(line, refusals[i]);
		if (!said || strstr(said, "taint"))
			continue;
		*sign = i > 0;
		return said + (*sign ? 1 : strlen(refusals[0]));
	}
	return NULL;
}

/* Print the last refusal in the log; true if the module would have to be signed. */
static bool print_log(int fd)
{
	char record[8192], last[256] = "", *line, *rest;
	const char *said;
	bool sign = false;
	ssize_t len;

	while ((len = read(fd, record, sizeof(record) - 1)) > 0 || (len < 0 && errno == EPIPE)) {
		record[len < 0 ? 0 : len] = '\0';
		for (line = strtok_r(record, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
			said = refusal(line, &sign);
			if (said)
				snprintf(last, sizeof(last), "%s", said);
		}
	}
	if (*last)
		complain("the kernel says: %s", last);
	return sign;
}

static int load(int argc, char **argv)
{
	unsigned int seconds = take_wait(argc, argv), nr = 0;
	char state[ROOT_TEXT], **command;
	bool failed = false;
	int log;

	/* "modprobe softaff" and the parameters that follow on the command line */
	command = need(calloc(argc - optind + 3, sizeof(*command)));
	command[nr++] = "modprobe";
	command[nr++] = "softaff";
	while (optind < argc) {
		if (!strchr(argv[optind], '='))
			usage_error("'%s' is not PARAMETER=VALUE", argv[optind]);
		command[nr++] = argv[optind++];
	}
	if (!patch_state(state) && nr > 2) {
		complain("load: it is loaded, its parameters cannot change; 'softaff unload' first");
		free(command);
		return EXIT_FAILURE;
	}
	if (patch_state(state)) {
		log = open_log();
		failed = run_program(command);
		if (failed)
			complain(print_log(log) ?
				 "load: this machine loads signed modules only; have the key of DKMS enrolled: "
				 "'mokutil --import /var/lib/dkms/mok.pub', then restart" :
				 "load: modprobe failed; is it installed for this kernel?");
		close(log);
	}
	free(command);
	if (failed)
		return EXIT_FAILURE;
	if (!wait_transition(true, seconds)) {
		complain("load: loaded, but not in place after %u s; it goes on trying, see 'softaff status'",
			 seconds);
		return EXIT_FAILURE;
	}
	if (patch_state(state) || strcmp(state, "enabled")) {
		complain("load: loaded, but the livepatch is %s; 'softaff unload' and load it again", state);
		return EXIT_FAILURE;
	}
	return EXIT_SUCCESS;
}

static int disable(unsigned int seconds)
{
	int enabled, transition, err = root_read_int(&enabled, PATCH "/enabled");

	if (err)
		return EXIT_SUCCESS;	/* no livepatch, or no longer */
	err = enabled ? root_write("0\n", PATCH "/enabled") : 0;
	if (err == -EACCES)
		return refused(-EPERM, "unload");
	if (err) {
		complain("unload: cannot disable the livepatch: %s", strerror(-err));
		return EXIT_FAILURE;
	}
	if (wait_transition(false, seconds))
		return EXIT_SUCCESS;
	err = root_write("1\n", PATCH "/enabled");
	/* It may have ended while they were named; then there is no way back, and no need of it. */
	if (err && (root_read_int(&transition, PATCH "/transition") || !transition))
		return EXIT_SUCCESS;
	complain("unload: not unpatched after %u s; the livepatch is enabled again", seconds);
	return EXIT_FAILURE;
}

static int unload(int argc, char **argv)
{
	static char *remove[] = { "modprobe", "-r", "softaff", NULL };
	static char *remove_quietly[] = { "modprobe", "-qr", "softaff", NULL };
	unsigned int seconds = take_wait(argc, argv), tries;

	if (argv[optind])
		usage_error("unexpected argument '%s'", argv[optind]);
	if (!root_exists(SOFTAFF_MODULE)) {
		complain("unload: the module is not loaded");
		return EXIT_SUCCESS;
	}
	if (disable(seconds) != EXIT_SUCCESS)
		return EXIT_FAILURE;
	/* The livepatch lets go of the module a moment after its directory is gone. */
	for (tries = 0; tries < 5 && run_program(remove_quietly); tries++)
		usleep(200000);
	if (root_exists(SOFTAFF_MODULE) && run_program(remove)) {
		complain("unload: disabled, but modprobe could not remove the module");
		return EXIT_FAILURE;
	}
	return EXIT_SUCCESS;
}

static const struct option longs[] = {
	{ "wait", required_argument, NULL, 'w' },
	{ "help", no_argument, NULL, 'h' },
	{}
};

const struct command cmd_load = {
	.name = "load",
	.synopsis = "[--wait SECONDS] [PARAMETER=VALUE...]",
	.summary = "Load the module, and wait until it is in place",
	.options = " -w, --wait SECONDS   how long to wait for the livepatch; 30 by default\n",
	.shorts = "w:h",
	.longs = longs,
	.run = load,
};

const struct command cmd_unload = {
	.name = "unload",
	.synopsis = "[--wait SECONDS]",
	.summary = "Take the module out of the kernel",
	.options = " -w, --wait SECONDS   how long to wait for tasks to leave it; 30 by default\n",
	.shorts = "w:h",
	.longs = longs,
	.run = unload,
};
