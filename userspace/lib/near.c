// SPDX-License-Identifier: LGPL-2.1
/* Which node a device hangs on. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "root.h"
#include "../softaff.h"

/* Directories of sysfs in which a device's name may be, the likeliest meaning first. */
static const char *const classes[] = {
	"/sys/class/net", "/sys/class/infiniband", "/sys/bus/pci/devices", "/sys/class/block",
	"/sys/class/nvme", "/sys/class/drm", "/sys/class/infiniband_verbs", "/sys/class/accel",
	"/sys/class/misc",
};

/* A device made of others, a bond or a mapped disk, is nested no deeper than this. */
#define MAX_NESTED 8

static int near(const char *path, int depth, int *node);

/* The node of the devices of which this one is made, if they agree. */
static int near_parts(const char *path, int depth, int *node)
{
	static const char *const where[] = { "", "/slaves" };
	char dir[PATH_MAX], part[PATH_MAX + NAME_MAX + 2];
	int found = -ENODATA, other;
	struct dirent *entry;
	unsigned int i;
	DIR *parts;

	for (i = 0; i < 2; i++) {
		if (snprintf(dir, sizeof(dir), "%s%s", path, where[i]) >= (int)sizeof(dir))
			continue;
		parts = opendir(dir);
		if (!parts)
			continue;
		while ((entry = readdir(parts))) {
			if (entry->d_name[0] == '.' || (!i && strncmp(entry->d_name, "lower_", 6)))
				continue;
			snprintf(part, sizeof(part), "%s/%s", dir, entry->d_name);
			if (near(part, depth + 1, &other))
				continue;
			if (!found && other != *node)
				found = -ENOTUNIQ;
			else if (found == -ENODATA) {
				*node = other;
				found = 0;
			}
		}
		closedir(parts);
	}
	return found;
}

static int near(const char *path, int depth, int *node)
{
	char real[PATH_MAX], file[PATH_MAX + 16], text[16], *slash;
	FILE *f;

	if (depth > MAX_NESTED || !realpath(path, real))
		return -ENXIO;
	/* What the device does not know, the bus above it may. */
	while ((slash = strrchr(real, '/'))) {
		snprintf(file, sizeof(file), "%s/numa_node", real);
		f = fopen(file, "re");
		if (f) {
			*node = fgets(text, sizeof(text), f) ? atoi(text) : -1;
			fclose(f);
			if (*node >= 0)
				return 0;
		}
		*slash = '\0';
	}
	return near_parts(path, depth, node);
}

/* A file of /dev, by its device number. */
static int near_special(const char *device, int *node)
{
	char path[PATH_MAX];
	struct stat st;

	if (stat(root_path(path, "%s", device), &st))
		return -ENXIO;
	if (!S_ISBLK(st.st_mode) && !S_ISCHR(st.st_mode))
		return -ENXIO;
	root_path(path, "/sys/dev/%s/%u:%u", S_ISBLK(st.st_mode) ? "block" : "char",
		  major(st.st_rdev), minor(st.st_rdev));
	return near(path, 0, node);
}

/* A PCI address as other tools write it: without its domain, or with a longer one, in any case. */
static int near_pci(const char *device, int *node)
{
	unsigned int domain = 0, bus, slot, function;
	char path[PATH_MAX];
	int len = 0;

	if (sscanf(device, "%8x:%2x:%2x.%1x%n", &domain, &bus, &slot, &function, &len) != 4) {
		domain = 0;
		if (sscanf(device, "%2x:%2x.%1x%n", &bus, &slot, &function, &len) != 3)
			return -ENXIO;
	}
	if (device[len])
		return -ENXIO;
	root_path(path, "/sys/bus/pci/devices/%04x:%02x:%02x.%x", domain, bus, slot, function);
	return near(path, 0, node);
}

/**
 * softaff_near - the node that a device hangs on
 * @device: a network interface, an RDMA device, a PCI address, a block device, a GPU of the drm
 * class, or a file of /dev
 * @node: the node
 *
 * Devices made of others, such as bonds, VLANs and mapped disks, have the node on which all their
 * parts are.
 *
 * Return: 0; -ENXIO no such device, -ENODATA the machine does not say where it is, -ENOTUNIQ its
 * parts are on several nodes.
 */
int softaff_near(const char *device, int *node)
{
	char path[PATH_MAX];
	unsigned int i;

	if (device[0] == '/')
		return near_special(device, node);
	if (!device[0] || strchr(device, '/'))
		return -ENXIO;
	for (i = 0; i < sizeof(classes) / sizeof(*classes); i++)
		if (root_exists("%s/%s", classes[i], device))
			return near(root_path(path, "%s/%s", classes[i], device), 0, node);
	return near_pci(device, node);
}
