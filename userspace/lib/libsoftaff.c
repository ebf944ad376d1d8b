// SPDX-License-Identifier: LGPL-2.1
/*
 * libsoftaff: settings of tasks, processes and cgroups, by prctl or sysfs.
 *
 *	                    itself            another's
 *	a task's node       prctl             prctl; where that may not, sysfs
 *	a process's node    sysfs; where that may not, prctl for each of its threads
 *	balancing           prctl             sysfs, debugfs to read
 *	inherit             sysfs, debugfs to read
 *	a cgroup's node     sysfs
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "root.h"
#include "../softaff.h"

static const char *const balancing_words[] = {
	[SOFTAFF_BALANCING_OFF] = "off",
	[SOFTAFF_BALANCING_ON] = "on",
	[SOFTAFF_BALANCING_DEFAULT] = "default",
	NULL
};

static const char *const inherit_words[] = {
	[SOFTAFF_INHERIT_DEFAULT] = "default",
	[SOFTAFF_INHERIT_THREADS] = "threads",
	[SOFTAFF_INHERIT_CHILDREN] = "children",
	[SOFTAFF_INHERIT_NONE] = "none",
	NULL
};

/* The prctl that the module has as @parameter; it may have been moved or, 0, switched off. */
static int option_number(const char *parameter, int *option)
{
	if (!root_exists(SOFTAFF_SYSFS))
		return -ENOSYS;
	return root_read_int(option, SOFTAFF_MODULE "/parameters/%s", parameter);
}

static int call_prctl(const char *parameter, unsigned long a2, unsigned long a3, unsigned long a4,
		      void *a5)
{
	int option, err = option_number(parameter, &option);

	if (err)
		return err;
	if (!option)
		return -EPERM;	/* as if this caller was not allowed: sysfs may do */
	return prctl(option, a2, a3, a4, a5) < 0 ? -errno : 0;
}

/* Write "WHO WORD" to a file of the module. */
static int write_setting(const char *file, const char *who, const char *word)
{
	char line[ROOT_TEXT];
	int err;

	if (!root_exists(SOFTAFF_SYSFS))
		return -ENOSYS;
	if (snprintf(line, sizeof(line), "%s %s\n", who, word) >= (int)sizeof(line))
		return -ENAMETOOLONG;
	err = root_write(line, SOFTAFF_SYSFS "/%s", file);
	return err == -EACCES ? -EPERM : err;
}

static int write_task_setting(const char *file, pid_t pid, const char *word)
{
	char who[16];

	snprintf(who, sizeof(who), "%d", pid);
	return write_setting(file, who, word);
}

static int write_node(const char *file, pid_t pid, int node)
{
	char word[16];

	snprintf(word, sizeof(word), "%d", node);
	return write_task_setting(file, pid, word);
}

/* The word in the column @name of what debugfs says of @tid, cut out of @text. */
static int read_column(pid_t tid, const char *name, char *text, const char **word)
{
	char *head, *row, *name_state, *word_state, *column;
	int err = root_read_task(tid, text);

	if (err < 0)
		return err;
	row = strchr(text, '\n');
	if (!row)
		return -EPROTO;
	*row++ = '\0';
	head = strtok_r(text, " ", &name_state);
	column = strtok_r(row, " \n", &word_state);
	while (head && column) {
		if (!strcmp(head, name)) {
			*word = column;
			return 0;
		}
		head = strtok_r(NULL, " ", &name_state);
		column = strtok_r(NULL, " \n", &word_state);
	}
	return -EPROTO;
}

/* Read a setting that is a word of @words; a task of which nothing is known has @fallback. */
static int read_word(pid_t tid, const char *name, const char *const *words, int fallback, int *value)
{
	char text[ROOT_TEXT];
	const char *word;
	int i, err;

	if (!root_exists(SOFTAFF_SYSFS))
		return -ENOSYS;
	err = read_column(tid, name, text, &word);
	if (err == -ENOENT) {
		*value = fallback;
		return 0;
	}
	if (err)
		return err;
	for (i = 0; words[i]; i++) {
		if (!strcmp(words[i], word)) {
			*value = i;
			return 0;
		}
	}
	return -EPROTO;
}

/**
 * softaff_set_node - give one task, which is one thread, its node
 * @tid: the thread, 0 for the calling one
 * @node: the node, or SOFTAFF_NO_NODE to clear it
 *
 * Return: 0; -ENOSYS the module is not loaded, -EINVAL no such node, -ENODEV the node is offline or
 * has no CPU that the task may use, -ESRCH no such task, -EPERM, -EOPNOTSUPP a kernel thread,
 * -EBUSY the livepatch is not in place.
 */
