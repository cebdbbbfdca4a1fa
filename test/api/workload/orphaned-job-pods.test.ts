import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { startInProcess } from '../../in-process.ts'
import { apiServer, MERGE, pod } from '../api-server.ts'

const TRACKING = 'batch.kubernetes.io/job-tracking'
const api = apiServer({ workloads: true })

const job = (name: string): unknown => ({
  metadata: { name },
  spec: {
    parallelism: 60,
    completions: 60,
    template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } },
  },
})

const jobsOf = (namespace: string): string => namespace.replace('/api/v1', '/apis/batch/v1') + '/jobs'

describe('the pods of a Job that is gone', () => {
  // How far the controller is with its pods when the Job goes.
  test.each([0, 12])('go with a Job that is deleted when %d of them are there', async (made) => {
    const namespace = await api.namespace()
    await api.create(jobsOf(namespace), job('short'))
    await api.until(`${namespace}/pods`, ({ items }) => items.length >= made)
    expect((await api.send('DELETE', `${jobsOf(namespace)}/short?propagationPolicy=Background`)).status).toBe(200)
    await api.send('DELETE', namespace)
    expect(await api.until(namespace, ({ code }) => code === 404)).toMatchObject({ reason: 'NotFound' })
  })

  test('go with a Job that nothing here has looked after', async () => {
    const namespace = await api.namespace()
    const spec = { ...suspended(), managedBy: 'harbour.test/controller' }
    const { metadata } = await api.create(jobsOf(namespace), { ...(job('foreign') as object), spec })
    await api.create(`${namespace}/pods`, tracked('theirs', { ...reference('foreign'), uid: metadata.uid }))
    await api.send('DELETE', `${jobsOf(namespace)}/foreign?propagationPolicy=Background`)
    const gone = await api.until(`${namespace}/pods/theirs`, ({ code }) => code === 404)
    expect(gone).toMatchObject({ reason: 'NotFound' })
  })

  test('lose the finalizer when the Job is deleted without them, and go when they are deleted', async () => {
    const namespace = await api.namespace()
    await api.create(jobsOf(namespace), job('left'))
    await api.until(`${namespace}/pods`, ({ items }) => items.length === 60)
    await api.send('DELETE', `${jobsOf(namespace)}/left?propagationPolicy=Orphan`)
    await api.until(`${namespace}/pods`, ({ items }) =>
      items.every((one: { metadata: { finalizers?: unknown } }) => one.metadata.finalizers === undefined),
    )
    await api.send('DELETE', `${namespace}/pods?gracePeriodSeconds=0`)
    expect(await api.until(`${namespace}/pods`, ({ items }) => items.length === 0)).toMatchObject({ kind: 'PodList' })
  })

  test('lose the finalizer when a Job of the same name has taken the place of theirs', async () => {
    const namespace = await api.namespace()
    const { metadata } = await api.create(jobsOf(namespace), { ...(job('again') as object), spec: suspended() })
    const path = `${namespace}/pods/stray`
    await api.create(`${namespace}/pods`, tracked('stray', { ...reference(metadata.name), uid: 'of-another-job' }))
    const freed = await api.until(path, (body) => body.code === 404 || body.metadata.finalizers === undefined)
    expect(freed).not.toHaveProperty('metadata.finalizers')
  })
})

describe('a start', () => {
  const directory = mkdtempSync(join(tmpdir(), 'orphaned-job-pods-'))
  afterAll(() => rmSync(directory, { recursive: true }))

  test('takes the finalizer from pods whose Job was gone before', async () => {
    const before = await startInProcess({ location: { directory } })
    const pods = '/api/v1/namespaces/default/pods'
    await before.until('/api/v1/namespaces/default/serviceaccounts/default', ({ kind }) => kind === 'ServiceAccount')
    expect((await before.send('POST', pods, tracked('held'))).status).toBe(201)
    expect((await before.send('POST', pods, tracked('alive'))).status).toBe(201)
    await before.send('DELETE', `${pods}/held?gracePeriodSeconds=0`)
    expect((await before.send('GET', `${pods}/held`)).body.metadata.deletionTimestamp).toBeDefined()
    await before.stop()
    const after = await startInProcess({ location: { directory }, workloads: true })
    await after.until(`${pods}/held`, ({ code }) => code === 404)
    await after.until(`${pods}/alive`, ({ metadata }) => metadata?.finalizers === undefined)
    await after.stop()
  })
})

describe('the pods of a Job that is there', () => {
  test('keep the finalizer, also those of a Job that another controller manages', async () => {
    const namespace = await api.namespace()
    const spec = { ...suspended(), managedBy: 'harbour.test/controller' }
    const { metadata } = await api.create(jobsOf(namespace), { ...(job('foreign') as object), spec })
    const owner = { ...reference('foreign'), uid: metadata.uid }
    await api.create(`${namespace}/pods`, tracked('theirs', owner))
    await api.until(`${namespace}/pods/theirs`, ({ status }) => status?.phase === 'Succeeded')
    const labels = await api.patch(`${namespace}/pods/theirs`, { metadata: { labels: { seen: 'yes' } } }, MERGE)
    expect(labels.metadata.finalizers).toEqual([TRACKING])
  })
})

function suspended(): object {
  const { spec } = job('') as { readonly spec: object }
  return { ...spec, suspend: true }
}

function reference(name: string): object {
  return { apiVersion: 'batch/v1', kind: 'Job', name, controller: true }
}

function tracked(name: string, owner?: object): unknown {
  const { metadata, ...rest } = pod(name) as { readonly metadata: object }
  return {
    ...rest,
    metadata: { ...metadata, finalizers: [TRACKING], ...(owner === undefined ? {} : { ownerReferences: [owner] }) },
  }
}
