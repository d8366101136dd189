"""
    Schemathesis loads this: it gives half of the generated requests valid ids, codes and keys, which exist only in this run and
    are in no description; and it counts each answer.
    
    MALIPO_FUZZ_WORLD names a file with `keys`, `fits` (valid requests, by operation) and `pools` (current rows), which is
    rewritten during the run. MALIPO_FUZZ_COUNTS names the file of the counts.
    """

import atexit
import itertools
import json
import os
import random
import threading
import zlib

import schemathesis

world_path = os.environ["MALIPO_FUZZ_WORLD"]
world_seen = 0.0
world = {}
counts: dict[str, dict[str, int]] = {}
lock = threading.Lock()
numbers = itertools.count()
run_name = os.urandom(3).hex()
example_key = "01890a5d-ac96-774b-bcce-b302099a8057"


def current_world():
    global world, world_seen
    with lock:
        changed = os.stat(world_path).st_mtime
        if changed != world_seen:
            with open(world_path, encoding="utf8") as file:
                world = json.load(file)
            world_seen = changed
        return world


def filled(value, chance, rows):
    """Replaces texts such as `§momo.id` by that field of a row of the pool; one request uses one row of each."""
    if isinstance(value, dict):
        return {name: filled(one, chance, rows) for name, one in value.items()}
    if isinstance(value, list):
        return [filled(one, chance, rows) for one in value]
    if not isinstance(value, str) or not value.startswith("§"):
        return value
    pool, _, field = value[1:].partition(".")
    if pool == "fresh":
        return f"F-{run_name}-{next(numbers)}"
    there = current_world()["pools"].get(pool) or [{}]
    if pool not in rows:
        rows[pool] = chance.choice(there)
    return rows[pool].get(field) or "0199f0f0-0000-7000-8000-000000000000"


def mixed(made, fit, chance, is_whole):
    """A valid request with one generated field."""
    if is_whole or not isinstance(made, dict) or not made:
        return fit
    name = chance.choice(sorted(made, key=str))
    return {**fit, name: made[name]}


@schemathesis.hook
def before_call(context, case, kwargs):
    chance = random.Random(zlib.crc32(repr((case.method, case.path, case.query, case.path_parameters, case.body)).encode()))
    # A new address each time, because one address may make only a few errors per minute.
    case.headers["X-Forwarded-For"] = ".".join(str(chance.randrange(1, 250)) for _ in range(4))
    # The description's example is one key for all requests: only the first of them would succeed.
    if case.headers.get("Idempotency-Key") == example_key and chance.random() < 0.9:
        case.headers["Idempotency-Key"] = f"key-{run_name}-{next(numbers)}"
    now = current_world()
    if isinstance(case.body, dict) and "api_key" in case.body and chance.random() < 0.9:
        case.body = {name: value for name, value in case.body.items() if name not in ("api_key", "api_secret")}
    fit = now["fits"].get(f"{case.method.upper()} {case.path}")
    turn = chance.random()
    if fit is None or turn < 0.45:
        return
    is_whole = turn > 0.75
    fit = filled(fit, chance, {})
    if case.path_parameters and fit["path"] and chance.random() < 0.9:
        case.path_parameters = {**case.path_parameters, **fit["path"]}
    if fit["query"] or case.query:
        case.query = mixed(case.query, fit["query"], chance, is_whole)
    if fit["body"] is not None:
        case.body = mixed(case.body, fit["body"], chance, is_whole)
        case.media_type = "application/json"


def common(status, code):
    """Answers that every operation gives, whatever it does."""
    return status in (401, 405, 413, 415, 429) or code in ("INVALID_JSON", "INVALID_QUERY")


@schemathesis.hook
def after_call(context, case, response):
    status = response.status_code
    code = ""
    if status >= 400:
        try:
            code = str(response.json().get("code", ""))
        except Exception:
            pass
    if status < 400:
        kind = f"{status // 100}xx"
    elif status >= 500:
        kind = "5xx"
    else:
        kind = "other 4xx" if common(status, code) else "own 4xx"
    mode = "negative" if case.meta is not None and case.meta.generation.mode.is_negative else "positive"
    with lock:
        of_one = counts.setdefault(f"{case.operation.method.upper()} {case.operation.path}", {})
        for name in (kind, mode, f"{status} {code}".strip()):
            of_one[name] = of_one.get(name, 0) + 1


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Wallet checkout answers 400 to requests without keys, by its specification."""
    is_wallet = case.path.startswith("/api/v1/walletpay/")
    return not (is_wallet and "without authentication" in failure.title and "`400 " in failure.message)


@atexit.register
def write_counts():
    with open(os.environ["MALIPO_FUZZ_COUNTS"], "w", encoding="utf8") as file:
        json.dump(counts, file)
