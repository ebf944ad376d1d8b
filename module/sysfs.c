// SPDX-License-Identifier: GPL-2.0
/* /sys/kernel/softaff: one line in, one meaning. Root's. */
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

static ssize_t preferred_node_store(struct kobject *kobj, struct kobj_attribute *attr,
				    const char *buf, size_t count)
{
	return softaff_set_preferred_node(attr->attr.name, buf) ?: count;
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
	int i = match_word(attr->attr.name, buf, placement_words);

	if (i < 0)
		return i;
	WRITE_ONCE(softaff_placement, i);
	softaff_rehome_kick();
	return count;
}

static const char *const cpuset_skip_words[] = {
	[CPUSET_SKIP_OFF] = "off",
	[CPUSET_SKIP_ON] = "on",
	NULL
};

static ssize_t cpuset_skip_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", cpuset_skip_words[READ_ONCE(softaff_cpuset_skip)]);
}

static ssize_t cpuset_skip_store(struct kobject *kobj, struct kobj_attribute *attr,
				 const char *buf, size_t count)
{
	int i = match_word(attr->attr.name, buf, cpuset_skip_words);

	if (i < 0)
		return i;
	WRITE_ONCE(softaff_cpuset_skip, i);
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

static ssize_t state_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "patch: %s\ntasks: %u\n", softaff_hooks_state(),
			  softaff_task_count());
}

static ssize_t version_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", SOFTAFF_VERSION);
}

static struct kobj_attribute preferred_node_attr = __ATTR(preferred_node, 0200, NULL,
							  preferred_node_store);
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
