/* SPDX-License-Identifier: GPL-2.0 */
/*
 * softaff - NUMA soft affinity: what one file of the module offers to the others.
 *
 * The rooms, in the order in which they depend on each other:
 *   symbols.c    functions and data of the running kernel that are not exported
 *   layout.c     prototypes and private structures, read from the kernel's BTF
 *   stats.c      counters
 *   task.c       the state that hangs on a task: its life, its lookup
 *   placement.c  what "forced" means: going home, staying there, spilling over
 *   wakeup.c     where a task begins to run
 *   scan.c       when scanning a task's memory is worth it
 *   cgroup.c     nodes of cgroups, and their tasks
 *   hooks.c      the table of patched functions, and the livepatch made from it
 *   control.c    the one place where a setting is checked and made
 *   sysfs.c, debugfs.c, prctl.c  the interfaces; they only translate
 */
#ifndef _SOFTAFF_H
#define _SOFTAFF_H

#include <linux/jump_label.h>
#include <linux/llist.h>
#include <linux/refcount.h>
#include <linux/rhashtable-types.h>
#include <linux/sched.h>
#include <linux/types.h>

#define SOFTAFF_VERSION "0.1.0"

struct rhashtable_iter;
struct seq_file;
struct tracepoint;

/* --- stats.c ----------------------------------------------------------------------------- */

/* name of the counter, as debugfs shows it; all count events since load */
#define SOFTAFF_COUNTERS(X)					\
	X(setnuma_overridden)	/* kernel stored another node */\
	X(moves_tried)		/* attempts to bring home */	\
	X(moves_done)		/* ended at home */		\
	X(moves_refused)	/* no CPU at home to take */	\
	X(moves_failed)		/* the kernel did not move it */\
	X(swaps_tried)						\
	X(swaps_done)						\
	X(claims_lost)		/* CPU claimed by another move */\
	X(rehome_runs)		/* passes of the worker */	\
	X(views_taken)		/* forced views taken */	\
	X(lb_welcomed)		/* balancer: towards home */	\
	X(lb_refused)		/* balancer: away, refused */	\
	X(lb_spilled)		/* balancer: away, allowed */	\
	X(begun_home)		/* led home as it began to run */\
	X(moved_home)		/* arrivals on the home node */	\
	X(moved_away)		/* departures from it */	\
	X(scans_run)		/* left to the kernel */	\
	X(scans_skipped_off)	/* the process says off */	\
	X(scans_skipped_default) /* the machine's default does */\
	X(scans_skipped_cpuset)	/* one-node cpuset */		\
	X(inherited)						\
	X(inherit_failed)	/* no memory for the child */

#define SOFTAFF_COUNTER_ENUM(name) STAT_##name,
enum softaff_counter { SOFTAFF_COUNTERS(SOFTAFF_COUNTER_ENUM) STAT_NR };
#undef SOFTAFF_COUNTER_ENUM

struct softaff_stats {
	u64 count[STAT_NR];
};

DECLARE_PER_CPU(struct softaff_stats, softaff_stats);

/* Any context, runqueue locks held or not. */
#define softaff_count(name) this_cpu_inc(softaff_stats.count[STAT_##name])

void softaff_stats_show(struct seq_file *m);

/* --- symbols.c --------------------------------------------------------------------------- */

int softaff_symbols_init(void);
unsigned long softaff_ftrace_site(const char *name);
void *softaff_lookup(const char *name);

/**
 * struct softaff_probe - a tracepoint of the kernel and our function on it
 * @name: the tracepoint's name
 * @func: called with (void *data, the tracepoint's arguments)
 * @tp: the tracepoint, filled in by softaff_probes_register()
 */
struct softaff_probe {
	const char *name;
	void *func;
	struct tracepoint *tp;
};

int softaff_probes_register(struct softaff_probe *probes, unsigned int nr);
void softaff_probes_unregister(struct softaff_probe *probes, unsigned int nr);

/* --- layout.c ---------------------------------------------------------------------------- */

/* Byte offsets in structures that are private to the scheduler. */
struct softaff_layout {
	u32 env_src_rq;
	u32 env_dst_cpu;
	u32 rq_cfs;
	u32 rq_curr;
	u32 rq_stop;
	u32 rq_numa_migrate_on;
	u32 cfs_h_nr;
	u32 cfs_avg;
};

extern struct softaff_layout softaff_layout;

int softaff_layout_init(void);
int softaff_prototype(const char *func, char *text, size_t size);
int softaff_prototype_refuse(const char *func, const char *expected);

/* --- task.c ------------------------------------------------------------------------------ */

/* Who may name a task's node. The first that has one wins. */
enum softaff_source {
	SOURCE_TASK,		/* preferred_node, process_node, prctl, or inherited from one */
	SOURCE_CGROUP,		/* cgroup_node */
	SOURCE_CPUSET,		/* cpuset_skip=smart */
	SOURCE_NR,
};

