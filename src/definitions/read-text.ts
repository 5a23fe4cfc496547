/** A definition's file as text: bounded, UTF-8, with `\n` as the end of a line. */
import { open } from 'node:fs/promises'
import { codeOf } from './find-files.ts'
import type { FileFindings } from './findings.ts'

/** In bytes. What people write has some thousand. */
const mostBytes = 256 * 1024

/** `undefined` for a file that cannot be used; the problem has been told. */
export async function readText(path: string, { problem }: FileFindings): Promise<string | undefined> {
  let bytes
  try {
    bytes = await readBounded(path)
  } catch (error) {
    problem(1, `the file cannot be read (${codeOf(error)}).`)
    return undefined
  }
  if (bytes.length > mostBytes) {
    problem(1, `the file has more than ${mostBytes / 1024} KiB, which is too much for an agent definition.`)
    return undefined
  }
  // A decoder of this kind leaves a byte order mark out.
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    return decoder.decode(bytes).replace(/\r\n?/g, '\n')
  } catch {
    problem(lineOfFault(bytes), 'the file is not UTF-8. Save it as UTF-8.')
    return undefined
  }
}

/** One byte more than allowed at most, whatever the file's size was said to be. */
async function readBounded(path: string): Promise<Buffer> {
  const file = await open(path, 'r')
  try {
    const buffer = Buffer.alloc(mostBytes + 1)
    let length = 0
    for (;;) {
      const { bytesRead } = await file.read(buffer, length, buffer.length - length)
      length += bytesRead
      if (bytesRead === 0 || length === buffer.length) return buffer.subarray(0, length)
    }
  } finally {
    await file.close()
  }
}

function lineOfFault(bytes: Buffer): number {
  for (let line = 1, start = 0; ; line++) {
    const end = bytes.indexOf(0x0a, start)
    try {
      new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(start, end === -1 ? bytes.length : end))
    } catch {
      return line
    }
    if (end === -1) return line
    start = end + 1
  }
}
