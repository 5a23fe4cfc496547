/** A run in short: what it waits for, why it failed, where its time went, what it used and gave. */
import type { ComponentChildren } from 'preact'
import { errorCodes, failureCodes } from '../../../../errors.ts'
import { stateName } from '../../../state.ts'
import type { JournalRun } from '../../../state.ts'
import { failedBelow, waitOf } from '../model/doing.ts'
import { count, duration, plural, timeOfDay } from '../model/format.ts'
import { phases, spansOf, timeByPhase } from '../model/spans.ts'
import { isOver, nameOf, standingOf } from '../model/standing.ts'
import { timeByTool, updateLines } from '../model/updates.ts'
import { history, select, shownCount, state, until, zero } from '../store.ts'
import { Questions } from './permission.tsx'
import { Sign } from './sign.tsx'

export function Overview({ run }: { readonly run: JournalRun }) {
  const { actors, content } = state.value
  const actor = actors.get(run.actor)
  const over = isOver(standingOf(run, actor))
  const spans = actor ? spansOf(actor, until.value) : []
  const usage = Object.entries(run.usage ?? {}).filter(([, tokens]) => tokens !== undefined)
  return (
    <div class="overview">
      <Questions run={run} />
      <Failure run={run} />
      <Waiting run={run} />
      <section>
        <h3>Run</h3>
        <dl>
          <Fact name="State">{stateName(actor?.value) || (actor?.status ?? 'not known')}</Fact>
          <Fact name="Provider">{run.provider}</Fact>
          {run.agent !== undefined && run.agent !== run.runId && (
            <Fact name="Agent">
              <code>{run.agent}</code>
            </Fact>
          )}
          <Fact name="Run id">
            <code>{run.runId}</code>
          </Fact>
          <Fact name="Asked for at">
            <time>{timeOfDay(run.since)}</time> <span class="muted">{duration(run.since - zero.value)} in</span>
          </Fact>
          <Fact name={over ? 'Took' : 'So far'}>
            {duration(run.durationMs ?? (over ? (actor?.endedAt ?? until.value) : until.value) - run.since)}
            {run.timeoutMs !== undefined && <span class="muted"> of {duration(run.timeoutMs)} that it has</span>}
          </Fact>
          {actor?.last && (
            <Fact name="Last event">
              <code>{actor.last.event}</code> <span class="muted">{duration(actor.last.at - zero.value)} in</span>
            </Fact>
          )}
        </dl>
      </section>
      <section>
        <h3>Where the time went</h3>
        <Bars items={timeByPhase(spans).map(([phase, ms]) => ({ name: phases[phase], class: `is-${phase}`, ms }))} />
        <Tools run={run} />
      </section>
      {run.childRuns.length > 0 && <Children run={run} />}
      <section>
        <h3>Used</h3>
        {usage.length === 0 ? (
          <p class="muted">{over ? 'It said nothing of what it used.' : 'Nothing yet that it told of.'}</p>
        ) : (
          <dl>
            {usage.map(([name, tokens]) => (
              <Fact key={name} name={usageWords[name] ?? name}>
                {count(tokens as number)} <span class="muted">tokens</span>
              </Fact>
            ))}
          </dl>
        )}
      </section>
      <section>
        <h3>Result</h3>
        {!over ? (
          <p class="muted">Not there yet.</p>
        ) : run.output && run.output.length > 0 ? (
          run.output.map((block, index) => (
            <pre key={index} class="text">
              {block.type === 'text' ? block.text : `[${block.type}]`}
            </pre>
          ))
        ) : (
          <p class="muted">
            {run.stopReason === undefined
              ? 'It was not started.'
              : content
                ? `It ended with ${run.stopReason} and gave nothing.`
                : `It ended with ${run.stopReason}. What it said is not told: this journal is one without content.`}
          </p>
        )}
      </section>
    </div>
  )
}

const usageWords: Readonly<Record<string, string>> = {
  inputTokens: 'In',
  outputTokens: 'Out',
  totalTokens: 'In all',
  reasoningTokens: 'Thinking',
  cachedInputTokens: 'From a cache',
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  )
}

