// SPDX-License-Identifier: GPL-2.0
/*
 * Rows of named columns: what the module says of tasks, and its print.
 *
 * Columns that a newer module adds to its table are shown like those that are known here.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <libsmartcols.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "tool.h"

/* Columns that are not in the module's table: worked out only when they are printed. */
static char *find_cgroup(pid_t pid);
static char *find_memory(pid_t pid);

static const struct column {
	const char *name;
	int flags;
	int json;
	char *(*find)(pid_t pid);
	const char *help;
} known[] = {
	{ "pid", SCOLS_FL_RIGHT, SCOLS_JSON_NUMBER, NULL, "the task, which is one thread" },
	{ "tgid", SCOLS_FL_RIGHT, SCOLS_JSON_NUMBER, NULL, "its process" },
	{ "comm", 0, SCOLS_JSON_STRING, NULL, "its name" },
	{ "node", SCOLS_FL_RIGHT, SCOLS_JSON_NUMBER, NULL, "the node it has been given" },
	{ "preferred", SCOLS_FL_RIGHT, SCOLS_JSON_NUMBER, NULL, "what the scheduler has for it" },
	{ "curnode", SCOLS_FL_RIGHT, SCOLS_JSON_NUMBER, NULL, "the node where it is" },
	{ "cpu", SCOLS_FL_RIGHT, SCOLS_JSON_NUMBER, NULL, "the CPU where it is" },
	{ "home_pct", SCOLS_FL_RIGHT, SCOLS_JSON_NUMBER, NULL, "percent of its run time at home" },
	{ "moves_home", SCOLS_FL_RIGHT, SCOLS_JSON_NUMBER, NULL, "arrivals at home" },
	{ "moves_away", SCOLS_FL_RIGHT, SCOLS_JSON_NUMBER, NULL, "departures from home" },
	{ "reason", 0, SCOLS_JSON_STRING, NULL, "home, or why it is not" },
	{ "source", 0, SCOLS_JSON_STRING, NULL, "who named its node: task, cgroup or cpuset" },
	{ "balancing", 0, SCOLS_JSON_STRING, NULL, "NUMA balancing of its process" },
	{ "inherit", 0, SCOLS_JSON_STRING, NULL, "who is born with its node" },
	{ "user", 0, SCOLS_JSON_STRING, task_user_name, "its user" },
	{ "cgroup", 0, SCOLS_JSON_STRING, find_cgroup, "its cgroup" },
	{ "memory", 0, SCOLS_JSON_STRING, find_memory, "MiB of its process by node, as NODE:MIB,..." },
	/* of other tables than that of tasks */
	{ "steered", SCOLS_FL_RIGHT, SCOLS_JSON_NUMBER, NULL, NULL },
	{ "home", SCOLS_FL_RIGHT, SCOLS_JSON_NUMBER, NULL, NULL },
	{ "away", SCOLS_FL_RIGHT, SCOLS_JSON_NUMBER, NULL, NULL },
};

static const struct column *find_known(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		if (!strcasecmp(known[i].name, name))
			return &known[i];
	return NULL;
}

static char *find_cgroup(pid_t pid)
{
	char path[ROOT_TEXT];

	return task_cgroup(pid, path) ? NULL : text("%s", path);
}

static char *find_memory(pid_t pid)
{
	struct memory memory;
	char *all = NULL, *more;
	int node;

	if (memory_read(pid, &memory))
		return NULL;
	for (node = 0; node < MAX_NODES; node++) {
		if (!memory.kib[node])
			continue;
		more = text("%s%s%d:%llu", all ?: "", all ? "," : "", node, memory.kib[node] / 1024);
		free(all);
		all = more;
	}
	return all;
}

/** table_help - print the columns, for --help */
void table_help(void)
{
	size_t i;

	printf("\nAvailable columns:\n");
	for (i = 0; i < ARRAY_SIZE(known) && known[i].help; i++)
		printf(" %-10s  %s\n", known[i].name, known[i].help);
}

/* --- building ---------------------------------------------------------------------------- */

static int column_of(const struct table *table, const char *name)
{
	size_t i;

	for (i = 0; i < table->nr_names; i++)
		if (!strcasecmp(table->names[i], name))
			return i;
	return -1;
}

