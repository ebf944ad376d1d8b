// SPDX-License-Identifier: GPL-2.0
/*
 * What "forced" means.
 *
 * active:  a task goes home when it is told, and whenever it is found elsewhere and its node has
 *          room; the load balancer may take it away only for its own good (verdict.h).
 * passive: the semantics of the patch set "sched/numa: Soft Affinity via numa_preferred_nid": the
 *          forced node takes the place of the one that the kernel found, and a task without fault
 *          statistics is not passed over. Nothing else.
 *
 * Replacements that run under a runqueue lock use RCU, per-CPU data and raw atomics, allocate
 * nothing and print nothing.
 */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/irq_work.h>
#include <linux/sched/prio.h>
#include <linux/sched/task.h>
#include <linux/sched/topology.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include <linux/workqueue.h>

#include "private.h"
#include "softaff.h"
#include "trace.h"
#include "verdict.h"

int softaff_placement = PLACEMENT_ACTIVE;
unsigned int softaff_rehome_ms = 50;

DEFINE_STATIC_CALL_NULL(original_sched_setnuma, sched_setnuma);
DEFINE_STATIC_CALL_NULL(original_numa_migrate_preferred, numa_migrate_preferred);
DEFINE_STATIC_CALL_NULL(original_task_numa_fault, task_numa_fault);
DEFINE_STATIC_CALL_NULL(original_can_migrate_task, can_migrate_task);
DEFINE_STATIC_CALL_NULL(original_degrades_locality_int, degrades_locality_int);
DEFINE_STATIC_CALL_NULL(original_degrades_locality_long, degrades_locality_long);

static bool active(void)
{
	return READ_ONCE(softaff_placement) == PLACEMENT_ACTIVE;
}

/* The forced node of @p, or NUMA_NO_NODE. Any context. */
static int forced_node(const struct task_struct *p)
{
	struct softaff_task *st;
	int nid = NUMA_NO_NODE;

	rcu_read_lock();
	st = softaff_task_find(p);
	if (st)
		nid = READ_ONCE(st->nid);
	rcu_read_unlock();
	return nid;
}

/* --- runqueues, through the layout read from BTF ------------------------------------------ */

struct rq;

/* The per-CPU symbol; a CPU's own copy lies per_cpu_offset() further. */
static unsigned long runqueues;
static const struct sched_class *fair_class;

#define field(base, offset, type) ((type *)((char *)(base) + softaff_layout.offset))

static struct rq *rq_of(int cpu)
{
	return (struct rq *)(runqueues + per_cpu_offset(cpu));
}

static struct task_struct *rq_curr(struct rq *rq)
{
	return READ_ONCE(*field(rq, rq_curr, struct task_struct *));
}

/*
 * How many tasks share a CPU: the fair ones, and the realtime or deadline one that runs. The
 * stopper does not count, it is gone in a moment. Under RCU; no lock, so a snapshot.
 */
static unsigned int rq_nr(struct rq *rq)
{
	char *cfs = field(rq, rq_cfs, char);
	unsigned int nr = READ_ONCE(*field(cfs, cfs_h_nr, unsigned int));
	struct task_struct *curr = rq_curr(rq);

	if (READ_ONCE(curr->prio) < MAX_RT_PRIO &&
	    curr != READ_ONCE(*field(rq, rq_stop, struct task_struct *)))
		nr++;
	return nr;
}

/*
 * Have the fair tasks of a CPU, @p not counted if it is one of them, left more than three quarters
 * of it unused lately? A long-running task does not, nor does a realtime one. Under RCU.
 */
static bool light(int cpu, const struct task_struct *p)
{
	struct rq *rq = rq_of(cpu);
	struct sched_avg *avg = (struct sched_avg *)(field(rq, rq_cfs, char) +
						     softaff_layout.cfs_avg);
	unsigned long util = READ_ONCE(avg->util_avg);

	if (task_cpu(p) == cpu)
		util -= min(util, READ_ONCE(p->se.avg.util_avg));
	return util < SCHED_CAPACITY_SCALE / 4 && READ_ONCE(rq_curr(rq)->prio) >= MAX_RT_PRIO;
}

/*
 * How many tasks share the CPU of @p, itself included. Those who use little of it do not count: as
 * often as not that is our own worker, about to sleep again.
 */
static unsigned int sharing(const struct task_struct *p)
{
	int cpu = task_cpu(p);
	unsigned int nr;

	rcu_read_lock();
	nr = light(cpu, p) ? 1 : rq_nr(rq_of(cpu));
	rcu_read_unlock();
	return nr;
}

/*
 * A CPU is claimed with the flag by which the kernel's own NUMA moves claim it, so that neither
 * two of ours nor one of ours and one of the kernel's end on the same CPU.
 */
