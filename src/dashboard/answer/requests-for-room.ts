import type { ResourceKind } from '../../kube/client/kube-client.ts'
import { JsonTextError, parseJson } from '../../machinery/json-text.ts'
import { isObject, type KubeObject } from '../../machinery/object.ts'
import { badRequest } from '../../machinery/status.ts'
import { quotaIncrease } from '../../systems/quota-increase/api/quota-increase.ts'
import { resourcePoolClaim } from '../../systems/resource-pool/api/claim.ts'
import { namespaceNamed, type Responder } from './question.ts'

/** Creates an object of one kind as the viewer, and gives what the API server answers, with its warnings. Nothing but this kind comes through. */
const created =
  (kind: ResourceKind & { readonly apiVersion: string }): Responder =>
  async ({ client, parameters, body, signal, warn }) => {
    const dryRun = parameters.get('dryRun')
    if (dryRun !== undefined && dryRun !== 'All') throw badRequest('the parameter dryRun may only be All')
    const object = read(body.toString('utf8'), kind)
    const options = { signal, warned: warn, ...(dryRun === undefined ? {} : { dryRun: true }) }
    return { code: 201, value: await client.create(kind, object, options) }
  }

export const createClaim = created(resourcePoolClaim)
export const createIncrease = created(quotaIncrease)

/** Throws 400 for a text that is no manifest of the kind in a namespace. */
function read(text: string, { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): KubeObject {
  const value = parsed(text)
  if (!isObject(value) || value['apiVersion'] !== apiVersion || value['kind'] !== kind)
    throw badRequest(`the body must be a ${kind} of ${apiVersion}`)
  const { metadata } = value
  const namespace = isObject(metadata) ? metadata['namespace'] : undefined
  if (typeof namespace !== 'string' || namespaceNamed(namespace) === '')
    throw badRequest('metadata.namespace of the body must name a namespace')
  return value as KubeObject
}

function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error
    throw badRequest('the body must be JSON')
  }
}
