import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Allot, startAllot } from '../start-allot.ts'
import { type Ended, run } from './client-program.ts'
import { toolPath } from './tool.ts'

const program = toolPath('helm') ?? ''
const CHART = fileURLToPath(new URL('chart', import.meta.url))

describe.skipIf(program === '')('where Go is on the machine: Helm', () => {
  let allot: Allot
  beforeAll(async () => {
    allot = await startAllot({ inMemory: true })
  })
  afterAll(() => allot.stop())

  const inNamespace = (namespace: string) => {
    const helm = (...args: readonly string[]): Promise<Ended> =>
      run(program, ['--namespace', namespace, ...args], allot.kubeconfig)
    return {
      helm,
      ok: async (...args: readonly string[]): Promise<string> => {
        const { code, stdout, stderr } = await helm(...args)
        expect([args, code, stderr]).toEqual([args, 0, ''])
        return stdout
      },
      // oxlint-disable-next-line typescript/no-explicit-any -- tests look into objects of any shape
      get: async (path: string, group = '/api/v1'): Promise<any> =>
        (await allot.call(`${group}/namespaces/${namespace}/${path}`)).json,
    }
  }

  test('installs a chart with its definitions and hooks, waits, and knows the release', async () => {
    const { ok, get } = inNamespace('installed')
    const install = ['install', 'corner', CHART, '--create-namespace', '--wait', '--timeout=20s', '-o', 'json']
    expect(JSON.parse(await ok(...install))).toMatchObject({ info: { status: 'deployed' }, version: 1 })
    expect(await get('configmaps/corner-words')).toMatchObject({
      metadata: {
        labels: { 'app.kubernetes.io/managed-by': 'Helm' },
        annotations: { 'meta.helm.sh/release-name': 'corner' },
      },
      data: { greeting: 'hello' },
    })
    expect((await get('shelves/corner', '/apis/shop.example.com/v1')).spec).toEqual({ boards: 3 })
    expect((await get('configmaps/corner-post-install')).data).toEqual({ revision: '1' })
    expect(JSON.parse(await ok('list', '-o', 'json'))).toMatchObject([{ name: 'corner', status: 'deployed' }])
    expect(JSON.parse(await ok('status', 'corner', '-o', 'json'))).toMatchObject({
      name: 'corner',
      info: { status: 'deployed' },
    })
    expect(await ok('get', 'manifest', 'corner')).toContain('kind: ResourceQuota')
    expect(await ok('get', 'values', 'corner', '--all', '-o', 'json')).toContain('"quota":2')
  })

  test('upgrades, keeps a history, and rolls back', async () => {
    const { ok, get } = inNamespace('upgraded')
    await ok('install', 'corner', CHART, '--create-namespace')
    await ok('upgrade', 'corner', CHART, '--set=greeting=bye,quota=5,door=false', '--wait', '--timeout=20s')
    expect((await get('configmaps/corner-words')).data).toEqual({ greeting: 'bye' })
    expect((await get('resourcequotas/corner')).spec).toEqual({ hard: { pods: '5' } })
    expect(await get('services/corner-door')).toMatchObject({ code: 404 })
    const { metadata } = (await allot.call('/api/v1/namespaces/upgraded')).json
    expect((await get('secrets/corner-place')).data).toEqual({ uid: Buffer.from(metadata.uid).toString('base64') })
    expect((await get('configmaps/corner-pre-upgrade')).data).toEqual({ revision: '2' })
    await ok('rollback', 'corner', '1', '--wait', '--timeout=20s')
    expect((await get('configmaps/corner-words')).data).toEqual({ greeting: 'hello' })
    expect((await get('services/corner-door')).spec.ports).toMatchObject([{ port: 80 }])
    expect(JSON.parse(await ok('history', 'corner', '-o', 'json'))).toMatchObject([
      { revision: 1, status: 'superseded' },
      { revision: 2, status: 'superseded' },
      { revision: 3, status: 'deployed', description: 'Rollback to 1' },
    ])
  })

  test('uninstalls what it installed, and waits until it is gone', async () => {
    const { ok, helm, get } = inNamespace('uninstalled')
    await ok('install', 'corner', CHART, '--create-namespace', '--set=staff=2')
    expect((await get('deployments/corner', '/apis/apps/v1')).spec.replicas).toBe(2)
    expect(await ok('uninstall', 'corner', '--wait', '--timeout=20s')).toBe('release "corner" uninstalled\n')
    expect(JSON.parse(await ok('list', '--all', '-o', 'json'))).toEqual([])
    expect(await get('configmaps/corner-words')).toMatchObject({ code: 404 })
    expect((await get('configmaps/corner-pre-delete')).data).toEqual({ revision: '1' })
    expect(await helm('status', 'corner')).toMatchObject({ code: 1, stderr: 'Error: release: not found\n' })
  })

  test('shows in a dry run what the server would take, and is refused what belongs to nobody', async () => {
    const { ok, helm, get } = inNamespace('dry')
    await allot.call('/api/v1/namespaces', { method: 'POST', body: { metadata: { name: 'dry' } } })
    expect(await ok('install', 'corner', CHART, '--dry-run=server')).toContain('name: corner-place')
    expect(await get('configmaps/corner-words')).toMatchObject({ code: 404 })
    const words = { metadata: { name: 'corner-words' } }
    await allot.call('/api/v1/namespaces/dry/configmaps', { method: 'POST', body: words })
    const { code, stderr } = await helm('install', 'corner', CHART)
    expect([code, stderr]).toEqual([1, expect.stringContaining('cannot be imported into the current release')])
  })
})
