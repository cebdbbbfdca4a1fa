import type { Pod, PodStatus } from '../../../builtin/core-v1.ts'
import { isIP } from '../../../machinery/ip-address.ts'
import { append, duplicate, type FieldError, forbidden, invalid } from '../../../machinery/field-error.ts'
import { isDNS1123Subdomain, isQualifiedName } from '../../../machinery/names.ts'
import { absent, countOf, objectOf, objectsOf, specOf, statusOf, textOf } from '../../../machinery/read.ts'
import { repetitions } from '../../rule/repetition.ts'
import { obeys, obeysIfSet } from '../../rule/value.ts'

/** Conditions that the system sets, whatever they are called. */
const SYSTEM_CONDITIONS = ['Initialized', 'PodScheduled', 'Ready']
const IP_TEXT = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'

/** The errors in a new status of a pod (core `ValidatePodStatusUpdate`). */
export function validatePodStatus(object: Pod, old: Pod): readonly FieldError[] {
  const status = statusOf(object)
  const before = statusOf(old)
  const errors: FieldError[] = []
  objectsOf(status.conditions).forEach((condition, index) => {
    const type = textOf(condition.type)
    if (!SYSTEM_CONDITIONS.includes(type))
      append(errors, obeys(type, isQualifiedName, `metadata.conditions[${index}].Type`))
  })
  if (status.nominatedNodeName !== before.nominatedNodeName)
    append(errors, obeysIfSet(status.nominatedNodeName, isDNS1123Subdomain, 'status.nominatedNodeName'))
  const quality = textOf(status.qosClass)
  if (quality !== textOf(before.qosClass)) errors.push(invalid('status.qosClass', quality, 'field is immutable'))
  const { restartPolicy, initContainers } = specOf(old)
  const sidecars = new Set(
    objectsOf(initContainers)
      .filter((one) => one.restartPolicy === 'Always')
      .map((one) => textOf(one.name)),
  )
  append(errors, validateStates(status, before, 'containerStatuses', restartPolicy))
  append(errors, validateStates(status, before, 'initContainerStatuses', restartPolicy, sidecars))
  append(errors, validateStates(status, before, 'ephemeralContainerStatuses', 'Never'))
  append(errors, validateAddresses(status.podIPs, 'status.podIPs'))
  append(errors, validateHostIPs(status))
  return errors
}

/** A container that has ended and is not restarted stays ended. */
function validateStates(
  status: PodStatus,
  before: PodStatus,
  list: 'containerStatuses' | 'initContainerStatuses' | 'ephemeralContainerStatuses',
  policy: unknown,
  restarting: ReadonlySet<string> = new Set(),
): readonly FieldError[] {
  if (policy === 'Always') return []
  const going = new Map<unknown, number>()
  for (const { name, state } of objectsOf(status[list]))
    if (absent(objectOf(state).terminated)) going.set(name, (going.get(name) ?? 0) + 1)
  return objectsOf(before[list]).flatMap((was, index) => {
    const ended = objectOf(was.state).terminated
    if (absent(ended) || restarting.has(textOf(was.name))) return []
    if (countOf(objectOf(ended).exitCode) !== 0 && policy === 'OnFailure') return []
    // Once for each that goes on: of one name there is but one where the list is valid.
    const times = going.get(was.name) ?? 0
    going.delete(was.name)
    return Array.from({ length: times }, () =>
      forbidden(`status.${list}[${index}].state`, 'may not be transitioned to non-terminated state'),
    )
  })
}

function validateHostIPs(status: PodStatus): readonly FieldError[] {
  const [first] = objectsOf(status.hostIPs)
  if (first === undefined) return []
  const path = 'status.hostIPs'
  const same = textOf(first.ip) === textOf(status.hostIP)
  return [
    ...(same ? [] : [invalid(`${path}[0].ip`, textOf(first.ip), 'must be equal to `hostIP`')]),
    ...validateAddresses(status.hostIPs, path),
  ]
}

/** One address of each family at most. */
function validateAddresses(addresses: unknown, path: string): readonly FieldError[] {
  const list = objectsOf(addresses)
  const ips = list.map((address) => textOf(address.ip))
  const errors: FieldError[] = ips.flatMap((ip, index) =>
    isIP(ip) === 0 ? [invalid(`${path}[${index}]`, ip, IP_TEXT)] : [],
  )
  if (ips.length < 2) return errors
  const shown = list.map((address) => ({ IP: textOf(address.ip) }))
  const families = new Set(ips.map(isIP))
  if (families.size < 2 || ips.length > 2)
    errors.push(invalid(path, shown, 'may specify no more than one IP for each IP family'))
  for (const index of repetitions(ips)) errors.push(duplicate(`${path}[${index}]`, shown[index]))
  return errors
}
