// SPDX-License-Identifier: Apache-2.0
/* allocctl triage: what the driver's level of a probe's file tells. */


#include "cmd.h"
#include "print.h"
#include "triage.h"

/* The last OOM of a device; false: there is none. */
static bool last_oom(const struct la_probe *probe, unsigned int device,
		     size_t *index)
{
	const struct la_probe_oom *oom = la_probe_ooms(probe, index);

	while (*index > 0) {
		--*index;
		if (oom[*index].device == device &&
		    la_probe_oom_failed(&oom[*index]))
			return true;
	}
	return false;
}

/* Do recorded facts speak of what the allocator reported there? */
static bool is_same(const struct la_facts *recorded,
		    const struct la_facts *driver)
{
	const struct la_amount *one = &recorded->amount[LA_AMOUNT_REQUEST];
	const struct la_amount *other = &driver->amount[LA_AMOUNT_REQUEST];

	return recorded->recorded && recorded->device == driver->device &&
	       driver->kind == LA_OOM_CACHING &&
	       (one->basis == LA_BASIS_NONE || one->low == other->low);
}

/* Facts become a part of those of the recording, or an OOM of their own. */
static int add_facts(struct triage *triage, struct la_facts *facts,
		     const char *path, size_t first)
{
	size_t i;
	int code;

	for (i = first; i < triage->count; i++) {
		if (!is_same(&triage->oom[i].facts, facts))
			continue;
		code = la_facts_merge(&triage->oom[i].facts, facts, NULL);
		la_facts_release(facts);
		return code < 0 ? print_no_memory() : STATUS_DONE;
	}
	if (!triage_add_message(triage, facts, NULL)) {
		la_facts_release(facts);
		return print_no_memory();
	}
	triage->oom[triage->count - 1].probe = path;
	return STATUS_DONE;
}

int triage_add_probe(struct triage *triage, const struct la_probe *probe,
		     const char *path, size_t first)
{
	unsigned int count = la_probe_header(probe)->device_count, i;
	uint64_t wanted = triage->request->device;
	int status = STATUS_DONE;
	struct la_facts facts;
	size_t index;

	if (!triage->source_count ||
	    triage->source[triage->source_count - 1]->path != path)
		triage->probes++;
	for (i = 0; i < count && status == STATUS_DONE; i++) {
		if ((wanted != SOURCE_MAIN_DEVICE && wanted != i) ||
		    !last_oom(probe, i, &index))
			continue;
		if (la_facts_of_probe(&facts, probe, index, NULL) < 0)
			return print_no_memory();
		status = add_facts(triage, &facts, path, first);
	}
	return status;
}
