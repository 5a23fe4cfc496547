/** One piece of work as many, for `compare`. */

/** One after another. */
export const inTurn = (work) => async (count) => {
  for (let n = 0; n < count; n++) await work()
}

/** All at the same time. */
export const atOnce = (work) => (count) => Promise.all(Array.from({ length: count }, () => work()))
