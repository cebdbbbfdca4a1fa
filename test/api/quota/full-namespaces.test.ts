import { expect, test } from 'vitest'
import { startInProcess } from '../../in-process.ts'
import { temporaryDirectory } from '../../start-allot.ts'

test('a server starts although quotas leave no room for what it publishes of itself, and publishes it once there is', async () => {
  const options = { location: { directory: temporaryDirectory() }, serverAddress: '127.0.0.1:6443' }
  const core = '/api/v1/namespaces/default'
  const slice = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes'
  const first = await startInProcess(options)
  const hard = { services: '0', 'count/endpoints': '0', 'count/endpointslices.discovery.k8s.io': '0' }
  await first.send('POST', `${core}/resourcequotas`, { metadata: { name: 'none' }, spec: { hard } })
  await first.until(`${core}/resourcequotas/none`, ({ status }) => status?.used !== undefined)
  for (const path of [`${core}/services/kubernetes`, `${core}/endpoints/kubernetes`, slice])
    expect((await first.send('DELETE', path)).status).toBeLessThan(300)
  await first.stop()
  const second = await startInProcess(options)
  expect((await second.send('GET', `${core}/services/kubernetes`)).status).toBe(404)
  await second.send('DELETE', `${core}/resourcequotas/none`)
  await second.until(slice, ({ kind }) => kind === 'EndpointSlice')
  await second.stop()
})

test('a quota that leaves no room for the account of a namespace keeps the certificate neither out nor old', async () => {
  const server = await startInProcess()
  const core = '/api/v1/namespaces/full'
  const certificate = `${core}/configmaps/kube-root-ca.crt`
  await server.send('POST', '/api/v1/namespaces', { metadata: { name: 'full' } })
  await server.until(certificate, ({ kind }) => kind === 'ConfigMap')
  await server.until(`${core}/serviceaccounts/default`, ({ kind }) => kind === 'ServiceAccount')
  const hard = { 'count/serviceaccounts': '0' }
  await server.send('POST', `${core}/resourcequotas`, { metadata: { name: 'none' }, spec: { hard } })
  await server.until(`${core}/resourcequotas/none`, ({ status }) => status?.used !== undefined)
  await server.send('DELETE', `${core}/serviceaccounts/default`)
  expect((await server.send('DELETE', certificate)).status).toBe(200)
  await server.until(certificate, ({ kind }) => kind === 'ConfigMap')
  expect((await server.send('GET', `${core}/serviceaccounts/default`)).status).toBe(404)
  await server.stop()
})
