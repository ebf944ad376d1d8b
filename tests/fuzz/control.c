// SPDX-License-Identifier: GPL-2.0
/*
 * Whatever is written to /sys/kernel/softaff: module/control.c and module/sysfs.c as they are, on the
 * little kernel of kernel.h, beside an oracle that says by other means what a line shall do.
 *
 *	control [INPUTS [SEED]]		lines from a grammar, the same for the same seed
 *	control-guided ...		the same checks under libFuzzer; the first byte chooses the file
 *
 * Each line has the errno and the effect that the oracle says. What is refused has no effect, and one
 * line in the log, with a part of the input as what it names. What is accepted, written again as
 * plainly as can be, has the same effect. Each line lies in memory of just its size, so that the
 * sanitizer sees whoever reads on.
 */
#include "kernel.h"
#include "../../module/control.c"
#include "../../module/sysfs.c"

/* --- the machine -------------------------------------------------------------------------- */

/* 1 has two threads, 2 is the kernel's, 3 exits */
static struct task_struct second = { .pid = 4 }, tasks[] = {
	{ .pid = 1, .next = &second }, { .pid = 2, .flags = PF_KTHREAD }, { .pid = 3, .flags = PF_EXITING },
};

/* By pid: what each has */
static bool reserved[5];
static struct softaff_change has[5];

/* What a line does: what has become of task 1, or of a cgroup, or of the machine. */
struct effect {
	struct softaff_change change;
	int whole;			/* 1: of all its threads */
	char cgroup[PAGE_SIZE];
	int cgroup_nid;
	int inherit, placement, skip, balancing, rehome;
};

static struct effect effect;

int softaff_inherit, softaff_placement, softaff_cpuset_skip, softaff_default_balancing;
unsigned int softaff_rehome_ms;

struct pid *find_get_pid(int nr)
{
	static struct pid pids[3] = { { &tasks[0] }, { &tasks[1] }, { &tasks[2] } };

	return nr >= 1 && nr <= 3 ? &pids[nr - 1] : NULL;
}

struct task_struct *get_pid_task(struct pid *pid, int type)
{
	if (pid)
		held++;
	return pid ? pid->task : NULL;
}

struct cgroup { char path[PAGE_SIZE]; };

struct cgroup *cgroup_get_from_path(const char *path)
{
	static struct cgroup cgroup;

	if (strcmp(path, "/") && strcmp(path, "/a") && strcmp(path, "/a b/c"))
		return ERR_PTR(-ENOENT);
	strcpy(cgroup.path, path);
	held++;
	return &cgroup;
}

int softaff_cgroup_set(struct cgroup *cgrp, int nid)
{
	strcpy(effect.cgroup, cgrp->path);
	effect.cgroup_nid = nid;
	return 0;
}

int softaff_steer(struct task_struct *p, const struct softaff_change *change, gfp_t gfp)
{
	if (change->what & (CHANGE_RESERVE | CHANGE_UNRESERVE)) {
		reserved[p->pid] = change->what == CHANGE_RESERVE;
		return 0;
	}
	has[p->pid] = *change;
	if (p == &second)
		effect.whole = 1;
	else
		effect.change = *change;
	return 0;
}

bool softaff_task_has(const struct task_struct *p, const struct softaff_change *change)
{
	if (change->what & (CHANGE_RESERVE | CHANGE_UNRESERVE))
		return reserved[p->pid] == (change->what == CHANGE_RESERVE);
	return !memcmp(&has[p->pid], change, sizeof(*change));
}

bool softaff_node_usable(int nid) { return nid < 2; }
bool softaff_node_allowed(struct task_struct *p, int nid) { return true; }
bool softaff_hooks_live(void) { return true; }
bool softaff_hook_present(const char *name) { return true; }
const char *softaff_hooks_state(void) { return "enabled"; }
int softaff_hooks_show(char *buf, size_t size) { return 0; }
int softaff_scan_sysctl(void) { return 1; }
unsigned int softaff_task_count(void) { return 0; }
void softaff_settle(struct task_struct *p) { }
void softaff_rehome_kick(void) { }
void softaff_scan_set_cpuset_skip(int skip) { softaff_cpuset_skip = skip; }

