/* SPDX-License-Identifier: Apache-2.0 */
/* The opcodes of pickles that hold data alone, and the operands of most. */
#ifndef LA_TRACE_OPCODE_H
#define LA_TRACE_OPCODE_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum la_opcode {
	LA_OP_MARK = '(',
	LA_OP_STOP = '.',
	LA_OP_BINFLOAT = 'G',
	LA_OP_BININT = 'J',
	LA_OP_BININT1 = 'K',
	LA_OP_BININT2 = 'M',
	LA_OP_NONE = 'N',
	LA_OP_BINSTRING = 'T',
	LA_OP_SHORT_BINSTRING = 'U',
	LA_OP_BINUNICODE = 'X',
	LA_OP_APPEND = 'a',
	LA_OP_APPENDS = 'e',
	LA_OP_BINGET = 'h',
	LA_OP_LONG_BINGET = 'j',
	LA_OP_BINPUT = 'q',
	LA_OP_LONG_BINPUT = 'r',
	LA_OP_SETITEM = 's',
	LA_OP_SETITEMS = 'u',
	LA_OP_BINBYTES = 'B',
	LA_OP_SHORT_BINBYTES = 'C',
	LA_OP_TUPLE = 't',
	LA_OP_EMPTY_TUPLE = ')',
	LA_OP_EMPTY_LIST = ']',
	LA_OP_EMPTY_DICT = '}',
	LA_OP_PROTO = 0x80,
	LA_OP_TUPLE1 = 0x85,
	LA_OP_TUPLE2 = 0x86,
	LA_OP_TUPLE3 = 0x87,
	LA_OP_NEWTRUE = 0x88,
	LA_OP_NEWFALSE = 0x89,
	LA_OP_LONG1 = 0x8a,
	LA_OP_LONG4 = 0x8b,
	LA_OP_SHORT_BINUNICODE = 0x8c,
	LA_OP_BINUNICODE8 = 0x8d,
	LA_OP_BINBYTES8 = 0x8e,
	LA_OP_EMPTY_SET = 0x8f,
	LA_OP_ADDITEMS = 0x90,
	LA_OP_FROZENSET = 0x91,
	LA_OP_MEMOIZE = 0x94,
	LA_OP_FRAME = 0x95,
};

/* Bytes from p on that the functions below may look at. */
enum { LA_OPCODE_REACH = 16 };

/* The eight bytes at p, as a number. */
static inline uint64_t la_opcode_bytes(const uint8_t *p)
{
	uint64_t bytes;

	memcpy(&bytes, p, sizeof(bytes));
	return le64toh(bytes);
}

/* The `size` bytes at p, 1 to 8, as a number; eight of them are looked at. */
static inline uint64_t la_opcode_operand(const uint8_t *p, unsigned int size)
{
	return la_opcode_bytes(p) & UINT64_MAX >> (64 - 8 * size);
}

/* The number that is not negative of the opcode at p: its length, or 0. */
static inline size_t la_opcode_number(const uint8_t *p, uint64_t *number)
{
	static const uint8_t sizes[256] = {
		[LA_OP_BININT1] = 1,
		[LA_OP_BININT2] = 2,
		[LA_OP_BININT] = 4,
	};
	unsigned int size = sizes[*p];

	if (size) {
		*number = la_opcode_operand(p + 1, size);
		return *number >> 31 ? 0 : 1 + size;
	}
	size = p[1];
	if (*p != LA_OP_LONG1 || size - 1 > 7 || p[1 + size] & 0x80)
		return 0;
	*number = la_opcode_operand(p + 2, size);
	return 2 + size;
}

/* The index that the opcode at p takes from the memo: its length, or 0. */
static inline size_t la_opcode_get(const uint8_t *p, uint64_t *index)
{
	uint64_t operand = la_opcode_operand(p + 1, 4);
	bool large = *p == LA_OP_LONG_BINGET;

	if (*p != LA_OP_BINGET && !large)
		return 0;
	*index = large ? operand : operand & 0xff;
	return large ? 5 : 2;
}

#endif /* LA_TRACE_OPCODE_H */
