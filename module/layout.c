// SPDX-License-Identifier: GPL-2.0
/*
 * What the kernel's BTF says of private structures and prototypes.
 *
 * Types are compared as C text ("struct task_struct *"), so that a refusal can show both sides.
 */
#include <linux/seq_buf.h>	/* of which 6.1 exports only seq_buf_printf() */

#include "private.h"
#include "softaff.h"

struct softaff_layout softaff_layout;

static struct btf *btf;

static const char *type_name(const struct btf_type *t)
{
	return kernel_call(btf_name_by_offset)(btf, t->name_off);
}

/* Integers as clang names them; gcc has "long int" and "long unsigned int". */
static const char *int_name(const char *name)
{
	if (!strcmp(name, "long int"))
		return "long";
	if (!strcmp(name, "long unsigned int"))
		return "unsigned long";
	return name;
}

static bool is_modifier(const struct btf_type *t)
{
	switch (BTF_INFO_KIND(t->info)) {
	case BTF_KIND_CONST:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_TYPE_TAG:
		return true;
	default:
		return false;
	}
}

/* Write the type @id as C text, without qualifiers; they do not change a layout or an ABI. */
static void type_text(struct seq_buf *s, u32 id)
{
	const struct btf_type *t;
	unsigned int stars = 0;

	for (; id; id = t->type) {
		t = btf_type_by_id(btf, id);
		if (!t)
			break;
		if (BTF_INFO_KIND(t->info) == BTF_KIND_PTR) {
			stars++;
			continue;
		}
		if (is_modifier(t))
			continue;
		switch (BTF_INFO_KIND(t->info)) {
		case BTF_KIND_STRUCT:
			seq_buf_printf(s, "struct ");
			break;
		case BTF_KIND_UNION:
			seq_buf_printf(s, "union ");
			break;
		case BTF_KIND_FWD:
			seq_buf_printf(s, BTF_INFO_KFLAG(t->info) ? "union " : "struct ");
			break;
		case BTF_KIND_ENUM:
			seq_buf_printf(s, "enum ");
			break;
		}
		seq_buf_printf(s, "%s", int_name(type_name(t)));
		break;
	}
	if (!id)
		seq_buf_printf(s, "void");
	if (stars)
		seq_buf_printf(s, " ");
	while (stars--)
		seq_buf_printf(s, "*");
}

static void prototype_text(struct seq_buf *s, const struct btf_type *proto)
{
	const struct btf_param *args = (const struct btf_param *)(proto + 1);
	unsigned int i, nr = BTF_INFO_VLEN(proto->info);

	type_text(s, proto->type);
	seq_buf_printf(s, " (");
	for (i = 0; i < nr; i++) {
		if (i)
			seq_buf_printf(s, ", ");
		type_text(s, args[i].type);
	}
	seq_buf_printf(s, nr ? ")" : "void)");
}

static void text_init(struct seq_buf *s, char *buf, size_t size)
{
	memset(buf, 0, size);		/* seq_buf leaves no terminator */
	seq_buf_init(s, buf, size - 1);
}

/**
 * softaff_prototype - the prototype of a kernel function, as text
 * @func: the function's name
 * @text: where to store it: "int (struct task_struct *, int)"
 * @size: room there
 *
 * Context: may sleep; after softaff_layout_init().
 * Return: 0, or -ENOENT where the kernel's BTF does not know the function.
 */
int softaff_prototype(const char *func, char *text, size_t size)
{
	const struct btf_type *t;
	struct seq_buf s;
	s32 id;

	id = kernel_call(btf_find_by_name_kind)(btf, func, BTF_KIND_FUNC);
	t = id > 0 ? btf_type_by_id(btf, id) : NULL;
	if (t)
		t = btf_type_by_id(btf, t->type);
	if (!t)
		return -ENOENT;
	text_init(&s, text, size);
	prototype_text(&s, t);
	return 0;
}

/**
 * softaff_prototype_refuse - say why a function does not fit
 * @func: the function's name
 * @expected: the prototype that would have fitted
 *
 * Return: -ENOEXEC.
 */
int softaff_prototype_refuse(const char *func, const char *expected)
{
	char text[160];

	if (softaff_prototype(func, text, sizeof(text)))
		return softaff_refuse(-ENOEXEC, "the kernel's BTF has no prototype of %s()", func);
	return softaff_refuse(-ENOEXEC, "%s() is '%s' in this kernel, expected '%s'",
			      func, text, expected);
}

/*
 * Find @member in the structure or union @t, in unnamed ones inside it too. Returns its type id
 * and adds its offset in bits to *@bits, or 0.
 */
