// SPDX-License-Identifier: GPL-2.0
/*
 * Nodes of cgroups (v2), and their tasks.
 *
 * A cgroup's node holds for all tasks in it and below it, except below one that has its own. What
 * is kept is a node by cgroup id; which tasks it means is worked out from their cgroups, at birth
 * and, after a task or a setting has moved, by one pass over all tasks.
 */
#include <linux/cgroup.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include "softaff.h"

/* cgroup id -> node */
static DEFINE_XARRAY_FLAGS(nodes, XA_FLAGS_LOCK_IRQ);

static void reconcile_fn(struct work_struct *work);
static DECLARE_WORK(reconcile_work, reconcile_fn);
static DEFINE_MUTEX(reconcile_mutex);

/**
 * softaff_cgroup_node - the node that a task's cgroup gives it
 * @p: the task
 *
 * Context: process context, preemption may be off.
 * Return: the node, or NUMA_NO_NODE.
 */
int softaff_cgroup_node(struct task_struct *p)
{
	int nid = NUMA_NO_NODE;
	struct cgroup *cgrp;
	void *entry;

	if (xa_empty(&nodes))
		return nid;
	rcu_read_lock();
	for (cgrp = task_dfl_cgroup(p); cgrp; cgrp = cgroup_parent(cgrp)) {
		entry = xa_load(&nodes, cgroup_id(cgrp));
		if (entry) {
			nid = xa_to_value(entry);
			break;
		}
	}
	rcu_read_unlock();
	return nid;
}

static void node_change(struct task_struct *p, struct softaff_change *change)
{
	*change = (struct softaff_change) {
		.what = CHANGE_NODE,
		.source = SOURCE_CGROUP,
		.nid = softaff_cgroup_node(p),
	};
}

#define BATCH 256

/* Hold up to BATCH tasks whose state does not have what their cgroup says. */
static unsigned int find_stale(struct task_struct **batch)
{
	struct softaff_change change;
	struct task_struct *g, *p;
	unsigned int nr = 0;

	rcu_read_lock();
	for_each_process_thread(g, p) {
		if (nr == BATCH)
			break;
		if (p->flags & (PF_KTHREAD | PF_EXITING))
			continue;
		node_change(p, &change);
		if (!softaff_task_has(p, &change)) {
			get_task_struct(p);
			batch[nr++] = p;
		}
	}
	rcu_read_unlock();
	return nr;
}

/* Until every task has what its cgroup says; new tasks are born with it. */
static int reconcile(void)
{
	struct task_struct **batch = kmalloc_array(BATCH, sizeof(*batch), GFP_KERNEL);
	struct softaff_change change;
	unsigned int nr, i;
	int err = 0;

	if (!batch)
		return -ENOMEM;
	mutex_lock(&reconcile_mutex);
	while (!err && (nr = find_stale(batch))) {
		for (i = 0; i < nr; i++) {
			node_change(batch[i], &change);
			if (!err)
				err = softaff_steer(batch[i], &change, GFP_KERNEL);
			if (err == -ESRCH)
				err = 0;
			put_task_struct(batch[i]);
		}
		cond_resched();
	}
	mutex_unlock(&reconcile_mutex);
	kfree(batch);
	return err;
}

static void reconcile_fn(struct work_struct *work)
{
	if (reconcile())
		softaff_refuse(-ENOMEM, "no memory to steer the tasks of a cgroup");
}

/* Give @id a node, or take it away. Returns what it had before: a value entry, NULL, or an error. */
static void *store_node(u64 id, void *entry)
{
	void *old = xa_store_irq(&nodes, id, entry, GFP_KERNEL);

	if (xa_is_err(old))
		return old;
	if (entry && !old)
		softaff_use();
	else if (!entry && old)
		softaff_unuse();
	return old;
}

/**
 * softaff_cgroup_set - give a cgroup a node
 * @cgrp: the cgroup, held
 * @nid: a usable node, or NUMA_NO_NODE to take it away
 *
 * When this returns, every task in the cgroup is steered.
 *
 * Context: may sleep.
 * Return: 0, or -ENOMEM with nothing changed.
 */
int softaff_cgroup_set(struct cgroup *cgrp, int nid)
{
	void *entry = nid == NUMA_NO_NODE ? NULL : xa_mk_value(nid);
	void *old;
	int err;

	/* Births look at cgroups only while softaff is in use. */
	softaff_use();
	old = store_node(cgroup_id(cgrp), entry);
	err = xa_err(old);
	if (!err) {
		err = reconcile();
		if (err) {
			store_node(cgroup_id(cgrp), old);
			reconcile();
		}
	}
	softaff_unuse();
	return err;
}

/**
 * softaff_cgroup_show - print the cgroups that have a node, one "NODE PATH" line each
 * @m: where to print
 *
 * Context: process context.
 */
void softaff_cgroup_show(struct seq_file *m)
{
	char *path = kmalloc(PATH_MAX, GFP_KERNEL);
	struct cgroup *cgrp;
	unsigned long id;
	void *entry;

	if (!path)
		return;
	xa_for_each(&nodes, id, entry) {
		cgrp = cgroup_get_from_id(id);
		if (IS_ERR(cgrp))
			continue;	/* of another namespace, or gone */
		cgroup_path(cgrp, path, PATH_MAX);
		seq_printf(m, "%lu ", xa_to_value(entry));
		seq_escape(m, path, " \t\n\\");
		seq_putc(m, '\n');
		cgroup_put(cgrp);
	}
	kfree(path);
}

/* --- what cgroups tell ------------------------------------------------------------------- */

/* Tasks have entered a cgroup. Interrupts are off and cgroup locks are held. */
static void attach_probe(void *data, struct cgroup *cgrp, const char *path,
			 struct task_struct *p, bool threadgroup)
{
	if (!xa_empty(&nodes))
		schedule_work(&reconcile_work);
}

/* An empty cgroup is removed. Interrupts are off. */
static void rmdir_probe(void *data, struct cgroup *cgrp, const char *path)
{
	unsigned long flags;
	void *old;

	if (xa_empty(&nodes))
		return;
	xa_lock_irqsave(&nodes, flags);
	old = __xa_erase(&nodes, cgroup_id(cgrp));
	xa_unlock_irqrestore(&nodes, flags);
	if (old)
		softaff_unuse();
}

static struct softaff_probe probes[] = {
	{ "cgroup_attach_task", attach_probe },
	{ "cgroup_rmdir", rmdir_probe },
};

/**
 * softaff_cgroup_init - listen to moves between cgroups
 *
 * Context: may sleep.
 * Return: 0 or an error, with a line in the log.
 */
int softaff_cgroup_init(void)
{
	return softaff_probes_register(probes, ARRAY_SIZE(probes));
}

/**
 * softaff_cgroup_exit - forget the cgroups' nodes; their tasks are let go by softaff_tasks_exit()
 *
 * Context: may sleep.
 */
void softaff_cgroup_exit(void)
{
	unsigned long id;
	void *entry;

	softaff_probes_unregister(probes, ARRAY_SIZE(probes));
	cancel_work_sync(&reconcile_work);
	xa_for_each(&nodes, id, entry)
		store_node(id, NULL);
	xa_destroy(&nodes);
}
