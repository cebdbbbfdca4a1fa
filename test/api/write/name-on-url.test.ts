import { afterAll, beforeAll, expect, test } from 'vitest'
import { type InProcess, startInProcess } from '../../in-process.ts'

let server: InProcess
beforeAll(async () => {
  server = await startInProcess()
})
afterAll(() => server.stop())

const MISMATCH = 'the name of the object (other) does not match the name on the URL (only)'

test('an apply cannot create an object of another name than its URL’s', async () => {
  const maps = '/api/v1/namespaces/default/configmaps'
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'other' } }
  const headers = { 'content-type': 'application/apply-patch+yaml' }
  const answer = await server.send('PATCH', `${maps}/only?fieldManager=x`, body, headers)
  expect([answer.status, answer.body.message]).toEqual([400, MISMATCH])
  expect((await server.send('GET', `${maps}/other`)).status).toBe(404)
})

test('nor can a replacement that creates', async () => {
  const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases'
  const body = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'other' }, spec: {} }
  const answer = await server.send('PUT', `${leases}/only`, body)
  expect([answer.status, answer.body.message]).toEqual([400, MISMATCH])
  expect((await server.send('GET', `${leases}/other`)).status).toBe(404)
})