/** table_column - add a column; only while there is no row */
void table_column(struct table *table, const char *name)
{
	table->names = need(reallocarray(table->names, table->nr_names + 1, sizeof(char *)));
	table->names[table->nr_names++] = text("%s", name);
}

/** table_row - add an empty row; table_set() fills it */
void table_row(struct table *table)
{
	size_t cells = table->nr_rows * table->nr_names;

	table->rows = need(reallocarray(table->rows, cells + table->nr_names, sizeof(char *)));
	memset(table->rows + cells, 0, table->nr_names * sizeof(char *));
	table->nr_rows++;
}

/** table_set - set a word of the last row */
void table_set(struct table *table, const char *name, const char *fmt, ...)
{
	char **cell = &table->rows[(table->nr_rows - 1) * table->nr_names + column_of(table, name)];
	va_list args;

	free(*cell);
	va_start(args, fmt);
	if (vasprintf(cell, fmt, args) < 0)
		*cell = NULL;
	va_end(args);
	need(*cell);
}

/** table_get - a word; NULL if there is nothing, or no such column */
const char *table_get(const struct table *table, size_t row, const char *name)
{
	int column = column_of(table, name);

	return column < 0 ? NULL : table->rows[row * table->nr_names + column];
}

/** table_free - forget it */
void table_free(struct table *table)
{
	size_t i;

	for (i = 0; i < table->nr_names; i++)
		free(table->names[i]);
	for (i = 0; i < table->nr_rows * table->nr_names; i++)
		free(table->rows[i]);
	free(table->names);
	free(table->rows);
	memset(table, 0, sizeof(*table));
}

/* The module writes white space in names as \ooo. */
static void unescape(char *word)
{
	unsigned int byte;
	char *to = word;

	for (; *word; *to++ = *word++) {
		if (word[0] == '\\' && sscanf(word + 1, "%3o", &byte) == 1) {
			word += 3;
			*word = byte;
		}
	}
	*to = '\0';
}

/**
 * table_parse - read what debugfs prints
 * @table: empty
 * @f: a line of column names, then a line of words for each row; lines of other lengths are not
 * rows and are left out
 *
 * Return: 0, or -EPROTO where there is no line of names.
 */
int table_parse(struct table *table, FILE *f)
{
	char *line = NULL, *word, *state;
	size_t size = 0, nr;

	if (getline(&line, &size, f) <= 0) {
		free(line);
		return -EPROTO;
	}
	for (word = strtok_r(line, " \n", &state); word; word = strtok_r(NULL, " \n", &state))
		table_column(table, word);
	while (getline(&line, &size, f) > 0) {
		table_row(table);
		nr = 0;
		for (word = strtok_r(line, " \n", &state); word; word = strtok_r(NULL, " \n", &state)) {
			if (nr < table->nr_names) {
				unescape(word);
				table->rows[(table->nr_rows - 1) * table->nr_names + nr] = text("%s", word);
			}
			nr++;
		}
		if (nr != table->nr_names) {
			char **row = table->rows + --table->nr_rows * table->nr_names;

			for (nr = 0; nr < table->nr_names; nr++)
				free(row[nr]);
		}
	}
	free(line);
	return 0;
}

/* --- where debugfs is not readable: what prctl and /proc tell ---------------------------- */

static void add_own_thread(pid_t tid, void *data)
{
	char stat[ROOT_TEXT], *field, *end;
	struct table *table = data;
	int node, cpu = -1, i, tgid = -1;

	if (softaff_get_node(tid, &node) || node == SOFTAFF_NO_NODE)
		return;
	if (root_read(stat, "/proc/%d/stat", tid) < 0)
		return;
	end = strrchr(stat, ')');
	field = strchr(stat, '(');
	if (!end || !field)
		return;
	*end = '\0';
	table_row(table);
	table_set(table, "pid", "%d", tid);
	table_set(table, "comm", "%s", field + 1);
	table_set(table, "node", "%d", node);
	/* The CPU is the 39th field of all; the 3rd is the first behind the name. */
	for (field = end + 1, i = 3; field && i < 39; i++)
		field = strchr(field + 1, ' ');
	if (field)
		cpu = atoi(field);
	if (root_read(stat, "/proc/%d/status", tid) > 0) {
		field = strstr(stat, "\nTgid:");
		if (field)
			sscanf(field, "\nTgid: %d", &tgid);
	}
	table_set(table, "tgid", "%d", tgid);
	if (cpu >= 0) {
		table_set(table, "cpu", "%d", cpu);
		table_set(table, "curnode", "%d", cpu_node(cpu));
	}
}

