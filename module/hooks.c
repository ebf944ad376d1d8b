// SPDX-License-Identifier: GPL-2.0
/*
 * The table of patched functions, and the livepatch that is made from it.
 *
 * A hook is a logical function. Where the compiler has folded it into its only caller, that host
 * is patched in its place, so each hook has an ordered list of candidates. Everything is checked
 * before anything is patched.
 */
#include <linux/ftrace.h>
#include <linux/livepatch.h>
#include <linux/module.h>

#include "private.h"
#include "softaff.h"

#define NR_CANDIDATES 3

struct candidate {
	const char *function;		/* the kernel's symbol */
	const char *prototype;		/* as BTF must have it */
	void *replacement;
	void (*set_original)(unsigned long body);
};

struct hook {
	const char *name;
	const char *loses;		/* what the user lacks without it */
	bool required;
	bool (*wanted)(void);		/* NULL: always */
	struct candidate candidates[NR_CANDIDATES];
	const struct candidate *chosen;
};

#define ORIGINAL_SETTER(name)						\
static void set_original_##name(unsigned long body)			\
{									\
	static_call_update(original_##name, (typeof(&name))body);	\
}

ORIGINAL_SETTER(sched_setnuma)
ORIGINAL_SETTER(numa_migrate_preferred)
ORIGINAL_SETTER(task_numa_fault)
ORIGINAL_SETTER(degrades_locality_int)
ORIGINAL_SETTER(degrades_locality_long)
ORIGINAL_SETTER(can_migrate_task)
ORIGINAL_SETTER(task_numa_work)
ORIGINAL_SETTER(security_task_prctl)

static struct hook hooks[] = {
	{
		.name = "sched_setnuma",
		.loses = "the kernel overwrites the forced node",
		.required = true,
		.candidates = {
			{ "sched_setnuma", "void (struct task_struct *, int)",
			  softaff_sched_setnuma, set_original_sched_setnuma },
		},
	}, {
		.name = "numa_migrate_preferred",
		.loses = "a hint fault does not bring a task home, only the rehome worker does",
		.candidates = {
			{ "numa_migrate_preferred", "void (struct task_struct *)",
			  softaff_numa_migrate_preferred, set_original_numa_migrate_preferred },
			{ "task_numa_fault", "void (int, int, int, int)",
			  softaff_task_numa_fault, set_original_task_numa_fault },
		},
	}, {
		.name = "migrate_degrades_locality",
		.loses = "the load balancer takes tasks away from home for no gain",
		.candidates = {
			{ "migrate_degrades_locality", "int (struct task_struct *, struct lb_env *)",
			  softaff_degrades_locality_int, set_original_degrades_locality_int },
			{ "migrate_degrades_locality", "long (struct task_struct *, struct lb_env *)",
			  softaff_degrades_locality_long, set_original_degrades_locality_long },
			{ "can_migrate_task", "int (struct task_struct *, struct lb_env *)",
			  softaff_can_migrate_task, set_original_can_migrate_task },
		},
	}, {
		.name = "task_numa_work",
		.loses = "scans cannot be skipped",
		.candidates = {
			{ "task_numa_work", "void (struct callback_head *)",
			  softaff_task_numa_work, set_original_task_numa_work },
		},
	}, {
		.name = "security_task_prctl",
		.loses = "no prctl",
		.wanted = softaff_prctl_wanted,
		.candidates = {
			{ "security_task_prctl", "int (int, unsigned long, unsigned long, unsigned long, unsigned long)",
			  softaff_security_task_prctl, set_original_security_task_prctl },
		},
	},
};

static struct klp_func funcs[ARRAY_SIZE(hooks) + 1];

static struct klp_object objs[] = {
	{ .funcs = funcs },	/* no name: vmlinux */
	{ }
};

static struct klp_patch patch = {
	.mod = THIS_MODULE,
	.objs = objs,
};

/*
 * The first candidate that exists, can be traced and has its prototype. One that exists with
 * another prototype refuses the kernel: what else differs then nobody knows.
 */
static int choose(struct hook *hook)
{
	const struct candidate *c, *end = hook->candidates + NR_CANDIDATES;
	const struct candidate *misfit = NULL;
	unsigned long site;
	char text[160];

	for (c = hook->candidates; c < end && c->function; c++) {
		site = softaff_ftrace_site(c->function);
		if (!site)
			continue;
		if (softaff_prototype(c->function, text, sizeof(text)) ||
		    strcmp(text, c->prototype)) {
			misfit = c;
			continue;
		}
		if (misfit && strcmp(misfit->function, c->function))
			break;
		c->set_original(site + MCOUNT_INSN_SIZE);
		hook->chosen = c;
		return 0;
	}
	if (misfit)
		return softaff_prototype_refuse(misfit->function, misfit->prototype);
	if (hook->required)
		return softaff_refuse(-ENOENT, "this kernel has no %s() that can be patched",
				      hook->name);
	pr_notice("softaff: this kernel has no %s() that can be patched: %s\n",
		  hook->name, hook->loses);
	return 0;
}

/**
 * softaff_hooks_init - choose a function for every hook, point the originals at their bodies
 *
 * Nothing is patched yet.
 *
 * Context: may sleep; after softaff_layout_init().
 * Return: 0, or an error with a line in the log that names the function.
 */
int softaff_hooks_init(void)
{
	unsigned int i, nr = 0;
	int err;

	for (i = 0; i < ARRAY_SIZE(hooks); i++) {
		if (hooks[i].wanted && !hooks[i].wanted())
			continue;
		err = choose(&hooks[i]);
		if (err)
			return err;
		if (!hooks[i].chosen)
			continue;
		funcs[nr].old_name = hooks[i].chosen->function;
		funcs[nr].new_func = hooks[i].chosen->replacement;
		nr++;
	}
	return 0;
}

/**
 * softaff_hooks_enable - apply the livepatch; the last step of init
 *
 * Context: may sleep; from module init only.
 * Return: 0 when the transition has begun, or an error with a line in the log.
 */
int softaff_hooks_enable(void)
{
	int err = klp_enable_patch(&patch);

	if (err == -EBUSY)
		return softaff_refuse(err, "a function is held by another livepatch or ftrace user, or a transition is under way");
	if (err)
		return softaff_refuse(err, "the kernel refused the livepatch (%d)", err);
	return 0;
}

static bool in_transition(void)
{
	const struct klp_func *f;

	for (f = funcs; f->old_name; f++)
		if (READ_ONCE(f->transition))
			return true;
	return false;
}

/**
 * softaff_hooks_live - is every task on the patched functions?
 *
 * Context: any. Read from the livepatch, not remembered: another livepatch may replace ours.
 */
bool softaff_hooks_live(void)
{
	return READ_ONCE(patch.enabled) && !in_transition();
}

/**
 * softaff_hooks_state - the state of the livepatch in one word
 *
 * Context: any.
 */
const char *softaff_hooks_state(void)
{
	if (READ_ONCE(patch.enabled))
		return in_transition() ? "patching" : "enabled";
	return in_transition() ? "unpatching" : "disabled";
}

/**
 * softaff_hook_present - is a hook patched?
 * @name: the hook's name
 *
 * Context: any.
 */
bool softaff_hook_present(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(hooks); i++)
		if (!strcmp(hooks[i].name, name))
			return hooks[i].chosen;
	return false;
}

