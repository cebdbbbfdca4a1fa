import { all, at, type Change, each, fill, fillZero, set, within } from '../../rule/change.ts'
import { pullPolicyOf } from '../container/image-name.ts'
import { blank, textOf } from '../../../machinery/read.ts'
import { rounded, roundedResources } from '../../rule/rounded-amounts.ts'
import { volumeDefaults } from '../volume/defaults.ts'

const httpGet: Change = at('httpGet', fill({ path: '/', scheme: 'HTTP' }))
const lifecycleHandlers: Change = at('lifecycle', all(at('postStart', httpGet), at('preStop', httpGet)))

const probe: Change = all(
  fillZero({ timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 }),
  httpGet,
  at('grpc', (grpc) => (grpc.service === undefined ? set(grpc, 'service', '') : grpc)),
)
const probes: Change = all(at('livenessProbe', probe), at('readinessProbe', probe), at('startupProbe', probe))

/** A divisor that nobody gives is written as 0. */
const divisor: Change = fill({ divisor: '0' })

const always: Change = fill({
  resources: {},
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
  imagePullPolicy: 'Always',
})
const ifNotPresent: Change = fill({
  resources: {},
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
  imagePullPolicy: 'IfNotPresent',
})

const fields: Change = all(
  each('ports', fill({ protocol: 'TCP' })),
  each('env', at('valueFrom', all(at('fieldRef', fill({ apiVersion: 'v1' })), at('resourceFieldRef', divisor)))),
  probes,
  lifecycleHandlers,
  roundedResources,
)

/** A container's defaults (core/v1 `SetDefaults_Container` and what hangs on it). */
export const containerDefaults: Change = (container) =>
  fields(pullPolicyOf(textOf(container.image)) === 'Always' ? always(container) : ifNotPresent(container))

const plain: Change = all(
  each('containers', containerDefaults),
  each('initContainers', containerDefaults),
  each('ephemeralContainers', containerDefaults),
  each('volumes', volumeDefaults),
  at('overhead', rounded),
  fill({
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    securityContext: {},
    schedulerName: 'default-scheduler',
  }),
)

/** Defaults of a pod's spec that also hold in templates (core/v1 `SetDefaults_PodSpec`). */
export const podSpecDefaults: Change = (spec) => withBothAccountNames(plain(spec))

/** Both spellings of the account's name always say the same; the newer one wins. */
function withBothAccountNames<T extends Readonly<Record<string, unknown>>>(spec: T): T {
  const name = blank(spec.serviceAccountName) ? spec.serviceAccount : spec.serviceAccountName
  return blank(name) ? spec : set(set(spec, 'serviceAccountName', name), 'serviceAccount', name)
}

/** Applies them below `template` of a workload's spec; the defaults of pods alone (requests from limits …) stay out. */
export const templateDefaults: Change = within('template', within('spec', podSpecDefaults))
