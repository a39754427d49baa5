// SPDX-License-Identifier: Apache-2.0
/*
 * A snapshot as torch dumps it, in protocol 4.  Keys, frames, lists of frames
 * and ids of pools are written once and then taken from the memo, as torch's
 * objects are shared; nothing else goes into the memo.
 */
#include <errno.h>
#include <stdlib.h>

#include "trace/opcode.h"
#include "trace/output.h"
#include "trace/recording.h"

enum { BATCH = 1000 }; /* items between MARK and APPENDS */

/* Keys that the reader does not know. */
enum { WORD_ALLOCATED_SIZE = LA_NAME_COUNT, WORD_ACTIVE_SIZE, WORD_COUNT };

/* Arrays have the place in the memo + 1; 0: not written yet. */
struct pickle {
	const struct la_recording *recording;
	struct la_output *out;
	uint32_t memo_count;
	uint32_t words[WORD_COUNT];
	uint32_t *texts, *frames, *stacks, *pools; /* by number */
};

static void put_op(struct pickle *p, enum la_opcode op)
{
	la_output_byte(p->out, (uint8_t)op);
}

/* The opcode and `size` bytes of the value. */
static void put_operand(struct pickle *p, enum la_opcode op, uint64_t value,
			size_t size)
{
	uint8_t bytes[9] = { (uint8_t)op };
	size_t i;

	for (i = 0; i < size; i++, value >>= 8)
		bytes[i + 1] = (uint8_t)value;
	la_output_put(p->out, bytes, size + 1);
}

/* Two's complement of `size` bytes. */
static void put_long(struct pickle *p, uint64_t value, size_t size,
		     uint8_t sign)
{
	put_operand(p, LA_OP_LONG1, size, 1);
	while (size--) {
		la_output_byte(p->out, value ? (uint8_t)value : sign);
		value >>= 8;
	}
}

static void put_uint(struct pickle *p, uint64_t value)
{
	size_t size = 4;

	if (value <= UINT8_MAX) {
		put_operand(p, LA_OP_BININT1, value, 1);
	} else if (value <= UINT16_MAX) {
		put_operand(p, LA_OP_BININT2, value, 2);
	} else if (value <= INT32_MAX) {
		put_operand(p, LA_OP_BININT, value, 4);
	} else {
		while (size < 8 && value >> (8 * size - 1))
			size++;
		put_long(p, value, size + (size == 8 && value >> 63), 0);
	}
}

static void put_bool(struct pickle *p, bool value)
{
	put_op(p, value ? LA_OP_NEWTRUE : LA_OP_NEWFALSE);
}

static void put_string(struct pickle *p, const char *text)
{
	size_t size = strlen(text);

	if (size <= UINT8_MAX)
		put_operand(p, LA_OP_SHORT_BINUNICODE, size, 1);
	else
		put_operand(p, LA_OP_BINUNICODE, size, 4);
	la_output_put(p->out, text, size);
}

/* Take it from the memo; false if it is not there. */
static bool put_again(struct pickle *p, uint32_t place)
{
	if (!place)
		return false;
	if (place - 1 <= UINT8_MAX)
		put_operand(p, LA_OP_BINGET, place - 1, 1);
	else
		put_operand(p, LA_OP_LONG_BINGET, place - 1, 4);
	return true;
}

static void memoize(struct pickle *p, uint32_t *place)
{
	put_op(p, LA_OP_MEMOIZE);
	*place = ++p->memo_count;
}

static void put_word(struct pickle *p, unsigned int word)
{
	static const char *const others[] = { "allocated_size", "active_size" };

	if (put_again(p, p->words[word]))
		return;
	put_string(p, word < LA_NAME_COUNT ? la_names[word] :
					     others[word - LA_NAME_COUNT]);
	memoize(p, &p->words[word]);
}

/* `number` is the text's + 1; 0, for one that is unknown, becomes "". */
static void put_text(struct pickle *p, uint32_t number)
{
	if (!number) {
		put_word(p, LA_NAME_EMPTY);
		return;
	}
	if (put_again(p, p->texts[number - 1]))
		return;
	put_string(p, la_chunk(&p->recording->stacks.texts, number - 1));
	memoize(p, &p->texts[number - 1]);
}

