// SPDX-License-Identifier: GPL-2.0
/* /sys/kernel/debug/softaff: a line a steered task, and the counters. */
#include <linux/debugfs.h>
#include <linux/pid_namespace.h>
#include <linux/rhashtable.h>
#include <linux/seq_file.h>
#include <linux/string_helpers.h>

#include "softaff.h"

static struct dentry *dir;

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

static int tasks_show(struct seq_file *m, void *v)
{
	struct softaff_task *st = v;
	struct task_struct *p;
	char comm[TASK_COMM_LEN];
	u64 home, total;
	int nid, cpu;
	pid_t pid;

	if (v == SEQ_START_TOKEN) {
		seq_puts(m, "pid tgid node preferred curnode cpu home_pct moves_home moves_away reason source balancing inherit comm\n");
		return 0;
	}
	p = st->task;
	nid = READ_ONCE(st->nid);
	pid = task_pid_vnr(p);
	if (!pid)
		return SEQ_SKIP;	/* gone, or not of the reader's namespace */
	cpu = task_cpu(p);
	home = softaff_task_home_ns(st, &total);
	/* Before it has run it has been where it is. */
	home = total ? div64_u64(home * 1000, total) : cpu_to_node(cpu) == nid ? 1000 : 0;
	seq_printf(m, "%d %d %d %d %d %d %llu.%llu %u %u %s %s %s %s ", pid, task_tgid_vnr(p), nid,
		   READ_ONCE(p->numa_preferred_nid), cpu_to_node(cpu), cpu, home / 10, home % 10,
		   READ_ONCE(st->moves_home), READ_ONCE(st->moves_away), softaff_whereabouts(st),
		   source_word(st), softaff_balancing_words[READ_ONCE(st->balancing)],
		   softaff_inherit_words[READ_ONCE(st->inherit)]);
	strscpy_pad(comm, p->comm, sizeof(comm));
	seq_escape(m, comm, " \t\n\\");
	seq_putc(m, '\n');
	return 0;
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
	return 0;
}

static int tasks_release(struct inode *inode, struct file *file)
{
	struct seq_file *m = file->private_data;

	softaff_task_walk_exit(m->private);
	return seq_release_private(inode, file);
}

static const struct file_operations tasks_fops = {
	.owner = THIS_MODULE,
	.open = tasks_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = tasks_release,
};

static int stats_show(struct seq_file *m, void *v)
{
	softaff_stats_show(m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(stats);

static int cgroups_show(struct seq_file *m, void *v)
{
	seq_puts(m, "node path\n");
	softaff_cgroup_show(m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(cgroups);

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
