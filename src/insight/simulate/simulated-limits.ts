import type { KubeObject } from '../../machinery/object.ts'
import { jsonEqual } from '../../machinery/json-value.ts'
import { qualified } from '../../machinery/status.ts'
import type { Facts } from '../explain/facts.ts'
import { isSimulatedLimit } from '../explain/planned-limits.ts'
import { CUSTOM_QUOTAS } from './custom-quotas.ts'
import { Simulator, type SimulatorOptions } from './simulate.ts'
import { RESOURCE_QUOTAS } from './world.ts'

/** What manifests of quotas, pools, claims and increases come to in a namespace, once allot has answered them. */
export interface SimulatedLimits {
  /** The ResourceQuotas, LimitRanges and custom quotas that are new, or limit something else than before. */
  readonly limits: readonly KubeObject[]
  /** The manifests that would be refused, with the reason. */
  readonly refused: readonly string[]
  readonly notSeen: Facts['notSeen']
}

const LIMIT_RANGES = { group: '', resource: 'limitranges' }
/** What limits the objects of a namespace. */
const LIMITS: ReadonlySet<string> = new Set([RESOURCE_QUOTAS, LIMIT_RANGES, ...CUSTOM_QUOTAS].map(qualified))

/** Tries those of the manifests that allot answers with limits. Throws QuantityError for an amount that is none. */
export function simulatedLimits(manifests: readonly KubeObject[], options: SimulatorOptions): SimulatedLimits {
  const simulator = new Simulator(options)
  const results = simulator.step(
    manifests.filter(isSimulatedLimit).map((object) => ({ operation: 'apply', object }) as const),
  )
  const changed = simulator.world
    .changes()
    .filter(({ of, namespace }) => LIMITS.has(qualified(of)) && ['', options.namespace].includes(namespace))
  return {
    limits: changed.flatMap(({ before, after }) =>
      after === undefined || jsonEqual(before?.['spec'], after['spec']) ? [] : [after],
    ),
    refused: results
      .filter(({ result }) => result === 'refused' || result === 'ignored' || result === 'skipped')
      .map(({ object: { kind, name }, message = '' }) => `${kind} ${name} is left out: ${message}`),
    notSeen: simulator.result().undecided.map(asNotSeen),
  }
}

/** A sentence that begins with a resource is about that. */
function asNotSeen(sentence: string): Facts['notSeen'][number] {
  const [, resource, reason] = /^([\w.-]+): (.*)$/s.exec(sentence) ?? []
  return { resource: resource ?? 'what the manifests come to', reason: reason ?? sentence }
}