/**
 * softaff_hooks_show - print the table: hook, patched function, how, or what is lost
 * @buf: where to
 * @size: room there
 *
 * Context: process context.
 * Return: characters printed.
 */
int softaff_hooks_show(char *buf, size_t size)
{
	unsigned int i;
	int len = 0;

	for (i = 0; i < ARRAY_SIZE(hooks); i++) {
		const struct hook *hook = &hooks[i];
		const char *how = "itself";

		if (!hook->chosen) {
			how = hook->wanted && !hook->wanted() ? "switched off" : "missing";
			len += scnprintf(buf + len, size - len, "%s - %s: %s\n",
					 hook->name, how, hook->loses);
			continue;
		}
		if (strcmp(hook->name, hook->chosen->function))
			how = "host";
		len += scnprintf(buf + len, size - len, "%s %s %s\n",
				 hook->name, hook->chosen->function, how);
	}
	len += scnprintf(buf + len, size - len, "select_task_rq_fair %s\n", softaff_wakeup_present() ?
			 "select_task_rq_fair traced" : "- missing: " SOFTAFF_WAKEUP_LOSES);
	if (softaff_scan_kernel_skips())
		len += scnprintf(buf + len, size - len,
				 "# this kernel skips one-node cpusets by itself: cpuset_skip=off scans no more than on\n");
	return len;
}
