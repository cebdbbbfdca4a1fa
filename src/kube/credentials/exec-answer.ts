import { parseJson } from '../../machinery/json-text.ts'
import { isObject, type JsonObject } from '../../machinery/object.ts'
import type { ExecPlugin } from '../access/cluster-access.ts'
import { type Credential, CredentialError, headerText } from './source.ts'

export interface ExecAnswer {
  readonly credential: Credential
  /** Milliseconds since the epoch; infinite when it does not expire. */
  readonly expiresAt: number
}

/** Reads the ExecCredential that a plugin printed. Throws CredentialError; what was printed is never in its message. */
export function readExecAnswer(
  text: string,
  { command, apiVersion }: Pick<ExecPlugin, 'command' | 'apiVersion'>,
): ExecAnswer {
  const fail = (what: string): never => {
    throw new CredentialError('plugin-answer', `the exec plugin ${command} ${what}`)
  }
  const answer = parsed(text)
  if (!isObject(answer) || answer['kind'] !== 'ExecCredential') return fail('printed no ExecCredential')
  if (answer['apiVersion'] !== apiVersion) return fail(`does not answer with apiVersion ${apiVersion}`)
  const status = answer['status']
  if (!isObject(status)) return fail('printed an ExecCredential without a status')
  const [token, certificate, key] = ['token', 'clientCertificateData', 'clientKeyData'].map((field) =>
    filledText(status, field),
  )
  if ((certificate === undefined) !== (key === undefined))
    return fail('gave only one of clientCertificateData and clientKeyData')
  if (token === undefined && certificate === undefined) return fail('gave neither a token nor a client certificate')
  return {
    credential: {
      ...(token === undefined ? {} : { authorization: `Bearer ${headerText(token)}` }),
      ...(certificate === undefined || key === undefined ? {} : { clientCertificate: { certificate, key } }),
    },
    expiresAt: expiry(status['expirationTimestamp'], fail),
  }
}

function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

function filledText(status: JsonObject, field: string): string | undefined {
  const value = status[field]
  return typeof value === 'string' && value !== '' ? value : undefined
}

function expiry(value: unknown, fail: (what: string) => never): number {
  if (value === undefined || value === null) return Infinity
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(time) ? fail('gave an invalid expirationTimestamp') : time
}
