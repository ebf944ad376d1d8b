/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions of the kernel that modules may not link to, and how they are called.
 *
 * Every one of them is entered through a static_call, which is a direct call: on kernels with
 * IBT their ENDBR may have been sealed, so that an indirect call to them faults. The static_calls
 * are set by softaff_symbols_init() and softaff_hooks_init(), before anything can use them.
 */
#ifndef _SOFTAFF_PRIVATE_H
#define _SOFTAFF_PRIVATE_H

#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/cpuset.h>
#include <linux/kallsyms.h>
#include <linux/ptrace.h>
#include <linux/security.h>
#include <linux/sched.h>
#include <linux/sched/numa_balancing.h>
#include <linux/static_call.h>
#include <linux/task_work.h>

struct lb_env;

/* Private to kernel/sched; checked against the kernel's BTF at load. */
int migrate_task_to(struct task_struct *p, int target_cpu);
int migrate_swap(struct task_struct *cur, struct task_struct *p, int target_cpu, int curr_cpu);
void sched_setnuma(struct task_struct *p, int nid);
void numa_migrate_preferred(struct task_struct *p);
int can_migrate_task(struct task_struct *p, struct lb_env *env);
int degrades_locality_int(struct task_struct *p, struct lb_env *env);
long degrades_locality_long(struct task_struct *p, struct lb_env *env);
void task_numa_work(struct callback_head *work);

/*
 * Functions that are called whole, from their first traceable instruction: X(name, prototype as
 * BTF has it). A NULL prototype is for those that public headers declare already.
 */
#define SOFTAFF_KERNEL_CALLS(X)									\
	X(kallsyms_lookup_name, NULL)								\
	X(bpf_get_btf_vmlinux, NULL)								\
	X(btf_find_by_name_kind, NULL)								\
	X(btf_name_by_offset, NULL)								\
	X(idle_cpu, NULL)									\
	X(cpuset_cpus_allowed, NULL)								\
	X(ptrace_may_access, NULL)								\
	X(security_task_setscheduler, NULL)							\
	X(migrate_task_to, "int (struct task_struct *, int)")					\
	X(migrate_swap, "int (struct task_struct *, struct task_struct *, int, int)")

#define SOFTAFF_DECLARE_CALL(name, proto) DECLARE_STATIC_CALL(kernel_##name, name);
SOFTAFF_KERNEL_CALLS(SOFTAFF_DECLARE_CALL)
#undef SOFTAFF_DECLARE_CALL

#define kernel_call(name) static_call(kernel_##name)

/* The bodies of the patched functions, entered just past their fentry site. */
DECLARE_STATIC_CALL(original_sched_setnuma, sched_setnuma);
DECLARE_STATIC_CALL(original_numa_migrate_preferred, numa_migrate_preferred);
DECLARE_STATIC_CALL(original_task_numa_fault, task_numa_fault);
DECLARE_STATIC_CALL(original_can_migrate_task, can_migrate_task);
DECLARE_STATIC_CALL(original_degrades_locality_int, degrades_locality_int);
DECLARE_STATIC_CALL(original_degrades_locality_long, degrades_locality_long);
DECLARE_STATIC_CALL(original_task_numa_work, task_numa_work);
DECLARE_STATIC_CALL(original_security_task_prctl, security_task_prctl);

#define original_call(name) static_call(original_##name)

#endif /* _SOFTAFF_PRIVATE_H */