static void put_member(struct pickle *p, unsigned int word, uint64_t value)
{
	put_word(p, word);
	put_uint(p, value);
}

static void begin_dict(struct pickle *p)
{
	put_op(p, LA_OP_EMPTY_DICT);
	put_op(p, LA_OP_MARK);
}

static void end_dict(struct pickle *p)
{
	put_op(p, LA_OP_SETITEMS);
}

/* Before and after item i of a list. */

static void begin_item(struct pickle *p, size_t i)
{
	if (i % BATCH == 0)
		put_op(p, LA_OP_MARK);
}

static void end_item(struct pickle *p, size_t i, size_t count)
{
	if (i % BATCH == BATCH - 1 || i + 1 == count)
		put_op(p, LA_OP_APPENDS);
}

static void put_frame(struct pickle *p, uint32_t frame)
{
	const struct la_frame_parts *parts =
		la_chunk(&p->recording->stacks.frames, frame);

	if (put_again(p, p->frames[frame]))
		return;
	put_op(p, LA_OP_EMPTY_DICT);
	memoize(p, &p->frames[frame]);
	put_op(p, LA_OP_MARK);
	put_word(p, LA_NAME_FUNCTION);
	put_text(p, parts->function);
	put_word(p, LA_NAME_FILE);
	put_text(p, parts->file);
	put_member(p, LA_NAME_LINE, parts->line);
	end_dict(p);
}

/* The member `frames`, if there is a stack. */
static void put_stack(struct pickle *p, uint32_t stack)
{
	const uint32_t *frames;
	size_t count, i;

	if (!stack)
		return;
	put_word(p, LA_NAME_FRAMES);
	if (put_again(p, p->stacks[stack]))
		return;
	put_op(p, LA_OP_EMPTY_LIST);
	memoize(p, &p->stacks[stack]);
	count = la_recording_stack(p->recording, stack, &frames);
	for (i = 0; i < count; i++) {
		begin_item(p, i);
		put_frame(p, frames[i]);
		end_item(p, i, count);
	}
}

static void put_pair(struct pickle *p, const uint64_t pair[2])
{
	put_uint(p, pair[0]);
	put_uint(p, pair[1]);
	put_op(p, LA_OP_TUPLE2);
}

static void put_pool(struct pickle *p, uint16_t pool)
{
	uint64_t id[2];

	put_word(p, LA_NAME_POOL_ID);
	if (put_again(p, p->pools[pool]))
		return;
	la_recording_pool(p->recording, pool, id);
	put_pair(p, id);
	memoize(p, &p->pools[pool]);
}

/* The first release that has user_metadata in each event; what it says is not
 * kept. */
enum { WITH_METADATA = 2 << 8 | 10 };

/* Of an unknown release a snapshot has it; without it it would look old. */
static bool has_metadata(const struct la_recording *recording)
{
	return recording->releases[recording->probe] >= WITH_METADATA;
}

static void put_event(struct pickle *p, const struct la_recorded_device *device,
		      size_t i)
{
	const struct la_event *event = &device->events[i];

	begin_dict(p);
	put_word(p, LA_NAME_ACTION);
	put_word(p, LA_NAME_ALLOC + event->action);
	put_member(p,
		   event->action == LA_OOM ? LA_NAME_DEVICE_FREE : LA_NAME_ADDR,
		   event->addr);
	put_member(p, LA_NAME_SIZE, event->size);
	put_member(p, LA_NAME_STREAM,
		   la_recording_stream(p->recording, event->stream));
	if (event->time_us)
		put_member(p, LA_NAME_TIME_US, event->time_us);
	if (has_metadata(p->recording)) {
		put_word(p, LA_NAME_USER_METADATA);
		put_word(p, LA_NAME_EMPTY);
	}
	if (device->has_pool_ids)
		put_pool(p, event->pool);
	if (device->event_stacks)
		put_stack(p, device->event_stacks[i]);
	end_dict(p);
}

