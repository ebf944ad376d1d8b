// SPDX-License-Identifier: GPL-2.0
/*
 * The state that hangs on a task.
 *
 * It is found by the task's address and holds a reference to the task, so neither a reused pid
 * nor a reused task_struct can inherit it. It begins with a setting or with the birth of a thread
 * of a steered task, and goes when the task exits or the setting is cleared. Birth, exit and
 * changes of CPU are learned from the scheduler's own tracepoints.
 */
#include <linux/rhashtable.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>

#include "softaff.h"

DEFINE_STATIC_KEY_FALSE(softaff_used);

static const struct rhashtable_params table_params = {
	.key_len = sizeof_field(struct softaff_task, task),
	.key_offset = offsetof(struct softaff_task, task),
	.head_offset = offsetof(struct softaff_task, hash),
	.automatic_shrinking = true,
};

static struct rhashtable table;
static atomic_t nr_tasks;

/*
 * softaff_used follows nr_tasks. Switching it patches code on all CPUs, so it is switched off
 * only when the table has been empty for a while.
 */
static DEFINE_MUTEX(used_mutex);
#define UNUSED_DELAY (5 * HZ)

static void unused_fn(struct work_struct *work)
{
	mutex_lock(&used_mutex);
	if (!atomic_read(&nr_tasks))
		static_branch_disable(&softaff_used);
	mutex_unlock(&used_mutex);
}

static DECLARE_DELAYED_WORK(unused_work, unused_fn);

/**
 * softaff_task_find - the state of a task
 * @p: the task
 *
 * Context: under rcu_read_lock() or with preemption off; runqueue locks may be held.
 * Return: the state, valid until the end of the RCU section, or NULL.
 */
struct softaff_task *softaff_task_find(const struct task_struct *p)
{
	return rhashtable_lookup(&table, &p, table_params);
}

/**
 * softaff_task_find_get - the state of a task, held
 * @p: the task
 *
 * Context: any. Release with softaff_task_put().
 * Return: the state, or NULL.
 */
struct softaff_task *softaff_task_find_get(const struct task_struct *p)
{
	struct softaff_task *st;

	rcu_read_lock();
	st = softaff_task_find(p);
	if (st && !refcount_inc_not_zero(&st->ref))
		st = NULL;
	rcu_read_unlock();
	return st;
}

/**
 * softaff_task_put - release a held state
 * @st: the state
 *
 * Context: any in which no runqueue lock is held.
 */
void softaff_task_put(struct softaff_task *st)
{
	if (!refcount_dec_and_test(&st->ref))
		return;
	put_task_struct(st->task);
	kfree_rcu(st, rcu);
}

/**
 * softaff_task_remove - take a state out of the table, once
 * @st: the state; the caller holds it or is in the RCU section of its lookup
 *
 * Context: process context, preemption may be off.
 */
void softaff_task_remove(struct softaff_task *st)
{
	if (rhashtable_remove_fast(&table, &st->hash, table_params))
		return;
	set_bit(FLAG_REMOVED, &st->flags);
	if (atomic_dec_and_test(&nr_tasks))
		schedule_delayed_work(&unused_work, UNUSED_DELAY);
	softaff_task_put(st);
}

/* Its run time so far. Not exact to the tick for a task that is running. */
static u64 run_time(const struct task_struct *p)
{
	return READ_ONCE(p->se.sum_exec_runtime);
}

/**
 * softaff_task_start_counting - begin the figures of a task anew
 * @st: the state
 *
 * Context: any.
 */
void softaff_task_start_counting(struct softaff_task *st)
{
	st->run_start = st->run_mark = run_time(st->task);
	st->run_home = 0;
	st->moves_home = st->moves_away = 0;
}

/* Run time since the task last came or went, all of it spent on @cpu's node. */
static u64 home_since_mark(const struct softaff_task *st, int cpu)
{
	u64 now = run_time(st->task), mark = READ_ONCE(st->run_mark);

	return cpu_to_node(cpu) == READ_ONCE(st->nid) && now > mark ? now - mark : 0;
}

/**
 * softaff_task_home_ns - how long a task ran on its forced node since that was set
 * @st: the state
 * @total: where to store its run time since then, ns
 *
 * Context: any.
 * Return: the run time at home, ns.
 */
u64 softaff_task_home_ns(const struct softaff_task *st, u64 *total)
{
	u64 now = run_time(st->task), start = READ_ONCE(st->run_start);
	u64 home = READ_ONCE(st->run_home) + home_since_mark(st, task_cpu(st->task));

	*total = now > start ? now - start : 0;
	return min(home, *total);
}

