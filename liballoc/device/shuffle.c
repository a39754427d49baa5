// SPDX-License-Identifier: Apache-2.0
/* Mersenne Twister MT19937, seeded by an array of one word, and a shuffle.
 * M. Matsumoto, T. Nishimura, ACM TOMACS 8 (1998), and mt19937ar (2002). */

#include "device/shuffle.h"

enum { WORDS = 624, SHIFT = 397 };

struct twister {
	uint32_t word[WORDS];
	int at; /* next word to be given out; WORDS: none is left */
};

static void seed_by_word(struct twister *mt, uint32_t seed)
{
	int i;

	mt->word[0] = seed;
	for (i = 1; i < WORDS; i++)
		mt->word[i] = 1812433253u * (mt->word[i - 1] ^
					     mt->word[i - 1] >> 30) +
			      (uint32_t)i;
}

/* One step of the two mixing rounds of array seeding. */
static int mix(struct twister *mt, int i, uint32_t factor, uint32_t add)
{
	uint32_t before = mt->word[i - 1];

	mt->word[i] = (mt->word[i] ^ (before ^ before >> 30) * factor) + add;
	if (++i < WORDS)
		return i;
	mt->word[0] = mt->word[WORDS - 1];
	return 1;
}

static void seed_by_array(struct twister *mt, uint32_t key)
{
	int i = 1, k;

	seed_by_word(mt, 19650218);
	for (k = 0; k < WORDS; k++)
		i = mix(mt, i, 1664525, key);
	for (k = 1; k < WORDS; k++)
		i = mix(mt, i, 1566083941, (uint32_t)-i);
	mt->word[0] = 0x80000000;
	mt->at = WORDS;
}

static void refill(struct twister *mt)
{
	int i;

	for (i = 0; i < WORDS; i++) {
		uint32_t y = (mt->word[i] & 0x80000000) |
			     (mt->word[(i + 1) % WORDS] & 0x7fffffff);

		mt->word[i] = mt->word[(i + SHIFT) % WORDS] ^ y >> 1 ^
			      (y & 1 ? 0x9908b0df : 0);
	}
	mt->at = 0;
}

static uint32_t next_word(struct twister *mt)
{
	uint32_t y;

	if (mt->at == WORDS)
		refill(mt);
	y = mt->word[mt->at++];
	y ^= y >> 11;
	y ^= y << 7 & 0x9d2c5680;
	y ^= y << 15 & 0xefc60000;
	return y ^ y >> 18;
}

/* A number from 0 to n - 1. */
static uint32_t below(struct twister *mt, uint32_t n)
{
	unsigned int bits = 32 - (unsigned int)__builtin_clz(n);
	uint32_t drawn;

	do
		drawn = next_word(mt) >> (32 - bits);
	while (drawn >= n);
	return drawn;
}

void la_shuffle(uint16_t order[SHUFFLE_COUNT], uint32_t seed)
{
	uint16_t left[SHUFFLE_COUNT];
	struct twister mt;
	uint32_t i;

	seed_by_array(&mt, seed);
	for (i = 0; i < SHUFFLE_COUNT; i++)
		left[i] = (uint16_t)i;
	for (i = 0; i < SHUFFLE_COUNT; i++) {
		uint32_t drawn = below(&mt, SHUFFLE_COUNT - i);

		order[i] = left[drawn];
		left[drawn] = left[SHUFFLE_COUNT - i - 1];
	}
}