/* Write a line to a file of the fresh machine. Returns the error, with what has changed in effect. */
static int put(struct kobj_attribute *attr, const char *line)
{
	ssize_t done;

	memset(&effect, 0, sizeof(effect));
	memset(has, 0, sizeof(has));
	softaff_inherit = softaff_placement = softaff_cpuset_skip = softaff_default_balancing = -1;
	softaff_rehome_ms = 0;
	log_lines = held = 0;
	log_text[0] = '\0';
	done = attr->store(NULL, attr, line, strlen(line));
	effect.inherit = softaff_inherit;
	effect.placement = softaff_placement;
	effect.skip = softaff_cpuset_skip;
	effect.balancing = softaff_default_balancing;
	effect.rehome = softaff_rehome_ms;
	return done < 0 ? done : 0;
}

/* --- the oracle: one pass from the left over the trimmed line ------------------------------ */

static const char *at;	/* what is left of the line */

static bool white(char c)
{
	return c && strchr(" \t\n\v\f\r\xa0", c);
}

static bool eat(const char *word)
{
	if (strncmp(at, word, strlen(word)))
		return false;
	at += strlen(word);
	return true;
}

static bool eat_white(void)
{
	const char *from = at;

	while (white(*at))
		at++;
	return at > from;
}

/* Some digits; more than can be meant is -2. */
static bool eat_number(long *n)
{
	const char *from = at;

	for (*n = 0; *at >= '0' && *at <= '9'; at++)
		*n = *n < 0 || *n > 1l << 40 ? -2 : *n * 10 + *at - '0';
	if (*n > INT_MAX)
		*n = -2;
	return at > from;
}

/* One of the words, all that is left. Returns its index or -1. */
static int eat_last(const char *const *words)
{
	int i;

	for (i = 0; words[i]; i++)
		if (!strcmp(at, words[i]))
			return i;
	return -1;
}

static int node_error(const char *word, int *nid)
{
	long n;

	*nid = -1;
	if (!strcmp(word, "none") || !strcmp(word, "-1"))
		return 0;
	at = word;
	if (!eat_number(&n) || *at || n < 0 || n > 3)
		return -EINVAL;
	*nid = n;
	return n < 2 ? 0 : -ENODEV;
}

static int task_error(long pid)
{
	return pid == 1 ? 0 : pid == 2 ? -EOPNOTSUPP : -ESRCH;
}

/* A pid and what stands between it and the rest. */
static bool eat_pid(long *pid)
{
	return eat_number(pid) && *pid > 0 && (eat("/") ? eat_white(), true : eat_white());
}

static int expect(const char *name, const char *line, struct effect *e)
{
	static const char *const balance[] = { "default", "on", "off", NULL };
	static const char *const inherit[] = { "default", "threads", "children", "none", NULL };
	static const char *const placement[] = { "passive", "active", NULL };
	static const char *const skip[] = { "off", "on", "smart", NULL };
	static char text[PAGE_SIZE], path[PAGE_SIZE];
	size_t len = strlen(line);
	long pid, low = 0, high = 0;
	char *end;
	int i, err;

	memset(e, 0, sizeof(*e));
	e->inherit = e->placement = e->skip = e->balancing = -1;
	snprintf(text, sizeof(text), "%s", line);

	/* Files of one word take it with one newline, or none. */
	if (len && text[len - 1] == '\n')
		text[len - 1] = '\0';
	at = text;
	if (!strcmp(name, "placement"))
		return (e->placement = eat_last(placement)) < 0 ? -EINVAL : 0;
	if (!strcmp(name, "cpuset_skip"))
		return (e->skip = eat_last(skip)) < 0 ? -EINVAL : 0;
	if (!strcmp(name, "default_balancing")) {
		i = eat_last(balance);
		e->balancing = i > 0 ? i : -1;
		return i > 0 ? 0 : -EINVAL;
	}
	if (!strcmp(name, "rehome_ms")) {
		eat("+");
		if (!eat_number(&low) || *at || low < 10 || low > 10000)
			return -EINVAL;
		e->rehome = low;
		return 0;
	}

	snprintf(text, sizeof(text), "%s", line);
	for (end = text + len; end > text && white(end[-1]);)
		*--end = '\0';
	at = text;
	eat_white();
	if (!strcmp(name, "cgroup_node")) {
		while (end > at && !white(end[-1]))
			end--;
		if (*at != '/' || end == at)
			return -EINVAL;
		snprintf(path, sizeof(path), "%.*s", (int)(end - at), at);
		for (len = strlen(path); white(path[len - 1]);)
			path[--len] = '\0';
		err = node_error(end, &e->cgroup_nid);
		len = strlen("/sys/fs/cgroup");
		len = strncmp(path, "/sys/fs/cgroup", len) || (path[len] && path[len] != '/') ? 0 : len;
		snprintf(e->cgroup, sizeof(e->cgroup), "%s", path[len] ? path + len : "/");
		if (!err && strcmp(e->cgroup, "/") && strcmp(e->cgroup, "/a") && strcmp(e->cgroup, "/a b/c"))
			err = -ENOENT;
		return err;
	}

	if (len >= 64)
		return -EINVAL;
	if (!strcmp(name, "inherit") && !(*at >= '0' && *at <= '9')) {
		i = eat_last(inherit);
		e->inherit = i;
		return i > 0 ? 0 : -EINVAL;
	}
	if (!eat_pid(&pid))
		return -EINVAL;
	e->whole = strcmp(name, "inherit") && strcmp(name, "preferred_node");
	if (!strcmp(name, "inherit")) {
		e->change.what = CHANGE_INHERIT;
		i = eat_last(inherit);
		e->change.inherit = i;
		return i < 0 ? -EINVAL : task_error(pid);
	}
	if (!strcmp(name, "numa_balancing")) {
		e->change.what = CHANGE_BALANCING;
		i = eat_last(balance);
		e->change.balancing = i;
		return i < 0 ? -EINVAL : task_error(pid);
	}
	if (!strcmp(name, "scan_period")) {
		e->change.what = CHANGE_SCAN;
		if (strcmp(at, "default") && (!eat_number(&low) || !eat_white() || !eat_number(&high) || *at ||
					      low < 1 || high < low || high > 60000))
			return -EINVAL;
		e->change.scan_min = low;
		e->change.scan_max = high;
		return task_error(pid);
	}
	e->change.what = CHANGE_NODE;
	return node_error(at, &e->change.nid) ?: task_error(pid);
}

