import { expect, test } from 'vitest'
import { hookedServer, patched } from './hooked-server.ts'

/** Webhooks may write managed fields; what they make invalid is put back, with a warning in the words of Kubernetes. */
const hooked = hookedServer()
const MERGE = { 'content-type': 'application/merge-patch+json' }
const APPLY = { 'content-type': 'application/apply-patch+yaml' }
const WARNING =
  '.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: '

const entry = { manager: 'm', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {} }
const time = '2020-01-02T03:04:05Z'
const fieldsV1 = { 'f:data': { x: {} } }
const INVALID: readonly (readonly [what: string, managedFields: unknown, problem: string])[] = [
  ['an unknown operation', [{ ...entry, operation: 'Mend' }], 'operation must be `Apply` or `Update`'],
  ['no version', [{ ...entry, apiVersion: '' }], 'apiVersion must not be empty'],
  ['no type of fields', [entry, { ...entry, fieldsType: '' }], 'missing fieldsType in managed fields entry 1'],
  [
    'another type of fields',
    [{ ...entry, fieldsType: 'FieldsV2' }],
    'invalid fieldsType "FieldsV2" in managed fields entry 0',
  ],
  ['an empty entry', [{}], 'operation must be `Apply` or `Update`'],
  [
    'fields that are not named as fields are',
    [{ ...entry, time, fieldsV1 }],
    'error decoding versioned set from {m Update v1 2020-01-02 03:04:05 +0000 UTC FieldsV1 {"f:data":{"x":{}}} }: error decoding set: key must be 2 characters long:',
  ],
]

const warningOf = (headers: Headers): string => (headers.get('warning') ?? '').replaceAll('\\"', '"')

test.each(INVALID)('managed fields with %s are put back, and the client is warned', async (_what, value, problem) => {
  const { server } = hooked
  const apply = (data: object) =>
    server.send(
      'PATCH',
      `${hooked.maps()}/a?fieldManager=applier&force=true`,
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data },
      APPLY,
    )
  await hooked.register('mutating')
  hooked.answer = ({ request }) =>
    request['operation'] === 'DELETE'
      ? { allowed: true }
      : patched([
          { op: 'add', path: '/metadata/managedFields', value },
          { op: 'add', path: '/metadata/labels', value: { hooked: 'yes' } },
        ])
  const created = await hooked.create('a')
  const changed = await server.send('PATCH', `${hooked.maps()}/a`, { data: { b: '2' } }, MERGE)
  const applied = await apply({ c: '3' })
  for (const { status, body, headers } of [created, changed, applied]) {
    expect(status).toBeLessThan(300)
    expect(warningOf(headers)).toBe(`299 - "${WARNING}${problem}"`)
    expect(body.metadata.labels).toEqual({ hooked: 'yes' })
    expect(body.metadata.managedFields.map(({ operation }: { operation: string }) => operation)).toContain('Update')
  }
  expect(applied.body.metadata.managedFields[0]).toMatchObject({
    manager: 'applier',
    operation: 'Apply',
    fieldsV1: { 'f:data': { 'f:c': {} } },
  })
  // The owned fields are known still: an apply without one removes it.
  expect((await apply({})).body.data).toEqual({ a: '1', b: '2' })
})

test.each([
  ['replaced by others', [entry], 'm'],
  ['taken away', undefined, undefined],
])('managed fields that a webhook has %s are left to it, without a warning', async (_what, value, manager) => {
  await hooked.register('mutating')
  hooked.answer = () =>
    patched([
      value === undefined
        ? { op: 'remove', path: '/metadata/managedFields' }
        : { op: 'add', path: '/metadata/managedFields', value },
    ])
  const { status, body, headers } = await hooked.create('a')
  expect([status, warningOf(headers)]).toEqual([201, ''])
  expect(body.metadata.managedFields?.[0]?.manager).toBe(manager)
})
