// SPDX-License-Identifier: GPL-2.0
/* /sys/kernel/debug/softaff: a line a steered task, and the counters. */
#include <linux/debugfs.h>
#include <linux/pid.h>
#include <linux/rhashtable.h>
#include <linux/sched/task.h>
#include <linux/seq_file.h>
#include <linux/string_helpers.h>

#include "softaff.h"

static struct dentry *dir;

/* What would break a line into more columns or lines, or a terminal. */
#define ESCAPED " \\\x7f\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f" \
		"\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f"

/*
 * What is made anew while it is read has no place to come back to. A shell's "read" takes more than a
 * line and seeks back to the end of it; were these files to let it, it would go on in the middle of
 * another line whenever one before has become longer or shorter. So none of them seeks.
 */
#define FOPS_OF(name, ...)				\
static const struct file_operations name##_fops = {	\
	.owner = THIS_MODULE,				\
	.open = name##_open,				\
	.read = seq_read,				\
	__VA_ARGS__					\
}

static void *tasks_start(struct seq_file *m, loff_t *pos)
{
	struct rhashtable_iter *iter = m->private;

	softaff_task_walk_start(iter, !*pos);
	return *pos ? softaff_task_walk_peek(iter) : SEQ_START_TOKEN;
}

static void *tasks_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return softaff_task_walk_next(m->private);
}

static void tasks_stop(struct seq_file *m, void *v)
{
	softaff_task_walk_stop(m->private);
}

/* Who named the node. */
static const char *source_word(const struct softaff_task *st)
{
	static const char *const words[] = {
		[SOURCE_TASK] = "task",
		[SOURCE_CGROUP] = "cgroup",
		[SOURCE_CPUSET] = "cpuset",
	};
	unsigned int i;

	for (i = 0; i < SOURCE_NR; i++)
		if (READ_ONCE(st->want[i]) != NUMA_NO_NODE)
			return words[i];
	return "none";
}

/* The fields of a task as words, in the order of the table's columns. */
#define COLUMNS "pid tgid node preferred curnode cpu home_pct moves_home moves_away reason source " \
		"balancing inherit comm\n"

static int show_task(struct seq_file *m, struct softaff_task *st)
{
	struct task_struct *p = st->task;
	char comm[TASK_COMM_LEN];
	int cpu = task_cpu(p), nid = READ_ONCE(st->nid);
	pid_t pid = task_pid_vnr(p);
	u64 home, total;

	if (!pid)
		return SEQ_SKIP;	/* gone, or not of the reader's namespace */
	home = softaff_task_home_ns(st, &total);
	/* Before it has run it has been where it is. */
	home = total ? div64_u64(home * 1000, total) : cpu_to_node(cpu) == nid ? 1000 : 0;
	seq_printf(m, "%d %d %d %d %d %d %llu.%llu %u %u %s %s %s %s ", pid, task_tgid_vnr(p), nid,
		   READ_ONCE(p->numa_preferred_nid), cpu_to_node(cpu), cpu, home / 10, home % 10,
		   READ_ONCE(st->moves_home), READ_ONCE(st->moves_away), softaff_whereabouts(st),
		   source_word(st), softaff_balancing_words[READ_ONCE(st->balancing)],
		   softaff_inherit_words[READ_ONCE(st->inherit)]);
	strscpy_pad(comm, p->comm, sizeof(comm));
	seq_escape(m, comm, ESCAPED);
	seq_putc(m, '\n');
	return 0;
}

static int tasks_show(struct seq_file *m, void *v)
{
	if (v == SEQ_START_TOKEN) {
		seq_puts(m, COLUMNS);
		return 0;
	}
	return show_task(m, v);
}

static const struct seq_operations tasks_ops = {
	.start = tasks_start,
	.next = tasks_next,
	.stop = tasks_stop,
	.show = tasks_show,
};

static int tasks_open(struct inode *inode, struct file *file)
{
	struct rhashtable_iter *iter = __seq_open_private(file, &tasks_ops, sizeof(*iter));

	if (!iter)
		return -ENOMEM;
	softaff_task_walk_enter(iter);
	return nonseekable_open(inode, file);
}

static int tasks_release(struct inode *inode, struct file *file)
{
	struct seq_file *m = file->private_data;

	softaff_task_walk_exit(m->private);
	return seq_release_private(inode, file);
}

FOPS_OF(tasks, .release = tasks_release);

/*
 * One task: write its pid, read from the same open file; the same columns, and the bounds of its
 * scan period.
 */
static int task_show(struct seq_file *m, void *v)
{
	struct pid *pid = READ_ONCE(m->private);
	struct task_struct *p = get_pid_task(pid, PIDTYPE_PID);
	struct softaff_task *st;

	if (!p)
		return pid ? -ESRCH : -EINVAL;
	st = softaff_task_find_get(p);
	put_task_struct(p);
	if (!st)
		return -ENOENT;
	seq_puts(m, COLUMNS);
	show_task(m, st);
	seq_printf(m, "scan_period %u %u\n", READ_ONCE(st->scan_min), READ_ONCE(st->scan_max));
	softaff_task_put(st);
	return 0;
}

static int task_open(struct inode *inode, struct file *file)
{
	nonseekable_open(inode, file);
	return single_open(file, task_show, NULL);
}

static ssize_t task_write(struct file *file, const char __user *buf, size_t count, loff_t *pos)
{
	struct seq_file *m = file->private_data;
	struct pid *pid;
	int err, nr;

	err = kstrtoint_from_user(buf, count, 10, &nr);
	if (err)
		return err;
	pid = find_get_pid(nr);
	if (!pid)
		return -ESRCH;
	mutex_lock(&m->lock);
	swap(m->private, *(void **)&pid);
	m->count = 0;		/* what was read before is of another task */
	mutex_unlock(&m->lock);
	put_pid(pid);
	*pos = 0;
	return count;
}

static int task_release(struct inode *inode, struct file *file)
{
	struct seq_file *m = file->private_data;

	put_pid(m->private);
	return single_release(inode, file);
}

FOPS_OF(task, .write = task_write, .release = task_release);

static int stats_show(struct seq_file *m, void *v)
{
	softaff_stats_show(m);
	return 0;
}

static int stats_open(struct inode *inode, struct file *file)
{
	nonseekable_open(inode, file);
	return single_open(file, stats_show, NULL);
}

FOPS_OF(stats, .release = single_release);

static int cgroups_show(struct seq_file *m, void *v)
{
	seq_puts(m, "node path\n");
	softaff_cgroup_show(m);
	return 0;
}

static int cgroups_open(struct inode *inode, struct file *file)
{
	nonseekable_open(inode, file);
	return single_open(file, cgroups_show, NULL);
}

FOPS_OF(cgroups, .release = single_release);

/**
 * softaff_debugfs_init - make /sys/kernel/debug/softaff; a machine without debugfs has none
 *
 * Context: may sleep.
 * Return: 0.
 */
int softaff_debugfs_init(void)
{
	dir = debugfs_create_dir("softaff", NULL);
	debugfs_create_file("tasks", 0400, dir, NULL, &tasks_fops);
	debugfs_create_file("task", 0600, dir, NULL, &task_fops);
	debugfs_create_file("cgroups", 0400, dir, NULL, &cgroups_fops);
	debugfs_create_file("stats", 0400, dir, NULL, &stats_fops);
	return 0;
}

/**
 * softaff_debugfs_exit - remove it; waits for readers
 *
 * Context: may sleep.
 */
void softaff_debugfs_exit(void)
{
	debugfs_remove(dir);
}