/* --- the checks --------------------------------------------------------------------------- */

static long accepted, refused;

static void fault(const char *what, struct kobj_attribute *attr, const char *line)
{
	fprintf(stderr, "%s: %s, at '%s'; log: %s\n", attr->attr.name, what, line, log_text);
	abort();
}

/* Does the one line in the log name the file, and something that stands in the input? */
static bool names_token(const char *name, const char *input)
{
	static const char *const forms[] = {
		"this machine has no node ", "node ", "no task has pid ", "pid ", "no cgroup ",
	};
	char token[sizeof(log_text)] = "", *end;
	static const char prefix[] = "softaff: ";
	const char *text = log_text + strlen(prefix) + strlen(name) + 2;
	char line[PAGE_SIZE];
	unsigned int i;
	size_t len;

	if (log_lines != 1 || strncmp(log_text, prefix, strlen(prefix)) ||
	    strncmp(log_text + strlen(prefix), name, strlen(name)) || log_text[strlen(log_text) - 1] != '\n')
		return false;
	log_text[strlen(log_text) - 1] = '\0';
	/* what would break the line is a question mark there */
	strcpy(line, input);
	for (i = 0; line[i]; i++)
		if (iscntrl(line[i]))
			line[i] = '?';
	if (*text == '\'') {
		strcpy(token, text + 1);
		/* the input itself may have quotes: up to the last that the sentence has behind it */
		end = strstr(token, "' is ") ?: strstr(token, "...' is ") ?: strstr(token, "' after '");
		if (!end)
			return false;
		*end = '\0';
		len = strlen(token);
		if (strstr(text, "is too long") && len >= 3 && !strcmp(token + len - 3, "..."))
			token[len - 3] = '\0';
		return strstr(line, token);
	}
	if (!strcmp(name, "scan_period") && strstr(text, " is more than ")) {
		snprintf(token, sizeof(token), "%.*s", (int)strcspn(text, " "), text);
		return strstr(line, token);
	}
	for (i = 0; i < ARRAY_SIZE(forms); i++)
		if (!strncmp(text, forms[i], strlen(forms[i]))) {
			strcpy(token, text + strlen(forms[i]));
			if (i != 4)
				token[strcspn(token, " ")] = '\0';
			return strstr(line, token);
		}
	return false;
}

