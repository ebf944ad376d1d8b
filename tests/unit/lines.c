// SPDX-License-Identifier: GPL-2.0
/*
 * Every line that can be written to /sys/kernel/softaff, against module/control.c itself, which is built
 * here with the kernel faked: what is made of a line is compared with a second reading of it, which
 * knows words and nothing else.
 *
 *	lines [COUNT [SEED]]	that many random lines, some of them good
 *	with -DFUZZER		libFuzzer's; see "make fuzz"
 */
#include "kernel.h"
#include "../../module/control.c"

#define NODES	4		/* the last but one is offline, the last has no CPU */
#define PIDS	100		/* pids below are there; 7 is a kernel thread, 9 exits */

struct task_struct own, tasks[PIDS];
int softaff_inherit;

/* What came of a line. */
static struct {
	struct softaff_change change;
	pid_t pid;
	char cgroup[256];
	char said[8192];
	unsigned int made, sentences;
} got;

/* --- the kernel --------------------------------------------------------------------------- */

void pr_notice(const char *fmt, const char *text)
{
	(void)fmt;
	snprintf(got.said, sizeof(got.said), "%s", text);
	got.sentences++;
}

char *skip_spaces(const char *s)
{
	while (isspace((unsigned char)*s))
		s++;
	return (char *)s;
}

char *strim(char *s)
{
	size_t len = strlen(s);

	while (len && isspace((unsigned char)s[len - 1]))
		s[--len] = '\0';
	return skip_spaces(s);
}

ssize_t strscpy(char *to, const char *from, size_t size)
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

static int number(const char *s, long long most, long long *value)
{
	long long n = 0;

	if (!*s)
		return -EINVAL;
	for (; *s; s++) {
		if (!isdigit(*s))
			return -EINVAL;
		n = n * 10 + *s - '0';
		if (n > most)
			return -ERANGE;
	}
	*value = n;
	return 0;
}

int kstrtoint(const char *s, unsigned int base, int *value)
{
	long long n;
	int err = number(s, INT_MAX, &n);

	(void)base;
	if (!err)
		*value = n;
	return err;
}

int kstrtou16(const char *s, unsigned int base, u16 *value)
{
	long long n;
	int err = number(s, UINT16_MAX, &n);

	(void)base;
	if (!err)
		*value = n;
	return err;
}

int match_string(const char *const *words, size_t n, const char *word)
{
	size_t i;

	for (i = 0; i < n && words[i]; i++)
		if (!strcmp(words[i], word))
			return i;
	return -EINVAL;
}

struct pid *find_get_pid(pid_t nr) { return (struct pid *)(intptr_t)nr; }
void put_pid(struct pid *pid) { (void)pid; }

struct task_struct *get_pid_task(struct pid *pid, int type)
{
	intptr_t nr = (intptr_t)pid;

	(void)type;
	return nr > 0 && nr < PIDS ? &tasks[nr] : NULL;
}

bool node_possible(int nid) { return nid >= 0 && nid < NODES; }
bool node_online(int nid) { return nid != NODES - 2; }

struct cgroup *cgroup_get_from_path(const char *path)
{
	snprintf(got.cgroup, sizeof(got.cgroup), "%s", path);
	return strstr(path, "none") ? ERR_PTR(-ENOENT) : (struct cgroup *)got.cgroup;
}

void cgroup_put(struct cgroup *cgrp) { (void)cgrp; }

/* --- the module --------------------------------------------------------------------------- */

bool softaff_hooks_live(void) { return true; }
const char *softaff_hooks_state(void) { return "enabled"; }
bool softaff_hook_present(const char *name) { return name != NULL; }
bool softaff_node_usable(int nid) { return nid != NODES - 1; }
bool softaff_node_allowed(struct task_struct *p, int nid) { return p->pid != 11 || nid != 1; }
void softaff_settle(struct task_struct *p) { (void)p; }

bool softaff_task_has(const struct task_struct *p, const struct softaff_change *change)
{
	static const struct softaff_change *last;
	bool has = last == change;

	(void)p;
	last = has ? NULL : change;
	return has;
}

static void made(pid_t pid, const struct softaff_change *change)
{
	if (change->what & (CHANGE_RESERVE | CHANGE_UNRESERVE))
		return;
	got.pid = pid;
	got.change = *change;
	got.made++;
}

