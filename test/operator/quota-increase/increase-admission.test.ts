import { describe, expect, test } from 'vitest'
import type { JsonObject, KubeObject } from '../../../src/machinery/object.ts'
import { vectors } from '../../load-vectors.ts'
import { forSuite, operatedServers } from '../operated.ts'
import { increasesIn, quotasIn } from './increase-world.ts'

interface Case {
  readonly name: string
  readonly kind: string
  /** Of `crd-admission`. */
  readonly object?: JsonObject
  /** Of `rq-admission`. */
  readonly hard?: Readonly<Record<string, string>>
  readonly expected: {
    readonly accepted?: boolean
    readonly messageContains?: string | null
    /** The limits of the object as the server answers them, with the types of JSON. */
    readonly readBack?: JsonObject
  }
}

const NAMESPACE = 'default'
const metadata = { name: 'increases-vector' }
const cases = vectors<readonly Case[]>('increases.json').filter(({ kind }) => kind.endsWith('-admission'))

/** The request of a case: where it is sent to, and the object. */
function requestOf({ object, hard }: Case): readonly [path: string, body: JsonObject] {
  if (object === undefined)
    return [quotasIn(NAMESPACE), { apiVersion: 'v1', kind: 'ResourceQuota', metadata, spec: { hard } }]
  const increase = { apiVersion: 'openmcp.cloud/v1alpha1', kind: 'QuotaIncrease', metadata, ...object }
  return [increasesIn(NAMESPACE), increase]
}

test('increases.json has cases of both kinds that a server admits or refuses', () => {
  expect(new Set(cases.map(({ kind }) => kind))).toEqual(new Set(['crd-admission', 'rq-admission']))
})

// The servers run without definitions, so the CRD alone decides about increases: that is what was recorded.
for (const { name: server, available, share } of operatedServers)
  describe.skipIf(!available)(`${server}: what servers admit`, () => {
    const suite = forSuite(share)

    test.each(cases)('increases.json: $name', async (one) => {
      const [path, body] = requestOf(one)
      const { status, json } = await suite.server.send('POST', `${path}?dryRun=All`, body)
      const { accepted = true, messageContains, readBack } = one.expected
      expect({ accepted: status === 201, json }).toEqual({ accepted, json })
      expect(accepted || status === 422, `${status}`).toBe(true)
      if (typeof messageContains === 'string') expect((json as { message: string }).message).toContain(messageContains)
      if (readBack !== undefined) expect((json as KubeObject)['spec']).toEqual({ hard: readBack })
    })
  })
