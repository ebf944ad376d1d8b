// SPDX-License-Identifier: GPL-2.0
/* Which tasks a command is about. */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <numa.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

/**
 * parse_pid - a pid on the command line
 * @word: the word
 * @pid: the pid
 *
 * Return: 0, or -EINVAL with a message.
 */
int parse_pid(const char *word, pid_t *pid)
{
	char *end;
	long value = strtol(word, &end, 10);

	if (isdigit((unsigned char)word[0]) && !*end && value > 0 && value <= INT_MAX) {
		*pid = value;
		return 0;
	}
	complain("'%s' is not a pid; give a task's number, as ps shows it", word);
	return -EINVAL;
}

/* libnuma's own words about what it cannot parse; ours follow. */
void numa_warn(int num, char *fmt, ...)
{
	(void)num;
	(void)fmt;
}

/**
 * parse_node - a node on the command line
 * @word: a number, which the module will judge, "none", or what numactl(8) takes for one node
 * @node: the node, or SOFTAFF_NO_NODE
 *
 * Return: 0, or -EINVAL with a message.
 */
int parse_node(const char *word, int *node)
{
	struct bitmask *nodes;
	char *end;
	long value = strtol(word, &end, 10);

	if (!strcmp(word, "none") || !strcmp(word, "-1")) {
		*node = SOFTAFF_NO_NODE;
		return 0;
	}
	if (isdigit((unsigned char)word[0]) && !*end && value <= INT_MAX) {
		*node = value;
		return 0;
	}
	nodes = isalpha((unsigned char)word[0]) && strchr(word, ':') && numa_available() >= 0 ?
		numa_parse_nodestring(word) : NULL;
	if (nodes && numa_bitmask_weight(nodes) == 1) {
		for (*node = 0; !numa_bitmask_isbitset(nodes, *node); ++*node)
			;
		numa_bitmask_free(nodes);
		return 0;
	}
	if (nodes)
		numa_bitmask_free(nodes);
	complain("'%s' is not a node; give a number, see 'numactl --hardware', or --near DEVICE", word);
	return -EINVAL;
}

/** near_node - the node of a device on the command line; 0, or an error with a message */
int near_node(const char *device, int *node)
{
	int err = softaff_near(device, node);

	if (err)
		refused(err, "near %s", device);
	return err;
}

static int is_number(const struct dirent *entry)
{
	return isdigit((unsigned char)entry->d_name[0]);
}

/**
 * for_each_pid - call a function for each directory with a number for its name, in their order
 * @dir: "/proc", or the "task" directory of a process
 * @act: the function
 * @data: for it
 */
void for_each_pid(const char *dir, void (*act)(pid_t pid, void *data), void *data)
{
	struct dirent **entries;
	char path[PATH_MAX];
	int i, nr = scandir(root_path(path, "%s", dir), &entries, is_number, versionsort);

	for (i = 0; i < nr; i++) {
		act(atoi(entries[i]->d_name), data);
		free(entries[i]);
	}
	if (nr >= 0)
		free(entries);
}

/** task_user - the effective user of a task; 0 or a negative errno */
int task_user(pid_t pid, uid_t *uid)
{
	char status[ROOT_TEXT], *line;
	int err = root_read(status, "/proc/%d/status", pid);

	if (err < 0)
		return err;
	line = strstr(status, "\nUid:");
	return line && sscanf(line, "\nUid: %*u %u", uid) == 1 ? 0 : -ENODATA;
}

/** task_user_name - that user's name, or number where it has none, to be freed; NULL if not known */
char *task_user_name(pid_t pid)
{
	struct passwd *user;
	uid_t uid;

	if (task_user(pid, &uid))
		return NULL;
	user = getpwuid(uid);
	return user ? text("%s", user->pw_name) : text("%u", uid);
}

/** task_cgroup - the cgroup (v2) of a task, ROOT_TEXT bytes; 0 or a negative errno */
int task_cgroup(pid_t pid, char *path)
{
	char lines[ROOT_TEXT], *line;
	int err = root_read(lines, "/proc/%d/cgroup", pid);

	if (err < 0)
		return err;
	line = strncmp(lines, "0::", 3) ? strstr(lines, "\n0::") : lines;
	if (!line)
		return -ENODATA;
	line += *line == '\n' ? 4 : 3;
	line[strcspn(line, "\n")] = '\0';
	strcpy(path, line);
	return 0;
}

