import { randomBytes } from 'node:crypto'
import { LEDGER_KEY_SECRET } from '../install/installed-names.ts'
import type { CallOptions, KubeClient, ObjectName } from '../kube/client/kube-client.ts'
import type { Clock } from '../kube/time/clock.ts'
import {
  readableSecret,
  type Secret,
  secretMetadata,
  SECRETS,
} from '../kube/webhook-certificates/webhook-certificate-secret.ts'
import { isAlreadyExists, isNotFound } from '../machinery/status.ts'
import { LedgerSeal } from './ledger-seal.ts'

const FIELD = 'key'
const KEY_BYTES = 32
const PATIENCE_MS = 10_000

type Client = Pick<KubeClient, 'get' | 'create' | 'update'>

/** The seal of ledgers, by the key that all replicas share; the first replica makes it. Rejects as `KubeClient` does, and with StartupError where it is of a later version. */
export async function openLedgerSeal(
  client: Client,
  namespace: string,
  clock: Pick<Clock, 'monotonic'>,
  options: CallOptions,
): Promise<LedgerSeal> {
  const key = await sharedKey(client, namespace, randomBytes(KEY_BYTES), options)
  const readKey = (known: Buffer): Promise<Buffer> =>
    sharedKey(client, namespace, known, { signal: AbortSignal.timeout(PATIENCE_MS) })
  return new LedgerSeal(key, readKey, clock)
}

/** The key that replicas share; where there is none it is this one from now on. */
async function sharedKey(client: Client, namespace: string, own: Buffer, options: CallOptions): Promise<Buffer> {
  const place = { namespace, name: LEDGER_KEY_SECRET }
  const data = { [FIELD]: own.toString('base64') }
  try {
    const secret = await read(client, place, options)
    const key = keyIn(secret)
    if (key !== undefined) return key
    await client.update<Secret>(SECRETS, { ...secret, data: { ...secret.data, ...data } }, options)
    return own
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
  try {
    const metadata = secretMetadata(place)
    await client.create<Secret>(SECRETS, { apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque', data }, options)
    return own
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
    return keyIn(await read(client, place, options)) ?? own
  }
}

const read = async (client: Client, place: ObjectName, options: CallOptions): Promise<Secret> =>
  readableSecret(await client.get<Secret>(SECRETS, place, options))

function keyIn({ data }: Secret): Buffer | undefined {
  const key = Buffer.from(data?.[FIELD] ?? '', 'base64')
  return key.length >= KEY_BYTES ? key : undefined
}
