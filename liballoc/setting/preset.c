// SPDX-License-Identifier: Apache-2.0
#include <liballoc/setting.h>

#include "util/util.h"

static const struct la_preset presets[] = {
#include "presets.inc"
};

static const struct la_preset_replay replays[] = {
#include "replays.inc"
};

LA_EXPORT const struct la_preset *la_preset_at(size_t index)
{
	return index < ARRAY_SIZE(presets) ? &presets[index] : NULL;
}

LA_EXPORT const struct la_preset_replay *la_preset_replay_at(size_t index)
{
	return index < ARRAY_SIZE(replays) ? &replays[index] : NULL;
}
