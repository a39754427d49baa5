// SPDX-License-Identifier: Apache-2.0
/* Long random programs on the heap and the obvious model: few sizes, so that
 * equal blocks abound, and as many frees as requests once it is full. */

#include <check.h>
#include <stdlib.h>

#include "support/duel.h"
#include "support/stage.h"

enum { OPS = 3000, SIZES = 5, FULL = 300 };

static uint64_t state;

static uint64_t draw(uint64_t below)
{
	state = state * 6364136223846793005 + 1442695040888963407;
	return (state >> 33) % below;
}

/* An edge of the rules, with its neighbours; or any size up to 64 MiB. */
static uint64_t draw_size(const struct la_setting_values *setting)
{
	static const uint64_t edges[] = { 1024, MIB, 9 * MIB, 10 * MIB,
					  19 * MIB, 20 * MIB };
	uint64_t kind = draw(ARRAY_SIZE(edges) + 4);

	if (kind < ARRAY_SIZE(edges))
		return edges[kind] + draw(3) * 512 - 512 + draw(2);
	if (kind == ARRAY_SIZE(edges) && setting->max_split_size != UINT64_MAX)
		return setting->max_split_size + draw(3) * MIB - MIB;
	return 1 + draw(64 * MIB >> draw(17));
}

static struct duel_config draw_config(void)
{
	struct duel_config config = {
		.setting = default_setting(),
		.cap = draw(3) ? (20 + draw(300)) * MIB : UINT64_MAX,
		.card = draw(3) ? UINT64_MAX : (20 + draw(300)) * MIB,
		.layout = (enum la_layout)draw(LA_LAYOUT_COUNT),
	};
	struct la_setting_values *setting = &config.setting;
	uint64_t divisions = draw(2) ? 1u << draw(6) : 0, i;

	if (draw(2))
		setting->max_split_size = (20 + draw(40)) * MIB;
	if (!draw(3))
		setting->max_non_split_rounding = (1 + draw(60)) * MIB;
	if (draw(3))
		setting->garbage_collection_threshold =
			(double)(1 + draw(98)) / 100;
	for (i = 0; i < LA_ROUNDUP_SLOTS; i++)
		setting->roundup_power2_divisions[i] = divisions;
	return config;
}

START_TEST(test_random_program)
{
	struct duel_config config;
	uint64_t size[SIZES];
	struct duel *d;
	int i;

	state = (uint64_t)_i;
	config = draw_config();
	for (i = 0; i < SIZES; i++)
		size[i] = draw_size(&config.setting);
	d = duel_new(&config);
	for (i = 0; i < OPS; i++) {
		uint64_t kind = draw(100);

		if (kind < 1)
			duel_empty_cache(d);
		else if (kind < 10)
			duel_free_request(d, draw(FULL));
		else if (kind < 18)
			duel_free_complete(d, draw(FULL));
		else if (kind < 60 && d->nr_live < FULL)
			duel_alloc(d, draw(4) ? size[draw(SIZES)] :
						draw_size(&config.setting),
				   draw(5) / 3 * 0x10);
		else
			duel_release(d, draw(FULL));
	}
	duel_free(d);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("heap-model");
	TCase *tc = tcase_create("model");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_loop_test(tc, test_random_program, 0, 200);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