enum softaff_balancing { BALANCING_DEFAULT, BALANCING_ON, BALANCING_OFF };

enum softaff_inherit { INHERIT_DEFAULT, INHERIT_THREADS, INHERIT_CHILDREN, INHERIT_NONE };

extern int softaff_inherit;		/* enum softaff_inherit, for tasks that have no own rule */

enum softaff_task_flag {
	FLAG_QUEUED,	/* on the list of the rehome worker */
	FLAG_REMOVED,	/* taken out of the table */
	FLAG_BORROWED,	/* balancing and scan period are its parent's, with whom it shares memory */
	FLAG_RESERVED,	/* kept although nothing is set, for a setting under way */
};

/**
 * struct softaff_task - what softaff knows of one task
 * @hash: its place in the table; the key is @task
 * @task: the task; a reference is held, so the key cannot be reused while this exists
 * @ref: the table's reference, and one of the rehome list while it is queued there
 * @nid: the forced node: the first of @want, or NUMA_NO_NODE
 * @want: the node that each source names, or NUMA_NO_NODE
 * @balancing: enum softaff_balancing
 * @inherit: enum softaff_inherit
 * @scan_min: shortest scan period, ms, 0 for the kernel's
 * @scan_max: longest scan period, ms, 0 for the kernel's
 * @last_home_cpu: the CPU of the forced node that it used last, or -1
 * @backoff: ms, how long the worker leaves it alone
 * @moves_home: arrivals on the forced node since it was set
 * @moves_away: departures from it
 * @flags: enum softaff_task_flag
 * @run_start: the task's run time when the node was set, ns
 * @run_mark: its run time when it last came or went, ns
 * @run_home: run time spent at home up to @run_mark, ns
 * @rehome: link in the rehome list
 * @next_try: jiffies before which the worker leaves it alone
 * @came: lower half of jiffies when it last came home
 * @seen_switches: context switches when the worker last looked
 * @rcu: lookups are under RCU
 */
struct softaff_task {
	struct rhash_head hash;
	struct task_struct *task;
	refcount_t ref;
	int nid;
	s16 want[SOURCE_NR];
	u8 balancing;
	u8 inherit;
	u16 scan_min;
	u16 scan_max;
	s16 last_home_cpu;
	u16 backoff;
	u32 moves_home;
	u32 moves_away;
	unsigned long flags;
	u64 run_start;
	u64 run_mark;
	u64 run_home;
	struct llist_node rehome;
	unsigned long next_try;
	u32 came;
	u32 seen_switches;
	struct rcu_head rcu;
};

enum softaff_change_what {
	CHANGE_NODE = 1,
	CHANGE_BALANCING = 2,
	CHANGE_INHERIT = 4,
	CHANGE_SCAN = 8,
	CHANGE_RESERVE = 16,	/* let the state exist */
	CHANGE_UNRESERVE = 32,
};

/**
 * struct softaff_change - a change of one task's settings
 * @what: enum softaff_change_what, or-ed
 * @source: whose node
 * @nid: CHANGE_NODE
 * @balancing: CHANGE_BALANCING
 * @inherit: CHANGE_INHERIT
 * @scan_min: CHANGE_SCAN
 * @scan_max: CHANGE_SCAN
 */
struct softaff_change {
	unsigned int what;
	enum softaff_source source;
	int nid;
	u8 balancing;
	u8 inherit;
	u16 scan_min;
	u16 scan_max;
};

/* On while anything is set: all that the hooks do for a machine that steers nobody. */
DECLARE_STATIC_KEY_FALSE(softaff_used);

int softaff_tasks_init(void);
void softaff_tasks_exit(void);
struct softaff_task *softaff_task_find(const struct task_struct *p);
struct softaff_task *softaff_task_find_get(const struct task_struct *p);
int softaff_task_update(struct task_struct *p, const struct softaff_change *change, gfp_t gfp,
			struct softaff_task **held);
bool softaff_task_has(const struct task_struct *p, const struct softaff_change *change);
void softaff_task_put(struct softaff_task *st);
void softaff_use(void);
void softaff_unuse(void);
u64 softaff_task_home_ns(const struct softaff_task *st, u64 *total);
unsigned int softaff_task_count(void);
void softaff_task_walk_enter(struct rhashtable_iter *iter);
void softaff_task_walk_exit(struct rhashtable_iter *iter);
void softaff_task_walk_start(struct rhashtable_iter *iter, bool anew);
void softaff_task_walk_stop(struct rhashtable_iter *iter);
struct softaff_task *softaff_task_walk_peek(struct rhashtable_iter *iter);
struct softaff_task *softaff_task_walk_next(struct rhashtable_iter *iter);

