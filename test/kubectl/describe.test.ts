import { describe, expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { eachCase, vectors } from '../load-vectors.ts'
import type { Allot, Answer } from '../start-allot.ts'
import { hasKubectl, type Kubectl, session } from './kubectl.ts'

interface QuotaObject {
  readonly metadata: { readonly name: string; readonly namespace?: string }
  readonly spec?: Readonly<Record<string, unknown>>
  readonly status?: {
    readonly hard?: Readonly<Record<string, string>>
    readonly used?: Readonly<Record<string, string>>
  }
}
interface Case {
  readonly name: string
  readonly quota: QuotaObject
}
interface DescribeNamespaceCase {
  readonly name: string
  readonly describe: string
  readonly namespace: {
    readonly metadata: {
      readonly labels?: Readonly<Record<string, string>>
      readonly annotations?: Readonly<Record<string, string>>
    }
    readonly status: { readonly conditions?: unknown }
  }
  readonly quotas: readonly QuotaObject[]
  readonly limitRanges: readonly { readonly metadata: { readonly name: string }; readonly spec: object }[]
}
interface Vectors {
  readonly describeQuota: readonly (Case & { readonly describe: string })[]
  readonly describeNamespace: readonly DescribeNamespaceCase[]
  readonly getQuotaCells: readonly (Case & {
    readonly NAME: string
    readonly REQUEST: string
    readonly LIMIT: string
  })[]
}
const FILE = 'kubernetes/kubectl-output.json'
const { describeQuota, describeNamespace, getQuotaCells } = vectors<Vectors>(FILE)
const name = (value: { readonly name: string }): string => value.name

/** The recorded columns of objects that the server never has. */
const IMPOSSIBLE = ['no status', "a bare 'limits' prefix without dot stays in request"]

const pathOf = ({ namespace }: Kubectl, { metadata }: QuotaObject): string =>
  `/api/v1/namespaces/${namespace}/resourcequotas/${metadata.name}`

/** Makes quotas, whose usage the server has counted. */
async function make(allot: Allot, kubectl: Kubectl, quotas: readonly QuotaObject[]): Promise<void> {
  for (const quota of quotas) {
    const { metadata, spec = {}, status = {} } = quota
    // The spec gets the enforced limits, too, or the controller would soon overwrite them.
    const hard = status.hard ?? spec['hard']
    await kubectl.has({
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: metadata.name },
      spec: { ...spec, hard },
    })
    const isSettled = ({ json }: Answer): boolean => json.status?.hard !== undefined
    await eventually(() => allot.call(pathOf(kubectl, quota)), isSettled, { what: `the status of ${metadata.name}` })
  }
}

/** Writes the statuses of quotas, as if so much were used. Gives the resourceVersions of what is stored then. */
async function falsify(allot: Allot, kubectl: Kubectl, quotas: readonly QuotaObject[]): Promise<readonly unknown[]> {
  const versions: unknown[] = []
  for (const quota of quotas)
    for (const part of [{ used: null }, quota.status ?? {}]) {
      const { status, text, json } = await allot.call(`${pathOf(kubectl, quota)}/status`, {
        method: 'PATCH',
        body: { status: part },
        headers: { 'content-type': 'application/merge-patch+json' },
      })
      expect([status, text]).toEqual([200, text])
      versions[quotas.indexOf(quota)] = json.metadata.resourceVersion
    }
  return versions
}

/** What kubectl prints while quotas have these statuses. The server puts usage right that is not the true one: then all is done again. */
async function printed(
  allot: Allot,
  kubectl: Kubectl,
  quotas: readonly QuotaObject[],
  ...args: readonly string[]
): Promise<string> {
  await make(allot, kubectl, quotas)
  const versions = (): Promise<readonly unknown[]> =>
    Promise.all(quotas.map(async (one) => (await allot.call(pathOf(kubectl, one))).json.metadata.resourceVersion))
  const { text } = await eventually(
    async () => ({
      falsified: await falsify(allot, kubectl, quotas),
      text: await kubectl.ok(...args),
      stored: await versions(),
    }),
    ({ falsified, stored }) => JSON.stringify(falsified) === JSON.stringify(stored),
    { what: 'the statuses to stay as they were written until kubectl has printed them' },
  )
  return text
}

describe.skipIf(!hasKubectl)('kubectl prints as upstream does', { concurrent: true }, () => {
  const { allot, inNewNamespace } = session()

  eachCase(`${FILE}#describeQuota`, describeQuota, name, async ({ quota, describe: expected }) => {
    const kubectl = await inNewNamespace()
    const text = await printed(allot(), kubectl, [quota], 'describe', 'quota', quota.metadata.name)
    expect(text.replace(/^(Namespace: +)\S+$/m, `$1${quota.metadata.namespace ?? ''}`)).toBe(expected)
  })

  const possible = getQuotaCells.filter((one) => !IMPOSSIBLE.includes(one.name))
  test.each(possible)('the columns of a quota: $name', async ({ quota, NAME, REQUEST, LIMIT }) => {
    const kubectl = await inNewNamespace()
    const [header = '', row = ''] = (await printed(allot(), kubectl, [quota], 'get', 'quota')).split('\n')
    const cells = ['NAME', 'REQUEST', 'LIMIT', 'AGE'].map((column) => header.indexOf(column))
    expect(cells.slice(0, 3).map((start, index) => row.slice(start, cells[index + 1]).trimEnd())).toEqual([
      NAME,
      REQUEST,
      LIMIT,
    ])
  })

  eachCase(
    `${FILE}#describeNamespace`,
    describeNamespace,
    name,
    async ({ namespace, quotas, limitRanges, describe: expected }) => {
      const { 'kubernetes.io/metadata.name': _given, ...labels } = namespace.metadata.labels ?? {}
      const kubectl = await inNewNamespace(labels)
      for (const [key, value] of Object.entries(namespace.metadata.annotations ?? {}))
        await kubectl.ok('annotate', 'namespace', kubectl.namespace, `${key}=${value}`)
      for (const { metadata, spec } of limitRanges)
        await kubectl.has({ apiVersion: 'v1', kind: 'LimitRange', metadata: { name: metadata.name }, spec })
      const text = await printed(allot(), kubectl, quotas, 'describe', 'namespace', kubectl.namespace)
      // Every namespace has the label of its name, which some of upstream's fakes lack.
      const labelled = expected.replace('Labels:       <none>', 'Labels:       kubernetes.io/metadata.name=demo')
      expect(text.replaceAll(new RegExp(`\\b${kubectl.namespace}$`, 'gm'), 'demo')).toBe(labelled)
    },
  )
})