static void put_traces(struct pickle *p)
{
	unsigned int count = p->recording->device_count, d;
	size_t i;

	put_word(p, LA_NAME_DEVICE_TRACES);
	put_op(p, LA_OP_EMPTY_LIST);
	for (d = 0; d < count; d++) {
		const struct la_recorded_device *device =
			la_recording_device(p->recording, d);

		begin_item(p, d);
		put_op(p, LA_OP_EMPTY_LIST);
		for (i = 0; i < device->event_count; i++) {
			begin_item(p, i);
			put_event(p, device, i);
			end_item(p, i, device->event_count);
		}
		end_item(p, d, count);
	}
}

static bool has(const struct pickle *p, enum la_role role, unsigned int slot)
{
	return p->recording->fields[role] & 1u << slot;
}

static void put_block(struct pickle *p, const struct la_recorded_block *block,
		      uint64_t addr)
{
	begin_dict(p);
	if (has(p, LA_ROLE_BLOCK, LA_BLOCK_ADDRESS))
		put_member(p, LA_NAME_ADDRESS, addr);
	put_member(p, LA_NAME_SIZE, block->size);
	if (has(p, LA_ROLE_BLOCK, LA_BLOCK_REQUESTED))
		put_member(p, LA_NAME_REQUESTED_SIZE, block->requested);
	put_word(p, LA_NAME_STATE);
	put_word(p, LA_NAME_INACTIVE + block->state);
	put_stack(p, block->stack);
	end_dict(p);
}

/* The sums over the blocks, as torch has them. */
static void put_sums(struct pickle *p, const struct la_recorded_block *blocks,
		     size_t count)
{
	uint64_t allocated = 0, active = 0, requested = 0;
	size_t i;

	for (i = 0; i < count; i++) {
		if (blocks[i].state == LA_RECORDED_FREE)
			continue;
		active += blocks[i].size;
		requested += blocks[i].requested;
		if (blocks[i].state == LA_RECORDED_LIVE)
			allocated += blocks[i].size;
	}
	put_member(p, WORD_ALLOCATED_SIZE, allocated);
	put_member(p, WORD_ACTIVE_SIZE, active);
	if (has(p, LA_ROLE_BLOCK, LA_BLOCK_REQUESTED))
		put_member(p, LA_NAME_REQUESTED_SIZE, requested);
}

static void put_segment(struct pickle *p, unsigned int device,
			const struct la_recorded_segment *segment,
			const struct la_recorded_block *blocks)
{
	uint64_t addr = segment->addr;
	size_t i;

	begin_dict(p);
	put_member(p, LA_NAME_DEVICE, device);
	put_member(p, LA_NAME_ADDRESS, addr);
	put_member(p, LA_NAME_TOTAL_SIZE, segment->size);
	put_sums(p, blocks, segment->block_count);
	put_member(p, LA_NAME_STREAM,
		   la_recording_stream(p->recording, segment->stream));
	put_word(p, LA_NAME_SEGMENT_TYPE);
	put_word(p, segment->small ? LA_NAME_SMALL : LA_NAME_LARGE);
	if (has(p, LA_ROLE_SEGMENT, LA_SEGMENT_POOL)) {
		put_word(p, LA_NAME_SEGMENT_POOL_ID);
		put_pair(p, segment->pool);
	}
	if (has(p, LA_ROLE_SEGMENT, LA_SEGMENT_EXPANDABLE)) {
		put_word(p, LA_NAME_IS_EXPANDABLE);
		put_bool(p, segment->expandable);
	}
	put_stack(p, segment->stack);
	put_word(p, LA_NAME_BLOCKS);
	put_op(p, LA_OP_EMPTY_LIST);
	for (i = 0; i < segment->block_count; i++) {
		begin_item(p, i);
		put_block(p, &blocks[i], addr);
		end_item(p, i, segment->block_count);
		addr += blocks[i].size;
	}
	end_dict(p);
}

