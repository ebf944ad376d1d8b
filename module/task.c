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
 * Settings change and states come and go under this lock; what a task does meanwhile (migrate,
 * fault, be balanced) only reads them. Process context, preemption off.
 */
static DEFINE_SPINLOCK(state_lock);

int softaff_inherit = INHERIT_THREADS;

/*
 * softaff_used is on while anybody is steered or a cgroup has a node, and wakeups are listened to.
 * Switching it patches code on all CPUs, so it is switched off only when it has not been needed for a
 * while.
 */
static atomic_t users;
static DEFINE_MUTEX(used_mutex);
#define UNUSED_DELAY (5 * HZ)

static void unused_fn(struct work_struct *work)
{
	mutex_lock(&used_mutex);
	if (!atomic_read(&users)) {
		static_branch_disable(&softaff_used);
		softaff_wakeup_listen(false);
	}
	mutex_unlock(&used_mutex);
}

static DECLARE_DELAYED_WORK(unused_work, unused_fn);

/**
 * softaff_use - the hooks have something to do from here on
 *
 * Context: may sleep. Undo with softaff_unuse().
 */
void softaff_use(void)
{
	mutex_lock(&used_mutex);
	atomic_inc(&users);
	static_branch_enable(&softaff_used);
	softaff_wakeup_listen(true);
	mutex_unlock(&used_mutex);
}

/**
 * softaff_unuse - undo one softaff_use()
 *
 * Context: any but under a runqueue lock.
 */
void softaff_unuse(void)
{
	if (atomic_dec_and_test(&users))
		schedule_delayed_work(&unused_work, UNUSED_DELAY);
}

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

/* Take a state out of the table, once. Preemption may be off. */
static void remove_state(struct softaff_task *st)
{
	if (rhashtable_remove_fast(&table, &st->hash, table_params))
		return;
	set_bit(FLAG_REMOVED, &st->flags);
	atomic_dec(&nr_tasks);
	softaff_unuse();
	softaff_task_put(st);
}

/* Its run time so far. Not exact to the tick for a task that is running. */
static u64 run_time(const struct task_struct *p)
{
	return READ_ONCE(p->se.sum_exec_runtime);
}

