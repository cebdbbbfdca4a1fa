import type { KubeObject } from '../../../../src/machinery/object.ts'
import { type KeptFields, keepFields } from '../../../../src/operator/shell/keep-fields.ts'
import {
  type Controller,
  reconciles,
  type ReconcileResult,
  watches,
} from '../../../../src/operator/shell/controller.ts'
import type { AnsweredHook } from '../../../../src/operator/shell/registered-webhooks.ts'
import type { RunningSystem } from '../../../../src/operator/shell/running-system.ts'
import type { OperatorContext, OperatorSystem } from '../../../../src/operator/system.ts'
import { allowed, denied } from '../../../../src/runtime/admission/decision.ts'
import { type Gauge, gauge } from '../api/gauge.ts'
import { gaugeRefusal, used } from '../grants/gauge-refusal.ts'

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps', kind: 'ConfigMap', namespaced: true } as const
const LABEL = 'sixth.allot.dev/gauge'
const NAME = 'gauges'

/** The system of gauges. */
export const gaugeSystem: OperatorSystem = {
  name: NAME,
  crds: [gauge.crd as unknown as KubeObject],
  needs: [
    { group: gauge.group, resource: gauge.resource, verbs: ['list', 'watch'] },
    { group: gauge.group, resource: gauge.resource, subresource: 'status', verbs: ['patch'] },
    { group: '', resource: 'configmaps', verbs: ['list', 'watch'] },
  ],
  start: runGauges,
}

const labelOf = (object: object): string => (object as Record<string, string>)[LABEL] ?? ''
const ofConfigMap = ({ fields }: KeptFields): string => labelOf(fields['metadata.labels'] ?? {})

function runGauges({ caches, webhooks, client }: OperatorContext): RunningSystem {
  const gauges = caches.view({ kind: gauge, keep: (object): Gauge => gauge.read(object) })
  const keep = keepFields('metadata.labels', 'data.size')
  const configMaps = caches.view({ kind: CONFIG_MAPS, keep, indexes: { gauge: (one) => [ofConfigMap(one)] } })
  const sizesOf = (name: string): ReadonlyMap<string, number> =>
    new Map(configMaps.by('gauge', name).map((one) => [one.name, Number(one.fields['data.size'])]))
  const hook = (of: string, { spec }: Gauge): AnsweredHook => ({
    phase: 'validating',
    name: `${of}.gauges.sixth.allot.dev`,
    path: `/gauges/${of}`,
    rules: [
      {
        groups: [''],
        versions: ['v1'],
        resources: ['configmaps'],
        operations: spec.operations as ('CREATE' | 'UPDATE')[],
      },
    ],
    objectSelector: { matchLabels: { [LABEL]: of } },
    namespaceSelector: { matchExpressions: [{ key: 'exempt', operator: 'DoesNotExist' }] },
    sideEffects: 'NoneOnDryRun',
    handle: async ({ object, name }) => {
      const now = gauges.get('', of)
      const size = Number((object?.['data'] as Record<string, string> | undefined)?.['size'])
      const refusal = now === undefined ? undefined : gaugeRefusal(now, name, size, sizesOf(of))
      return refusal === undefined ? allowed() : denied(refusal)
    },
  })
  // Every replica answers, whether it leads or not.
  gauges.onChange((_, current, { name }) => {
    if (current === undefined) webhooks.remove({ phase: 'validating', name: `${name}.gauges.sixth.allot.dev` })
    else webhooks.set(hook(name, current))
  })
  const controller: Controller = {
    name: NAME,
    sources: [
      reconciles(gauges),
      watches(configMaps, (old, current) =>
        [old, current].flatMap((one) => (one === undefined ? [] : [{ key: ofConfigMap(one) }])),
      ),
    ],
    reconcile: async (key, _, signal): Promise<ReconcileResult> => {
      const now = gauges.get('', key)
      if (now === undefined) return {}
      if (!webhooks.isLive) return { requeueAfter: 50 }
      const status = { used: used(sizesOf(key)), enforced: now.spec.operations }
      if (JSON.stringify(status) === JSON.stringify(now.status)) return {}
      const name = { namespace: '', name: key }
      const { resourceVersion } = now.metadata
      gauges.observed(
        // With its version: the answer holds no change of others that would pass for the controller's own.
        await client.patch(
          gauge,
          name,
          { type: 'merge', body: { metadata: { resourceVersion }, status } },
          { subresource: 'status', signal },
        ),
        NAME,
      )
      return {}
    },
  }
  return { controllers: () => [controller] }
}