static void put_segments(struct pickle *p)
{
	unsigned int d;
	size_t i, count;

	put_word(p, LA_NAME_SEGMENTS);
	put_op(p, LA_OP_EMPTY_LIST);
	for (d = 0; d < p->recording->device_count; d++) {
		const struct la_recorded_device *device =
			la_recording_device(p->recording, d);

		count = device->segment_count;
		for (i = 0; i < count; i++) {
			begin_item(p, i);
			put_segment(p, d, &device->segments[i],
				    device->blocks +
					    device->segments[i].first_block);
			end_item(p, i, count);
		}
	}
}

static void put_scalar(struct pickle *p, const struct la_member *member)
{
	switch (member->type) {
	case LA_VALUE_BOOL:
		put_bool(p, member->u);
		break;
	case LA_VALUE_INTEGER:
		put_uint(p, member->u);
		break;
	case LA_VALUE_NEGATIVE:
		put_long(p, member->u, 8, 0xff);
		break;
	case LA_VALUE_FLOAT:
		put_operand(p, LA_OP_BINFLOAT, __builtin_bswap64(member->u), 8);
		break;
	case LA_VALUE_STRING:
		put_text(p, (uint32_t)member->u);
		break;
	default:
		put_op(p, LA_OP_NONE);
	}
}

/* The members of a group, from the first on; 0: those of none. */
static void put_group(struct pickle *p, uint32_t group)
{
	const struct la_members *set = &p->recording->members;
	size_t i;

	put_op(p, LA_OP_EMPTY_DICT);
	for (i = 0; i < set->count; i++) {
		if (set->members[i].group != group)
			continue;
		put_text(p, set->members[i].key);
		put_scalar(p, &set->members[i]);
		put_op(p, LA_OP_SETITEM);
	}
}

static void put_settings(struct pickle *p)
{
	const struct la_members *set = &p->recording->members;
	size_t i;

	if (!p->recording->has_settings)
		return;
	put_word(p, LA_NAME_ALLOCATOR_SETTINGS);
	put_group(p, 0);
	for (i = 0; i < set->group_count; i++) {
		if (!set->groups[i])
			continue;
		put_text(p, set->groups[i]);
		put_group(p, (uint32_t)i + 1);
		put_op(p, LA_OP_SETITEM);
	}
}

static void put_annotations(struct pickle *p)
{
	const struct la_recording *r = p->recording;
	size_t i;

	if (!r->has_annotations)
		return;
	put_word(p, LA_NAME_EXTERNAL_ANNOTATIONS);
	put_op(p, LA_OP_EMPTY_LIST);
	for (i = 0; i < r->annotation_count; i++) {
		const struct la_annotation *annotation = &r->annotations[i];

		begin_item(p, i);
		begin_dict(p);
		put_word(p, LA_NAME_FUNCTION);
		put_string(p, annotation->name);
		put_word(p, LA_NAME_STAGE);
		put_word(p, annotation->is_end ? LA_NAME_END : LA_NAME_START);
		put_member(p, LA_NAME_DEVICE, annotation->device);
		put_member(p, LA_NAME_TIME_US, annotation->time_us);
		end_dict(p);
		end_item(p, i, r->annotation_count);
	}
}

static bool make_room(struct pickle *p)
{
	const struct la_recording *r = p->recording;

	p->texts = calloc(r->stacks.texts.count + 1, sizeof(*p->texts));
	p->frames = calloc(r->stacks.frames.count + 1, sizeof(*p->frames));
	p->stacks = calloc(la_recording_stack_count(r), sizeof(*p->stacks));
	p->pools = calloc(r->pool_count, sizeof(*p->pools));
	return p->texts && p->frames && p->stacks && p->pools;
}

int la_write_pickle(const struct la_recording *recording, struct la_output *out)
{
	struct pickle p = { .recording = recording, .out = out };
	int err = -ENOMEM;

	if (make_room(&p)) {
		put_operand(&p, LA_OP_PROTO, 4, 1);
		begin_dict(&p);
		put_segments(&p);
		put_traces(&p);
		put_settings(&p);
		put_annotations(&p);
		end_dict(&p);
		put_op(&p, LA_OP_STOP);
		err = 0;
	}
	free(p.texts);
	free(p.frames);
	free(p.stacks);
	free(p.pools);
	return err;
}
