import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { encodeProtobuf } from '../../src/apiserver/protobuf/encode.ts'
import { compileProtobuf } from '../../src/apiserver/protobuf/message-set.ts'
import { readYaml } from '../../src/machinery/yaml/text.ts'
import { canStandStored, CHANGES, documentOf, everyPlace, kindOf, nameOf } from './built-ins.ts'
import { type Style, STYLES } from './entries.ts'
import { eachOrigin, type Place } from './schema-places.ts'
import { type Document, keeping, NAMESPACE, SweptPlane } from './swept-plane.ts'

const isLong = process.env['ALLOT_SOAK'] !== undefined
/** Entries of a list, and how much CPU time so many are done with that nobody looks closer. */
const OF_OBJECTS = { count: 2000, quickMs: 18 }
/** Of those with all their fields, of which a body holds less. */
const OF_FULL = { count: 400, quickMs: 10 }
/** Of YAML, which takes ten times as long to read as JSON. */
const OF_YAML = isLong ? { count: 4000, quickMs: 200 } : { count: 1000, quickMs: 60 }
const OF_SCALARS = { count: isLong ? 24_000 : 12_000, quickMs: isLong ? 60 : 40 }
/** Of the requests that need a stored object the short form makes those of every so many-th place. */
const EVERY = isLong ? 1 : 37
/** Places of which the short form looks at one style only. */
const isBrief = (index: number): boolean => !isLong && index % 5 !== 0
const ONE: readonly Style[] = ['plain']
const BOTH: readonly Style[] = ['plain', 'odd']
const PATIENCE_MS = isLong ? 4 * 3600_000 : 600_000

const messages = compileProtobuf(
  JSON.parse(readFileSync(new URL('../../schemas/kubernetes-1.36-protobuf.json', import.meta.url), 'utf8')) as never,
)

const places = isLong ? everyPlace : eachOrigin(everyPlace)
const stored = eachOrigin(everyPlace)
  .filter(canStandStored)
  .filter((_, index) => index % EVERY === 0)

let swept: SweptPlane
beforeAll(async () => {
  swept = await SweptPlane.start()
})
afterAll(() => swept.stop())

/** The YAML of a document, as `kubectl get -o yaml` writes it or with everything in braces. */
const yamlOf =
  (document: Document, collectionStyle: 'block' | 'flow') =>
  (count: number): string =>
    stringify(document(count), { collectionStyle, aliasDuplicateObjects: false, lineWidth: 0 })

function sizesOf({ type }: Place, isFull: boolean): { readonly count: number; readonly quickMs: number } {
  const inner = type.kind === 'list' ? type.items : type.values
  if (isFull) return OF_FULL
  return ['object', 'list', 'map'].includes(inner.kind) ? OF_OBJECTS : OF_SCALARS
}

function lookAt(place: Place, what: string, run: (count: number) => Promise<unknown>): Promise<void> {
  const { count, quickMs } = sizesOf(place, what.includes('full'))
  return swept.look(`${nameOf(place)}, ${what}`, run, count, quickMs)
}

describe('every list and map of every built-in kind [security/list-work]', { timeout: PATIENCE_MS }, () => {
  test('is created in time that grows no faster than n log n', async () => {
    for (const [index, place] of places.entries())
      for (const style of isLong ? STYLES : isBrief(index) ? ONE : BOTH)
        await lookAt(place, style, swept.create(kindOf(place), documentOf(place, style)))
    const { slow, codes } = swept.found()
    expect(slow).toEqual([])
    expect(codes.get(201), 'many are valid, so that all that follows is looked at too').toBeGreaterThan(
      places.length / 4,
    )
    expect(codes.get(422), 'many are not, so that mistakes are counted').toBeGreaterThan(places.length / 8)
  })

  test('is read as protobuf in time that grows no faster than n log n', async () => {
    for (const place of stored) {
      const document = documentOf(place, 'plain')
      const bodies = new Map<number, Buffer | undefined>()
      await lookAt(place, 'protobuf', async (count) => {
        const body = bodies.get(count) ?? encodeProtobuf(messages, document(count))
        bodies.set(count, body)
        if (body === undefined) return
        await fetch(`${swept.plane.url}${kindOf(place).path}?dryRun=All`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${swept.plane.token}`,
            'content-type': 'application/vnd.kubernetes.protobuf',
          },
          body: new Uint8Array(body),
        }).then((response) => response.arrayBuffer())
      })
    }
    expect(swept.found().slow).toEqual([])
  })

  // A thread of its own reads what is large, so the reader is measured by itself, and the rest of the request besides.
  test('is read as YAML in time that grows no faster than n log n', async () => {
    const { count, quickMs } = OF_YAML
    const lookAtYaml = (
      place: Place,
      what: string,
      text: (size: number) => string,
      run: (of: string) => Promise<unknown>,
    ) => swept.look(`${nameOf(place)}, YAML, ${what}`, keeping(text, run), count, quickMs)
    for (const [index, place] of stored.entries()) {
      for (const style of isLong ? STYLES : isBrief(index) ? ONE : BOTH)
        for (const form of ['block', 'flow'] as const)
          await lookAtYaml(place, `${form}, ${style}`, yamlOf(documentOf(place, style), form), async (text) =>
            readYaml(text, true),
          )
      if (!isBrief(index))
        await lookAtYaml(place, 'sent', yamlOf(documentOf(place, 'plain'), 'block'), (text) =>
          swept.send('POST', `${kindOf(place).path}?dryRun=All`, text, 'application/yaml'),
        )
    }
    const { slow, codes } = swept.found()
    expect([slow, codes.has(201)]).toEqual([[], true])
  })

  const BETWEEN: readonly (readonly [Style, Style])[] = isLong
    ? [
        ['plain', 'full'],
        ['full', 'plain'],
        ['plain', 'odd'],
        ['equal', 'equal'],
        ['odd', 'odd'],
      ]
    : [
        ['plain', 'plain'],
        ['odd', 'plain'],
      ]

  for (const [change, [method, type, query = '']] of Object.entries(CHANGES))
    test(`is ${change} in time that grows no faster than n log n`, async () => {
      for (const place of stored)
        for (const [before, after] of BETWEEN) {
          const [old, next] = [documentOf(place, before), documentOf(place, after)]
          const kind = kindOf(place)
          const put = keeping(
            (count) => JSON.stringify(next(count)),
            (text) => swept.send(method, `${kind.path}/${NAMESPACE}?dryRun=All${query}`, text, type),
          )
          await lookAt(place, `${before} to ${after}`, (count) => swept.onStored(kind, old(count), () => put(count)))
        }
      expect(swept.found().slow).toEqual([])
    })

  test('is shown as a table in time that grows no faster than n log n', async () => {
    for (const place of stored) {
      const kind = kindOf(place)
      const document = documentOf(place, 'plain')
      await lookAt(place, 'table', (count) =>
        swept.onStored(kind, document(count), () =>
          swept.plane.send('GET', `${kind.path}/${NAMESPACE}`, undefined, {
            accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
          }),
        ),
      )
    }
    expect(swept.found().slow).toEqual([])
  })
})