int softaff_set_node(pid_t tid, int node)
{
	int err, err2;

	if (tid < 0)
		return -ESRCH;
	err = call_prctl("prctl_preferred_node", PR_PREFERRED_NID_SET, tid, node, NULL);
	if (err != -EPERM)
		return err;
	err2 = write_node("preferred_node", tid ? tid : gettid(), node);
	return err2 == -ENOENT ? err : err2;
}

/**
 * softaff_get_node - which node one task has been given
 * @tid: the thread, 0 for the calling one
 * @node: the node, or SOFTAFF_NO_NODE
 *
 * Return: 0; -ENOSYS the module is not loaded, -ESRCH no such task, -EPERM the caller may not see
 * that task as a debugger would.
 */
int softaff_get_node(pid_t tid, int *node)
{
	char text[ROOT_TEXT];
	const char *word;
	int err;

	if (tid < 0)
		return -ESRCH;
	err = call_prctl("prctl_preferred_node", PR_PREFERRED_NID_GET, tid, 0, node);
	if (err != -EPERM)
		return err;
	err = read_column(tid ? tid : gettid(), "node", text, &word);
	if (err == -ENOENT)
		*node = SOFTAFF_NO_NODE;
	else if (err)
		return err == -ESRCH ? err : -EPERM;
	else
		*node = atoi(word);
	return 0;
}

/** softaff_clear_node - take one task's node away; as softaff_set_node() */
int softaff_clear_node(pid_t tid)
{
	return softaff_set_node(tid, SOFTAFF_NO_NODE);
}

/* A thread whose node has been changed, and what it was. */
struct changed {
	pid_t tid;
	int node;
};

struct changes {
	struct changed *changed;
	unsigned int nr;
};

static int is_changed(const struct changes *changes, pid_t tid)
{
	unsigned int i;

	for (i = 0; i < changes->nr; i++)
		if (changes->changed[i].tid == tid)
			return 1;
	return 0;
}

