// SPDX-License-Identifier: GPL-2.0
/*
 * The one place where a setting is checked and made. A setting is refused whole or made whole.
 */
#include <linux/cgroup.h>
#include <linux/ctype.h>
#include <linux/delay.h>
#include <linux/mutex.h>
#include <linux/nodemask.h>
#include <linux/pid.h>
#include <linux/ratelimit.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "softaff.h"

const char *const softaff_balancing_words[] = {
	[BALANCING_DEFAULT] = "default",
	[BALANCING_ON] = "on",
	[BALANCING_OFF] = "off",
	NULL
};

const char *const softaff_inherit_words[] = {
	[INHERIT_DEFAULT] = "default",
	[INHERIT_THREADS] = "threads",
	[INHERIT_CHILDREN] = "children",
	[INHERIT_NONE] = "none",
	NULL
};

/*
 * One setting at a time, so that what is refused whole or made whole is not mixed with another. Who waits
 * for it can be killed: users without privileges can make the queue long.
 */
static DEFINE_MUTEX(control_mutex);

/* How long a setting waits for a livepatch that is being applied. */
#define WAIT_LIVE_MS 10000

/**
 * softaff_refuse - log why something is refused
 * @err: the error
 * @fmt: one sentence, without prefix and newline
 *
 * Context: process context.
 * Return: @err.
 */
int softaff_refuse(int err, const char *fmt, ...)
{
	static DEFINE_RATELIMIT_STATE(limit, 5 * HZ, 20);
	char text[256], *c;
	va_list args;

	if (!__ratelimit(&limit))
		return err;
	va_start(args, fmt);
	vscnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	/* It may quote what somebody wrote, and shall stay one line. */
	for (c = text; *c; c++)
		if (iscntrl(*c))
			*c = '?';
	pr_notice("softaff: %s\n", text);
	return err;
}

