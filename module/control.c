// SPDX-License-Identifier: GPL-2.0
/*
 * The one place where a setting is checked and made. A setting is refused whole or made whole.
 */
#include <linux/ctype.h>
#include <linux/delay.h>
#include <linux/mutex.h>
#include <linux/nodemask.h>
#include <linux/pid.h>
#include <linux/ratelimit.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/string.h>

#include "softaff.h"

/* One setting at a time; what the scheduler does meanwhile needs no lock of ours. */
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
	struct va_format vaf = { .fmt = fmt };
	va_list args;

	if (!__ratelimit(&limit))
		return err;
	va_start(args, fmt);
	vaf.va = &args;
	pr_notice("softaff: %pV\n", &vaf);
	va_end(args);
	return err;
}

/* Wait while the livepatch is being applied; refuse where it is not, or is being taken away. */
static int wait_live(const char *file)
{
	unsigned int waited;

	for (waited = 0; !softaff_hooks_live(); waited += 10) {
		if (strcmp(softaff_hooks_state(), "patching") || waited >= WAIT_LIVE_MS)
			return softaff_refuse(-EBUSY, "%s: the livepatch is %s, nothing was set",
					      file, softaff_hooks_state());
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

/* Split "A B" or "A/B" in exactly two words. */
static int two_words(const char *file, const char *line, char *buf, char **a, char **b)
{
	char *rest = buf;

	if (strscpy(buf, line, LINE_MAX_LEN) < 0)
		return softaff_refuse(-EINVAL, "%s: '%.20s...' is too long", file, line);
	*a = next_word(&rest, true);
	*b = next_word(&rest, false);
	if (!**a || !**b)
		return softaff_refuse(-EINVAL, "%s: '%s' is not 'PID NODE'", file, strim(buf));
	if (*skip_spaces(rest))
		return softaff_refuse(-EINVAL, "%s: '%s' after the node", file, strim(rest));
	return 0;
}

static int parse_pid(const char *file, const char *word, pid_t *pid)
{
	if (!isdigit(*word) || kstrtoint(word, 10, pid) || *pid <= 0)
		return softaff_refuse(-EINVAL, "%s: '%s' is not a pid", file, word);
	return 0;
}

static int parse_node(const char *file, const char *word, int *nid)
{
	if (!strcmp(word, "-1") || !strcmp(word, "none")) {
		*nid = NUMA_NO_NODE;
		return 0;
	}
	if (!isdigit(*word) || kstrtoint(word, 10, nid))
		return softaff_refuse(-EINVAL, "%s: '%s' is not a node", file, word);
	if (*nid >= MAX_NUMNODES || !node_possible(*nid))
		return softaff_refuse(-EINVAL, "%s: this machine has no node %s", file, word);
	if (!node_online(*nid))
		return softaff_refuse(-ENODEV, "%s: node %s is offline", file, word);
	if (!softaff_node_usable(*nid))
		return softaff_refuse(-ENODEV, "%s: node %s has no CPU online", file, word);
	return 0;
}

/* A held task by its pid in the writer's namespace. */
static int find_task(const char *file, pid_t nr, struct task_struct **p)
{
	struct pid *pid = find_get_pid(nr);

	*p = get_pid_task(pid, PIDTYPE_PID);
	put_pid(pid);
	if (!*p)
		return softaff_refuse(-ESRCH, "%s: no task has pid %d", file, nr);
	return 0;
}

/* May @p be steered to @nid? */
static int check_task(const char *file, struct task_struct *p, pid_t nr, int nid)
{
	if (p->flags & PF_KTHREAD)
		return softaff_refuse(-EOPNOTSUPP, "%s: pid %d is a kernel thread", file, nr);
	if (p->flags & PF_EXITING)
		return softaff_refuse(-ESRCH, "%s: pid %d is exiting", file, nr);
	if (nid != NUMA_NO_NODE && !softaff_node_allowed(p, nid))
		return softaff_refuse(-ENODEV, "%s: pid %d may use no CPU of node %d",
				      file, nr, nid);
	return 0;
}

static void clear_node(struct task_struct *p)
{
	struct softaff_task *st = softaff_task_find_get(p);

	if (!st)
		return;
	WRITE_ONCE(st->nid, NUMA_NO_NODE);
	softaff_task_remove(st);
	softaff_task_put(st);
	softaff_store_preferred(p, NUMA_NO_NODE);
}

/*
 * Steer @p to @nid. It begins to go home when this returns; the caller brings it there.
 * Returns its state, held, or an error.
 */
static struct softaff_task *force_node(struct task_struct *p, int nid)
{
	struct softaff_task *st;

	do {
		st = softaff_task_find_get(p);
		if (!st)
			st = softaff_task_create(p, nid, GFP_KERNEL);
		/* It may have been born into steering meanwhile. */
	} while (st == ERR_PTR(-EEXIST));
	if (IS_ERR(st))
		return st;
	if (READ_ONCE(st->nid) != nid) {
		WRITE_ONCE(st->nid, nid);
		WRITE_ONCE(st->last_home_cpu, -1);
		softaff_task_start_counting(st);
	}
	softaff_store_preferred(p, nid);
	return st;
}

/* Bring it there now; whatever is in the way, the worker looks after it from here on. */
static void settle(struct softaff_task *st)
{
	softaff_bring_home(st);
	softaff_rehome_queue(st);
	softaff_task_put(st);
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
	struct softaff_task *st = NULL;
	char buf[LINE_MAX_LEN], *a, *b;
	struct task_struct *p;
	int err, nid;
	pid_t nr;

	err = two_words(file, line, buf, &a, &b) ?: parse_pid(file, a, &nr) ?:
	      parse_node(file, b, &nid) ?: wait_live(file) ?: find_task(file, nr, &p);
	if (err)
		return err;

	mutex_lock(&control_mutex);
	err = check_task(file, p, nr, nid);
	if (!err && nid == NUMA_NO_NODE) {
		clear_node(p);
	} else if (!err) {
		st = force_node(p, nid);
		if (IS_ERR(st))
			err = softaff_refuse(PTR_ERR(st), "%s: pid %d: %s", file, nr,
					     st == ERR_PTR(-ESRCH) ? "is exiting" : "no memory");
	}
	mutex_unlock(&control_mutex);

	if (!IS_ERR_OR_NULL(st))
		settle(st);
	put_task_struct(p);
	return err;
}
