/** Which cases a subject can be put through: by what the provider claims, and by the controls that are there. */
import type { SubagentProvider } from '../../types.ts'
import type { ProviderCase } from './case.ts'
import type { Finding } from './failure.ts'
import type { CaseId } from './requirements.ts'
import { controls, hasControl } from './subject.ts'
import type { ControlName, ProviderSubject } from './subject.ts'

/** False for a case that is about a capability which the provider does not claim, or about not claiming it. */
export function concerns({ capability }: ProviderCase, { capabilities }: SubagentProvider): boolean {
  return capability === undefined || (capabilities?.[capability.name] === true) === capability.claimed
}

/** The controls that the case cannot do without and the subject does not have. */
export function absentControls({ needs }: ProviderCase, subject: ProviderSubject): ControlName[] {
  return needs.filter((name) => isAbsent(name, subject))
}

/** True where a control that is skipped under this requirement is absent. */
export function lacksControlOf(id: CaseId, subject: ProviderSubject): boolean {
  return (Object.keys(controls) as ControlName[]).some((name) => controls[name].id === id && isAbsent(name, subject))
}

/** Coming ready later is for providers that say so. */
function isAbsent(name: ControlName, subject: ProviderSubject): boolean {
  return !hasControl(subject, name) || (name === 'ready' && subject.provider.signalsReady !== true)
}

export function absent(name: ControlName, subject: ProviderSubject): Finding {
  const { id, does } = controls[name]
  if (hasControl(subject, name))
    return {
      expected: 'a provider with control ready to declare signalsReady',
      seen: 'ready() is there, and the provider does not declare it',
      look: `the provider: signalsReady: true stands beside its name; or, where it is ready when start returned, take ready() out and skip the requirement: { skip: { ${id}: 'because …' } }`,
    }
  const declare = name === 'ready' ? ', for a provider that declares signalsReady' : ''
  return {
    expected: `control ${name} of the subject, which ${does}`,
    seen: 'it is not there',
    look: `what makeProvider returns: add ${name}()${declare}; or, where the provider cannot do such a thing, skip the requirement with the reason: { skip: { ${id}: 'because …' } }`,
  }
}