static void add_own(pid_t pid, void *data)
{
	char dir[32];

	snprintf(dir, sizeof(dir), "/proc/%d/task", pid);
	for_each_pid(dir, add_own_thread, data);
}

static void own_tasks(struct table *table)
{
	static const char *const columns[] = { "pid", "tgid", "comm", "node", "curnode", "cpu" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(columns); i++)
		table_column(table, columns[i]);
	for_each_pid("/proc", add_own, table);
}

static int by_pid(const void *a, const void *b, void *data)
{
	const struct table *table = data;
	int tgid = column_of(table, "tgid"), pid = column_of(table, "pid");
	char *const *x = a, *const *y = b;
	int d = atoi(x[tgid]) - atoi(y[tgid]);

	return d ? d : atoi(x[pid]) - atoi(y[pid]);
}

/**
 * table_tasks - the tasks that have settings, by process and pid
 * @table: empty
 *
 * Where debugfs cannot be read, says so, and does with what prctl and /proc tell.
 *
 * Return: 0 or a negative errno.
 */
int table_tasks(struct table *table)
{
	FILE *f;
	int err = 0;

	if (!root_exists(SOFTAFF_SYSFS))
		return -ENOSYS;
	f = root_fopen(SOFTAFF_DEBUGFS "/tasks");
	if (f) {
		err = table_parse(table, f);
		fclose(f);
	} else {
		complain("%s: %s; showing what prctl tells, which is less", SOFTAFF_DEBUGFS "/tasks",
			 strerror(errno));
		own_tasks(table);
	}
	if (!err && (column_of(table, "pid") < 0 || column_of(table, "tgid") < 0))
		err = -EPROTO;
	if (!err && table->nr_rows)
		qsort_r(table->rows, table->nr_rows, table->nr_names * sizeof(char *), by_pid, table);
	return err;
}

/* --- counting ---------------------------------------------------------------------------- */

/** table_at_home - is the task of a row on its node? */
bool table_at_home(const struct table *tasks, size_t row)
{
	const char *node = table_get(tasks, row, "node"), *curnode = table_get(tasks, row, "curnode");

	return node && curnode && !strcmp(node, curnode);
}

/**
 * table_by_node - count tasks by the node they have been given
 * @tasks: the tasks
 * @nodes: empty; gets the columns node, steered, home and away
 */
void table_by_node(const struct table *tasks, struct table *nodes)
{
	static const char *const columns[] = { "node", "steered", "home", "away" };
	struct { unsigned int steered, home; } count[MAX_NODES] = {};
	size_t row, i;

	for (row = 0; row < tasks->nr_rows; row++) {
		int node = atoi(table_get(tasks, row, "node") ?: "-1");

		if (node < 0 || node >= MAX_NODES)
			continue;
		count[node].steered++;
		count[node].home += table_at_home(tasks, row);
	}
	for (i = 0; i < ARRAY_SIZE(columns); i++)
		table_column(nodes, columns[i]);
	for (i = 0; i < MAX_NODES; i++) {
		if (!count[i].steered)
			continue;
		table_row(nodes);
		table_set(nodes, "node", "%zu", i);
		table_set(nodes, "steered", "%u", count[i].steered);
		table_set(nodes, "home", "%u", count[i].home);
		table_set(nodes, "away", "%u", count[i].steered - count[i].home);
	}
}

/* --- printing ---------------------------------------------------------------------------- */

/* Call @act for each column that the view names. */
static void for_each_column(const struct view *view, void (*act)(const char *name, void *data),
			    void *data)
{
	bool add = view->columns && view->columns[0] == '+';
	char *names = text("%s%s%s", !view->columns || add ? view->standard : "", add ? "," : "",
			   view->columns ? view->columns + add : "");
	char *name, *state;

	for (name = strtok_r(names, ",", &state); name; name = strtok_r(NULL, ",", &state))
		act(name, data);
	free(names);
}

static void check_column(const char *name, void *data)
{
	const struct column *column = find_known(name);

	(void)data;
	if (!column || !column->help)
		usage_error("unknown column: %s", name);
}

/** table_check_columns - exit with a message where the view names a column that is none */
void table_check_columns(const struct view *view)
{
	for_each_column(view, check_column, NULL);
}