static bool claim(int cpu)
{
	if (!xchg(field(rq_of(cpu), rq_numa_migrate_on, unsigned int), 1))
		return true;
	softaff_count(claims_lost);
	return false;
}

static void unclaim(int cpu)
{
	WRITE_ONCE(*field(rq_of(cpu), rq_numa_migrate_on, unsigned int), 0);
}

/* --- where a task may go ------------------------------------------------------------------ */

static bool fair(const struct task_struct *p)
{
	return READ_ONCE(p->sched_class) == fair_class;
}

/**
 * softaff_node_usable - does a node have CPUs that run tasks now?
 * @nid: a possible node
 *
 * Context: any.
 */
bool softaff_node_usable(int nid)
{
	return node_online(nid) && cpumask_intersects(cpumask_of_node(nid), cpu_active_mask);
}

/**
 * softaff_node_allowed - does a task's mask hold an active CPU of a node?
 * @p: the task
 * @nid: a possible node
 *
 * Context: any.
 */
bool softaff_node_allowed(struct task_struct *p, int nid)
{
	int cpu;

	for_each_cpu_and(cpu, cpumask_of_node(nid), p->cpus_ptr)
		if (cpu_active(cpu))
			return true;
	return false;
}

/* An idle CPU of @nid that @p may use, or -1. Any context. */
static int find_idle_cpu(struct task_struct *p, int nid)
{
	int cpu;

	for_each_cpu_and(cpu, cpumask_of_node(nid), p->cpus_ptr)
		if (kernel_call(idle_cpu)(cpu) && cpu_active(cpu))
			return cpu;
	return -1;
}

static bool idle_core(int cpu)
{
	int sibling;

	for_each_cpu(sibling, topology_sibling_cpumask(cpu))
		if (sibling != cpu && !kernel_call(idle_cpu)(sibling))
			return false;
	return true;
}

static bool claimed(int cpu)
{
	return READ_ONCE(*field(rq_of(cpu), rq_numa_migrate_on, unsigned int));
}

/* softaff_home_rank() of an active CPU of its node for a task: it has @nr tasks, or is @idle. */
static int rate_home_cpu(struct softaff_task *st, int cpu, bool idle, unsigned int nr,
			 unsigned int here_nr)
{
	return softaff_home_rank(idle, idle && idle_core(cpu), cpu == READ_ONCE(st->last_home_cpu),
				 light(cpu, st->task), nr, here_nr);
}

/*
 * The best CPU of @nid for @p, claimed, or -1. @here_nr as in softaff_home_rank().
 *
 * The CPU that this code runs on is as good as idle if only the caller runs there: the caller is
 * a writer about to return, or our worker about to sleep.
 */
static int claim_home_cpu(struct softaff_task *st, int nid, unsigned int here_nr)
{
	struct task_struct *p = st->task;
	int tries = 4;

	while (tries--) {
		int best = -1, best_rank = INT_MAX;
		int cpu, this_cpu = get_cpu();

		for_each_cpu_and(cpu, cpumask_of_node(nid), p->cpus_ptr) {
			unsigned int nr;
			bool idle;
			int rank;

			if (!cpu_active(cpu))
				continue;
			if (claimed(cpu)) {
				softaff_count(claims_lost);
				continue;
			}
			nr = rq_nr(rq_of(cpu));
			idle = kernel_call(idle_cpu)(cpu);
			if (cpu == this_cpu && p != current && fair(current) && nr) {
				nr--;
				idle = !nr;
			}
			rank = rate_home_cpu(st, cpu, idle, nr, here_nr);
			if (rank >= 0 && rank < best_rank) {
				best_rank = rank;
				best = cpu;
			}
		}
		put_cpu();
		if (best < 0)
			break;
		if (claim(best))
			return best;
	}
	return -1;
}

static bool asleep(const struct task_struct *p)
{
	return !READ_ONCE(p->on_rq);
}

/* At home: it runs or waits there, or it sleeps and will be woken there. */
static bool at_home(const struct task_struct *p, int nid)
{
	if (asleep(p))
		return cpu_to_node(READ_ONCE(p->wake_cpu)) == nid;
	return cpu_to_node(task_cpu(p)) == nid;
}

/* May softaff move @p at all? */
static bool movable(struct task_struct *p)
{
	return fair(p) && !READ_ONCE(p->migration_disabled) && !(READ_ONCE(p->flags) & PF_EXITING);
}

/*
 * Somebody who runs on @cpu and does not belong on @nid, held, or NULL: not steered there, and
 * not there because the kernel found its memory there.
 */
static struct task_struct *find_guest(int cpu, int nid, int here)
{
	struct task_struct *guest;

