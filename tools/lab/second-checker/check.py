"""A second checker of the books: it shares no code and no language with `malipo verify`. See docs/long-tests.md.
    
        python3 tools/lab/second-checker/check.py dump.sql [--books books.json] [--webhooks received.jsonl] [--silent RAIL,...]
    
    The dump is the output of `mariadb-dump --complete-insert --hex-blob` or `mysqldump`. It prints the errors, line by line,
    and ends with 1 if there are any. With `--many`, the first argument has one file's name in each line, and the answer is
    one line of JSON for each.
    """

import argparse
import json
import sys

from beside import faults_beside
from dump import tables_of
from ledger import faults_of_ledger
from outside import faults_of_providers, faults_of_webhooks
from histories import Histories


def faults_of(path, options):
    tables = tables_of(path)
    yield from faults_of_ledger(tables)
    yield from Histories(tables, options.silent.split(",")).faults()
    yield from faults_beside(tables)
    if options.books:
        with open(options.books, encoding="utf-8") as file:
            yield from faults_of_providers(tables, json.load(file))
    if options.webhooks:
        with open(options.webhooks, encoding="utf-8") as file:
            yield from faults_of_webhooks(tables, file)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("dump")
    parser.add_argument("--books")
    parser.add_argument("--webhooks")
    parser.add_argument("--many", action="store_true")
    # Their merchants poll: whether a final state has a webhook depends on the order.
    parser.add_argument("--silent", default="cardproc")
    options = parser.parse_args()
    if options.many:
        with open(options.dump, encoding="utf-8") as file:
            for path in file.read().split():
                print(json.dumps(list(faults_of(path, options))))
        return 0
    faults = list(faults_of(options.dump, options))
    for fault in faults:
        print(fault)
    print(f"{len(faults)} violations")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
