// SPDX-License-Identifier: GPL-2.0
/* /sys/kernel/softaff: one line in, one meaning. Root's. */
#include <linux/capability.h>
#include <linux/kobject.h>
#include <linux/sysfs.h>

#include "softaff.h"

static struct kobject *dir;

/* Store one of the words of @words, a NULL-terminated list; returns its index or -EINVAL. */
static int match_word(const char *file, const char *buf, const char *const words[])
{
	int i;

	for (i = 0; words[i]; i++)
		if (sysfs_streq(buf, words[i]))
			return i;
	return softaff_refuse(-EINVAL, "%s: '%.*s' is not one of its words", file,
			      (int)min_t(size_t, strcspn(buf, "\n"), 20), buf);
}

/*
 * The files are root's, but the root of a user namespace that root has made owns them too, and shall
 * not reach out of it.
 */
static int may_write(const struct kobj_attribute *attr)
{
	if (capable(CAP_SYS_NICE))
		return 0;
	return softaff_refuse(-EPERM, "%s: needs CAP_SYS_NICE", attr->attr.name);
}

/* Files whose line control.c understands. */
#define SOFTAFF_SETTING(_name)								\
static ssize_t _name##_store(struct kobject *kobj, struct kobj_attribute *attr,		\
			     const char *buf, size_t count)				\
{											\
	return may_write(attr) ?: softaff_set_##_name(attr->attr.name, buf) ?: count;	\
}

SOFTAFF_SETTING(preferred_node)
SOFTAFF_SETTING(process_node)
SOFTAFF_SETTING(cgroup_node)
SOFTAFF_SETTING(numa_balancing)
SOFTAFF_SETTING(scan_period)
SOFTAFF_SETTING(inherit)

static ssize_t inherit_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", softaff_inherit_words[READ_ONCE(softaff_inherit)]);
}

static const char *const placement_words[] = {
	[PLACEMENT_PASSIVE] = "passive",
	[PLACEMENT_ACTIVE] = "active",
	NULL
};

static ssize_t placement_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", placement_words[READ_ONCE(softaff_placement)]);
}

static ssize_t placement_store(struct kobject *kobj, struct kobj_attribute *attr,
			       const char *buf, size_t count)
{
	int i = may_write(attr) ?: match_word(attr->attr.name, buf, placement_words);

	if (i < 0)
		return i;
	WRITE_ONCE(softaff_placement, i);
	softaff_rehome_kick();
	return count;
}

static const char *const cpuset_skip_words[] = {
	[CPUSET_SKIP_OFF] = "off",
	[CPUSET_SKIP_ON] = "on",
	[CPUSET_SKIP_SMART] = "smart",
	NULL
};

static ssize_t cpuset_skip_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", cpuset_skip_words[READ_ONCE(softaff_cpuset_skip)]);
}

static ssize_t cpuset_skip_store(struct kobject *kobj, struct kobj_attribute *attr,
				 const char *buf, size_t count)
{
	int i = may_write(attr) ?: match_word(attr->attr.name, buf, cpuset_skip_words);

	if (i < 0)
		return i;
	softaff_scan_set_cpuset_skip(i);
	return count;
}

static ssize_t default_balancing_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n",
			  softaff_balancing_words[READ_ONCE(softaff_default_balancing)]);
}

static ssize_t default_balancing_store(struct kobject *kobj, struct kobj_attribute *attr,
				       const char *buf, size_t count)
{
	int i = may_write(attr) ?: match_word(attr->attr.name, buf, softaff_balancing_words + BALANCING_ON);

	if (i < 0)
		return i;
	WRITE_ONCE(softaff_default_balancing, BALANCING_ON + i);
	return count;
}

static ssize_t rehome_ms_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", READ_ONCE(softaff_rehome_ms));
}

static ssize_t rehome_ms_store(struct kobject *kobj, struct kobj_attribute *attr,
			       const char *buf, size_t count)
{
	unsigned int ms;
	int err = may_write(attr);

	if (err)
		return err;
	if (kstrtouint(buf, 10, &ms) || ms < SOFTAFF_REHOME_MS_MIN || ms > SOFTAFF_REHOME_MS_MAX)
		return softaff_refuse(-EINVAL, "%s: '%.*s' is not a number from %d to %d",
				      attr->attr.name,
				      (int)min_t(size_t, strcspn(buf, "\n"), 20), buf,
				      SOFTAFF_REHOME_MS_MIN, SOFTAFF_REHOME_MS_MAX);
	WRITE_ONCE(softaff_rehome_ms, ms);
	softaff_rehome_kick();
	return count;
}

