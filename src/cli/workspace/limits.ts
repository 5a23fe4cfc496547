/** Bounds of the workspace tools (C4). What a bound cuts is said in the result's `notes`. */
export interface WorkspaceLimits {
  /** Files and folders looked at by one call. @default 20000 */
  readonly entries: number
  /** Folder levels below the root. @default 40 */
  readonly depth: number
  /** Paths shown by list_files. @default 500 */
  readonly listed: number
  /** Bytes above which a file is huge: neither read nor searched. @default 2097152 */
  readonly fileBytes: number
  /** Lines given by one read_file. @default 2000 */
  readonly lines: number
  /** Characters of text given by one read_file. @default 65536 */
  readonly characters: number
  /** Characters of one line that are read and searched. @default 2000 */
  readonly lineCharacters: number
  /** Matches shown by search_files; all are counted. @default 200 */
  readonly matches: number
  /** Characters shown of a line that matches. @default 240 */
  readonly matchCharacters: number
  /** Bytes read by one search. @default 67108864 */
  readonly searchBytes: number
  /** Milliseconds of computing that a regular expression may take on one file. @default 500 */
  readonly fileMs: number
  /** Milliseconds of computing that matching may take in one search. @default 5000 */
  readonly searchMs: number
}

export const defaultLimits: WorkspaceLimits = {
  entries: 20_000,
  depth: 40,
  listed: 500,
  fileBytes: 2 * 1024 * 1024,
  lines: 2000,
  characters: 65_536,
  lineCharacters: 2000,
  matches: 200,
  matchCharacters: 240,
  searchBytes: 64 * 1024 * 1024,
  fileMs: 500,
  searchMs: 5000,
}
