import { describe, expect, it } from 'vitest'
import { createBench } from './harness.ts'
import { eventually, isAlive, processesWith, zombies } from './system.ts'

const graces = { eofGraceMs: 60, termGraceMs: 120 }
/** Long enough for a program to go when it is asked to, on a machine that is busy. */
const patient = { eofGraceMs: 10_000, termGraceMs: 10_000 }

describe('the ladder', () => {
  it('A19: a child that ignores the end of its stdin is sent SIGTERM', async () => {
    const bench = createBench()
    const child = bench.launch('ignores-eof', [], { ...patient, eofGraceMs: 60 })
    await child.ready()
    expect(await child.close()).toEqual({ exit: { code: null, signal: 'SIGTERM' }, by: 'term', others: 0, left: [] })
    expect(child.output()).toContain('eof')
    await bench.expectNothingLeft(child.pid)
  })

  it('A19: a child that ignores SIGTERM as well is killed', async () => {
    const bench = createBench()
    const child = bench.launch('ignores-sigterm', [], graces)
    await child.ready()
    expect(await child.close()).toEqual({ exit: { code: null, signal: 'SIGKILL' }, by: 'kill', others: 0, left: [] })
    expect(child.output()).toContain('no')
    await bench.expectNothingLeft(child.pid)
  })

  it('A19: a stopped child is killed too', async () => {
    const bench = createBench()
    const child = bench.launch('echo', [], graces)
    await child.ready()
    process.kill(child.pid!, 'SIGSTOP')
    expect(await child.close()).toMatchObject({ by: 'kill', left: [] })
    await bench.expectNothingLeft(child.pid)
  })

  for (const [words, what] of [
    [[], 'in a session of its own'],
    [['bare'], 'in a session of its own and without an environment'],
    [['bare', 'stubborn'], 'in a session of its own, without an environment, which ignores SIGTERM'],
  ] as const) {
    it(`A19: a grandchild ${what} goes with a child that ends at end-of-file`, async () => {
      const bench = createBench()
      const child = bench.launch('own-session', words, { eofGraceMs: 10_000, termGraceMs: 200 })
      const [, grandchild] = await child.ready()
      expect(isAlive(grandchild!)).toBe(true)
      expect(await child.close()).toMatchObject({ exit: { code: 0 }, by: 'eof', left: [] })
      await bench.expectNothingLeft(child.pid, grandchild)
    })
  }

  it('A19, A20: a daemon that has left its group, its session and its parent is found by its mark', async () => {
    const bench = createBench()
    const child = bench.launch('daemon', [], patient)
    const [, daemon] = await child.ready()
    expect(isAlive(daemon!)).toBe(true)
    expect(await child.close()).toEqual({
      exit: { code: 0, signal: null },
      by: 'eof',
      others: expect.toSatisfy((count: number) => count > 0),
      left: [],
    })
    await bench.expectNothingLeft(child.pid, daemon)
  })

  it('A20: what a child leaves behind that ends by itself goes at once, before anybody closes it', async () => {
    const bench = createBench()
    const child = bench.launch('daemon', ['ends'], patient)
    const [, daemon] = await child.ready()
    expect(await child.exited).toEqual({ code: 3, signal: null })
    await eventually(() => !isAlive(daemon!))
    expect(await child.close()).toMatchObject({ by: 'itself', others: expect.toSatisfy((count: number) => count > 0), left: [] })
    await bench.expectNothingLeft(child.pid, daemon)
  })

  it('A19, A20: a wrapper that dies while its program holds stdout: the end is told, the program goes', async () => {
    const bench = createBench()
    const child = bench.launch('wrapper', [], patient)
    const [, program] = await child.ready()
    await child.write('die\n')
    expect(await child.exited).toEqual({ code: null, signal: 'SIGKILL' })
    expect(await child.close()).toMatchObject({ by: 'itself', others: expect.toSatisfy((count: number) => count > 0), left: [] })
    await bench.expectNothingLeft(child.pid, program)
  })

  it('A19: the end is told within its wait also while a program that ignores SIGTERM holds stdout', async () => {
    const bench = createBench()
    const script = `trap '' TERM; echo ready $$; (while :; do sleep 1; done) & exec 1>&- 2>&-; exit 5`
    const child = bench.launch({ command: '/bin/sh', args: ['-c', script] }, [], { termGraceMs: 3000 })
    const startedAt = performance.now()
    expect(await child.exited).toEqual({ code: 5, signal: null })
    expect(performance.now() - startedAt).toBeLessThan(2500)
    expect(processesWith(bench.tag).length).toBeGreaterThan(0)
    expect(await child.close()).toMatchObject({ by: 'itself', left: [] })
    await bench.expectNothingLeft(child.pid)
  })

  it('A19, A20: children that are replaced when they are killed go all the same, their replacements with them', async () => {
    const bench = createBench()
    const child = bench.launch('hydra', [], graces)
    await child.ready()
    await eventually(() => processesWith(bench.tag).length > 8)
    const report = await child.close()
    expect(report).toMatchObject({ by: 'kill', left: [] })
    expect(report.others).toBeGreaterThan(7)
    await bench.expectNothingLeft(child.pid)
  })

  it('A20: killNow has killed the child and what left its group before it returns', async () => {
    const bench = createBench()
    const child = bench.launch('own-session', ['stubborn'])
    const [, grandchild] = await child.ready()
    child.killNow()
    // They are dead without a turn of the event loop; only the system takes its moment.
    const until = performance.now() + 5000
    while ((isAlive(child.pid!) || isAlive(grandchild!)) && performance.now() < until);
    expect([isAlive(child.pid!), isAlive(grandchild!)]).toEqual([false, false])
    expect(await child.close()).toMatchObject({ exit: { signal: 'SIGKILL' }, left: [] })
    expect(zombies()).toEqual([])
    await bench.expectNothingLeft(child.pid, grandchild)
  })

  it('A19: a child of a child that marks its own is found by the mark of the outer one', async () => {
    const bench = createBench()
    const child = bench.launch('nested', [], patient)
    const [, , daemon] = await child.ready()
    expect(isAlive(daemon!)).toBe(true)
    await child.close()
    await bench.expectNothingLeft(child.pid, daemon)
  })

  it('A19: an obedient child is closed without any fixed wait', async () => {
    const bench = createBench()
    const times: number[] = []
    for (let i = 0; i < 20; i++) {
      const child = bench.launch({ command: 'cat' })
      await child.write('ready\n')
      await eventually(() => child.output() === 'ready\n')
      const startedAt = performance.now()
      await child.close()
      times.push(performance.now() - startedAt)
    }
    // Of many the quickest: the others are those of a busy machine.
    expect(Math.min(...times)).toBeLessThan(50)
    await bench.expectNothingLeft()
  })
})
