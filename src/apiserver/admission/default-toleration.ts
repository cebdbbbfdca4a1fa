import type { Pod, Toleration } from '../../builtin/core-v1.ts'
import { objectsOf, specOf, textOf } from '../../machinery/read.ts'
import type { AdmissionPlugin } from './chain.ts'

const SECONDS = 300
const TAINTS = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']

/** Upstream's DefaultTolerationSeconds: pods stay five minutes on a node that is away, unless they say otherwise, on updates too. */
export const defaultTolerations: AdmissionPlugin = {
  name: 'DefaultTolerationSeconds',
  mutate: ({ resource, subresource, object }) => {
    if (resource.bucket !== 'pods' || subresource !== '') return object
    const spec = specOf<Pod>(object)
    const tolerations = objectsOf(spec['tolerations'])
    const missing = TAINTS.filter((key) => !tolerations.some((one) => tolerates(one, key)))
    if (missing.length === 0) return object
    const added = missing.map((key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: SECONDS }))
    return { ...object, spec: { ...spec, tolerations: [...tolerations, ...added] } }
  },
}

const tolerates = (toleration: Toleration, key: string): boolean =>
  ['', key].includes(textOf(toleration['key'])) && ['', 'NoExecute'].includes(textOf(toleration['effect']))