function Failure({ run }: { readonly run: JournalRun }) {
  const code = run.failure?.code ?? run.refused
  const below = failedBelow(run, state.value)
  const standing = standingOf(run, state.value.actors.get(run.actor))
  if (code === undefined && !(standing === 'failed' && below.length > 0)) return null
  const known: Readonly<Record<string, string>> = { ...failureCodes, ...errorCodes }
  const text = code === undefined ? undefined : known[code]
  return (
    <section class="failure">
      <h3>
        <Sign standing={run.refused === undefined ? 'failed' : 'rejected'} />
        {run.refused === undefined ? 'Why it failed' : 'Why it was not started'}
      </h3>
      {code !== undefined && (
        <p>
          <code>{code}</code>
          {run.failure?.phase !== undefined && <span class="muted"> while {run.failure.phase}</span>}
          {run.failure?.retryable && <span class="muted"> · may go well when it is tried again</span>}
        </p>
      )}
      {run.failure?.message !== undefined && <pre class="text">{run.failure.message}</pre>}
      {text !== undefined && <p>{toldOf(text)}</p>}
      {below.length > 0 && (
        <>
          <p class="muted">Below it failed:</p>
          <RunLinks runs={below} />
        </>
      )}
    </section>
  )
}

function Waiting({ run }: { readonly run: JournalRun }) {
  const wait = waitOf(run, state.value)
  const above = run.parentRun === undefined ? undefined : state.value.runs.get(run.parentRun)
  const awaited = above && !isOver(standingOf(run, state.value.actors.get(run.actor))) ? above : undefined
  if ((!wait || wait.for === 'you') && !awaited) return null
  return (
    <section>
      <h3>Who waits for whom</h3>
      {wait?.for === 'slot' && <p>It waits for a slot: as many runs as may are running.</p>}
      {wait?.for === 'child' && <p>It was told to stop and waits for its child to do so.</p>}
      {wait?.for === 'tool' && (
        <p>
          It waits for its tool <code>{wait.name}</code>, since {duration(until.value - wait.since)}.
        </p>
      )}
      {wait?.for === 'runs' && (
        <>
          <p>It waits for {plural(wait.runs.length, 'run')}:</p>
          <RunLinks runs={wait.runs} />
        </>
      )}
      {awaited && (
        <>
          <p>Waits for it:</p>
          <RunLinks runs={[awaited]} />
        </>
      )}
    </section>
  )
}

/** Of the words that stand beside a code for whoever writes programs, those that tell of a run. */
function toldOf(text: string): string {
  const told = text
    .replace(/^Failure of a run whose /, 'Its ')
    .replace(/^Thrown by [^:]+: /, '')
    .replaceAll('`', '')
  return told[0]!.toUpperCase() + told.slice(1)
}

const mostLinks = 50

export function RunLinks({ runs }: { readonly runs: readonly JournalRun[] }) {
  return (
    <ul class="run-links">
      {runs.slice(0, mostLinks).map((run) => (
        <li key={run.actor}>
          <button type="button" class="link" onClick={() => select(run.actor)}>
            <Sign standing={standingOf(run, state.value.actors.get(run.actor))} />
            <span>{nameOf(run)}</span>
          </button>
          <span class="muted">{run.failure?.code ?? run.refused ?? duration(run.durationMs ?? until.value - run.since)}</span>
        </li>
      ))}
      {runs.length > mostLinks && <li class="muted">and {count(runs.length - mostLinks)} more</li>}
    </ul>
  )
}

function Children({ run }: { readonly run: JournalRun }) {
  const runs = run.childRuns.flatMap((key) => state.value.runs.get(key) ?? [])
  return (
    <section>
      <h3>Runs that it started</h3>
      <RunLinks runs={runs} />
    </section>
  )
}

function Tools({ run }: { readonly run: JournalRun }) {
  if (run.updates['tool-call'] === undefined) return null
  const lines = updateLines(history.of([run.actor], shownCount.value), run.actor)
  const tools = timeByTool(lines, run.endedAt ?? until.value)
  if (tools.length === 0) return null
  return (
    <>
      <h4>In its tools</h4>
      <Bars items={tools.map(({ name, calls, ms }) => ({ name: calls > 1 ? `${name} ×${calls}` : name, class: 'is-tool', ms }))} />
    </>
  )
}

function Bars({ items }: { readonly items: readonly { readonly name: string; readonly class: string; readonly ms: number }[] }) {
  const most = Math.max(1, ...items.map(({ ms }) => ms))
  if (items.length === 0) return <p class="muted">None that could be measured.</p>
  return (
    <ul class="bars">
      {items.map(({ name, class: kind, ms }) => (
        <li key={name}>
          <span class="bar-name">{name}</span>
          <span class="bar-track" aria-hidden="true">
            <span class={`span ${kind}`} style={{ width: `${Math.max(0.5, (ms / most) * 100)}%` }} />
          </span>
          <span class="bar-figure">{duration(ms)}</span>
        </li>
      ))}
    </ul>
  )
}
