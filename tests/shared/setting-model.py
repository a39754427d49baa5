#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Strings that are nearly settings, as JSON; or compare allocctl's answers
with the model in conf_parser_model.py of the given folder."""
import json
import random
import sys

KEYS = ("max_split_size_mb max_non_split_rounding_mb large_segment_size_mb "
        "garbage_collection_threshold roundup_power2_divisions "
        "expandable_segments pinned_use_background_threads backend "
        "release_lock_on_cudamalloc release_lock_on_hipmalloc "
        "pinned_use_cuda_host_register pinned_use_hip_host_register "
        "pinned_num_register_threads pinned_reserve_segment_size_mb "
        "graph_capture_record_stream_reuse per_process_memory_fraction "
        "debug throw_on_cudamalloc_oom").split()
VALUES = ("64 20 19 0 -1 128MB 1e3 +5 007 0x10 18446744073709551615 "
          "18446744073709551616 17592186044416 0.8 1.0 .5 80% nan inf 1e-9 "
          "0x1p-1 1e999 True False true native cudaMallocAsync [] [256:1,>:8] "
          "[64:4,512:2] [64:4 [>:4,64:2] [3:4] [4:3] [8]4 [1=2] a").split() + ["", "12 8"]


def mutate(rng, text):
    for _ in range(rng.choice((0, 0, 1, 2))):
        at = rng.randrange(len(text) + 1)
        new = rng.choice(",:[]> =;\t\n\"'x0Té")
        text = text[:at] + rng.choice(("", new)) + text[at + rng.randrange(2):]
    return text


def string(rng):
    parts = []
    for _ in range(rng.choice((1, 1, 2, 2, 3))):
        parts.append(rng.choice(KEYS) + rng.choice((":",) * 8 + ("=", ",", ": "))
                     + rng.choice(VALUES))
    return mutate(rng, rng.choice((",",) * 6 + (";", ",,", " , ")).join(parts))


def model_answer(model, text, mode):
    try:
        return True, model.gen_c(text, "2.11", mode=mode), None
    except model.E as error:
        # A broken assumption: the model leaves out file and line.
        return False, None, error.m.replace("at import: ", "")


def same_text(ours, models):
    if models.startswith("INTERNAL ASSERT "):
        return ours.endswith(models[len("INTERNAL ASSERT "):])
    return ours == models


def same_values(ours, models):
    size = models.get("max_split_size_mb")
    size = -1 if size is None else (size << 20) - (1 << 64 if size >> 43 else 0)
    return (ours["max_split_size"] == size
            and ours["roundup_power2_divisions"]
            == models.get("roundup_power2_divisions", [0] * 16)
            and ours["garbage_collection_threshold"]
            == models.get("garbage_collection_threshold", 0)
            and ours["per_process_memory_fraction"]
            == models.get("per_process_memory_fraction", 1)
            and ours["large_segment_size"]
            == models.get("large_segment_size_mb", 20) << 20
            and ours["expandable_segments"]
            == models.get("expandable_segments", False)
            and ours["pinned_num_register_threads"]
            == models.get("pinned_num_register_threads", 1))


def compare(folder, strings, answers):
    sys.path.insert(0, folder)
    import conf_parser_model as model
    modes = {"import": "env", "init": "late", "runtime": "setter"}
    different = nr = 0
    with open(strings, encoding="utf-8") as s, open(answers, encoding="utf-8") as a:
        for text, answer in zip(s, a):
            text, answer = json.loads(text), json.loads(answer)
            ok, values, error = model_answer(model, text,
                                             modes[answer["set_at"]])
            nr += 1
            if answer["accepted"] == ok and (
                    same_values(answer["settings"], values) if ok
                    else same_text(answer["error"], error)):
                continue
            different += 1
            print(ascii(text), answer, ok, values, error)
    print(f"{nr} strings, {different} different")
    return different or not nr


if __name__ == "__main__":
    if sys.argv[1] == "strings":
        rng = random.Random(int(sys.argv[2]))
        for _ in range(int(sys.argv[3])):
            print(json.dumps(string(rng)))
    else:
        sys.exit(bool(compare(*sys.argv[2:])))