	rcu_read_lock();
	guest = rq_curr(rq_of(cpu));
	if (!READ_ONCE(guest->mm) || READ_ONCE(guest->flags) & PF_KTHREAD || !movable(guest) ||
	    !cpumask_test_cpu(here, guest->cpus_ptr) ||
	    READ_ONCE(guest->numa_preferred_nid) == nid || forced_node(guest) == nid ||
	    !refcount_inc_not_zero(&guest->usage))
		guest = NULL;
	rcu_read_unlock();
	return guest;
}

/*
 * No CPU of the node is free: change places with somebody there who does not belong there. No
 * CPU loses work by it.
 */
static bool swap_home(struct softaff_task *st, int nid)
{
	struct task_struct *guest, *p = st->task;
	int cpu, here = task_cpu(p);
	bool home = false;

	for_each_cpu_and(cpu, cpumask_of_node(nid), p->cpus_ptr) {
		if (!cpu_active(cpu) || cpu == here)
			continue;
		guest = find_guest(cpu, nid, here);
		if (!guest)
			continue;
		if (claim(cpu)) {
			softaff_count(swaps_tried);
			home = !kernel_call(migrate_swap)(p, guest, cpu, here);
			unclaim(cpu);
		}
		put_task_struct(guest);
		if (home) {
			softaff_count(swaps_done);
			break;
		}
	}
	return home;
}

/**
 * softaff_bring_home - move a task to its forced node, if there is room
 * @st: its state, held
 *
 * A running or waiting task is there when this returns; a sleeping one will wake there. Room is
 * an idle CPU, or one that it would share with no more tasks than it does now, or the place of a
 * task that does not belong there.
 *
 * Context: may sleep (the stopper of the task's CPU moves it).
 */
void softaff_bring_home(struct softaff_task *st)
{
	struct task_struct *p = st->task;
	int nid = READ_ONCE(st->nid);
	int cpu = -1, tries, src_cpu = task_cpu(p);

	if (nid == NUMA_NO_NODE || !active() || !movable(p) || at_home(p, nid))
		return;

	softaff_count(moves_tried);
	/* It may be moved by others meanwhile, in which case the stopper leaves it alone. */
	for (tries = 0; tries < 3; tries++) {
		unsigned int here_nr = UINT_MAX;

		if (!asleep(p))
			here_nr = sharing(p);
		cpu = claim_home_cpu(st, nid, here_nr);
		if (cpu < 0)
			break;
		kernel_call(migrate_task_to)(p, cpu);
		unclaim(cpu);
		if (at_home(p, nid))
			goto done;
	}
	if (cpu < 0 && !asleep(p) && swap_home(st, nid))
		goto done;
	if (cpu < 0) {
		softaff_count(moves_refused);
		trace_softaff_no_room(p, nid, src_cpu, -1);
	} else {
		softaff_count(moves_failed);
	}
	return;
done:
	softaff_count(moves_done);
	trace_softaff_home(p, nid, src_cpu, asleep(p) ? READ_ONCE(p->wake_cpu) : task_cpu(p));
}

/* Would the task's cpuset let it run on @nid, whatever its own mask says? */
static bool cpuset_allows(struct task_struct *p, int nid)
{
	static DEFINE_SPINLOCK(lock);
	static struct cpumask mask;	/* too large for the stack */
	bool allows;

	spin_lock(&lock);
	kernel_call(cpuset_cpus_allowed)(p, &mask);
	allows = cpumask_intersects(&mask, cpumask_of_node(nid));
	spin_unlock(&lock);
	return allows;
}

/**
 * softaff_whereabouts - in one word, why a task is where it is
 * @st: its state
 *
 * Context: process context or under RCU.
 */
const char *softaff_whereabouts(struct softaff_task *st)
{
	struct task_struct *p = st->task;
	int nid = READ_ONCE(st->nid);

	if (nid == NUMA_NO_NODE)
		return "none";
	if (!softaff_node_usable(nid))
		return "offline";
	if (!fair(p))
		return "class";
	/* Before home: a sleeper stays where it was until it wakes, whatever its mask says now. */
	if (!softaff_node_allowed(p, nid))
		return cpuset_allows(p, nid) ? "mask" : "cpuset";
	if (cpu_to_node(task_cpu(p)) == nid)
		return "home";
	if (!softaff_hooks_live())
		return "disabled";
	if (!active())
		return "passive";
	return asleep(p) ? "asleep" : "busy";
}

/* --- rehome: back to the node when there is room again ------------------------------------ */

/*
 * A steered task that was seen to leave its node is on this list until it is home, or sleeps. The list
 * is filled under runqueue locks, hence lockless, and the worker is started through irq_work.
 */
static LLIST_HEAD(rehome_list);
static struct workqueue_struct *rehome_wq;

/* A task that sleeps, or that cannot go home now whatever the load, is looked at less often. */
#define REHOME_BACKOFF_MAX_MS 1000
#define REHOME_SUSPENDED_MS 250

