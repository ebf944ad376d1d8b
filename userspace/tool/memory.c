// SPDX-License-Identifier: GPL-2.0
/* On which nodes a process's memory is. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

/**
 * memory_read - add up a process's numa_maps
 * @pid: the process
 * @memory: where its pages are
 *
 * Return: 0 or a negative errno.
 */
int memory_read(pid_t pid, struct memory *memory)
{
	FILE *f = root_fopen("/proc/%d/numa_maps", pid);
	unsigned long long pages[MAX_NODES];
	char *line = NULL, *word, *state, *end;
	size_t size = 0;
	long node;

	memset(memory, 0, sizeof(*memory));
	if (!f)
		return errno == ENOENT ? -ESRCH : -errno;
	while (getline(&line, &size, f) > 0) {
		unsigned long page_kib = 4;

		memset(pages, 0, sizeof(pages));
		for (word = strtok_r(line, " \n", &state); word; word = strtok_r(NULL, " \n", &state)) {
			if (!strncmp(word, "kernelpagesize_kB=", 18))
				page_kib = strtoul(word + 18, NULL, 10);
			if (word[0] != 'N')
				continue;
			node = strtol(word + 1, &end, 10);
			if (end > word + 1 && *end == '=' && node >= 0 && node < MAX_NODES)
				pages[node] += strtoull(end + 1, NULL, 10);
		}
		for (node = 0; node < MAX_NODES; node++) {
			memory->kib[node] += pages[node] * page_kib;
			memory->total += pages[node] * page_kib;
		}
	}
	free(line);
	fclose(f);
	return 0;
}