/**
 * softaff_task_create - give a task its state
 * @p: a task that has none; the caller holds it, or it is not running yet
 * @nid: the forced node
 * @gfp: GFP_KERNEL, or GFP_ATOMIC where a state exists already (it is the child of one)
 *
 * Context: as @gfp says.
 * Return: the state, held for the caller, or ERR_PTR(-ENOMEM, -EEXIST, -ESRCH: it is exiting).
 */
struct softaff_task *softaff_task_create(struct task_struct *p, int nid, gfp_t gfp)
{
	struct softaff_task *st = kzalloc(sizeof(*st), gfp);
	int err;

	if (!st)
		return ERR_PTR(-ENOMEM);
	st->task = p;
	st->nid = nid;
	st->last_home_cpu = -1;
	refcount_set(&st->ref, 2);
	softaff_task_start_counting(st);

	if (gfpflags_allow_blocking(gfp))
		mutex_lock(&used_mutex);
	err = rhashtable_lookup_insert_fast(&table, &st->hash, table_params);
	if (!err) {
		get_task_struct(p);
		atomic_inc(&nr_tasks);
	}
	if (gfpflags_allow_blocking(gfp)) {
		if (!err)
			static_branch_enable(&softaff_used);
		mutex_unlock(&used_mutex);
	}
	if (err) {
		kfree(st);
		return ERR_PTR(err);
	}

	/*
	 * Pairs with do_exit(), which sets PF_EXITING before the exit tracepoint looks for the
	 * state: either that finds it, or we see the flag here.
	 */
	smp_mb();
	if (READ_ONCE(p->flags) & PF_EXITING) {
		softaff_task_remove(st);
		softaff_task_put(st);
		return ERR_PTR(-ESRCH);
	}
	return st;
}

/**
 * softaff_task_count - how many tasks have state
 *
 * Context: any.
 */
unsigned int softaff_task_count(void)
{
	return atomic_read(&nr_tasks);
}

/**
 * softaff_task_walk_enter - begin a walk over all states
 * @iter: the iterator; end with softaff_task_walk_exit()
 *
 * The walk itself goes on between softaff_task_walk_start() and softaff_task_walk_stop(), under
 * RCU, and may be stopped and started again. Tasks that come or go meanwhile may or may not be
 * met, and some may be met twice while the table is resized.
 *
 * Context: process context.
 */
void softaff_task_walk_enter(struct rhashtable_iter *iter)
{
	rhashtable_walk_enter(&table, iter);
}

/**
 * softaff_task_walk_exit - end a walk
 * @iter: the iterator
 */
void softaff_task_walk_exit(struct rhashtable_iter *iter)
{
	rhashtable_walk_exit(iter);
}

/**
 * softaff_task_walk_start - start walking, or go on
 * @iter: the iterator
 * @anew: from the beginning
 */
void softaff_task_walk_start(struct rhashtable_iter *iter, bool anew)
{
	if (anew) {
		rhashtable_walk_exit(iter);
		rhashtable_walk_enter(&table, iter);
	}
	rhashtable_walk_start(iter);
}

/**
 * softaff_task_walk_stop - stop walking for now
 * @iter: the iterator
 */
void softaff_task_walk_stop(struct rhashtable_iter *iter)
{
	rhashtable_walk_stop(iter);
}

static struct softaff_task *walk(struct rhashtable_iter *iter,
				 void *(*step)(struct rhashtable_iter *iter))
{
	void *st;

	do {
		st = step(iter);
	} while (st == ERR_PTR(-EAGAIN));	/* the table was resized */
	return st;
}

/**
 * softaff_task_walk_peek - the state at which a walk stands
 * @iter: the iterator
 *
 * Return: as softaff_task_walk_next().
 */
struct softaff_task *softaff_task_walk_peek(struct rhashtable_iter *iter)
{
	return walk(iter, rhashtable_walk_peek);
}

/**
 * softaff_task_walk_next - the next state of a walk
 * @iter: the iterator
 *
 * Return: a state, valid until the walk is stopped, or NULL at the end.
 */
struct softaff_task *softaff_task_walk_next(struct rhashtable_iter *iter)
{
	return walk(iter, rhashtable_walk_next);
}

/* --- what the scheduler tells ------------------------------------------------------------ */

