// SPDX-License-Identifier: Apache-2.0
/* The setting that was in force, and what a remedy makes of it. */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "setting/table.h"
#include "triage/in-force.h"
#include "triage/situation.h"
#include "util/strbuf.h"

/* 0, -EINVAL if torch refuses it, -ENOMEM. */
static int read_values(const struct la_in_force *force, const char *text,
		       struct la_setting_values *out)
{
	const struct la_setting_context context = {
		.release = force->release,
		.set_at = LA_SET_AT_IMPORT,
		.build = force->build,
	};
	struct la_setting *setting;
	int ret;

	ret = la_setting_parse_for(&setting, text, strlen(text), &context,
				   NULL);
	if (ret < 0)
		return ret;
	*out = *la_setting_values(setting);
	la_setting_free(setting);
	return 0;
}

static unsigned int newest_release(const struct la_facts *facts)
{
	const struct la_release *release;
	unsigned int newest = 0;
	size_t i;

	for (i = 0; (release = la_release_at(i)); i++)
		if (!facts->release[1] || release->number <= facts->release[1])
			newest = release->number;
	return newest;
}

int la_in_force_read(struct la_in_force *force, const struct la_facts *facts)
{
	int ret;

	*force = (struct la_in_force){
		.release = newest_release(facts),
		.build = LA_BUILD_CUDA,
		.text = "",
		.values = la_setting_defaults,
	};
	if (facts->backend && !strcmp(facts->backend, "hip"))
		force->build = LA_BUILD_ROCM;
	if (!force->release)
		return 0;
	if (facts->setting) {
		ret = read_values(force, facts->setting, &force->values);
		if (ret == -ENOMEM)
			return ret;
		force->known = ret == 0;
	}
	if (force->known)
		force->text = facts->setting;
	force->values.expandable_segments |= la_is_expandable(facts);
	force->values.cuda_malloc_async |= facts->kind == LA_OOM_ASYNC;
	return 0;
}

/* Bytes of the first option of a text, up to a comma outside brackets. */
static size_t item_length(const char *text)
{
	size_t i;
	int depth = 0;

	for (i = 0; text[i] && (depth > 0 || text[i] != ','); i++)
		depth += (text[i] == '[') - (text[i] == ']');
	return i;
}

/* Does an item set that option? */
static bool item_is(const char *item, size_t length, const char *option,
		    size_t n)
{
	while (length && isspace((unsigned char)*item)) {
		item++;
		length--;
	}
	return length >= n && !memcmp(item, option, n) &&
	       (length == n || item[n] == ':' ||
		isspace((unsigned char)item[n]));
}

bool la_in_force_names(const struct la_in_force *force, const char *option)
{
	const char *p = force->text;
	size_t n;

	for (; *p; p += n + (p[n] == ',')) {
		n = item_length(p);
		if (item_is(p, n, option, strlen(option)))
			return true;
	}
	return false;
}

/* Is an item replaced by a remedy's own, or removed? */
static bool item_goes(const char *item, size_t length,
		      const struct la_remedy *remedy, const char *removes)
{
	const char *own = remedy->setting ? remedy->setting : "";
	size_t n = strcspn(own, ":");

	if (n && item_is(item, length, own, n))
		return true;
	for (; removes && *removes; removes += n + (removes[n] == ' ')) {
		n = strcspn(removes, " ");
		if (item_is(item, length, removes, n))
			return true;
	}
	return false;
}

static void build(struct la_strbuf *buf, const char *text,
		  const struct la_remedy *remedy, const char *removes)
{
	size_t n;

	for (; *text; text += n + (text[n] == ',')) {
		n = item_length(text);
		if (!n || item_goes(text, n, remedy, removes))
			continue;
		if (buf->length)
			la_strbuf_add(buf, ",", 1);
		la_strbuf_add(buf, text, n);
	}
	if (remedy->setting)
		la_strbuf_addf(buf, "%s%s", buf->length ? "," : "",
			       remedy->setting);
}

bool la_in_force_same(const struct la_in_force *force, const char *a,
		      const char *b)
{
	struct la_setting_values x, y;

	return force->release && read_values(force, a, &x) == 0 &&
	       read_values(force, b, &y) == 0 && la_setting_alike(&x, &y);
}

/* On already, if not weaker than what would come. */
static bool is_on(const struct la_setting_values *now,
		  const struct la_setting_values *then, const char *option)
{
	if (!strcmp(option, "expandable_segments:True"))
		return now->expandable_segments;
	if (!strncmp(option, "max_split_size_mb", 17))
		return now->max_split_size <= then->max_split_size;
	if (!strncmp(option, "garbage_collection_threshold", 28))
		return now->garbage_collection_threshold > 0 &&
		       now->garbage_collection_threshold <=
			       then->garbage_collection_threshold;
	return false;
}

/* It would be read and do nothing, or harm. */
static bool is_inert(const struct la_in_force *force, const char *option)
{
	if (force->values.cuda_malloc_async)
		return strncmp(option, "backend", 7) != 0;
	return force->values.expandable_segments &&
	       !strncmp(option, "max_split_size_mb", 17);
}

static bool release_has(const struct la_in_force *force, const char *option)
{
	return force->release &&
	       la_option_find(force->release, option, strcspn(option, ":"));
}

static int judge(const struct la_in_force *force,
		 const struct la_remedy *remedy, const char *text, bool *on)
{
	struct la_setting_values values;
	int ret = read_values(force, text, &values);

	if (ret < 0)
		return ret == -ENOMEM ? ret : 0;
	if (remedy->setting && is_on(&force->values, &values, remedy->setting))
		*on = true;
	else if (force->known && la_setting_alike(&force->values, &values))
		*on = remedy->setting != NULL;
	else
		return 1;
	return 0;
}

int la_in_force_apply(char **out, bool *on, const struct la_in_force *force,
		      const struct la_remedy *remedy,
		      const struct la_remedy_rule *rule)
{
	struct la_strbuf buf = { 0 };
	int ret = 0;

	*on = false;
	if (remedy->setting ? !release_has(force, remedy->setting) ||
				      is_inert(force, remedy->setting) :
			      !la_in_force_names(force, rule->removes))
		return 0;
	build(&buf, force->text, remedy, rule->removes);
	ret = buf.failed ? -ENOMEM :
			   judge(force, remedy, la_strbuf_text(&buf), on);
	if (ret == 1 && !buf.data)
		la_strbuf_add(&buf, "", 0);
	if (ret == 1 && buf.failed)
		ret = -ENOMEM;
	if (ret == 1)
		*out = buf.data;
	else
		la_strbuf_release(&buf);
	return ret;
}
