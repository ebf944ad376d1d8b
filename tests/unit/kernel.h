/* SPDX-License-Identifier: GPL-2.0 */
/*
 * As much of the kernel as module/control.c needs to be built here: what it calls of the kernel, and
 * of the module, by lines.c. Included before anything else; the kernel's headers are empty.
 */
#ifndef _KERNEL_H
#define _KERNEL_H

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int16_t s16;
typedef int32_t s32;
typedef unsigned int gfp_t;
typedef struct { int counter; } refcount_t;

struct rhash_head { void *next; };
struct llist_node { void *next; };
struct rcu_head { void *next; };
struct callback_head;
struct pid;
struct cgroup;
struct task_struct { unsigned int flags; pid_t pid; };

#define __user
#define __printf(a, b)			__attribute__((format(printf, a, b)))
#define __maybe_unused			__attribute__((unused))
#define DECLARE_STATIC_KEY_FALSE(name)	extern int name
#define DECLARE_PER_CPU(type, name)	extern type name
#define DEFINE_MUTEX(name)		int name __attribute__((unused))
#define DEFINE_RATELIMIT_STATE(name, ...) int name __attribute__((unused))
#define __ratelimit(limit)		((void)(limit), 1)
#define mutex_lock(m)			((void)(m))
#define mutex_lock_killable(m) 0
#define mutex_unlock(m)			((void)(m))
#define rcu_read_lock()			((void)0)
#define rcu_read_unlock()		((void)0)
#define cond_resched()			((void)0)
#define READ_ONCE(x)			(x)
#define WRITE_ONCE(x, v)		((x) = (v))
#define min_t(type, a, b)		((type)(a) < (type)(b) ? (type)(a) : (type)(b))
#define likely(x)			(x)
#define unlikely(x)			(x)
#define GFP_KERNEL			0u
#define __GFP_NOFAIL			1u
#define NUMA_NO_NODE			(-1)
#define MAX_NUMNODES			1024
#define PF_KTHREAD			1
#define PF_EXITING			2
#define PF_NO_SETAFFINITY		4
#define PF_IO_WORKER			8
#define PIDTYPE_PID			0
#define HZ				250
#define vscnprintf			vsnprintf
#define kmalloc_array(n, size, gfp)	calloc(n, size)
#define kfree(p)			free((void *)(p))
#define kstrdup(s, gfp)			strdup(s)
#define ARRAY_SIZE(a)			(sizeof(a) / sizeof((a)[0]))
#define IS_ERR(p)			((uintptr_t)(p) >= (uintptr_t)-4095)
#define PTR_ERR(p)			((int)(intptr_t)(p))
#define ERR_PTR(err)			((void *)(intptr_t)(err))
#define task_pid_vnr(t)			((t)->pid)
#define get_task_struct(t)		((void)(t))
#define put_task_struct(t)		((void)(t))
#define for_each_thread(p, t)		for ((t) = (p); (t); (t) = NULL)
#define current				(&own)
#define msleep_interruptible(ms)	((void)(ms), 0)

/* lib/ctype.c: a no-break space is space */
static inline int isspace(int c) { return c && strchr(" \t\n\v\f\r\xa0", (char)c); }
static inline int isdigit(int c) { return c >= '0' && c <= '9'; }
static inline int iscntrl(int c) { return (c >= 0 && c < ' ') || c == 127; }

extern struct task_struct own;
void pr_notice(const char *fmt, const char *text);
char *skip_spaces(const char *s);
char *strim(char *s);
ssize_t strscpy(char *to, const char *from, size_t size);
int kstrtoint(const char *s, unsigned int base, int *value);
int kstrtou16(const char *s, unsigned int base, u16 *value);
int match_string(const char *const *words, size_t n, const char *word);
struct pid *find_get_pid(pid_t nr);
struct task_struct *get_pid_task(struct pid *pid, int type);
void put_pid(struct pid *pid);
bool node_possible(int nid);
bool node_online(int nid);
struct cgroup *cgroup_get_from_path(const char *path);
void cgroup_put(struct cgroup *cgrp);

#endif
