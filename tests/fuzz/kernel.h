/* SPDX-License-Identifier: GPL-2.0 */
/*
 * As much of the kernel as module/control.c and module/sysfs.c ask of it, for a program. The functions
 * that take text do what the kernel's do; tasks and cgroups are those that control.c beside this makes.
 */
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
typedef int16_t s16;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int gfp_t;

#define GFP_KERNEL	0
#define __GFP_NOFAIL	0
#define PAGE_SIZE	4096
#define HZ		250
#define NUMA_NO_NODE	(-1)
#define MAX_NUMNODES	1024
#define READ_ONCE(x)	(x)
#define WRITE_ONCE(x, v) ((x) = (v))
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof(*(a)))
#define min_t(t, a, b)	((t)(a) < (t)(b) ? (t)(a) : (t)(b))
#define __printf(a, b)	__attribute__((format(printf, a, b)))
#define IS_ERR(p)	((unsigned long)(p) >= -4095ul)
#define PTR_ERR(p)	((long)(p))
#define ERR_PTR(e)	((void *)(long)(e))

/* --- what softaff.h mentions */

#define DECLARE_PER_CPU(type, name) extern type name
#define DECLARE_STATIC_KEY_FALSE(name) extern int name

struct rhash_head { int none; };
struct llist_node { int none; };
struct rcu_head { int none; };
typedef int refcount_t;

/* --- locks, the log */

struct mutex { int locked; };
#define DEFINE_MUTEX(name) struct mutex name
#define mutex_lock(m)	((m)->locked++ ? abort() : (void)0)
#define mutex_lock_killable(m) (mutex_lock(m), 0)
#define mutex_unlock(m)	(--(m)->locked ? abort() : (void)0)
#define rcu_read_lock()
#define rcu_read_unlock()
#define cond_resched()
#define msleep_interruptible(ms) 0

#define DEFINE_RATELIMIT_STATE(name, interval, burst) int name
#define __ratelimit(limit) (*(limit) = 1)

static char log_text[8192];
static int log_lines;

#define vscnprintf	vsnprintf
#define iscntrl(c)	((unsigned char)(c) < ' ' || (c) == 0x7f)
#define pr_notice(...)	(log_lines++, snprintf(log_text, sizeof(log_text), __VA_ARGS__))

/* --- text. The kernel's white space has 0xa0 in it. */

#define isdigit(c)	((c) >= '0' && (c) <= '9')
#define isspace(c)	((unsigned char)(c) == 0xa0 || (c) == ' ' || ((c) >= '\t' && (c) <= '\r'))

static inline char *skip_spaces(const char *s)
{
	while (isspace(*s))
		s++;
	return (char *)s;
}

static inline char *strim(char *s)
{
	size_t len = strlen(s);

	while (len && isspace(s[len - 1]))
		len--;
	s[len] = '\0';
	return skip_spaces(s);
}

static inline ssize_t strscpy(char *to, const char *from, size_t size)
{
	size_t len = strnlen(from, size);

	if (len == size) {
		memcpy(to, from, size - 1);
		to[size - 1] = '\0';
		return -E2BIG;
	}
	memcpy(to, from, len + 1);
	return len;
}

static inline int match_string(const char *const *words, size_t n, const char *word)
{
	size_t i;

	for (i = 0; i < n && words[i]; i++)
		if (!strcmp(words[i], word))
			return i;
	return -EINVAL;
}

static inline bool sysfs_streq(const char *a, const char *b)
{
	size_t len = strlen(b);

	return !strncmp(a, b, len) && (!a[len] || (a[len] == '\n' && !a[len + 1]));
}

/* kstrtoull() and, where @least is less than 0, kstrtoll(): one sign, digits, one newline */
static inline int kstrto(const char *s, long long least, long long most, long long *n)
{
	bool minus = least < 0 && *s == '-';
	const char *from;

	if (*s == '+' || minus)
		s++;
	for (*n = 0, from = s; isdigit(*s); s++)
		if (*n <= most + 1)
			*n = *n * 10 + *s - '0';
	if (s == from || *s + (*s == '\n' ? s[1] - '\n' : 0))
		return -EINVAL;
	*n = minus ? -*n : *n;
	return *n > most || *n < least ? -ERANGE : 0;
}

#define KSTRTO(name, type, least, most)						\
static inline int name(const char *s, unsigned int base, type *to)		\
{										\
	long long n;								\
	int err = kstrto(s, least, most, &n);					\
										\
	if (!err)								\
		*to = n;							\
	return err;								\
}
KSTRTO(kstrtoint, int, INT_MIN, INT_MAX)
KSTRTO(kstrtou16, u16, 0, UINT16_MAX)
KSTRTO(kstrtouint, unsigned int, 0, UINT_MAX)

/* --- memory */

#define kstrdup(s, gfp)		strdup(s)
#define kfree			free
#define kmalloc_array(n, size, gfp) calloc(n, size)

/* --- tasks: a process is a list of threads */

#define PF_EXITING		0x4
#define PF_IO_WORKER		0x10
#define PF_KTHREAD		0x200000
#define PF_NO_SETAFFINITY	0x4000000
enum { PIDTYPE_PID };

struct task_struct {
	int pid;
	unsigned int flags;
	struct task_struct *next;
};

struct callback_head;
struct pid { struct task_struct *task; };

static int held;	/* references */
static struct task_struct *current;
struct pid *find_get_pid(int nr);
struct task_struct *get_pid_task(struct pid *pid, int type);
#define put_pid(pid)		((void)(pid))
#define get_task_struct(p)	((void)(p), held++)
#define put_task_struct(p)	((void)(p), held--)
#define for_each_thread(p, t)	for ((t) = (p); (t); (t) = (t)->next)
#define task_pid_vnr(p)		((p)->pid)

/* --- nodes: two that can be had, one without CPUs, one offline, no more */

#define node_possible(n)	((n) >= MAX_NUMNODES ? abort(), false : (n) < 4)
#define node_online(n)		((n) < 3)

struct cgroup;
struct cgroup *cgroup_get_from_path(const char *path);
#define cgroup_put(cgrp)	((void)(cgrp), held--)

/* --- sysfs */

struct attribute { const char *name; int mode; };
struct kobject { int none; };
struct kobj_attribute {
	struct attribute attr;
	ssize_t (*show)(struct kobject *kobj, struct kobj_attribute *attr, char *buf);
	ssize_t (*store)(struct kobject *kobj, struct kobj_attribute *attr, const char *buf, size_t count);
};
struct attribute_group { struct attribute **attrs; };

#define CAP_SYS_NICE		23
#define capable(cap)		true
#define __ATTR(_name, _mode, _show, _store) \
	{ .attr = { .name = #_name, .mode = _mode }, .show = _show, .store = _store }
#define __ATTR_RO(_name)	__ATTR(_name, 0444, _name##_show, NULL)
#define sysfs_emit(buf, ...)	snprintf(buf, PAGE_SIZE, __VA_ARGS__)
#define sysfs_emit_at(buf, at, ...) snprintf((buf) + (at), PAGE_SIZE - (at), __VA_ARGS__)
#define kobject_create_and_add(name, parent) ((struct kobject *)1)
#define kobject_put(k)		((void)(k))
#define sysfs_create_group(k, g) ((void)(g), 0)
#define sysfs_remove_group(k, g) ((void)(g))
