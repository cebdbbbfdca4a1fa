import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, type InProcess, startInProcess } from '../../in-process.ts'

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const PATH = '/apis/harbour.test/v1/namespaces/default/sails'
const REVISIONS = '/apis/apps/v1/namespaces/default/controllerrevisions'
/** The least that no float64 holds, and numbers far beyond. */
const BEYOND = ['1.797693134862315808e308', '1e400', '-1e400', `1${'0'.repeat(400)}`]
const GREATEST = '1.7976931348623157e308'

let plane: InProcess
beforeAll(async () => {
  plane = await startInProcess()
  const schema = (value: string): string => `{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object",
    "x-kubernetes-preserve-unknown-fields":true,"properties":{"n":${value}}}}}}`
  await define('sails', schema('{"type":"number"}'))
  await plane.until(PATH, ({ kind }) => kind === 'SailList')
})
afterAll(() => plane.stop())

const define = (plural: string, schema: string): Promise<Answer> =>
  plane.send(
    'POST',
    DEFINITIONS,
    `{"metadata":{"name":"${plural}.harbour.test"},"spec":{"group":"harbour.test","scope":"Namespaced",
      "names":{"plural":"${plural}","kind":"Sail"},
      "versions":[{"name":"v1","served":true,"storage":true,"schema":${schema}}]}}`,
  )
const sail = (name: string, spec: string): string =>
  `{"apiVersion":"harbour.test/v1","kind":"Sail","metadata":{"name":"${name}"},"spec":${spec}}`
const overflow = (number: string): string => `json: cannot unmarshal number ${number} into Go value of type float64`
/** The code of an answer, and its message unless that says what it should. */
const outcome = (number: string, { status, body }: Answer): readonly unknown[] => [
  status,
  String(body.message).includes(overflow(number)) ? '' : body.message,
]

describe('a number that no float64 holds is refused with 400', () => {
  test.each(BEYOND)('in a custom resource: %s', async (number) => {
    for (const spec of [`{"n":${number}}`, `{"deep":[{"x":${number}}]}`])
      expect(outcome(number, await plane.send('POST', PATH, sail('beyond', spec)))).toEqual([400, ''])
  })

  test.each(BEYOND)('in the values of a schema: %s', async (number) => {
    for (const keyword of [`"default":${number}`, `"enum":[1,${number}]`, `"example":{"x":[${number}]}`]) {
      const schema = `{"openAPIV3Schema":{"type":"object","properties":{"n":{"type":"number",${keyword}}}}}`
      expect(outcome(number, await define('masts', schema))).toEqual([400, ''])
    }
  })

  test.each(BEYOND)('in patches: %s', async (number) => {
    await plane.send('POST', PATH, sail('patched', '{"n":1}'))
    const forms = {
      'application/merge-patch+json': `{"spec":{"n":${number}}}`,
      'application/json-patch+json': `[{"op":"replace","path":"/spec/n","value":${number}}]`,
    }
    for (const [type, patch] of Object.entries(forms)) {
      const headers = { 'content-type': type }
      for (const validation of ['Strict', 'Warn'])
        expect(
          outcome(number, await plane.send('PATCH', `${PATH}/patched?fieldValidation=${validation}`, patch, headers)),
        ).toEqual([400, ''])
      const ignored = await plane.send('PATCH', `${PATH}/patched?fieldValidation=Ignore`, patch, headers)
      expect([ignored.status, ignored.body.message]).toEqual([422, expect.stringContaining(overflow(number))])
    }
    expect((await plane.send('GET', `${PATH}/patched`)).body.spec).toEqual({ n: 1 })
  })

  test.each(BEYOND)('in kinds that are built in, and their patches: %s', async (number) => {
    const revision = `{"metadata":{"name":"r"},"revision":1,"data":{"x":[${number}]}}`
    expect(outcome(number, await plane.send('POST', REVISIONS, revision))).toEqual([400, ''])
    for (const validation of ['Strict', 'Ignore'])
      expect(
        outcome(
          number,
          await plane.send('PATCH', `/api/v1/namespaces/default?fieldValidation=${validation}`, `{"x":${number}}`, {
            'content-type': 'application/strategic-merge-patch+json',
          }),
        ),
      ).toEqual([400, ''])
  })
})

test('the greatest number of a float64 is kept', async () => {
  const { status, body } = await plane.send('POST', PATH, sail('greatest', `{"n":${GREATEST}}`))
  expect([status, body.spec]).toEqual([201, { n: Number.MAX_VALUE }])
})