int softaff_steer(struct task_struct *p, const struct softaff_change *change, gfp_t gfp)
{
	(void)gfp;
	made(p->pid, change);
	return 0;
}

int softaff_cgroup_set(struct cgroup *cgrp, int nid)
{
	struct softaff_change change = { .what = CHANGE_NODE, .nid = nid };

	(void)cgrp;
	made(0, &change);
	return 0;
}

/* --- the second reading ------------------------------------------------------------------- */

/* The words of @line; 0 where there are more than @most, or it is too long for a line. */
static int words_of(const char *line, char words[][LINE_MAX_LEN], int most)
{
	int n = 0, len;

	if (strlen(line) >= LINE_MAX_LEN)
		return 0;
	for (;;) {
		while (isspace((unsigned char)*line))
			line++;
		if (!*line)
			return n;
		for (len = 0; line[len] && !isspace((unsigned char)line[len]); len++)
			;
		if (n == most)
			return 0;
		snprintf(words[n++], LINE_MAX_LEN, "%.*s", len, line);
		line += len;
	}
}

static int is_number(const char *word, long long most, long long *value)
{
	return *word && strspn(word, "0123456789") == strlen(word) && !number(word, most, value);
}

static int expect_pid(const char *word, long long *pid)
{
	if (!is_number(word, INT_MAX, pid) || !*pid)
		return -EINVAL;
	return 0;
}

static int expect_node(const char *word, int *nid)
{
	long long n = -1;

	if (strcmp(word, "-1") && strcmp(word, "none") && !is_number(word, INT_MAX, &n))
		return -EINVAL;
	*nid = n;
	return n >= NODES ? -EINVAL : n >= NODES - 2 ? -ENODEV : 0;
}

static int expect_task(long long pid, int nid)
{
	return pid >= PIDS ? -ESRCH : pid == 7 ? -EOPNOTSUPP : pid == 9 ? -ESRCH :
	       pid == 11 && nid == 1 ? -ENODEV : 0;
}

/* The two words of a line; one slash may stand for the white space between them. */
static int two_words(const char *line, char words[][LINE_MAX_LEN])
{
	char copy[LINE_MAX_LEN], *word = copy, *end;

	if (strlen(line) >= LINE_MAX_LEN)
		return -EINVAL;
	strcpy(copy, line);
	while (isspace((unsigned char)*word))
		word++;
	for (end = word; *end && *end != '/' && !isspace((unsigned char)*end); end++)
		;
	if (end == word)
		return -EINVAL;
	if (*end == '/')
		*end = ' ';
	return words_of(copy, words, 2) == 2 ? 0 : -EINVAL;
}

/* What a line should come to: 0 and *@pid, *@nid, or an error. */
static int expect_node_line(const char *line, long long *pid, int *nid)
{
	char words[2][LINE_MAX_LEN];

	return two_words(line, words) ?: expect_pid(words[0], pid) ?: expect_node(words[1], nid) ?:
	       expect_task(*pid, *nid);
}

static int expect_word_line(const char *line, const char *const *known, long long *pid, int *index)
{
	char words[2][LINE_MAX_LEN];
	int err;

	err = two_words(line, words) ?: expect_pid(words[0], pid);
	if (err)
		return err;
	for (*index = 0; known[*index]; ++*index)
		if (!strcmp(known[*index], words[1]))
			return expect_task(*pid, -1);
	return -EINVAL;
}