/** cpu_node - the node of a CPU, or -1 */
int cpu_node(int cpu)
{
	DIR *dir = root_opendir("/sys/devices/system/cpu/cpu%d", cpu);
	struct dirent *entry;
	int node = -1;

	if (!dir)
		return -1;
	while (node < 0 && (entry = readdir(dir)))
		if (sscanf(entry->d_name, "node%d", &node) != 1)
			node = -1;
	closedir(dir);
	return node;
}

/**
 * tasks_option - take an option of TASKS_SHORTS
 * @tasks: to be filled
 * @option: the option
 *
 * Return: was it one of them?
 */
bool tasks_option(struct tasks *tasks, int option)
{
	switch (option) {
	case 'a':
		tasks->threads = true;
		return true;
	case 'g':
		tasks->cgroup = optarg;
		return true;
	case 'c':
		tasks->comm = optarg;
		return true;
	case 'u':
		tasks->user = optarg;
		return true;
	}
	return false;
}

static void add(struct tasks *tasks, pid_t pid)
{
	tasks->pids = need(reallocarray(tasks->pids, tasks->nr + 1, sizeof(pid)));
	tasks->pids[tasks->nr++] = pid;
}

struct filter {
	struct tasks *tasks;
	const char *comm;
	const char *cgroup;
	bool by_user;
	uid_t user;
};

static bool below(const char *path, const char *cgroup)
{
	size_t len = strlen(cgroup);

	while (len && cgroup[len - 1] == '/')
		len--;
	return !strncmp(path, cgroup, len) && (!path[len] || path[len] == '/');
}

static void add_if(pid_t pid, void *data)
{
	struct filter *filter = data;
	char word[ROOT_TEXT];
	uid_t uid;

	if (filter->comm && (root_read(word, "/proc/%d/comm", pid) < 0 || strcmp(word, filter->comm)))
		return;
	if (filter->by_user && (task_user(pid, &uid) || uid != filter->user))
		return;
	if (filter->cgroup && (task_cgroup(pid, word) || !below(word, filter->cgroup)))
		return;
	add(filter->tasks, pid);
}

static uid_t find_user(const char *name)
{
	struct passwd *user = getpwnam(name);

	return user ? user->pw_uid : parse_count("a user's name, or number", name, 0, UINT_MAX - 1);
}

/**
 * tasks_select - find the tasks of the command line
 * @tasks: with its options taken
 * @pids: words that are pids, NULL-terminated
 *
 * Exits where nothing was named, or nothing of that name is there.
 */
void tasks_select(struct tasks *tasks, char **pids)
{
	struct filter filter = { .tasks = tasks, .comm = tasks->comm, .cgroup = tasks->cgroup };
	pid_t pid;

	if (filter.cgroup && !strncmp(filter.cgroup, "/sys/fs/cgroup", 14))
		filter.cgroup += 14;
	if (tasks->user) {
		filter.user = find_user(tasks->user);
		filter.by_user = true;
	}
	if (*pids && (tasks->comm || tasks->user || tasks->cgroup))
		usage_error("give pids, or --comm, --user and --cgroup, not both");
	if (!*pids && !tasks->comm && !tasks->user && !tasks->cgroup)
		usage_error("no task given");
	for (; *pids; pids++) {
		if (parse_pid(*pids, &pid))
			tasks->failed++;
		else
			add(tasks, pid);
	}
	if (filter.comm || filter.by_user || filter.cgroup) {
		for_each_pid("/proc", add_if, &filter);
		if (!tasks->nr) {
			complain("no process has%s%s%s%s%s%s", tasks->comm ? " name " : "",
				 tasks->comm ?: "", tasks->user ? " user " : "", tasks->user ?: "",
				 tasks->cgroup ? " cgroup " : "", tasks->cgroup ?: "");
			exit(EXIT_FAILURE);
		}
	}
}

/** tasks_free - forget them */
void tasks_free(struct tasks *tasks)
{
	free(tasks->pids);
}

/**
 * tasks_each - do something to each task
 * @tasks: the tasks
 * @act: does it; 0 or a negative errno, for which the message is printed here
 * @data: for it
 * @what: what is done, for messages: "set 12 WHAT"
 *
 * Return: EXIT_SUCCESS, EXIT_SOME or EXIT_FAILURE.
 */
int tasks_each(struct tasks *tasks, int (*act)(pid_t pid, void *data), void *data,
	       const char *what)
{
	size_t i, failed = tasks->failed, done = 0;
	int err;

	for (i = 0; i < tasks->nr; i++) {
		err = act(tasks->pids[i], data);
		if (err) {
			refused(err, "pid %d: %s", tasks->pids[i], what);
			failed++;
		} else {
			done++;
		}
	}
	return !failed ? EXIT_SUCCESS : done ? EXIT_SOME : EXIT_FAILURE;
}
