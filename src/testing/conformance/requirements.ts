/**
 * The requirements that a provider's cases stand for, in a sentence each: what a failure names, and what a skip refers to.
 */
export const requirements = {
  A13: 'A question of the child holds the run in running.awaitingPermission until it is answered.',
  P1: 'The child is one level deeper than its parent.',
  P10: 'A tool that the filter denies is neither shown to the child nor run by it.',
  P11: "The persona of the request is the system prompt of the child; '' is none.",
  P12: 'A run that has sendMessage steers its child; one that has resume continues it when it has settled.',
  P15: 'Children of one provider are independent of each other.',
  R4: 'The child settles once.',
  R6: 'A run has one start and then one end, and a refused one neither.',
  R7: 'A cancel reaches the child at once: the run ends aborted, and keeps what was streamed while it ran.',
  R8: 'A child that does not settle after a cancel is given up when its grace is over.',
  R9: 'At its deadline a child is cancelled, and the run ends timed-out.',
  R10: 'dispose() brings a run to its end from every state, and leaves nothing of the child.',
  R11: 'A release that fails, or does not end in its grace, is given up; dispose() says so.',
  R12: 'result resolves with a result, whatever becomes of the child; it rejects on a fault of the infrastructure alone.',
  R13: 'A child that fails at its work settles as error with a failure that has code, phase, retryable and message.',
  R14: "The result's output belongs to the caller alone.",
  R16: 'Updates are well formed, and none comes once the child has settled.',
  R18: 'start() gives a run at once; a provider that is ready later declares signalsReady and calls context.ready().',
  S6: 'Closing the service cancels what is live and leaves nothing.',
  S10: 'What the provider does not claim to honour is refused at the door.',
  S11: 'A malformed request is refused before the provider hears of it.',
  S12: 'With a signal that is aborted already no child is started.',
  S13: 'What start() throws reaches the caller untouched, and nothing is left behind.',
  S14: "The child's id is known when start() returns, and stays.",
  S21: 'A run that waits for a slot starts its child when the slot comes.',
  V3: 'The prompt of the request reaches the child.',
  V4: 'A run with an outputSchema that completes has structured, as the child gave it and as the schema has it; without it the run has failed.',
} as const

/** The id of a requirement of the contract that a case stands for, such as `R8`. */
export type CaseId = keyof typeof requirements