/* What has been accepted, as plainly as can be. */
static void print(const char *name, const struct effect *e, char *line)
{
	const struct softaff_change *c = &e->change;

	if (e->inherit >= 0)
		sprintf(line, "%s\n", softaff_inherit_words[e->inherit]);
	else if (e->placement >= 0)
		sprintf(line, "%s\n", placement_words[e->placement]);
	else if (e->skip >= 0)
		sprintf(line, "%s\n", cpuset_skip_words[e->skip]);
	else if (e->balancing >= 0)
		sprintf(line, "%s\n", softaff_balancing_words[e->balancing]);
	else if (e->rehome)
		sprintf(line, "%d\n", e->rehome);
	else if (e->cgroup[0])
		sprintf(line, "%s %d\n", e->cgroup, e->cgroup_nid);
	else if (c->what & CHANGE_NODE)
		sprintf(line, "1 %d\n", c->nid);
	else if (c->what & CHANGE_BALANCING)
		sprintf(line, "1 %s\n", softaff_balancing_words[c->balancing]);
	else if (c->what & CHANGE_INHERIT)
		sprintf(line, "1 %s\n", softaff_inherit_words[c->inherit]);
	else if (c->scan_min)
		sprintf(line, "1 %d %d\n", c->scan_min, c->scan_max);
	else
		sprintf(line, "1 default\n");
}

static void check(struct kobj_attribute *attr, const char *text)
{
	static struct effect wanted, nothing, first;
	char *line = strdup(text), again[2 * PAGE_SIZE];
	int err, expected = expect(attr->attr.name, line, &wanted);

	err = put(attr, line);
	if (err != expected)
		fault("another error than the oracle's", attr, line);
	if (strcmp(line, text))
		fault("the input was written to", attr, line);
	if (control_mutex.locked || held)
		fault("a lock or a reference is left", attr, line);
	nothing.inherit = nothing.placement = nothing.skip = nothing.balancing = -1;
	if (err) {
		refused++;
		if (memcmp(&effect, &nothing, sizeof(effect)))
			fault("refused, but something was set", attr, line);
		if (!names_token(attr->attr.name, line))
			fault("the log does not say what was wrong", attr, line);
	} else {
		accepted++;
		if (memcmp(&effect, &wanted, sizeof(effect)))
			fault("another effect than the oracle's", attr, line);
		if (log_lines)
			fault("accepted, but something was said", attr, line);
		first = effect;
		print(attr->attr.name, &first, again);
		if (put(attr, again) || memcmp(&effect, &first, sizeof(effect)))
			fault("does not come back as what was printed", attr, again);
	}
	free(line);
}

static struct kobj_attribute *const files[] = {
	&preferred_node_attr, &process_node_attr, &cgroup_node_attr, &numa_balancing_attr, &scan_period_attr,
	&inherit_attr, &default_balancing_attr, &placement_attr, &cpuset_skip_attr, &rehome_ms_attr,
};

#ifdef GUIDED
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char line[PAGE_SIZE] = "";

	if (size < 1 || size > sizeof(line))
		return 0;
	memcpy(line, data + 1, size - 1);
	check(files[data[0] % ARRAY_SIZE(files)], line);
	return 0;
}
#else
#include "grammar.h"

int main(int argc, char **argv)
{
	static const char *const words[] = {
		"1", "2", "3", "4", "0", "-1", "none", "on", "off", "default", "threads", "children", "active",
		"passive", "smart", "5", "10", "50", "10000", "10001", "60000", "60001", "65535", "65536", "65537",
		"2147483647", "2147483648", "4294967297", "18446744073709551617", "01", "001", "+1", "1x", "-2",
		"0x1", "1_0", "/", "/a", "/a b/c", "/sys/fs/cgroup", "/sys/fs/cgroup/a", "/sys/fs/cgroups", "/b",
		"'", "...", "%s", "1024", "1023", NULL
	};
	/* what each file takes, with a slot for any word */
	static const char *const forms[] = {
		"1 1", "1/1", "1 none", "1 0", "1 *", "* 1", "*/1", "/a 1", "/a *", "* 0", "1 on", "1 off",
		"1 default", "1 100 5000", "1 * 60000", "1 1 *", "threads", "children", "1 threads", "1 *",
		"on", "active", "passive", "smart", "off", "*", "50", "* *", "* * *", NULL
	};
	long inputs = argc > 1 ? atol(argv[1]) : 300000, i;
	char line[PAGE_SIZE];

	seed = argc > 2 ? atoi(argv[2]) : 1;
	for (i = 0; i < inputs; i++) {
		make_line(line, forms, words);
		check(files[any(ARRAY_SIZE(files))], line);
	}
	printf("# %ld lines, %ld accepted, %ld refused, seed %s\n", inputs, accepted, refused,
	       argc > 2 ? argv[2] : "1");
	return !(accepted > inputs / 100 && refused > inputs / 100);
}
#endif
