/**
 * The tools of a binding as the registry has them now (T2): the subagent tool while a provider of its is registered, and its
 * controls from the first time on, since the runs they address outlive their provider's registration.
 */
import type { SubagentProvider } from '../types.ts'
import { createControls, toolNames } from './background/controls.ts'
import { bind, providersOf } from './binding.ts'
import type { Binding } from './binding.ts'
import type { SubagentToolDefinition } from './define.ts'
import { claimNames } from './names.ts'
import type { NameRelease } from './names.ts'
import type { SubagentToolOptions } from './options.ts'

/** What is there: the tool's binding, where it can be called, and the controls. */
export interface Mirrored {
  readonly binding: Binding | undefined
  readonly controls: readonly SubagentToolDefinition[]
}

const nothing: Mirrored = { binding: undefined, controls: [] }

export class Mirror {
  readonly binding: Binding
  readonly #controls: readonly SubagentToolDefinition[]
  readonly #release: NameRelease
  #providers: readonly (SubagentProvider | undefined)[] = []
  #current = nothing
  #isDisposed = false

  /** @throws SubagentError as `defineSubagentTool` does */
  constructor(options: SubagentToolOptions) {
    this.binding = bind(options)
    this.#release = claimNames(this.binding, toolNames(this.binding))
    this.#controls = createControls(this.binding)
  }

  get isDisposed(): boolean {
    return this.#isDisposed
  }

  /** The same object as long as nothing changed. */
  current(): Mirrored {
    if (this.#isDisposed) return nothing
    const providers = providersOf(this.binding)
    if (providers.length === this.#providers.length && providers.every((provider, index) => provider === this.#providers[index]))
      return this.#current
    this.#providers = providers
    const isThere = providers.some((provider) => provider !== undefined)
    const controls = isThere ? this.#controls : this.#current.controls
    this.#current = { binding: isThere ? this.binding : undefined, controls }
    return this.#current
  }

  dispose(): void {
    this.#isDisposed = true
    this.#release()
  }
}
