import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import { builtinResources } from '../../src/apiserver/resource/builtin-resources.ts'
import { apiServer } from '../api/api-server.ts'
import type { Answer } from '../in-process.ts'
import { type Difference, difference } from './difference.ts'
import { type Document, isDefinition, manifests } from './documents.ts'

/**
 * The result of Kubernetes 1.36 for each document, and the warnings: its own, and allot's of limits that limit nothing. Written with ALLOT_MANIFESTS=write by the server under
 * test, and then read line by line beside what Kubernetes does: every line is a default, an allocation or a strategy of its.
 */
interface Expectation extends Difference {
  readonly warnings?: readonly string[]
}
const file = new URL('expected.json', import.meta.url)
const expected = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, Expectation>>
const seen: Record<string, Expectation> = {}
const isWriting = process.env['ALLOT_MANIFESTS'] === 'write'

const api = apiServer()
afterAll(() => {
  if (isWriting) writeFileSync(file, `${JSON.stringify(seen, undefined, 2)}\n`)
})

const APPLY = { 'content-type': 'application/apply-patch+yaml' } as const
const plurals = new Map<string, { readonly name: string; readonly namespaced: boolean }>()

/** Where objects of the kind are, as discovery says. */
async function collectionOf({ apiVersion, kind, metadata }: Document): Promise<string> {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
  const key = `${apiVersion} ${kind}`
  if (!plurals.has(key))
    for (const one of (await api.get(root)).resources)
      if (!one.name.includes('/')) plurals.set(`${apiVersion} ${one.kind}`, one)
  const found = plurals.get(key)
  if (found === undefined) throw new Error(`${key} is not served`)
  return `${root}${found.namespaced ? `/namespaces/${metadata.namespace}` : ''}/${found.name}`
}

const warningsOf = ({ headers }: Answer): readonly string[] =>
  [...(headers.get('warning') ?? '').matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) =>
    text.replaceAll(String.raw`\"`, '"'),
  )

/** An answer without what names itself anew in each request. */
function timeless({ body }: Answer): unknown {
  const {
    uid,
    managedFields: _owners,
    resourceVersion: _version,
    creationTimestamp: _time,
    ...metadata
  } = body.metadata
  const text = JSON.stringify({ ...body, metadata })
    .replaceAll(uid, 'UID')
    .replaceAll(/kube-api-access-\w{5}/g, 'kube-api-access')
    .replaceAll(/"lastPhaseTransitionTime":"[^"]*"/g, '"lastPhaseTransitionTime":"TIME"')
  return JSON.parse(text)
}

describe('a manifest as projects have them', () => {
  test.each(manifests.map(({ title, document }) => [title, document] as const))('%s', async (title, document) => {
    const collection = await collectionOf(document)
    const path = `${collection}/${document.metadata.name}`
    const query = 'fieldValidation=Strict'
    const dry = await api.send('POST', `${collection}?dryRun=All&${query}`, document)
    expect(dry.status === 201 ? '' : dry.body.message).toBe('')
    const warnings = warningsOf(dry)
    const made = { ...difference(document, timeless(dry)), ...(warnings.length === 0 ? {} : { warnings }) }
    seen[title] = made
    if (!isWriting) expect(made).toEqual(expected[title])

    const apply = (more: string): Promise<Answer> =>
      api.send('PATCH', `${path}?fieldManager=wild&${query}${more}`, document, APPLY)
    const dryApplied = await apply('&dryRun=All')
    expect([dryApplied.status, timeless(dryApplied)]).toEqual([201, timeless(dry)])
    const applied = await apply('')
    expect([applied.status, timeless(applied)]).toEqual([201, timeless(dry)])
    expect(warningsOf(applied)).toEqual(warnings)
    if (isDefinition(document))
      await api.until(path, ({ status }) =>
        status.conditions.some(
          ({ type, status: is }: Readonly<Record<string, string>>) => type === 'Established' && is === 'True',
        ),
      )
    const kept = await api.get(path)
    const again = await apply('')
    expect([again.status, again.body.spec, again.body.metadata.generation]).toEqual([
      200,
      kept.spec,
      kept.metadata.generation,
    ])
  })
})

test('every built-in kind is among the manifests', () => {
  const resources = JSON.parse(
    readFileSync(new URL('../../schemas/kubernetes-1.36-resources.json', import.meta.url), 'utf8'),
  ) as unknown
  const kinds = builtinResources(resources)
    .filter(({ verbs }) => verbs.includes('create') && verbs.includes('get'))
    .map(({ group, version, kind }) => `${group === '' ? version : `${group}/${version}`} ${kind}`)
  const written = new Set(manifests.map(({ document: { apiVersion, kind } }) => `${apiVersion} ${kind}`))
  expect(kinds.filter((kind) => !written.has(kind))).toEqual([])
})