static bool stopping;	/* the module is going: queue nothing more */

static void rehome_fn(struct work_struct *work);
static DECLARE_DELAYED_WORK(rehome_work, rehome_fn);

static void rehome_arm(struct irq_work *work)
{
	unsigned long delay = msecs_to_jiffies(READ_ONCE(softaff_rehome_ms));

	/* Sooner than it would run by itself, but never put off. */
	if (!delayed_work_pending(&rehome_work) ||
	    time_after(READ_ONCE(rehome_work.timer.expires), jiffies + delay))
		mod_delayed_work(rehome_wq, &rehome_work, delay);
}

static DEFINE_IRQ_WORK(rehome_irq_work, rehome_arm);

static bool unstored(struct softaff_task *st)
{
	return READ_ONCE(st->task->numa_preferred_nid) != READ_ONCE(st->nid);
}

/* Is a task away, or its node not stored yet? */
static bool wants_rehome(struct softaff_task *st)
{
	int nid = READ_ONCE(st->nid);

	return !test_bit(FLAG_REMOVED, &st->flags) && nid != NUMA_NO_NODE &&
	       (unstored(st) || (active() && cpu_to_node(task_cpu(st->task)) != nid));
}

/* Does a task sleep that, as it wakes, will be led home, or else be queued again? */
static bool will_be_led(struct softaff_task *st)
{
	struct task_struct *p = st->task;

	return asleep(p) && softaff_wakeup_listens() && active() && !unstored(st) && movable(p) &&
	       softaff_node_allowed(p, READ_ONCE(st->nid));
}

/* Is there anything for the worker to do? */
static bool wants_worker(struct softaff_task *st)
{
	return wants_rehome(st) && !will_be_led(st);
}

/**
 * softaff_rehome_queue - have the worker look after a task until it is home, or sleeps
 * @st: its state; in an RCU section or held
 *
 * Context: any, runqueue locks held or not.
 */
void softaff_rehome_queue(struct softaff_task *st)
{
	if (READ_ONCE(stopping) || (!active() && !unstored(st)) ||
	    test_and_set_bit(FLAG_QUEUED, &st->flags))
		return;
	if (!refcount_inc_not_zero(&st->ref)) {
		clear_bit(FLAG_QUEUED, &st->flags);
		return;
	}
	st->next_try = jiffies;
	st->backoff = 0;
	llist_add(&st->rehome, &rehome_list);
	irq_work_queue(&rehome_irq_work);
}

/**
 * softaff_rehome_kick - queue every task that is away, after a change of rules
 *
 * Context: may sleep.
 */
void softaff_rehome_kick(void)
{
	struct rhashtable_iter iter;
	struct softaff_task *st;

	softaff_task_walk_enter(&iter);
	softaff_task_walk_start(&iter, false);
	while ((st = softaff_task_walk_next(&iter)))
		if (cpu_to_node(task_cpu(st->task)) != READ_ONCE(st->nid))
			softaff_rehome_queue(st);
	softaff_task_walk_stop(&iter);
	softaff_task_walk_exit(&iter);
}

/* Look at one task that is away; it is looked at less often while it does not run. */
static void rehome_one(struct softaff_task *st)
{
	unsigned int period = READ_ONCE(softaff_rehome_ms);
	struct task_struct *p = st->task;
	unsigned long switches;

	if (time_before(jiffies, st->next_try))
		return;
	switches = READ_ONCE(p->nvcsw) + READ_ONCE(p->nivcsw);
	if (asleep(p) && (u32)switches == st->seen_switches)
		st->backoff = min_t(u32, max_t(u32, st->backoff, period) * 2,
				    max(period, REHOME_BACKOFF_MAX_MS));
	else if (!movable(p) || !softaff_node_allowed(p, READ_ONCE(st->nid)))
		st->backoff = max(period, REHOME_SUSPENDED_MS);
	else
		st->backoff = period;
	st->seen_switches = switches;
	softaff_bring_home(st);
	softaff_store_preferred(p, READ_ONCE(st->nid), 1);
	st->next_try = jiffies + msecs_to_jiffies(st->backoff);
}

static void rehome_fn(struct work_struct *work)
{
	struct llist_node *list = llist_del_all(&rehome_list);
	bool live = softaff_hooks_live();
	struct softaff_task *st, *next;
	unsigned long first = 0;
	bool again = false;

	softaff_count(rehome_runs);
	llist_for_each_entry_safe(st, next, list, rehome) {
		if (live && wants_rehome(st))
			rehome_one(st);
		if (!wants_worker(st)) {
			clear_bit(FLAG_QUEUED, &st->flags);
			/* It may have left again, or woken, before the bit was clear. */
			smp_mb__after_atomic();
			if (wants_worker(st))
				softaff_rehome_queue(st);
			softaff_task_put(st);
			continue;
		}
		if (!again || time_before(st->next_try, first))
			first = st->next_try;
		again = true;
		llist_add(&st->rehome, &rehome_list);
		cond_resched();
	}
	if (again) {
		unsigned long soonest = jiffies + msecs_to_jiffies(READ_ONCE(softaff_rehome_ms));

		if (!live)
			soonest = jiffies + HZ;
		if (time_before(first, soonest))
			first = soonest;
		queue_delayed_work(rehome_wq, &rehome_work, first - jiffies);
	}
}

