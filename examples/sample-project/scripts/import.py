"""Reads a CSV of books from stdin and prints the store's JSON."""

import csv
import json
import sys


def books(rows):
    for row in rows:
        # TODO: check the ISBN's last digit.
        yield {"isbn": row["isbn"], "title": row["title"].strip(), "copies": int(row["copies"] or 1)}


# FIXME: a file that is not UTF-8 stops the import half way.
print(json.dumps({"books": list(books(csv.DictReader(sys.stdin))), "loans": []}, indent=2))