/* A refusal on behalf of @file; of no file, only the error. */
#define refuse(file, err, fmt, ...)							\
	((file) ? softaff_refuse(err, "%s: " fmt, file, ##__VA_ARGS__) : (err))

/* Wait while the livepatch is being applied; refuse where it is not, or is being taken away. */
static int wait_live(const char *file)
{
	unsigned int waited;

	for (waited = 0; !softaff_hooks_live(); waited += 10) {
		if (strcmp(softaff_hooks_state(), "patching") || waited >= WAIT_LIVE_MS)
			return refuse(file, -EBUSY, "the livepatch is %s, nothing was set",
					      softaff_hooks_state());
		if (msleep_interruptible(10))
			return -EINTR;
	}
	return 0;
}

/* The next word of *@line, which is cut off there; words end at white space or one slash. */
static char *next_word(char **line, bool slash)
{
	char *word = skip_spaces(*line), *end = word;

	while (*end && !isspace(*end) && !(slash && *end == '/'))
		end++;
	*line = *end ? end + 1 : end;
	*end = '\0';
	return word;
}

#define LINE_MAX_LEN 64

/*
 * Split @line in @nr words, kept in @buf; between the first two there may be one slash instead of
 * white space. @form is what the line should look like, for the message.
 */
static int split(const char *file, const char *line, char *buf, const char *form,
		 char **words, unsigned int nr)
{
	char *rest = buf;
	unsigned int i;

	if (strscpy(buf, line, LINE_MAX_LEN) < 0)
		return refuse(file, -EINVAL, "'%.20s...' is too long", line);
	for (i = 0; i < nr; i++) {
		words[i] = next_word(&rest, i == 0 && nr > 1);
		if (!*words[i])
			return refuse(file, -EINVAL, "'%.*s' is not '%s'",
				      (int)min_t(size_t, strcspn(line, "\n"), 20), line, form);
	}
	rest = next_word(&rest, false);
	if (*rest)
		return refuse(file, -EINVAL, "'%s' after '%s'", rest, words[nr - 1]);
	return 0;
}

/* Is the patch there that the setting needs? */
static int need_hook(const char *file, const char *hook)
{
	if (softaff_hook_present(hook))
		return 0;
	return refuse(file, -EOPNOTSUPP, "this kernel has no %s() that can be patched",
			      hook);
}

static int parse_pid(const char *file, const char *word, pid_t *pid)
{
	if (!isdigit(*word) || kstrtoint(word, 10, pid) || *pid <= 0)
		return refuse(file, -EINVAL, "'%s' is not a pid", word);
	return 0;
}

static int parse_word(const char *file, const char *word, const char *const *words, u8 *index)
{
	int i = match_string(words, -1, word);

	if (i < 0)
		return refuse(file, -EINVAL, "'%s' is not one of its words", word);
	*index = i;
	return 0;
}

static int parse_node(const char *file, const char *word, int *nid)
{
	if (!strcmp(word, "-1") || !strcmp(word, "none")) {
		*nid = NUMA_NO_NODE;
		return 0;
	}
	if (!isdigit(*word) || kstrtoint(word, 10, nid))
		return refuse(file, -EINVAL, "'%s' is not a node", word);
	if (*nid >= MAX_NUMNODES || !node_possible(*nid))
		return refuse(file, -EINVAL, "this machine has no node %s", word);
	if (!node_online(*nid))
		return refuse(file, -ENODEV, "node %s is offline", word);
	if (!softaff_node_usable(*nid))
		return refuse(file, -ENODEV, "node %s has no CPU online", word);
	return 0;
}

/* Longest scan period that can be asked for; the state has 16 bits for it. */
#define SCAN_PERIOD_MAX_MS 60000

static int parse_ms(const char *file, const char *word, u16 *ms)
{
	if (!isdigit(*word) || kstrtou16(word, 10, ms) || !*ms || *ms > SCAN_PERIOD_MAX_MS)
		return refuse(file, -EINVAL, "'%s' is not a number of ms from 1 to %d",
				      word, SCAN_PERIOD_MAX_MS);
	return 0;
}

/* A held task by its pid in the writer's namespace. */
static int find_task(const char *file, pid_t nr, struct task_struct **p)
{
	struct pid *pid = find_get_pid(nr);

	*p = get_pid_task(pid, PIDTYPE_PID);
	put_pid(pid);
	if (!*p)
		return refuse(file, -ESRCH, "no task has pid %d", nr);
	return 0;
}

/* May @p, whose pid is @nr for the writer, have anything set, and be steered to @nid? */
static int check_task(const char *file, struct task_struct *p, pid_t nr, int nid)
{
	if (p->flags & PF_KTHREAD)
		return refuse(file, -EOPNOTSUPP, "pid %d is a kernel thread", nr);
	if (p->flags & PF_EXITING)
		return refuse(file, -ESRCH, "pid %d is exiting", nr);
	if (nid != NUMA_NO_NODE && !softaff_node_allowed(p, nid))
		return refuse(file, -ENODEV, "pid %d may use no CPU of node %d",
				      nr, nid);
	return 0;
}

static int report(const char *file, pid_t nr, int err)
{
	if (err == -ESRCH)
		return refuse(file, err, "pid %d is exiting", nr);
	if (err)
		return refuse(file, err, "no memory for pid %d", nr);
	return 0;
}

/* Make a change of one task. */
static int change_task(const char *file, pid_t nr, const struct softaff_change *change)
{
	struct task_struct *p;
	int err = find_task(file, nr, &p);

	if (err)
		return err;
	err = mutex_lock_killable(&control_mutex);
	if (err)
		goto out;
	err = check_task(file, p, nr, change->what & CHANGE_NODE ? change->nid : NUMA_NO_NODE) ?:
	      report(file, nr, softaff_steer(p, change, GFP_KERNEL));
	mutex_unlock(&control_mutex);
	if (!err && change->what & CHANGE_NODE)
		softaff_settle(p);
out:
	put_task_struct(p);
	return err;
}

#define BATCH 256

/* Hold up to BATCH threads of @p's process that do not have @change yet. */
static unsigned int find_threads(struct task_struct *p, const struct softaff_change *change,
				 struct task_struct **batch)
{
	struct task_struct *t;
	unsigned int nr = 0;

	rcu_read_lock();
	for_each_thread(p, t) {
		if (nr == BATCH)
			break;
		if (!(READ_ONCE(t->flags) & PF_EXITING) && !softaff_task_has(t, change)) {
			get_task_struct(t);
			batch[nr++] = t;
		}
	}
	rcu_read_unlock();
	return nr;
}

/*
 * Make @change of every thread of @p's process, until none is found that lacks it. A thread is in
 * the list of its process before it looks at its parent's state: one that is born meanwhile
 * either inherits or is found in the next pass.
 */
static int change_threads(struct task_struct *p, const struct softaff_change *change,
			  struct task_struct **batch, gfp_t gfp)
{
	unsigned int nr, i;
	int err = 0;

	while (!err && (nr = find_threads(p, change, batch))) {
		for (i = 0; i < nr; i++) {
			if (!err)
				err = softaff_steer(batch[i], change, gfp);
			if (err == -ESRCH)
				err = 0;
			put_task_struct(batch[i]);
		}
		cond_resched();
	}
	return err;
}

/* Make a change of a whole process, or none of it. */
static int change_process(const char *file, pid_t nr, struct task_struct *p,
			  const struct softaff_change *change)
{
	static const struct softaff_change reserve = { .what = CHANGE_RESERVE };
	static const struct softaff_change unreserve = { .what = CHANGE_UNRESERVE };
	int nid = change->what & CHANGE_NODE ? change->nid : NUMA_NO_NODE;
	struct task_struct **batch, *t;
	int err;

	batch = kmalloc_array(BATCH, sizeof(*batch), GFP_KERNEL);
	if (!batch)
		return report(file, nr, -ENOMEM);
	err = mutex_lock_killable(&control_mutex);
	if (err)
		goto out_free;
	err = check_task(file, p, nr, NUMA_NO_NODE);
	if (err)
		goto out;
	rcu_read_lock();
	for_each_thread(p, t) {
		if (t->flags & PF_EXITING)
			continue;
		/* A worker that the kernel has bound to some CPUs refuses nothing, it is suspended. */
		err = check_task(file, t, task_pid_vnr(t),
				 t->flags & (PF_NO_SETAFFINITY | PF_IO_WORKER) ? NUMA_NO_NODE : nid);
		if (err == -ESRCH)
			err = 0;	/* it has begun to exit this moment */
		if (err)
			break;
	}
	rcu_read_unlock();
	if (err)
		goto out;

	/* All that can fail is memory for their states; get that first. */
	err = report(file, nr, change_threads(p, &reserve, batch, GFP_KERNEL));
	if (!err)
		change_threads(p, change, batch, GFP_KERNEL | __GFP_NOFAIL);
	change_threads(p, &unreserve, batch, GFP_KERNEL | __GFP_NOFAIL);
out:
	mutex_unlock(&control_mutex);
out_free:
	kfree(batch);
	return err;
}

static int find_and_change_process(const char *file, pid_t nr, const struct softaff_change *change)
{
	struct task_struct *p;
	int err = find_task(file, nr, &p);

	if (err)
		return err;
	err = change_process(file, nr, p, change);
	put_task_struct(p);
	return err;
}

/* "PID NODE" or "PID/NODE" */
static int parse_pid_node(const char *file, const char *line, pid_t *nr,
			  struct softaff_change *change)
{
	char buf[LINE_MAX_LEN], *words[2];

	change->what = CHANGE_NODE;
	change->source = SOURCE_TASK;
	return split(file, line, buf, "PID NODE", words, 2) ?: parse_pid(file, words[0], nr) ?:
	       parse_node(file, words[1], &change->nid);
}

/**
 * softaff_set_preferred_node - force one task's node
 * @file: where the line came from, for messages
 * @line: "PID NODE" or "PID/NODE"; NODE is a number, or -1 or "none" to clear
 *
 * Context: may sleep.
 * Return: 0; -EINVAL malformed or no such node, -ENODEV the node is offline or has no CPU that
 * the task may use, -ESRCH no such task, -EOPNOTSUPP kernel thread, -EBUSY the livepatch is not
 * in place, -ENOMEM, -EINTR.
 */
int softaff_set_preferred_node(const char *file, const char *line)
{
	struct softaff_change change = {};
	pid_t nr;

	return parse_pid_node(file, line, &nr, &change) ?: wait_live(file) ?:
	       change_task(file, nr, &change);
}

/**
 * softaff_set_process_node - force the node of all threads of a process, those being born included
 * @file: where the line came from, for messages
 * @line: as softaff_set_preferred_node(); PID may be any thread's
 *
 * Context: may sleep.
 * Return: as softaff_set_preferred_node(); where one thread is refused, none is changed.
 */
int softaff_set_process_node(const char *file, const char *line)
{
	struct softaff_change change = {};
	pid_t nr;

	return parse_pid_node(file, line, &nr, &change) ?: wait_live(file) ?:
	       find_and_change_process(file, nr, &change);
}

/**
 * softaff_set_numa_balancing - NUMA balancing of a process
 * @file: where the line came from, for messages
 * @line: "PID on", "PID off" or "PID default"
 *
 * Context: may sleep.
 * Return: 0, or an error as softaff_set_preferred_node(); -EOPNOTSUPP also where task_numa_work()
 * is not patched.
 */
int softaff_set_numa_balancing(const char *file, const char *line)
{
	struct softaff_change change = { .what = CHANGE_BALANCING };
	char buf[LINE_MAX_LEN], *words[2];
	pid_t nr;

	return split(file, line, buf, "PID on|off|default", words, 2) ?:
	       parse_pid(file, words[0], &nr) ?:
	       parse_word(file, words[1], softaff_balancing_words, &change.balancing) ?:
	       need_hook(file, "task_numa_work") ?: wait_live(file) ?:
	       find_and_change_process(file, nr, &change);
}

/**
 * softaff_set_scan_period - bounds of the scan period of a process
 * @file: where the line came from, for messages
 * @line: "PID MIN MAX" in ms, or "PID default"
 *
 * Context: may sleep.
 * Return: as softaff_set_numa_balancing().
 */
int softaff_set_scan_period(const char *file, const char *line)
{
	struct softaff_change change = { .what = CHANGE_SCAN };
	char buf[LINE_MAX_LEN], *words[3];
	pid_t nr;
	int err;

	if (strstr(line, "default")) {
		err = split(file, line, buf, "PID default", words, 2);
		if (!err && strcmp(words[1], "default"))
			err = parse_ms(file, words[1], &change.scan_min);
	} else {
		err = split(file, line, buf, "PID MIN MAX", words, 3) ?:
		      parse_ms(file, words[1], &change.scan_min) ?:
		      parse_ms(file, words[2], &change.scan_max);
		if (!err && change.scan_min > change.scan_max)
			err = refuse(file, -EINVAL, "%s is more than %s", words[1],
					     words[2]);
	}
	return err ?: parse_pid(file, words[0], &nr) ?: need_hook(file, "task_numa_work") ?:
	       wait_live(file) ?: find_and_change_process(file, nr, &change);
}

/**
 * softaff_set_inherit - what is inherited, by default or from one task
 * @file: where the line came from, for messages
 * @line: "threads", "children" or "none" for the default; "PID RULE" for a task, where RULE may be
 * "default" as well
 *
 * Context: may sleep.
 * Return: 0, or an error as softaff_set_preferred_node().
 */
int softaff_set_inherit(const char *file, const char *line)
{
	struct softaff_change change = { .what = CHANGE_INHERIT };
	char buf[LINE_MAX_LEN], *words[2];
	pid_t nr;
	int err;
	u8 rule;

	if (!isdigit(*skip_spaces(line))) {
		err = split(file, line, buf, "threads|children|none", words, 1) ?:
		      parse_word(file, words[0], softaff_inherit_words + 1, &rule);
		if (!err)
			WRITE_ONCE(softaff_inherit, rule + 1);
		return err;
	}
	return split(file, line, buf, "PID threads|children|none|default", words, 2) ?:
	       parse_pid(file, words[0], &nr) ?:
	       parse_word(file, words[1], softaff_inherit_words, &change.inherit) ?:
	       wait_live(file) ?: change_task(file, nr, &change);
}

#define CGROUP_ROOT "/sys/fs/cgroup"

/**
 * softaff_set_cgroup_node - give a cgroup (v2) and all below it a node
 * @file: where the line came from, for messages
 * @line: "PATH NODE"; PATH as /proc/PID/cgroup shows it to the writer, or below /sys/fs/cgroup
 *
 * Context: may sleep.
 * Return: 0, -ENOENT no such cgroup, or an error as softaff_set_preferred_node().
 */
int softaff_set_cgroup_node(const char *file, const char *line)
{
	char *copy = kstrdup(line, GFP_KERNEL), *path, *word;
	struct cgroup *cgrp;
	int err, nid;

	if (!copy)
		return refuse(file, -ENOMEM, "no memory");
	/* The node is the last word; a path may hold white space. */
	path = strim(copy);
	word = path + strlen(path);
	while (word > path && !isspace(word[-1]))
		word--;
	if (*path != '/' || word == path) {
		err = refuse(file, -EINVAL, "'%.40s' is not 'PATH NODE'", path);
		goto out;
	}
	word[-1] = '\0';
	path = strim(path);
	if (!strncmp(path, CGROUP_ROOT, strlen(CGROUP_ROOT)) &&
	    (path[strlen(CGROUP_ROOT)] == '/' || !path[strlen(CGROUP_ROOT)]))
		path += strlen(CGROUP_ROOT);
	err = parse_node(file, word, &nid) ?: wait_live(file);
	if (err)
		goto out;
	cgrp = cgroup_get_from_path(*path ? path : "/");
	if (IS_ERR(cgrp)) {
		err = refuse(file, PTR_ERR(cgrp), "no cgroup %s", path);
		goto out;
	}
	err = mutex_lock_killable(&control_mutex);
	if (!err) {
		err = softaff_cgroup_set(cgrp, nid);
		mutex_unlock(&control_mutex);
		if (err)
			refuse(file, err, "no memory for %s", path);
	}
	cgroup_put(cgrp);
out:
	kfree(copy);
	return err;
}

/**
 * softaff_prctl_set_node - force a task's node for the prctl
 * @p: the task, held; the caller may set it
 * @nid: the node, or NUMA_NO_NODE
 *
 * Says nothing in the log: an ordinary user could fill it.
 *
 * Context: may sleep.
 * Return: as softaff_set_preferred_node().
 */
int softaff_prctl_set_node(struct task_struct *p, int nid)
{
	const struct softaff_change change = {
		.what = CHANGE_NODE,
		.source = SOURCE_TASK,
		.nid = nid,
	};
	int err;

	if (nid != NUMA_NO_NODE) {
		if (nid < 0 || nid >= MAX_NUMNODES || !node_possible(nid))
			return -EINVAL;
		if (!softaff_node_usable(nid) || !softaff_node_allowed(p, nid))
			return -ENODEV;
	}
	if (p->flags & PF_KTHREAD)
		return -EOPNOTSUPP;
	err = wait_live(NULL) ?: mutex_lock_killable(&control_mutex);
	if (err)
		return err;
	err = softaff_steer(p, &change, GFP_KERNEL);
	mutex_unlock(&control_mutex);
	if (!err)
		softaff_settle(p);
	return err;
}

/**
 * softaff_prctl_set_balancing - NUMA balancing of the current process
 * @balancing: enum softaff_balancing
 *
 * Context: may sleep.
 * Return: as softaff_set_numa_balancing().
 */
int softaff_prctl_set_balancing(int balancing)
{
	const struct softaff_change change = {
		.what = CHANGE_BALANCING,
		.balancing = balancing,
	};

	if (!softaff_hook_present("task_numa_work"))
		return -EOPNOTSUPP;
	return wait_live(NULL) ?: change_process(NULL, 0, current, &change);
}