/* --- the forced view ---------------------------------------------------------------------- */

/*
 * For the length of one call the kernel sees a task without fault history, outside any group,
 * with the preferred node that softaff gives it: no past fault argues against the verdict.
 *
 * Only for a task that waits on a runqueue whose lock is held, or in its own context: the fields
 * are the task's own, and nobody else writes them. Those who only read them without a lock find
 * a table of the right size, full of zeroes.
 */
struct view {
	unsigned long *faults;
	struct numa_group *group;
	int nid;
};

static unsigned long *zero_faults;

static void view_take(struct task_struct *p, struct view *view, struct numa_group *group, int nid)
{
	view->faults = p->numa_faults;
	view->group = rcu_dereference_raw(p->numa_group);
	view->nid = p->numa_preferred_nid;
	WRITE_ONCE(p->numa_faults, zero_faults);
	rcu_assign_pointer(p->numa_group, group);
	WRITE_ONCE(p->numa_preferred_nid, nid);
	softaff_count(views_taken);
}

static void view_restore(struct task_struct *p, const struct view *view)
{
	WRITE_ONCE(p->numa_preferred_nid, view->nid);
	rcu_assign_pointer(p->numa_group, view->group);
	WRITE_ONCE(p->numa_faults, view->faults);
}

/* --- replacements ------------------------------------------------------------------------- */

/*
 * The kernel's accounts of a runqueue go by the preferred nodes of the tasks on it. So that is written
 * while the task is on none, or by sched_setnuma(), which wants a task that is current or only waits:
 * one that has left its runqueue and still runs, which is what a CPU does that looks for its next
 * task, would go back without its clock updated, and the kernel would warn.
 */
struct store {
	struct task_struct *task;
	int nid;
	bool done;
};

/* By an interrupt: whoever is current here is on the runqueue, and stays so meanwhile. */
static void store_current(void *arg)
{
	struct store *store = arg;

	store->done = store->task == current;
	if (store->done)
		original_call(sched_setnuma)(current, store->nid);
}

/* A task that sleeps, and cannot be woken while its pi_lock is held. */
static bool store_asleep(struct task_struct *p, int nid)
{
	unsigned long flags;
	unsigned int state;
	bool done;

	raw_spin_lock_irqsave(&p->pi_lock, flags);
	state = READ_ONCE(p->__state);
	done = state != TASK_RUNNING && !(state & (TASK_WAKING | TASK_NEW)) &&
	       !READ_ONCE(p->on_rq) && !READ_ONCE(p->on_cpu);
	if (done)
		WRITE_ONCE(p->numa_preferred_nid, nid);
	raw_spin_unlock_irqrestore(&p->pi_lock, flags);
	return done;
}

/**
 * softaff_store_preferred - store a task's preferred node
 * @p: the task
 * @nid: the node, or NUMA_NO_NODE
 * @tries: how often to try, a millisecond apart, where it waits for a CPU
 *
 * Context: may sleep.
 * Return: whether it is stored.
 */
bool softaff_store_preferred(struct task_struct *p, int nid, unsigned int tries)
{
	struct store store = { .task = p, .nid = nid };

	while (READ_ONCE(p->numa_preferred_nid) != nid) {
		if (p == current) {
			original_call(sched_setnuma)(p, nid);
			break;
		}
		if (store_asleep(p, nid))
			break;
		smp_call_function_single(task_cpu(p), store_current, &store, true);
		if (store.done)
			break;
		if (!--tries)
			return false;
		usleep_range(500, 1000);
	}
	return true;
}

/* How many CPUs of a large node one wakeup looks at. */
#define BEGIN_LOOKS 32

/**
 * softaff_begin_cpu - where a task that begins to run shall do so
 * @st: its state
 * @prev_cpu: the CPU that it used last; its parent's after fork; the current one at exec
 * @reason: SD_BALANCE_WAKE, SD_BALANCE_FORK or SD_BALANCE_EXEC
 *
 * A CPU of its node that is idle, or taken only for a moment. Where there is none, or where the
 * kernel's search begins and ends on its node, the kernel decides. A task that slept elsewhere is the
 * worker's again, which left it alone meanwhile.
 *
 * Context: the task's pi_lock is held; under RCU.
 * Return: the CPU, which may have become one that the task must not use, or -1.
 */
