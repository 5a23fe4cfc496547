import { describe, expect, it } from 'vitest'
import { parseTaskkill, taskkillArguments } from '../../src/processes/windows.ts'

describe('a family on Windows', () => {
  it('A26: the output of taskkill on Windows is read, in any language, as data: it was not run there', () => {
    const english = [
      'SUCCESS: The process with PID 4380 (child process of PID 4112) has been terminated.',
      'SUCCESS: The process with PID 4112 (child process of PID 996) has been terminated.',
      '',
    ].join('\r\n')
    const german = 'ERFOLGREICH: Der Prozess mit PID 4380 (untergeordneter Prozess von PID 4112) wurde beendet.\r\n'
    expect([
      parseTaskkill(english, 4112),
      parseTaskkill(german, 4112),
      parseTaskkill('ERROR: The process "4112" not found.', 4112),
    ]).toEqual([[4380], [4380], []])
    expect(taskkillArguments(4112)).toEqual(['/PID', '4112', '/T', '/F'])
  })
})