static ssize_t hooks_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return softaff_hooks_show(buf, PAGE_SIZE);
}

/* kernel.numa_balancing is a bit mask; what it means for settings of scans. */
static const char *const sysctl_words[] = {
	"off, so settings of scans have no effect",
	"normal",
	"tiering only, so settings of scans count for slow memory only",
	"normal and tiering",
};

static ssize_t state_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	int mode = softaff_scan_sysctl();
	int len = sysfs_emit(buf, "patch: %s\ntasks: %u\n", softaff_hooks_state(),
			     softaff_task_count());

	if (mode < 0 || mode >= ARRAY_SIZE(sysctl_words))
		return len + sysfs_emit_at(buf, len, "numa_balancing: unknown\n");
	return len + sysfs_emit_at(buf, len, "numa_balancing: %d, %s\n", mode, sysctl_words[mode]);
}

static ssize_t version_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", SOFTAFF_VERSION);
}

static struct kobj_attribute preferred_node_attr = __ATTR(preferred_node, 0200, NULL,
							  preferred_node_store);
static struct kobj_attribute process_node_attr = __ATTR(process_node, 0200, NULL,
							process_node_store);
static struct kobj_attribute cgroup_node_attr = __ATTR(cgroup_node, 0200, NULL, cgroup_node_store);
static struct kobj_attribute numa_balancing_attr = __ATTR(numa_balancing, 0200, NULL,
							  numa_balancing_store);
static struct kobj_attribute scan_period_attr = __ATTR(scan_period, 0200, NULL, scan_period_store);
static struct kobj_attribute inherit_attr = __ATTR(inherit, 0644, inherit_show, inherit_store);
static struct kobj_attribute default_balancing_attr = __ATTR(default_balancing, 0644,
							     default_balancing_show,
							     default_balancing_store);
static struct kobj_attribute placement_attr = __ATTR(placement, 0644, placement_show,
						     placement_store);
static struct kobj_attribute cpuset_skip_attr = __ATTR(cpuset_skip, 0644, cpuset_skip_show,
						       cpuset_skip_store);
static struct kobj_attribute rehome_ms_attr = __ATTR(rehome_ms, 0644, rehome_ms_show,
						     rehome_ms_store);
static struct kobj_attribute hooks_attr = __ATTR_RO(hooks);
static struct kobj_attribute state_attr = __ATTR_RO(state);
static struct kobj_attribute version_attr = __ATTR_RO(version);

static struct attribute *attrs[] = {
	&preferred_node_attr.attr,
	&process_node_attr.attr,
	&cgroup_node_attr.attr,
	&numa_balancing_attr.attr,
	&scan_period_attr.attr,
	&inherit_attr.attr,
	&default_balancing_attr.attr,
	&placement_attr.attr,
	&cpuset_skip_attr.attr,
	&rehome_ms_attr.attr,
	&hooks_attr.attr,
	&state_attr.attr,
	&version_attr.attr,
	NULL
};

static const struct attribute_group group = { .attrs = attrs };

/**
 * softaff_sysfs_init - make /sys/kernel/softaff
 *
 * Context: may sleep.
 * Return: 0 or an error, with a line in the log.
 */
int softaff_sysfs_init(void)
{
	int err;

	dir = kobject_create_and_add("softaff", kernel_kobj);
	if (!dir)
		return softaff_refuse(-ENOMEM, "cannot make /sys/kernel/softaff");
	err = sysfs_create_group(dir, &group);
	if (err) {
		kobject_put(dir);
		return softaff_refuse(err, "cannot fill /sys/kernel/softaff (%d)", err);
	}
	return 0;
}

/**
 * softaff_sysfs_exit - remove it; waits for writers
 *
 * Context: may sleep.
 */
void softaff_sysfs_exit(void)
{
	sysfs_remove_group(dir, &group);
	kobject_put(dir);
}