/* A task is born, in its parent's context; it is in the thread list and has not run yet. */
static void newtask_probe(void *data, struct task_struct *child, unsigned long clone_flags)
{
	struct softaff_task *parent, *st;

	if (!static_branch_unlikely(&softaff_used) || !(clone_flags & CLONE_THREAD))
		return;
	rcu_read_lock();
	parent = softaff_task_find(current);
	if (parent && READ_ONCE(parent->nid) != NUMA_NO_NODE) {
		st = softaff_task_create(child, READ_ONCE(parent->nid), GFP_ATOMIC);
		if (!IS_ERR(st)) {
			/* On no runqueue yet, so nothing has been accounted by it. */
			child->numa_preferred_nid = st->nid;
			softaff_count(inherited);
			softaff_rehome_queue(st);
			softaff_task_put(st);
		} else {
			softaff_count(inherit_failed);
		}
	}
	rcu_read_unlock();
}

/* The current task exits; PF_EXITING is set. */
static void exit_probe(void *data, struct task_struct *p)
{
	struct softaff_task *st;

	if (!static_branch_unlikely(&softaff_used))
		return;
	rcu_read_lock();
	st = softaff_task_find(p);
	if (st)
		softaff_task_remove(st);
	rcu_read_unlock();
}

/* A task is about to change its CPU; its pi_lock or its runqueue's lock is held. */
static void migrate_probe(void *data, struct task_struct *p, int new_cpu)
{
	struct softaff_task *st;
	bool was_home, is_home;
	int nid;

	if (!static_branch_unlikely(&softaff_used))
		return;
	rcu_read_lock();
	st = softaff_task_find(p);
	nid = st ? READ_ONCE(st->nid) : NUMA_NO_NODE;
	if (nid == NUMA_NO_NODE)
		goto out;

	was_home = cpu_to_node(task_cpu(p)) == nid;
	is_home = cpu_to_node(new_cpu) == nid;
	if (is_home)
		WRITE_ONCE(st->last_home_cpu, new_cpu);
	if (was_home != is_home) {
		st->run_home += home_since_mark(st, task_cpu(p));
		st->run_mark = run_time(p);
		if (is_home) {
			st->moves_home++;
			softaff_count(moved_home);
		} else {
			st->moves_away++;
			softaff_count(moved_away);
			softaff_rehome_queue(st);
		}
	}
out:
	rcu_read_unlock();
}

static struct {
	const char *name;
	void *probe;
	struct tracepoint *tp;
} probes[] = {
	{ "task_newtask", newtask_probe },
	{ "sched_process_exit", exit_probe },
	{ "sched_migrate_task", migrate_probe },
};

static void match_probe(struct tracepoint *tp, void *data)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(probes); i++)
		if (!strcmp(tp->name, probes[i].name))
			probes[i].tp = tp;
}

static void unregister_probes(unsigned int nr)
{
	while (nr--)
		tracepoint_probe_unregister(probes[nr].tp, probes[nr].probe, NULL);
	tracepoint_synchronize_unregister();
}

/**
 * softaff_tasks_init - make the table, listen to birth, exit and migration of tasks
 *
 * Context: may sleep.
 * Return: 0 or an error, with a line in the log.
 */
int softaff_tasks_init(void)
{
	unsigned int i;
	int err;

	err = rhashtable_init(&table, &table_params);
	if (err)
		return softaff_refuse(err, "no memory for the table of tasks");
	for_each_kernel_tracepoint(match_probe, NULL);
	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		err = probes[i].tp ? tracepoint_probe_register(probes[i].tp, probes[i].probe, NULL)
				   : -ENOENT;
		if (err) {
			softaff_refuse(err, "cannot listen to the tracepoint %s (%d)",
				       probes[i].name, err);
			unregister_probes(i);
			rhashtable_destroy(&table);
			return err;
		}
	}
	return 0;
}

/**
 * softaff_task_clear_all - forget every task, give the kernel its own choice of nodes back
 *
 * Context: may sleep; nothing adds tasks any more.
 */
void softaff_task_clear_all(void)
{
	struct rhashtable_iter iter;
	struct softaff_task *st;

	softaff_task_walk_enter(&iter);
	softaff_task_walk_start(&iter, false);
	while ((st = softaff_task_walk_next(&iter))) {
		if (!refcount_inc_not_zero(&st->ref))
			continue;
		softaff_task_walk_stop(&iter);	/* the runqueue lock is taken outside the walk */
		softaff_store_preferred(st->task, NUMA_NO_NODE);
		softaff_task_remove(st);
		softaff_task_put(st);
		cond_resched();
		softaff_task_walk_start(&iter, false);
	}
	softaff_task_walk_stop(&iter);
	softaff_task_walk_exit(&iter);
}

/**
 * softaff_tasks_exit - stop listening, forget every task
 *
 * Context: may sleep; nothing looks states up any more.
 */
void softaff_tasks_exit(void)
{
	unregister_probes(ARRAY_SIZE(probes));
	softaff_task_clear_all();
	cancel_delayed_work_sync(&unused_work);
	rhashtable_destroy(&table);
}
