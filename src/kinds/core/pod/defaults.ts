import type { JsonObject } from '../../../machinery/object.ts'
import { all, at, type Change, each, fill, set, when, within } from '../../rule/change.ts'
import { podLevelDefaults } from '../container/pod-level-resources.ts'
import { podSpecDefaults } from './spec-defaults.ts'
import { roundedResources } from '../../rule/rounded-amounts.ts'
import { countOf, objectOf, objectsOf, textOf } from '../../../machinery/read.ts'

/** Each resource that has a limit and no request is requested up to its limit (core/v1 `SetDefaults_Pod`). */
const requestsFromLimits: Change = (resources) => {
  const limits = objectOf(resources.limits)
  const requests = objectOf(resources.requests)
  let copy: Record<string, unknown> | undefined
  for (const name in limits) {
    if (!(name in requests)) {
      copy ??= { ...requests }
      copy[name] = limits[name]
    }
  }
  return copy === undefined ? resources : set(resources, 'requests', copy)
}

const ownRequests: Change = at('resources', requestsFromLimits)
const requests: Change = all(each('containers', ownRequests), each('initContainers', ownRequests))

/** On the host's network a container's port is the host's port. */
const hostPorts: Change = each('ports', (port) =>
  countOf(port.hostPort) === 0 ? set(port, 'hostPort', port.containerPort) : port,
)
const onHostNetwork: Change = when(
  (spec: JsonObject) => spec.hostNetwork === true,
  all(each('containers', hostPorts), each('initContainers', hostPorts)),
)

/** A pod's address is the first of its addresses; the older field wins. */
const addresses: Change = (status) => {
  const ip = textOf(status.podIP)
  const first = textOf(objectsOf(status.podIPs)[0]?.ip)
  if (ip === first) return status
  return ip === '' ? set(status, 'podIP', first) : set(status, 'podIPs', [{ ip }])
}

/** Everything that a pod's fields default to; what admission adds (service account, priority, tolerations) is not here. */
export const podDefaults: Change = all(
  within(
    'spec',
    all(
      podSpecDefaults,
      fill({ enableServiceLinks: true }),
      requests,
      podLevelDefaults,
      roundedResources,
      onHostNetwork,
    ),
  ),
  at('status', addresses),
)