int softaff_begin_cpu(struct softaff_task *st, int prev_cpu, int reason)
{
	struct task_struct *p = st->task;
	int cpu, nid = READ_ONCE(st->nid), best = -1, best_rank = INT_MAX, looks = BEGIN_LOOKS;

	if (nid == NUMA_NO_NODE || !active() || !movable(p))
		return -1;
	if (reason == SD_BALANCE_WAKE && cpu_to_node(task_cpu(p)) != nid)
		softaff_rehome_queue(st);
	if (cpu_to_node(prev_cpu) == nid && cpumask_test_cpu(prev_cpu, p->cpus_ptr)) {
		if (reason == SD_BALANCE_WAKE && cpu_to_node(smp_processor_id()) == nid)
			return -1;
		if (reason == SD_BALANCE_EXEC || kernel_call(idle_cpu)(prev_cpu))
			return prev_cpu;
	}

	for_each_cpu_wrap(cpu, cpumask_of_node(nid), max(READ_ONCE(st->last_home_cpu), 0)) {
		int rank;

		if (!looks--)
			break;
		if (!cpumask_test_cpu(cpu, p->cpus_ptr) || !cpu_active(cpu) || claimed(cpu))
			continue;
		rank = rate_home_cpu(st, cpu, kernel_call(idle_cpu)(cpu), rq_nr(rq_of(cpu)), 0);
		if (rank >= 0 && rank < best_rank) {
			best_rank = rank;
			best = cpu;
		}
		if (!rank)
			break;
	}
	return best;
}

/**
 * softaff_steer - change a task's settings, and have it follow a changed node
 * @p: the task, held
 * @change: what to change
 * @gfp: for the state that it may need
 *
 * A running task is on its node when this returns, if there is room; from then on the worker
 * looks after it.
 *
 * Context: may sleep.
 * Return: 0, -ENOMEM, or -ESRCH where the task is exiting.
 */
int softaff_steer(struct task_struct *p, const struct softaff_change *change, gfp_t gfp)
{
	struct softaff_task *st;
	int moved = softaff_task_update(p, change, gfp, &st);

	if (moved < 0)
		return moved;
	if (moved)
		trace_softaff_set(p, st ? READ_ONCE(st->nid) : NUMA_NO_NODE);
	if (!st) {
		if (moved)
			softaff_store_preferred(p, NUMA_NO_NODE, SOFTAFF_STORE_TRIES);
		return 0;
	}
	if (change->what & CHANGE_NODE) {
		softaff_bring_home(st);
		if (moved)
			softaff_store_preferred(p, READ_ONCE(st->nid), 1);
		softaff_rehome_queue(st);
	}
	softaff_task_put(st);
	return 0;
}

/* How often, and after how many us each, softaff_settle() looks again. */
#define SETTLE_TRIES 20
#define SETTLE_US 500

/**
 * softaff_settle - wait a moment for a task to get home
 * @p: the task, held
 *
 * A CPU that some passing task has for a millisecond is as good as free: the one who has just named
 * the node would rather wait for it here than for the worker.
 *
 * Context: may sleep, for some 20 ms at the most.
 */
void softaff_settle(struct task_struct *p)
{
	struct softaff_task *st = softaff_task_find_get(p);
	int nid, tries;

	if (!st)
		return;
	nid = READ_ONCE(st->nid);
	for (tries = 0; tries < SETTLE_TRIES && nid != NUMA_NO_NODE && active() && movable(p) &&
			!at_home(p, nid); tries++) {
		usleep_range(SETTLE_US, 2 * SETTLE_US);
		softaff_bring_home(st);
	}
	softaff_task_put(st);
}

/**
 * softaff_sched_setnuma - replaces sched_setnuma(): the forced node wins
 * @p: the task
 * @nid: the node that NUMA balancing found
 *
 * Semantics of the patch set; in addition, where the forced node is stored already, the runqueue
 * lock is not taken.
 */
void softaff_sched_setnuma(struct task_struct *p, int nid)
{
	int forced = NUMA_NO_NODE;

	if (static_branch_unlikely(&softaff_used))
		forced = forced_node(p);
	if (forced == NUMA_NO_NODE) {
		original_call(sched_setnuma)(p, nid);
		return;
	}
	if (nid != forced)
		softaff_count(setnuma_overridden);
	if (READ_ONCE(p->numa_preferred_nid) != forced)
		original_call(sched_setnuma)(p, forced);
}

/* A hint fault's retry, in the task's own context: home first, before the kernel searches. */
static void retry_home(struct task_struct *p)
{
	struct softaff_task *st = softaff_task_find_get(p);

	if (!st)
		return;
	softaff_bring_home(st);
	softaff_task_put(st);
}

