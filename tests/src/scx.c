// SPDX-License-Identifier: GPL-2.0
/*
 * scx: a sched_ext scheduler without a line of its own, for as long as this runs. The kernel's
 * defaults schedule, and every ordinary task is of its class meanwhile.
 *
 *	scx ready
 */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* BPF_F_LINK and BPF_STRUCT_OPS, which the headers of 6.1 have not got */
#define MAP_LINK		(1U << 13)
#define ATTACH_STRUCT_OPS	44

/* The offset in bytes of a member of a struct, and its type. */
static unsigned int member(const struct btf *btf, int id, const char *name, int *type)
{
	const struct btf_type *t = btf__type_by_id(btf, id);
	const struct btf_member *m = btf_members(t);
	int i;

	for (i = 0; i < btf_vlen(t); i++, m++) {
		if (strcmp(btf__name_by_offset(btf, m->name_off), name))
			continue;
		if (type)
			*type = btf__resolve_size(btf, m->type) < 0 ? 0 : (int)m->type;
		return btf_member_bit_offset(t, i) / 8;
	}
	errx(1, "no member %s", name);
}

int main(void)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts);
	struct btf *own, *btf = btf__load_vmlinux_btf();
	int id, ops, size, fd, key = 0;
	unsigned int data;
	char *value;

	if (!btf)
		err(4, "no BTF");
	id = btf__find_by_name_kind(btf, "bpf_struct_ops_sched_ext_ops", BTF_KIND_STRUCT);
	if (id < 0)
		errx(4, "this kernel has no sched_ext");
	size = btf__resolve_size(btf, id);
	data = member(btf, id, "data", &ops);
	value = calloc(1, size);
	if (!value)
		err(1, "calloc");
	strcpy(value + data + member(btf, ops, "name", NULL), "nothing");

	/* The kernel wants types of our own too, whatever they are. */
	own = btf__new_empty();
	if (!own || btf__add_int(own, "int", 4, BTF_INT_SIGNED) < 0 || btf__load_into_kernel(own))
		err(1, "BTF");
	opts.btf_fd = btf__fd(own);
	opts.map_flags = MAP_LINK;	/* it goes with us */
	opts.btf_vmlinux_value_type_id = id;
	fd = bpf_map_create(BPF_MAP_TYPE_STRUCT_OPS, "nothing", sizeof(key), size, 1, &opts);
	if (fd < 0)
		err(1, "bpf_map_create");
	if (bpf_map_update_elem(fd, &key, value, 0))
		err(1, "bpf_map_update_elem");
	if (bpf_link_create(fd, 0, ATTACH_STRUCT_OPS, NULL) < 0)
		err(1, "bpf_link_create");
	puts("scx ready");
	fflush(stdout);
	pause();
	return 0;
}