/* Upper case, as tables of util-linux have it; JSON's keys come out in lower case. */
static void new_column(struct libscols_table *out, const char *name, bool tree)
{
	const struct column *column = find_known(name);
	struct libscols_column *col;
	char title[64];
	size_t i;

	for (i = 0; i < sizeof(title) - 1 && name[i]; i++)
		title[i] = name[i] >= 'a' && name[i] <= 'z' ? name[i] - 32 : name[i];
	title[i] = '\0';
	col = need(scols_table_new_column(out, title, 0, tree ? SCOLS_FL_TREE :
					  column ? column->flags : 0));
	scols_column_set_json_type(col, column ? column->json : SCOLS_JSON_STRING);
}

struct new_columns {
	struct libscols_table *out;
	bool tree;
};

static void add_column(const char *name, void *data)
{
	struct new_columns *columns = data;

	new_column(columns->out, name, columns->tree && !strcasecmp(name, "pid"));
}

static struct libscols_table *new_output(bool json)
{
	struct libscols_table *out = need(scols_new_table());

	scols_table_set_name(out, "softaff");
	scols_table_enable_json(out, json);
	return out;
}

/* Nothing there: a dash in text, null in JSON. */
static void set_cell(struct libscols_line *line, size_t n, const char *name, const char *word,
		     bool json)
{
	const struct column *column = find_known(name);
	bool none = !word || (column && column->json == SCOLS_JSON_NUMBER && word[0] == '-');

	if (!none)
		scols_line_set_data(line, n, word);
	else if (!json)
		scols_line_set_data(line, n, "-");
}

static void fill_line(struct libscols_table *out, struct libscols_line *line,
		      const struct table *table, size_t row, bool json)
{
	struct libscols_iter *iter = need(scols_new_iter(SCOLS_ITER_FORWARD));
	struct libscols_column *col;
	size_t n = 0;

	while (!scols_table_next_column(out, iter, &col)) {
		const char *name = scols_cell_get_data(scols_column_get_header(col));
		const struct column *column = find_known(name);
		char *found = column && column->find ?
			      column->find(atoi(table_get(table, row, "pid"))) : NULL;

		set_cell(line, n++, name, found ?: table_get(table, row, name), json);
		free(found);
	}
	scols_free_iter(iter);
}

/**
 * table_print - print a table
 * @table: the rows; for a tree they have pid and tgid, and are sorted by them
 * @view: how
 */
void table_print(const struct table *table, const struct view *view)
{
	struct new_columns columns = { new_output(view->json), view->tree };
	struct libscols_line *line, *leader = NULL;
	const char *tgid, *last = "";
	size_t row;

	scols_table_enable_raw(columns.out, view->raw);
	scols_table_enable_noheadings(columns.out, view->noheadings);
	for_each_column(view, add_column, &columns);
	for (row = 0; row < table->nr_rows; row++) {
		tgid = (view->tree ? table_get(table, row, "tgid") : NULL) ?: "";
		if (strcmp(tgid, last)) {
			leader = NULL;
			last = tgid;
		}
		line = need(scols_table_new_line(columns.out, leader));
		fill_line(columns.out, line, table, row, view->json);
		if (view->tree && !leader)
			leader = line;
	}
	scols_print_table(columns.out);
	scols_unref_table(columns.out);
}

/**
 * table_print_record - print a table of one row, a line for each column
 * @table: the row
 * @json: as JSON instead
 */
void table_print_record(const struct table *table, bool json)
{
	struct libscols_table *out = new_output(json);
	struct libscols_line *line;
	size_t i;

	if (json) {
		for (i = 0; i < table->nr_names; i++)
			new_column(out, table->names[i], false);
		fill_line(out, need(scols_table_new_line(out, NULL)), table, 0, true);
	} else {
		scols_table_enable_noheadings(out, 1);
		scols_table_new_column(out, "NAME", 0, 0);
		scols_table_new_column(out, "VALUE", 0, SCOLS_FL_WRAP);
		for (i = 0; i < table->nr_names; i++) {
			line = need(scols_table_new_line(out, NULL));
			scols_line_set_data(line, 0, table->names[i]);
			set_cell(line, 1, table->names[i], table_get(table, 0, table->names[i]), false);
		}
	}
	scols_print_table(out);
	scols_unref_table(out);
}