/**
 * softaff_task_numa_fault - replaces task_numa_fault(), where numa_migrate_preferred() lives
 * @last_cpupid: as the kernel's
 * @mem_node: as the kernel's
 * @pages: as the kernel's
 * @flags: as the kernel's
 *
 * When the retry of the move to the preferred node is due, the task goes home. Passive needs
 * nothing here: the kernel's function makes the fault table before it comes to the gate that
 * the patch set opens.
 */
void softaff_task_numa_fault(int last_cpupid, int mem_node, int pages, int flags)
{
	struct task_struct *p = current;

	if (static_branch_unlikely(&softaff_used) && p->mm &&
	    time_after(jiffies, p->numa_migrate_retry))
		retry_home(p);
	original_call(task_numa_fault)(last_cpupid, mem_node, pages, flags);
	if (static_branch_unlikely(&softaff_used))
		softaff_scan_bound();	/* it may have adapted the scan period */
}

/**
 * softaff_numa_migrate_preferred - replaces numa_migrate_preferred() where that exists
 * @p: the current task
 */
void softaff_numa_migrate_preferred(struct task_struct *p)
{
	struct view view;

	if (!static_branch_unlikely(&softaff_used) || forced_node(p) == NUMA_NO_NODE) {
		original_call(numa_migrate_preferred)(p);
		return;
	}
	if (active())
		retry_home(p);
	if (p->numa_faults) {
		original_call(numa_migrate_preferred)(p);
		return;
	}
	view_take(p, &view, NULL, p->numa_preferred_nid);
	original_call(numa_migrate_preferred)(p);
	view_restore(p, &view);
}

/*
 * A task that has just come home stays for a moment, whatever it finds there: as often as not that is
 * the one who told it to come, about to sleep again. It also keeps it from going to and fro.
 */
#define SETTLED_MS 25

static bool just_come(const struct task_struct *p)
{
	struct softaff_task *st;
	bool just;

	rcu_read_lock();
	st = softaff_task_find(p);
	just = st && (u32)jiffies - READ_ONCE(st->came) < msecs_to_jiffies(SETTLED_MS);
	rcu_read_unlock();
	return just;
}

/* What the load balancer may do with @p, which waits on env's runqueue. */
static enum softaff_verdict verdict(struct task_struct *p, struct lb_env *env, int nid)
{
	struct rq *src = *field(env, env_src_rq, struct rq *);
	int src_cpu = task_cpu(p), dst_cpu = *field(env, env_dst_cpu, int);
	int src_nid = cpu_to_node(src_cpu), dst_nid = cpu_to_node(dst_cpu);
	enum softaff_verdict result;

	if (src_nid == dst_nid)
		return VERDICT_NONE;
	result = softaff_lb_verdict(nid, src_nid, dst_nid, rq_nr(src), rq_nr(rq_of(dst_cpu)),
				    src_nid == nid && (light(src_cpu, p) || just_come(p) ||
						       find_idle_cpu(p, nid) >= 0));
	if (result == VERDICT_REFUSE) {
		softaff_count(lb_refused);
		trace_softaff_refused(p, nid, src_cpu, dst_cpu);
	}
	return result;
}

/* The balancer has its way: towards home, or away for the task's own good. */
static void let_go(struct task_struct *p, struct lb_env *env, int nid, enum softaff_verdict result)
{
	if (result == VERDICT_WELCOME) {
		softaff_count(lb_welcomed);
	} else {
		softaff_count(lb_spilled);
		trace_softaff_spill(p, nid, task_cpu(p), *field(env, env_dst_cpu, int));
	}
}

static int can_migrate_forced(struct task_struct *p, struct lb_env *env, int nid)
{
	enum softaff_verdict result = verdict(p, env, nid);
	struct view view;
	int ret;

	if (result == VERDICT_NONE)
		return original_call(can_migrate_task)(p, env);
	if (result == VERDICT_REFUSE) {
		/* The balancer's books are kept by the original; only its answer is not taken. */
		original_call(can_migrate_task)(p, env);
		return 0;
	}
	view_take(p, &view, NULL, result == VERDICT_WELCOME ? nid : NUMA_NO_NODE);
	ret = original_call(can_migrate_task)(p, env);
	view_restore(p, &view);
	if (ret)
		let_go(p, env, nid, result);
	return ret;
}

/* The gate of the patch set: a task without fault statistics is judged by its preferred node. */
static int can_migrate_passive(struct task_struct *p, struct lb_env *env)
{
	struct view view;
	int ret;

	if (p->numa_faults)
		return original_call(can_migrate_task)(p, env);
	view_take(p, &view, rcu_dereference_raw(p->numa_group), p->numa_preferred_nid);
	ret = original_call(can_migrate_task)(p, env);
	view_restore(p, &view);
	return ret;
}

