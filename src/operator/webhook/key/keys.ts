import type { ObjectName } from '../../../kube/client/kube-client.ts'
import { type Secret, secretMetadata } from '../../../kube/webhook-certificates/secret.ts'
import { KEY_BYTES } from '../../cluster/shared-key.ts'

/** The keys that open the paths of the webhooks, as all replicas know them. */
export interface WebhookKeys {
  /** Makes the paths in the webhook configurations. */
  readonly current: Buffer
  /** When it became the current one, in milliseconds since the epoch by the clock of the replica that wrote it. */
  readonly since: number
  /** Makes them next, once every replica knows it. */
  readonly next?: Buffer
  /** Made them before, and is accepted until every API server goes by the current one. */
  readonly previous?: Buffer
}

/** Those that are accepted, the current one first. */
export const acceptedKeys = ({ current, next, previous }: WebhookKeys): readonly Buffer[] =>
  [current, next, previous].filter((key) => key !== undefined)

/** The keys in a Secret; undefined where it holds no current one. */
export function keysIn(secret: Secret): WebhookKeys | undefined {
  const [current, next, previous] = ['current', 'next', 'previous'].map((field) => keyIn(secret, field))
  if (current === undefined) return undefined
  const since = Date.parse(bytesIn(secret, 'since').toString('utf8'))
  return {
    current,
    since: Number.isNaN(since) ? 0 : since,
    ...(next === undefined ? {} : { next }),
    ...(previous === undefined ? {} : { previous }),
  }
}

/** A Secret with these keys in place of what another held. */
export function secretWith(keys: WebhookKeys, place: ObjectName, old?: Secret): Secret {
  const { current, since, next, previous } = keys
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    ...(old === undefined ? { type: 'Opaque' } : { ...old }),
    metadata: old?.metadata ?? secretMetadata(place),
    data: {
      current: current.toString('base64'),
      since: Buffer.from(new Date(since).toISOString()).toString('base64'),
      ...(next === undefined ? {} : { next: next.toString('base64') }),
      ...(previous === undefined ? {} : { previous: previous.toString('base64') }),
    },
  }
}

function keyIn(secret: Secret, field: string): Buffer | undefined {
  const key = bytesIn(secret, field)
  return key.length >= KEY_BYTES ? key : undefined
}

const bytesIn = ({ data }: Secret, field: string): Buffer => Buffer.from(data?.[field] ?? '', 'base64')
