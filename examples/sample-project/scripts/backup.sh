#!/bin/sh
# Keeps a copy of the store for each day of the week.
set -eu

cp "${BOOKSHELF_DATA:-bookshelf.json}" "backup-$(date +%u).json"