/* Change one thread, unless it is changed already, and remember what it was. */
static int change_thread(struct changes *changes, pid_t tid, int node)
{
	struct changed *more;
	int err, old;

	if (is_changed(changes, tid))
		return 0;
	more = reallocarray(changes->changed, changes->nr + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	changes->changed = more;
	err = softaff_get_node(tid, &old);
	if (!err)
		err = softaff_set_node(tid, node);
	if (err == -ESRCH)
		return 0;	/* it has ended meanwhile */
	if (!err)
		changes->changed[changes->nr++] = (struct changed){ tid, old };
	return err;
}

/* One pass over the threads of @pid. */
static int change_threads(struct changes *changes, pid_t pid, int node)
{
	DIR *dir = root_opendir("/proc/%d/task", pid);
	struct dirent *entry;
	int err = 0;

	if (!dir)
		return errno == ENOENT ? -ESRCH : -errno;
	while (!err && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			err = change_thread(changes, atoi(entry->d_name), node);
	closedir(dir);
	return err;
}

/* All threads of a process, those that are born meanwhile included; or, on an error, none. */
static int change_each_thread(pid_t pid, int node)
{
	struct changes changes = {};
	unsigned int before;
	int err;

	do {
		before = changes.nr;
		err = change_threads(&changes, pid, node);
	} while (!err && changes.nr > before);
	while (err && changes.nr--)
		softaff_set_node(changes.changed[changes.nr].tid, changes.changed[changes.nr].node);
	free(changes.changed);
	return err;
}

/**
 * softaff_set_process_node - give all threads of a process, now and later, a node
 * @pid: any thread of it, 0 for the calling process
 * @node: the node, or SOFTAFF_NO_NODE to clear it
 *
 * A caller who may not write to sysfs sets each thread; where one is refused, those before it get
 * back what they had.
 *
 * Return: as softaff_set_node().
 */
int softaff_set_process_node(pid_t pid, int node)
{
	int err;

	if (pid < 0)
		return -ESRCH;
	if (!pid)
		pid = getpid();
	err = write_node("process_node", pid, node);
	return err == -EPERM ? change_each_thread(pid, node) : err;
}

/**
 * softaff_set_cgroup_node - give all tasks in a cgroup (v2) and below it a node, while they are there
 * @path: as /proc/PID/cgroup has it, or below /sys/fs/cgroup
 * @node: the node, or SOFTAFF_NO_NODE to clear it
 *
 * Return: as softaff_set_node(); -ENOENT no such cgroup.
 */
int softaff_set_cgroup_node(const char *path, int node)
{
	char word[16];

	if (path[0] != '/')
		return -ENOENT;
	snprintf(word, sizeof(word), "%d", node);
	return write_setting("cgroup_node", path, word);
}

/**
 * softaff_set_balancing - NUMA balancing of a process
 * @pid: any thread of it, 0 for the calling process
 * @mode: enum softaff_balancing_mode
 *
 * Return: 0; -EINVAL no such mode, or as softaff_set_node().
 */
int softaff_set_balancing(pid_t pid, int mode)
{
	int err;

	if (mode < SOFTAFF_BALANCING_OFF || mode > SOFTAFF_BALANCING_DEFAULT)
		return -EINVAL;
	if (pid < 0)
		return -ESRCH;
	if (pid && pid != getpid())
		return write_task_setting("numa_balancing", pid, balancing_words[mode]);
	err = call_prctl("prctl_numa_balancing", mode, 0, 0, NULL);
	return err == -EPERM ? write_task_setting("numa_balancing", getpid(), balancing_words[mode]) : err;
}

/**
 * softaff_get_balancing - what has been said of a process's NUMA balancing
 * @pid: any thread of it, 0 for the calling process
 * @mode: enum softaff_balancing_mode
 *
 * Return: 0; -ENOSYS the module is not loaded, -ESRCH no such process, -EACCES debugfs, which tells
 * of other processes, is not mounted or not for the caller.
 */
int softaff_get_balancing(pid_t pid, int *mode)
{
	int err;

	if (pid < 0)
		return -ESRCH;
	if (!pid || pid == getpid()) {
		err = call_prctl("prctl_numa_balancing", PR_GET_NUMA_BALANCING, (unsigned long)mode, 0,
				 NULL);
		if (err != -EPERM)
			return err;
	}
	return read_word(pid ? pid : getpid(), "balancing", balancing_words, SOFTAFF_BALANCING_DEFAULT,
			 mode);
}

/**
 * softaff_set_inherit - who is born with a task's node
 * @tid: the thread, 0 for the calling one
 * @rule: enum softaff_inherit_rule
 *
 * Return: 0; -EINVAL no such rule, or as softaff_set_node(); there is no prctl for it, so that it
 * needs CAP_SYS_NICE.
 */
int softaff_set_inherit(pid_t tid, int rule)
{
	if (rule < SOFTAFF_INHERIT_DEFAULT || rule > SOFTAFF_INHERIT_NONE)
		return -EINVAL;
	if (tid < 0)
		return -ESRCH;
	return write_task_setting("inherit", tid ? tid : gettid(), inherit_words[rule]);
}

/**
 * softaff_get_inherit - who is born with a task's node
 * @tid: the thread, 0 for the calling one
 * @rule: enum softaff_inherit_rule
 *
 * Return: as softaff_get_balancing().
 */
int softaff_get_inherit(pid_t tid, int *rule)
{
	if (tid < 0)
		return -ESRCH;
	return read_word(tid ? tid : gettid(), "inherit", inherit_words, SOFTAFF_INHERIT_DEFAULT, rule);
}

/**
 * softaff_strerror - why something was refused, and what to do about it
 * @err: what a function of this library has returned
 *
 * Return: a constant text, "why; what to do", without a newline.
 */
const char *softaff_strerror(int err)
{
	switch (err < 0 ? -err : err) {
	case 0:
		return "no error";
	case ENOSYS:
		return "the module is not loaded; load it with 'softaff load' as root";
	case EINVAL:
		return "this machine has no such node; 'numactl --hardware' lists its nodes";
	case ENODEV:
		return "the node is offline or has no CPU that the task may use; see its CPU mask and cpuset";
	case ESRCH:
		return "there is no such task; it may have ended";
	case EACCES:
		return "debugfs, which knows it, cannot be read; be root, and mount debugfs";
	case EPERM:
		return "not permitted; be root, or steer your own tasks only";
	case EOPNOTSUPP:
		return "it is a kernel thread, or this kernel lacks a hook; see 'softaff status'";
	case EBUSY:
		return "the livepatch is not in place; see 'softaff status'";
	case ENOENT:
		return "there is no such cgroup; give it as in /proc/PID/cgroup";
	case ENXIO:
		return "there is no such device; give a network, RDMA, block or drm device or a PCI address";
	case ENODATA:
		return "the machine does not say on which node it is; give a node";
	case ENOTUNIQ:
		return "its parts are on different nodes; give one of them";
	default:
		return strerrordesc_np(err < 0 ? -err : err) ?: "unknown error";
	}
}