/* --- a line ------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	int (*set)(const char *file, const char *line);
} files[] = {
	{ "preferred_node", softaff_set_preferred_node },
	{ "process_node", softaff_set_process_node },
	{ "numa_balancing", softaff_set_numa_balancing },
	{ "inherit", softaff_set_inherit },
	{ "scan_period", softaff_set_scan_period },
	{ "cgroup_node", softaff_set_cgroup_node },
};

static unsigned long accepted, refused;

static void wrong(int file, const char *line, int err, const char *why)
{
	printf("# %s: '%s': %s; returned %d, said '%s', made %u\n", files[file].name, line, why, err,
	       got.said, got.made);
	fflush(stdout);
	abort();
}

static void try_line(int file, const char *line)
{
	long long pid = 0;
	int err, wanted = 1, nid = -1, index = 0;

	memset(&got, 0, sizeof(got));
	err = files[file].set(files[file].name, line);

	/* Whatever it was: done and silent, or nothing done and one sentence that begins with the file. */
	if (err > 0)
		wrong(file, line, err, "no error");
	if (!err && got.sentences)
		wrong(file, line, err, "done, with a complaint");
	if (err && (got.made || got.sentences != 1))
		wrong(file, line, err, "refused: nothing done, one sentence");
	if (err && (strncmp(got.said, files[file].name, strlen(files[file].name)) || strchr(got.said, '\n')))
		wrong(file, line, err, "the sentence");

	switch (file) {
	case 0:
	case 1:
		wanted = expect_node_line(line, &pid, &nid);
		if (!err && (got.pid != pid || got.change.nid != nid || got.change.what != CHANGE_NODE))
			wrong(file, line, err, "another task or node");
		break;
	case 2:
		wanted = expect_word_line(line, softaff_balancing_words, &pid, &index);
		if (!err && (got.pid != pid || got.change.balancing != index))
			wrong(file, line, err, "another task or word");
		break;
	case 3:
		if (isdigit(*skip_spaces(line))) {
			wanted = expect_word_line(line, softaff_inherit_words, &pid, &index);
			if (!err && (got.pid != pid || got.change.inherit != index))
				wrong(file, line, err, "another task or word");
		}
		break;
	case 4:
		if (!err && (got.change.scan_min > got.change.scan_max ||
			     got.change.scan_max > SCAN_PERIOD_MAX_MS))
			wrong(file, line, err, "bounds");
		break;
	}
	if (wanted <= 0 && err != wanted)
		wrong(file, line, err, wanted ? "should be refused otherwise" : "should be done");
	if (err)
		refused++;
	else
		accepted++;
}

static void setup(void)
{
	int i;

	for (i = 0; i < PIDS; i++)
		tasks[i].pid = i;
	tasks[7].flags = PF_KTHREAD;
	tasks[9].flags = PF_EXITING;
}

#ifdef FUZZER

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool ready;
	char *line;

	if (!ready)
		setup();
	ready = true;
	if (!size)
		return 0;
	/* sysfs gives a page, and an end to it */
	line = strndup((const char *)data + 1, size - 1 < 4095 ? size - 1 : 4095);
	try_line(data[0] % ARRAY_SIZE(files), line);
	free(line);
	return 0;
}

#else

static uint64_t seed = 1;

static unsigned int any(unsigned int n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % n;
}

static const char *const pieces[] = {
	"1", "7", "9", "11", "42", "99", "100", "2147483647", "2147483648", "0", "00012", "-1", "none", "+1",
	"0x1", "1 0", "12/1", "on", "off", "default", "threads", "children", "\n", " ", "\t", "  ", "/", "\xa0",
	"\x01", "%s%n", "100 200", "60000", "65535", "65536", "/a", "/a b", "/sys/fs/cgroup", "2", "3", "4", "\v",
	"99999999999999999999",
};

/* Now and then as it should be, mostly nearly so. */
static void make_line(char *line, size_t size)
{
	static const char *const forms[] = { "%u %u", "%u/%u", " %u  %u \n", "%u none", "%u -1", "%u on", "%u off",
		"%u default", "%u children", "threads", "%u 100 %u", "/a/b %u%.0u", "/sys/fs/cgroup/x %u%.0u" };
	unsigned int n, len;

	*line = '\0';
	if (any(2)) {
		/* Every form has at most two numbers. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
		snprintf(line, size, forms[any(ARRAY_SIZE(forms))], any(14), any(5));
#pragma GCC diagnostic pop
	} else {
		for (n = any(6); n; n--)
			strncat(line, pieces[any(ARRAY_SIZE(pieces))], size - strlen(line) - 1);
	}
	len = strlen(line);
	for (n = any(8) ? 0 : any(4); len && n; n--)
		line[any(len)] = 1 + any(255);
}

int main(int argc, char **argv)
{
	unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 0) : 300000, i;
	char line[200];

	if (argc > 2)
		seed = strtoull(argv[2], NULL, 0) | 1;
	setup();
	for (i = 0; i < count; i++) {
		make_line(line, sizeof(line));
		try_line(any(ARRAY_SIZE(files)), line);
	}
	printf("1..2\n");
	printf("ok 1 %lu lines: each done, or refused whole with one sentence\n", count);
	printf("%sok 2 of both kinds there were many\n# %lu done, %lu refused\n",
	       accepted > count / 20 && refused > count / 20 ? "" : "not ", accepted, refused);
	return !(accepted > count / 20 && refused > count / 20);
}

#endif
