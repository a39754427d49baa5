#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Strings that are nearly settings, each ended by a NUL; or compare what
parse-settings makes of them with the model in conf_parser_model.py."""
import json
import random
import sys

MB = "64 20 21 19 11 10 0 1 -1 +5 007 0x10 128MB 1e3 2147483648 99999999999 " \
     "17592186044416 18446744073709551615 18446744073709551616".split()
SHARE = "0.8 .5 0.5 1.0 0 1 -0.5 80% nan inf 1e-9 0x1p-1 1e999 1e-320 0,5".split()
BOOL = "True True False true 1 False;".split()
ROUND = "4 1 2 0 3 8 -4 [256:1,>:8] [64:4,512:2] [256:1,512:2,1024:4,>:8] " \
        "[64:4 [>:4,64:2] [3:4] [4:3] [8]4 [1=2] [] [ [64:4,] [64:0] [>:0] " \
        "[65536:2] [64:4]x [64:4,512:2".split()
THREADS = "1 8 128 256 3 0".split()
BACKEND = "native cudaMallocAsync cudamallocasync hipMallocAsync".split()
KEYS = {
    "max_split_size_mb": MB, "max_non_split_rounding_mb": MB,
    "large_segment_size_mb": MB, "garbage_collection_threshold": SHARE,
    "roundup_power2_divisions": ROUND, "roundup_bypass_threshold_mb": MB,
    "expandable_segments": BOOL, "backend": BACKEND,
    "release_lock_on_cudamalloc": BOOL, "release_lock_on_hipmalloc": BOOL,
    "pinned_use_cuda_host_register": BOOL,
    "pinned_use_hip_host_register": BOOL,
    "pinned_num_register_threads": THREADS,
    "pinned_use_background_threads": BOOL,
    "pinned_reserve_segment_size_mb": MB,
    "graph_capture_record_stream_reuse": BOOL,
    "per_process_memory_fraction": SHARE, "pinned_free_catch_all": BOOL,
    "throw_on_cudamalloc_oom": BOOL, "pinned_max_round_threshold_mb": MB,
    "pinned_max_cached_size_mb": MB, "debug": BOOL,
    "expandable_segments_reserve":
        "0.5 40G 40g 1e3 -1 0 nan inf [ [1] x 1.125 1Gx 0x1p3".split(),
    "expandable_segments_reserve_by_class":
        "[a:0.5] [a:1G,b:2] [] [ [a:1 [a] [a:] [a,b] [a=1] [a:1,] [a:x,b:1] "
        "[a:1]x [:1] [a:1:b:2] 0.5 x".split(),
}
OLD = ["max_split_size_mb", "garbage_collection_threshold",
       "roundup_power2_divisions", "expandable_segments", "backend"]
ANY = sorted({value for values in KEYS.values() for value in values})
BUILDS = {"cuda": True, "cpu": False}
MODES = {"import": "env", "init": "late", "runtime": "setter"}


def mutate(rng, text):
    for _ in range(rng.choice((0, 0, 0, 1, 2))):
        at = rng.randrange(len(text) + 1)
        new = rng.choice(",:[]> =;\t\n\"'x0Té")
        text = text[:at] + rng.choice(("", new)) + text[at + rng.randrange(2):]
    return text


def string(rng):
    parts = []
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3))):
        key = rng.choice(OLD if rng.randrange(2) else list(KEYS))
        values = KEYS[key] if rng.randrange(8) else ANY + ["", "12 8"]
        # Half of the time the one that is most likely to be right.
        value = values[0] if rng.randrange(2) else rng.choice(values)
        parts.append(key + rng.choice((":",) * 16 + ("=", ",", ": ")) + value)
    return mutate(rng, rng.choice((",",) * 9 + (";", ",,", " , ")).join(parts))


def load(folder):
    """The model, with what real releases say otherwise."""
    with open(folder + "/conf_parser_model.py", encoding="utf-8") as file:
        source = file.read()
    # 2.0.1 to 2.3.1: a list takes no 0.
    source = source.replace(
        "if v!=0 and not pow2(v): raise E('ERR','For roundups, the %s",
        "if ver in ('2.0','2.1','2.2','2.3') and not pow2(v): raise E('ERR',"
        "'For roundups, the %s has to be power of 2 '%spell)\n"
        "                    "
        "if v!=0 and not pow2(v): raise E('ERR','For roundups, the %s")
    model = {"__name__": "model"}
    exec(source, model)
    return model


def answer(model, text, release, when, build):
    """Error text or None, and the values."""
    try:
        if release in model["OPT_A"]:
            return None, model["gen_a"](text, release)
        if release in model["OPT_B"]:
            if when != "import":
                model["load_b"] = lambda _: "native"
            return None, model["gen_b"](text, release)
        return None, model["gen_c"](text, release, BUILDS[build], MODES[when])
    except model["E"] as error:
        if error.k == "UB":
            return "Error parsing CachingAllocator settings, expected ,", {}
        return error.m.replace("at import: ", ""), {}


def same_text(ours, models):
    if models.startswith("INTERNAL ASSERT "):
        return ours.endswith(models[len("INTERNAL ASSERT "):])
    return ours == models


def mebibytes(count):
    return (count << 20) & ((1 << 64) - 1)


def expected(values, release):
    """The model's values, in our units."""
    large = values.get("large_segment_size_mb", 20)
    split = values.get("max_split_size_mb")
    out = {
        "max_split_size":
            (1 << 64) - 1 if split is None else mebibytes(split),
        "max_non_split_rounding":
            mebibytes(values.get("max_non_split_rounding_mb", large)),
        "large_segment_size": mebibytes(large),
        "roundup_power2_divisions":
            values.get("roundup_power2_divisions", [0] * 16),
        "garbage_collection_threshold":
            values.get("garbage_collection_threshold", 0),
        "per_process_memory_fraction":
            values.get("per_process_memory_fraction", 1),
        "pinned_num_register_threads":
            values.get("pinned_num_register_threads", 1),
        "cuda_malloc_async": values.get("backend", "native") != "native",
    }
    if isinstance(out["roundup_power2_divisions"], int):
        out["roundup_power2_divisions"] = [out["roundup_power2_divisions"]] * 16
    if "roundup_bypass_threshold_mb" in values:
        out["roundup_bypass_threshold"] = mebibytes(
            values["roundup_bypass_threshold_mb"])
    for key in ("pinned_max_round_threshold_mb", "pinned_max_cached_size_mb"):
        if key in values:
            # 2.13.0 and 2.14.0 clamp.
            out[key[:-3]] = mebibytes(min(values[key], (1 << 44) - 1))
    for key in ("expandable_segments", "pinned_use_background_threads",
                "graph_capture_record_stream_reuse", "pinned_free_catch_all",
                "throw_on_cudamalloc_oom"):
        out[key] = values.get(key, False)
    return out


def differs(ours, error, values, release):
    if error is not None:
        return ours["error"] is None or not same_text(ours["error"], error)
    if ours["error"] is not None:
        return True
    return any(ours["settings"][key] != value
               for key, value in expected(values, release).items())


def compare(folder, strings, release, when, build):
    model = load(folder)
    different = nr = 0
    with open(strings, encoding="utf-8", newline="") as file:
        texts = file.read().split("\0")[:-1]
    for text, line in zip(texts, sys.stdin, strict=True):
        ours = json.loads(line)
        error, values = answer(model, text, release, when, build)
        nr += 1
        if differs(ours, error, values, release):
            different += 1
            if different < 10:
                print(release, when, build, ascii(text), ours, error, values)
    print(f"{release} {when} {build}: {nr} strings, {different} different")
    return different or not nr


if __name__ == "__main__":
    if sys.argv[1] == "strings":
        rng = random.Random(int(sys.argv[2]))
        for _ in range(int(sys.argv[3])):
            sys.stdout.buffer.write(string(rng).encode() + b"\0")
    else:
        sys.exit(bool(compare(*sys.argv[2:])))
