import { chmod, mkdir, symlink } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { expect, it } from 'vitest'
import { findAgents } from '../../../../src/cli/models/found/agents-on-path.ts'
import { temporaryFolder } from '../../workspace/temporary-folder.ts'

it('C3: agents are programs on PATH, the first of each name, those that can be used before the others; nothing else is taken for one', async () => {
  const first = await temporaryFolder({ claude: '', opencode: '', other: '' })
  const second = await temporaryFolder({ codex: '', opencode: '', claude: '' })
  // Not a program, a folder, a link into nothing.
  await chmod(join(first, 'opencode'), 0o755)
  await chmod(join(second, 'opencode'), 0o755)
  await chmod(join(second, 'claude'), 0o755)
  await mkdir(join(first, 'gemini'))
  await symlink('/nowhere/at/all', join(first, 'qwen'))
  await symlink(join(second, 'claude'), join(second, 'copilot'))
  const PATH = ['', '.', first, '/nowhere/at/all', second, first].join(delimiter)
  expect(await findAgents({ PATH })).toEqual([
    { name: 'copilot', path: join(second, 'copilot') },
    { name: 'opencode', path: join(first, 'opencode') },
    // Its own program speaks no ACP.
    { name: 'claude', path: join(second, 'claude'), needs: 'claude-agent-acp' },
  ])
  expect(await findAgents({})).toEqual([])
})
