const weeks = 3

/** Three weeks from `date`, as YYYY-MM-DD. */
export function dueDate(date) {
  // FIXME: near midnight the UTC date is a day off; use the library's time zone.
  const due = new Date(date)
  due.setDate(due.getDate() + weeks * 7)
  // TODO: move a due date on a Sunday to the Monday after it.
  return due.toISOString().slice(0, 10)
}
