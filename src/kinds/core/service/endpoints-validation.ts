import { append, type FieldError, invalid, required } from '../../../machinery/field-error.ts'
import { isDNS1123Label, isDNS1123Subdomain, isQualifiedName } from '../../../machinery/names.ts'
import type { JsonObject } from '../../../machinery/object.ts'
import { validateIP, validateOrdinaryIP } from '../../rule/ip.ts'
import { isPort, PORT_TEXT } from '../../rule/number.ts'
import { absent, listOf, objectsOf, textOf } from '../../../machinery/read.ts'
import { obeys, obeysIfSet, oneOf } from '../../rule/value.ts'
import { PROTOCOLS } from '../protocols.ts'

/** The errors in the subsets of Endpoints (core `validateEndpointSubsets`). */
export function validateSubsets(subsets: unknown): readonly FieldError[] {
  return objectsOf(subsets).flatMap((subset, index) => {
    const path = `subsets[${index}]`
    const errors: FieldError[] = []
    if (listOf(subset.addresses).length === 0 && listOf(subset.notReadyAddresses).length === 0)
      errors.push(required(path, 'must specify `addresses` or `notReadyAddresses`'))
    for (const list of ['addresses', 'notReadyAddresses'])
      objectsOf(subset[list]).forEach((address, place) =>
        append(errors, validateAddress(address, `${path}.${list}[${place}]`)),
      )
    const ports = objectsOf(subset.ports)
    ports.forEach((port, place) => append(errors, validatePort(port, ports.length > 1, `${path}.ports[${place}]`)))
    return errors
  })
}

function validateAddress(address: JsonObject, path: string): readonly FieldError[] {
  const ip = textOf(address.ip)
  return [
    ...validateIP(ip, `${path}.ip`),
    ...obeysIfSet(address.hostname, isDNS1123Label, `${path}.hostname`),
    ...(absent(address.nodeName) ? [] : obeys(textOf(address.nodeName), isDNS1123Subdomain, `${path}.nodeName`)),
    ...validateOrdinaryIP(ip, `${path}.ip`),
  ]
}

function validatePort(port: JsonObject, requireName: boolean, path: string): readonly FieldError[] {
  const name = textOf(port.name)
  return [
    ...(requireName && name === '' ? [required(`${path}.name`)] : obeysIfSet(name, isDNS1123Label, `${path}.name`)),
    ...(isPort(port.port) ? [] : [invalid(`${path}.port`, port.port ?? 0, PORT_TEXT)]),
    ...oneOf(port.protocol, PROTOCOLS, `${path}.protocol`),
    ...(absent(port.appProtocol) ? [] : obeys(textOf(port.appProtocol), isQualifiedName, `${path}.appProtocol`)),
  ]
}