static void start_counting(struct softaff_task *st)
{
	st->run_start = st->run_mark = run_time(st->task);
	st->run_home = 0;
	st->moves_home = st->moves_away = 0;
	WRITE_ONCE(st->last_home_cpu, -1);
	st->came = (u32)jiffies - HZ;	/* not just now */
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

static struct softaff_task *alloc_state(struct task_struct *p, gfp_t gfp)
{
	struct softaff_task *st = kzalloc(sizeof(*st), gfp);
	unsigned int i;

	if (!st)
		return NULL;
	st->task = p;
	st->nid = NUMA_NO_NODE;
	for (i = 0; i < SOURCE_NR; i++)
		st->want[i] = NUMA_NO_NODE;
	refcount_set(&st->ref, 1);
	start_counting(st);
	return st;
}

/* Put a state in the table; softaff_use() has been called for it. Under state_lock. */
static int insert_state(struct softaff_task *st)
{
	int err = rhashtable_lookup_insert_fast(&table, &st->hash, table_params);

	if (err)
		return err;
	get_task_struct(st->task);
	atomic_inc(&nr_tasks);
	return 0;
}

/* Nothing is set any more. */
static bool empty(const struct softaff_task *st)
{
	return st->nid == NUMA_NO_NODE && st->balancing == BALANCING_DEFAULT &&
	       st->inherit == INHERIT_DEFAULT && !st->scan_min && !st->scan_max &&
	       !test_bit(FLAG_RESERVED, &st->flags);
}

/* The first source that has a node wins. Returns whether the forced node has changed. */
static bool choose_node(struct softaff_task *st)
{
	int nid = NUMA_NO_NODE;
	unsigned int i;

	for (i = 0; i < SOURCE_NR && nid == NUMA_NO_NODE; i++)
		nid = st->want[i];
	if (nid == st->nid)
		return false;
	WRITE_ONCE(st->nid, nid);
	start_counting(st);
	return true;
}

/* Returns whether the forced node has changed. */
static bool change_state(struct softaff_task *st, const struct softaff_change *change)
{
	bool moved = false;

	if (change->what & CHANGE_NODE) {
		st->want[change->source] = change->nid;
		moved = choose_node(st);
	}
	if (change->what & (CHANGE_BALANCING | CHANGE_SCAN))
		clear_bit(FLAG_BORROWED, &st->flags);
	if (change->what & CHANGE_BALANCING)
		WRITE_ONCE(st->balancing, change->balancing);
	if (change->what & CHANGE_INHERIT)
		WRITE_ONCE(st->inherit, change->inherit);
	if (change->what & CHANGE_SCAN) {
		WRITE_ONCE(st->scan_min, change->scan_min);
		WRITE_ONCE(st->scan_max, change->scan_max);
	}
	if (change->what & CHANGE_RESERVE)
		set_bit(FLAG_RESERVED, &st->flags);
	if (change->what & CHANGE_UNRESERVE)
		clear_bit(FLAG_RESERVED, &st->flags);
	return moved;
}

/* Does the change only take back what a task without state has not got? */
static bool only_clears(const struct softaff_change *change)
{
	unsigned int what = change->what;

	return !((what & CHANGE_NODE && change->nid != NUMA_NO_NODE) ||
		 (what & CHANGE_BALANCING && change->balancing != BALANCING_DEFAULT) ||
		 (what & CHANGE_INHERIT && change->inherit != INHERIT_DEFAULT) ||
		 (what & CHANGE_SCAN && (change->scan_min || change->scan_max)) ||
		 what & CHANGE_RESERVE);
}

/**
 * softaff_task_has - is a change made already?
 * @p: the task
 * @change: the change
 *
 * Context: any.
 */
bool softaff_task_has(const struct task_struct *p, const struct softaff_change *change)
{
	unsigned int what = change->what;
	const struct softaff_task *st;
	bool has;

	rcu_read_lock();
	st = softaff_task_find(p);
	if (!st)
		has = only_clears(change);
	else
		has = (!(what & CHANGE_NODE) || st->want[change->source] == change->nid) &&
		      (!(what & CHANGE_BALANCING) || st->balancing == change->balancing) &&
		      (!(what & CHANGE_INHERIT) || st->inherit == change->inherit) &&
		      (!(what & CHANGE_SCAN) || (st->scan_min == change->scan_min &&
						 st->scan_max == change->scan_max)) &&
		      (!(what & CHANGE_RESERVE) || test_bit(FLAG_RESERVED, &st->flags)) &&
		      (!(what & CHANGE_UNRESERVE) || !test_bit(FLAG_RESERVED, &st->flags));
	rcu_read_unlock();
	return has;
}

/**
 * softaff_task_update - change a task's settings
 * @p: the task, held
 * @change: what to change
 * @gfp: for the state that it may need
 * @held: where to store its state, held, or NULL where it has none any more; may be NULL
 *
 * The change is made whole or not at all. That the task follows is left to softaff_steer().
 *
 * Context: process context; may sleep.
 * Return: 1 where the forced node has changed, 0 where not, -ENOMEM, or -ESRCH where the task is
 * exiting.
 */
int softaff_task_update(struct task_struct *p, const struct softaff_change *change, gfp_t gfp,
			struct softaff_task **held)
{
	struct softaff_task *st, *fresh = NULL;
	int err = 0;

	if (held)
		*held = NULL;
retry:
	spin_lock(&state_lock);
	rcu_read_lock();
	st = softaff_task_find(p);
	if (!st && !only_clears(change)) {
		if (!fresh) {
			rcu_read_unlock();
			spin_unlock(&state_lock);
			fresh = alloc_state(p, gfp);
			if (!fresh)
				return -ENOMEM;
			softaff_use();
			goto retry;
		}
		err = insert_state(fresh);
		if (!err) {
			st = fresh;
			fresh = NULL;
		}
	}
	if (st) {
		err = change_state(st, change);
		/*
		 * Pairs with do_exit(), which sets PF_EXITING before the exit tracepoint looks
		 * for the state: either that finds it, or we see the flag here.
		 */
		smp_mb();
		if (READ_ONCE(p->flags) & PF_EXITING) {
			err = -ESRCH;
			remove_state(st);
		} else if (empty(st)) {
			remove_state(st);
		} else if (held && refcount_inc_not_zero(&st->ref)) {
			*held = st;
		}
	}
	rcu_read_unlock();
	spin_unlock(&state_lock);
	if (fresh) {
		kfree(fresh);
		softaff_unuse();
	}
	return err;
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
void softaff_task_walk_start(struct rhashtable_iter *iter, bool anew) __acquires(RCU)
{
	struct rhash_head *at;

	if (anew) {
		rhashtable_walk_exit(iter);
		rhashtable_walk_enter(&table, iter);
	}
	at = iter->p;
	rhashtable_walk_start(iter);
	/*
	 * If the state at which it stood has gone, the walk would pass over as many of its
	 * neighbours in the bucket as it has seen. Rather show these twice.
	 */
	if (at && !iter->p)
		iter->skip = 0;
}

/**
 * softaff_task_walk_stop - stop walking for now
 * @iter: the iterator
 */
void softaff_task_walk_stop(struct rhashtable_iter *iter) __releases(RCU)
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

/*
 * What a child gets from its parent: the node by the parent's rule, balancing where they share
 * memory or by the same rule, and what its cgroup says.
 */
static void inherit(struct softaff_task *st, const struct softaff_task *parent,
		    unsigned long clone_flags)
{
	int rule = READ_ONCE(parent->inherit) ?: READ_ONCE(softaff_inherit);
	bool thread = clone_flags & CLONE_THREAD;
	bool heir = rule == INHERIT_CHILDREN || (rule == INHERIT_THREADS && thread);

	if (heir)
		st->want[SOURCE_TASK] = parent->want[SOURCE_TASK];
	if (thread)
		st->want[SOURCE_CPUSET] = parent->want[SOURCE_CPUSET];
	if (heir || thread)
		st->inherit = parent->inherit;
	if (heir || clone_flags & CLONE_VM) {
		st->balancing = parent->balancing;
		st->scan_min = parent->scan_min;
		st->scan_max = parent->scan_max;
	}
	if (!heir && !thread && clone_flags & CLONE_VM)
		set_bit(FLAG_BORROWED, &st->flags);
	/* The whole process is being set: the child is part of it. */
	if (thread && test_bit(FLAG_RESERVED, &parent->flags))
		set_bit(FLAG_RESERVED, &st->flags);
}

/*
 * A task is born, in its parent's context. It is in the list of its threads and in its cgroup, and
 * has not run yet: it is on no runqueue, so its preferred node may be written as it is.
 */
static void newtask_probe(void *data, struct task_struct *child, unsigned long clone_flags)
{
	struct softaff_task *parent, *st;
	int cgroup_nid;

	if (!static_branch_unlikely(&softaff_used) || child->flags & PF_KTHREAD)
		return;
	cgroup_nid = softaff_cgroup_node(child);
	rcu_read_lock();
	parent = softaff_task_find(current);
	if (!parent && cgroup_nid == NUMA_NO_NODE)
		goto out;
	st = alloc_state(child, GFP_ATOMIC);
	if (!st) {
		softaff_count(inherit_failed);
		goto out;
	}
	spin_lock(&state_lock);
	if (parent)
		inherit(st, parent, clone_flags);
	st->want[SOURCE_CGROUP] = cgroup_nid;
	choose_node(st);
	/* softaff_used is on, and stays so: the parent or its cgroup uses it. */
	atomic_inc(&users);
	if (empty(st) || insert_state(st)) {
		atomic_dec(&users);
		kfree(st);
		st = NULL;
	}
	spin_unlock(&state_lock);
	if (st) {
		softaff_count(inherited);
		if (st->nid != NUMA_NO_NODE) {
			child->numa_preferred_nid = st->nid;
			softaff_rehome_queue(st);
		}
	}
out:
	rcu_read_unlock();
}

/*
 * The current task has a new address space: what held only because it shared its parent's, as
 * after vfork(), ends.
 */
static void exec_probe(void *data, struct task_struct *p)
{
	static const struct softaff_change give_back = { .what = CHANGE_BALANCING | CHANGE_SCAN };
	struct softaff_task *st;
	bool borrowed;

	if (!static_branch_unlikely(&softaff_used))
		return;
	rcu_read_lock();
	st = softaff_task_find(p);
	borrowed = st && test_and_clear_bit(FLAG_BORROWED, &st->flags);
	rcu_read_unlock();
	if (borrowed)
		softaff_task_update(p, &give_back, GFP_ATOMIC, NULL);
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
		remove_state(st);
	rcu_read_unlock();
}

/*
 * A task is about to change its CPU; its pi_lock or its runqueue's lock is held, and it is on no
 * runqueue.
 */
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

	WRITE_ONCE(p->numa_preferred_nid, nid);
	was_home = cpu_to_node(task_cpu(p)) == nid;
	is_home = cpu_to_node(new_cpu) == nid;
	if (is_home)
		WRITE_ONCE(st->last_home_cpu, new_cpu);
	if (was_home != is_home) {
		st->run_home += home_since_mark(st, task_cpu(p));
		st->run_mark = run_time(p);
		if (is_home) {
			st->moves_home++;
			WRITE_ONCE(st->came, (u32)jiffies);
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

static struct softaff_probe probes[] = {
	{ "task_newtask", newtask_probe },
	{ "sched_process_exec", exec_probe },
	{ "sched_process_exit", exit_probe },
	{ "sched_migrate_task", migrate_probe },
};

/**
 * softaff_tasks_init - make the table, listen to birth, exit and migration of tasks
 *
 * Context: may sleep.
 * Return: 0 or an error, with a line in the log.
 */
int softaff_tasks_init(void)
{
	int err = rhashtable_init(&table, &table_params);

	if (err)
		return softaff_refuse(err, "no memory for the table of tasks");
	err = softaff_probes_register(probes, ARRAY_SIZE(probes));
	if (err)
		rhashtable_destroy(&table);
	return err;
}

/* Forget a task, give the kernel its own choice of nodes back. */
static void forget(void *ptr, void *arg)
{
	struct softaff_task *st = ptr;

	set_bit(FLAG_REMOVED, &st->flags);
	if (st->nid != NUMA_NO_NODE)
		softaff_store_preferred(st->task, NUMA_NO_NODE, SOFTAFF_STORE_TRIES);
	softaff_task_put(st);
}

/**
 * softaff_tasks_exit - stop listening, forget every task
 *
 * Context: may sleep; nothing looks states up any more.
 */
void softaff_tasks_exit(void)
{
	softaff_probes_unregister(probes, ARRAY_SIZE(probes));
	cancel_delayed_work_sync(&unused_work);
	softaff_wakeup_listen(false);
	rhashtable_free_and_destroy(&table, forget, NULL);
}