static u32 find_member(const struct btf_type *t, const char *member, u32 *bits)
{
	const struct btf_member *m = (const struct btf_member *)(t + 1);
	bool bitfields = BTF_INFO_KFLAG(t->info);
	unsigned int i;

	for (i = 0; i < BTF_INFO_VLEN(t->info); i++, m++) {
		const char *name = kernel_call(btf_name_by_offset)(btf, m->name_off);
		u32 at = bitfields ? BTF_MEMBER_BIT_OFFSET(m->offset) : m->offset;
		const struct btf_type *inner;
		u32 id;

		if (name && *name) {
			if (strcmp(name, member))
				continue;
			if (bitfields && BTF_MEMBER_BITFIELD_SIZE(m->offset))
				return 0;
			*bits += at;
			return m->type;
		}
		inner = btf_type_by_id(btf, m->type);
		if (!inner || (BTF_INFO_KIND(inner->info) != BTF_KIND_STRUCT &&
			       BTF_INFO_KIND(inner->info) != BTF_KIND_UNION))
			continue;
		id = find_member(inner, member, bits);
		if (id) {
			*bits += at;
			return id;
		}
	}
	return 0;
}

static const struct btf_type *find_struct(const char *name)
{
	s32 id = kernel_call(btf_find_by_name_kind)(btf, name, BTF_KIND_STRUCT);

	return id > 0 ? btf_type_by_id(btf, id) : NULL;
}

/* The fields that are read or written; of several names for one @where the first found counts. */
static const struct {
	const char *structure;
	const char *member;
	const char *type;
	u32 *where;
} fields[] = {
	{ "lb_env", "src_rq", "struct rq *", &softaff_layout.env_src_rq },
	{ "lb_env", "dst_cpu", "int", &softaff_layout.env_dst_cpu },
	{ "rq", "cfs", "struct cfs_rq", &softaff_layout.rq_cfs },
	{ "rq", "curr", "struct task_struct *", &softaff_layout.rq_curr },
	{ "rq", "stop", "struct task_struct *", &softaff_layout.rq_stop },
	{ "rq", "numa_migrate_on", "unsigned int", &softaff_layout.rq_numa_migrate_on },
	{ "cfs_rq", "avg", "struct sched_avg", &softaff_layout.cfs_avg },
	{ "cfs_rq", "h_nr_runnable", "unsigned int", &softaff_layout.cfs_h_nr },
	{ "cfs_rq", "h_nr_queued", "unsigned int", &softaff_layout.cfs_h_nr },
	{ "cfs_rq", "h_nr_running", "unsigned int", &softaff_layout.cfs_h_nr },
};

static int find_field(unsigned int i)
{
	const struct btf_type *t = find_struct(fields[i].structure);
	struct seq_buf s;
	char text[64];
	u32 bits = 0, id;

	id = t ? find_member(t, fields[i].member, &bits) : 0;
	if (!id)
		return -ENOENT;
	text_init(&s, text, sizeof(text));
	type_text(&s, id);
	if (strcmp(text, fields[i].type) || bits % 8)
		return softaff_refuse(-ENOEXEC,
				      "struct %s has '%s' as its %s in this kernel, expected '%s'",
				      fields[i].structure, text, fields[i].member, fields[i].type);
	*fields[i].where = bits / 8;
	return 0;
}

#define SOFTAFF_CALL_PROTOTYPE(name, proto) { #name, proto },
static const struct {
	const char *name;
	const char *prototype;
} calls[] = { SOFTAFF_KERNEL_CALLS(SOFTAFF_CALL_PROTOTYPE) };

/**
 * softaff_layout_init - read the private layouts, check the functions that the module calls
 *
 * Context: may sleep; after softaff_symbols_init().
 * Return: 0, -ENOEXEC or -ENOENT with a line in the log that names the field or function.
 */
int softaff_layout_init(void)
{
	unsigned int i, j;
	char text[160];
	int err;

	btf = kernel_call(bpf_get_btf_vmlinux)();
	if (IS_ERR_OR_NULL(btf))
		return softaff_refuse(-ENOENT, "this kernel has no BTF (CONFIG_DEBUG_INFO_BTF)");

	for (i = 0; i < ARRAY_SIZE(fields); i = j) {
		err = -ENOENT;
		for (j = i; j < ARRAY_SIZE(fields) && fields[j].where == fields[i].where; j++)
			if (err == -ENOENT)
				err = find_field(j);
		if (err == -ENOENT)
			return softaff_refuse(err, "struct %s has no %s in this kernel",
					      fields[i].structure, fields[i].member);
		if (err)
			return err;
	}

	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		if (!calls[i].prototype)
			continue;
		if (softaff_prototype(calls[i].name, text, sizeof(text)) ||
		    strcmp(text, calls[i].prototype))
			return softaff_prototype_refuse(calls[i].name, calls[i].prototype);
	}
	return 0;
}