/*
 * A running task goes straight to the original: it will not be moved, and its fields are its own.
 * Apart, so that a machine that steers nobody does not save registers for it.
 */
static noinline int can_migrate_used(struct task_struct *p, struct lb_env *env)
{
	int nid = READ_ONCE(p->on_cpu) ? NUMA_NO_NODE : forced_node(p);

	if (nid == NUMA_NO_NODE)
		return original_call(can_migrate_task)(p, env);
	if (active())
		return can_migrate_forced(p, env, nid);
	return can_migrate_passive(p, env);
}

/**
 * softaff_can_migrate_task - replaces can_migrate_task(), where migrate_degrades_locality() lives
 * @p: a task on env's source runqueue, whose lock is held
 * @env: the balancer's errand
 */
int softaff_can_migrate_task(struct task_struct *p, struct lb_env *env)
{
	if (static_branch_unlikely(&softaff_used))
		return can_migrate_used(p, env);
	return original_call(can_migrate_task)(p, env);
}

/*
 * migrate_degrades_locality() under its own name: the verdict in the words of this kernel.
 * Returns false where the original shall answer.
 */
static bool degrades_verdict(struct task_struct *p, struct lb_env *env,
			     enum softaff_verdict *result)
{
	int nid;

	if (!static_branch_unlikely(&softaff_used))
		return false;
	nid = forced_node(p);
	if (nid == NUMA_NO_NODE || !active())
		return false;
	*result = verdict(p, env, nid);
	if (*result == VERDICT_WELCOME || *result == VERDICT_SPILL)
		let_go(p, env, nid, *result);
	return *result != VERDICT_NONE;
}

/**
 * softaff_degrades_locality_int - replaces migrate_degrades_locality() up to 6.12
 * @p: a task on env's source runqueue, whose lock is held
 * @env: the balancer's errand
 *
 * Return: 1 where the move hurts, 0 where it helps, -1 where it does not matter.
 */
int softaff_degrades_locality_int(struct task_struct *p, struct lb_env *env)
{
	enum softaff_verdict result;

	if (!degrades_verdict(p, env, &result))
		return original_call(degrades_locality_int)(p, env);
	return result == VERDICT_REFUSE;
}

/**
 * softaff_degrades_locality_long - replaces migrate_degrades_locality() of later kernels
 * @p: a task on env's source runqueue, whose lock is held
 * @env: the balancer's errand
 *
 * Return: positive where the move hurts, negative where it helps, 0 where it does not matter.
 */
long softaff_degrades_locality_long(struct task_struct *p, struct lb_env *env)
{
	enum softaff_verdict result;

	if (!degrades_verdict(p, env, &result))
		return original_call(degrades_locality_long)(p, env);
	return result == VERDICT_REFUSE ? 1 : -1;
}

/* --- init --------------------------------------------------------------------------------- */

/**
 * softaff_placement_init - find the runqueues, make the worker
 *
 * Context: may sleep; after softaff_layout_init().
 * Return: 0 or an error, with a line in the log.
 */
int softaff_placement_init(void)
{
	runqueues = (unsigned long)softaff_lookup("runqueues");
	if (!runqueues)
		return softaff_refuse(-ENOENT, "this kernel has no symbol runqueues");
	fair_class = softaff_lookup("fair_sched_class");
	if (!fair_class)
		return softaff_refuse(-ENOENT, "this kernel has no symbol fair_sched_class");

	/* As large as the kernel's own: four statistics, private and shared, per node. */
	zero_faults = kcalloc(4 * 2 * nr_node_ids, sizeof(*zero_faults), GFP_KERNEL);
	rehome_wq = alloc_workqueue("softaff", WQ_UNBOUND | WQ_HIGHPRI, 1);
	if (!zero_faults || !rehome_wq) {
		kfree(zero_faults);
		if (rehome_wq)
			destroy_workqueue(rehome_wq);
		return softaff_refuse(-ENOMEM, "no memory for the rehome worker");
	}
	return 0;
}

/**
 * softaff_placement_exit - stop the worker, let go of the tasks that it looked after
 *
 * Context: may sleep; the hooks are gone.
 */
void softaff_placement_exit(void)
{
	struct softaff_task *st, *next;

	/* The tracepoints still fire. */
	WRITE_ONCE(stopping, true);
	synchronize_rcu();
	irq_work_sync(&rehome_irq_work);
	cancel_delayed_work_sync(&rehome_work);
	destroy_workqueue(rehome_wq);
	llist_for_each_entry_safe(st, next, llist_del_all(&rehome_list), rehome)
		softaff_task_put(st);
	/* Somebody may have been preempted while it read the table through a view. */
	synchronize_rcu_tasks();
	kfree(zero_faults);
}
