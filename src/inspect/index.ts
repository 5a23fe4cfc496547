/**
 * What a service does, as a journal to be read, recorded, replayed and shown. Needs Node;
 * `statelyInspector` needs `@statelyai/inspect` as well.
 *
 * @module xstate-subagents/inspect
 */
export { createJournal } from './journal.ts'
export type { Journal, JournalOptions } from './journal.ts'
export type { LabelOption } from './actors.ts'
export type { ReadOptions } from './log.ts'
export { recordJournal } from './record.ts'
export type { Recording, RecordJournalOptions } from './record.ts'
export { readJournal } from './read.ts'
export type { RecordedJournal } from './read.ts'
export { applyEntry, emptyJournalState, journalStateAt, stateName } from './state.ts'
export type { JournalActor, JournalRun, JournalState, PathStep } from './state.ts'
export type { Table } from './table.ts'
export { openInspectPage } from './page/open.ts'
export type { InspectPage, InspectPageOptions } from './page/open.ts'
export { createPermissionDesk } from './page/permissions.ts'
export type { PagePermissions, PendingPermission, PermissionDesk } from './page/permissions.ts'
export { statelyInspector } from './stately/inspector.ts'
export type { StatelyInspector, StatelyInspectorOptions } from './stately/inspector.ts'
export type {
  ActorKind,
  ActorStatus,
  Chart,
  ChartState,
  ChartTransition,
  JournalEntry,
  JournalEntryOf,
  JournalEntryType,
  JournalFailure,
  JournalUpdate,
  StateValue,
} from './entries.ts'