/* --- placement.c ------------------------------------------------------------------------- */

enum softaff_placement { PLACEMENT_PASSIVE, PLACEMENT_ACTIVE };

extern int softaff_placement;		/* enum softaff_placement */
extern unsigned int softaff_rehome_ms;

/* For a task that is about to be forgotten: nobody will store its node later. */
#define SOFTAFF_STORE_TRIES 8

#define SOFTAFF_REHOME_MS_MIN 10
#define SOFTAFF_REHOME_MS_MAX 10000

struct lb_env;

int softaff_placement_init(void);
void softaff_placement_exit(void);
void softaff_bring_home(struct softaff_task *st);
void softaff_settle(struct task_struct *p);
int softaff_begin_cpu(struct softaff_task *st, int prev_cpu, int reason);
void softaff_rehome_queue(struct softaff_task *st);
void softaff_rehome_kick(void);
bool softaff_store_preferred(struct task_struct *p, int nid, unsigned int tries);
int softaff_steer(struct task_struct *p, const struct softaff_change *change, gfp_t gfp);
bool softaff_node_usable(int nid);
bool softaff_node_allowed(struct task_struct *p, int nid);
const char *softaff_whereabouts(struct softaff_task *st);

void softaff_sched_setnuma(struct task_struct *p, int nid);
void softaff_numa_migrate_preferred(struct task_struct *p);
void softaff_task_numa_fault(int last_cpupid, int mem_node, int pages, int flags);
int softaff_can_migrate_task(struct task_struct *p, struct lb_env *env);
int softaff_degrades_locality_int(struct task_struct *p, struct lb_env *env);
long softaff_degrades_locality_long(struct task_struct *p, struct lb_env *env);

/* --- wakeup.c ---------------------------------------------------------------------------- */

#define SOFTAFF_WAKEUP_LOSES "a task may begin to run elsewhere and come home a moment later"

int softaff_wakeup_init(void);
void softaff_wakeup_exit(void);
void softaff_wakeup_listen(bool on);
bool softaff_wakeup_present(void);
bool softaff_wakeup_listens(void);

/* --- scan.c ------------------------------------------------------------------------------ */

enum softaff_cpuset_skip { CPUSET_SKIP_OFF, CPUSET_SKIP_ON, CPUSET_SKIP_SMART };

extern int softaff_cpuset_skip;		/* enum softaff_cpuset_skip */
extern int softaff_default_balancing;	/* BALANCING_ON or BALANCING_OFF */

int softaff_scan_init(void);
void softaff_scan_set_cpuset_skip(int skip);
bool softaff_scan_kernel_skips(void);
int softaff_scan_sysctl(void);
void softaff_scan_bound(void);
void softaff_task_numa_work(struct callback_head *work);

/* --- cgroup.c ---------------------------------------------------------------------------- */

struct cgroup;

int softaff_cgroup_init(void);
void softaff_cgroup_exit(void);
int softaff_cgroup_node(struct task_struct *p);
int softaff_cgroup_set(struct cgroup *cgrp, int nid);
void softaff_cgroup_show(struct seq_file *m);

/* --- prctl.c ----------------------------------------------------------------------------- */

int softaff_prctl_init(void);
bool softaff_prctl_wanted(void);
int softaff_security_task_prctl(int option, unsigned long arg2, unsigned long arg3,
				unsigned long arg4, unsigned long arg5);

/* --- hooks.c ----------------------------------------------------------------------------- */

int softaff_hooks_init(void);
void softaff_hooks_exit(void);
int softaff_hooks_enable(void);
bool softaff_hooks_live(void);
const char *softaff_hooks_state(void);
bool softaff_hook_present(const char *name);
int softaff_hooks_show(char *buf, size_t size);

/* --- control.c --------------------------------------------------------------------------- */

int softaff_set_preferred_node(const char *file, const char *line);
int softaff_set_process_node(const char *file, const char *line);
int softaff_set_cgroup_node(const char *file, const char *line);
int softaff_set_numa_balancing(const char *file, const char *line);
int softaff_set_inherit(const char *file, const char *line);
int softaff_set_scan_period(const char *file, const char *line);
int softaff_prctl_set_node(struct task_struct *p, int nid);
int softaff_prctl_set_balancing(int balancing);
int softaff_refuse(int err, const char *fmt, ...) __printf(2, 3);

extern const char *const softaff_balancing_words[];
extern const char *const softaff_inherit_words[];

/* --- sysfs.c, debugfs.c ------------------------------------------------------------------ */

int softaff_sysfs_init(void);
void softaff_sysfs_exit(void);
int softaff_debugfs_init(void);
void softaff_debugfs_exit(void);

#endif /* _SOFTAFF_H */
