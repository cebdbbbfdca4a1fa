import { beforeAll, describe, expect, test } from 'vitest'
import { builtinResources } from '../../../src/apiserver/resource/builtin-resources.ts'
import { readFileSync } from 'node:fs'
import type { Answer } from '../../in-process.ts'
import { VALID } from '../../fuzz/valid-objects.ts'
import { apiServer } from '../api-server.ts'

const api = apiServer()
const MADE_ANEW = new Set(['uid', 'resourceVersion', 'creationTimestamp', 'lastPhaseTransitionTime', 'time'])

/** An answer without what each request makes anew: ids, versions, times and the name of a pod's token volume. */
function timeless(answer: Answer): unknown {
  const { uid } = answer.body?.metadata ?? {}
  const read = JSON.parse(JSON.stringify(answer.body), (key, value: unknown) =>
    MADE_ANEW.has(key) ? undefined : value,
  ) as unknown
  const text = JSON.stringify(read).replaceAll(/kube-api-access-\w{5}/g, 'kube-api-access')
  return [answer.status, JSON.parse(typeof uid === 'string' ? text.replaceAll(uid, 'UID') : text)]
}

const resources = builtinResources(
  JSON.parse(readFileSync(new URL('../../../schemas/kubernetes-1.36-resources.json', import.meta.url), 'utf8')),
).filter(({ verbs, resource }) => verbs.includes('create') && resource !== 'bindings')

/** Of kinds whose names say something. */
const NAMES: Readonly<Record<string, string>> = {
  customresourcedefinitions: 'things.fuzz.test',
  apiservices: 'v1.fuzz.test',
  ipaddresses: '10.99.0.7',
}

describe('a dry run of a create answers as the create does, and leaves nothing behind', () => {
  beforeAll(async () => {
    await api.create('/api/v1/namespaces', { metadata: { name: 'fuzz-a' } })
  })

  test.each(resources.map((served) => [`${served.group || 'core'}/${served.version} ${served.resource}`, served]))(
    '%s',
    async (_, { group, version, resource, kind, namespaced, verbs }) => {
      const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
      const path = `${root}${namespaced ? '/namespaces/fuzz-a' : ''}/${resource}`
      const valid = VALID[group === '' ? resource : `${resource}.${group}`] ?? {}
      const name = NAMES[resource] ?? `dry-${group.replace('.', '-')}${version}`
      const isReview = group.startsWith('auth')
      const body = {
        apiVersion: group === '' ? version : `${group}/${version}`,
        kind,
        ...(isReview ? {} : { metadata: { name, labels: { a: 'b' } } }),
        ...valid,
      }
      const [dry, again] = [
        await api.send('POST', `${path}?dryRun=All`, body),
        await api.send('POST', `${path}?dryRun=All`, body),
      ]
      expect([dry.status, dry.body.message]).toEqual([201, undefined])
      expect(timeless(again)).toEqual(timeless(dry))
      if (verbs.includes('get')) expect((await api.send('GET', `${path}/${name}`)).status).toBe(404)
      const real = await api.send('POST', path, body)
      expect(timeless(dry)).toEqual(timeless(real))
      expect(dry.headers.get('warning')).toBe(real.headers.get('warning'))
      const taken = await api.send('POST', `${path}?dryRun=All`, body)
      if (verbs.includes('get')) expect([taken.status, taken.body.reason]).toEqual([409, 'AlreadyExists'])
    },
  )
})

describe('a dry run of a Service', () => {
  const services = '/api/v1/namespaces/default/services'
  const service = (name: string, spec: object): object => ({
    metadata: { name },
    spec: { ports: [{ port: 80 }], ...spec },
  })
  const dry = (name: string, spec: object): Promise<Answer> =>
    api.send('POST', `${services}?dryRun=All`, service(name, spec))

  test('shows the address, the families and the node ports that it would get, and takes none of them', async () => {
    const spec = { type: 'LoadBalancer', externalTrafficPolicy: 'Local' }
    const shown = await dry('balanced', spec)
    expect(shown.body.spec).toMatchObject({
      clusterIP: expect.stringMatching(/^10\.96\./),
      clusterIPs: [shown.body.spec.clusterIP],
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      ports: [{ nodePort: expect.any(Number) }],
      healthCheckNodePort: expect.any(Number),
    })
    const { clusterIP, healthCheckNodePort } = shown.body.spec
    const other = { clusterIP, type: 'NodePort', ports: [{ port: 80, nodePort: healthCheckNodePort }] }
    expect((await api.send('POST', services, service('other', other))).status).toBe(201)
    const next = await api.send('POST', services, service('balanced', spec))
    expect(next.body.spec.healthCheckNodePort).not.toBe(healthCheckNodePort)
    expect(next.body.spec.clusterIP).not.toBe(clusterIP)
  })

  test.each([
    [
      'a node port that is taken',
      { type: 'NodePort', ports: [{ port: 80, nodePort: 31_234 }] },
      'spec.ports[0].nodePort',
      'provided port is already allocated',
    ],
    [
      'a node port out of the range',
      { type: 'NodePort', ports: [{ port: 80, nodePort: 80 }] },
      'spec.ports[0].nodePort',
      'provided port is not in the valid range.',
    ],
    ['an address that is taken', { clusterIP: '10.96.77.77' }, 'spec.clusterIPs', 'provided IP is already allocated'],
    ['an address out of the range', { clusterIP: '10.1.1.1' }, 'spec.clusterIPs', 'is not in the valid range'],
  ])('refuses %s, as the create does', async (_, spec, field, text) => {
    const holder = { type: 'NodePort', clusterIP: '10.96.77.77', ports: [{ port: 80, nodePort: 31_234 }] }
    await api.send('POST', services, service('holder', holder))
    const { status, body } = await dry('late', spec)
    expect([status, body.details.causes[0].field, body.message]).toEqual([422, field, expect.stringContaining(text)])
    const { body: refused } = await api.send('POST', services, service('late', spec))
    expect(refused.message).toBe(body.message)
  })

  test('and of an update of one answers as the update does', async () => {
    await api.create(services, service('changing', {}))
    const patch = { spec: { type: 'NodePort' } }
    const headers = { 'content-type': 'application/merge-patch+json' }
    const shown = await api.send('PATCH', `${services}/changing?dryRun=All`, patch, headers)
    expect(shown.body.spec.ports[0].nodePort).toEqual(expect.any(Number))
    expect((await api.get(`${services}/changing`)).spec.ports[0].nodePort).toBeUndefined()
    expect(timeless(await api.send('PATCH', `${services}/changing`, patch, headers))).toEqual(timeless(shown))
    const bad = { spec: { ports: [{ port: 80, nodePort: 31_234 }] } }
    expect((await api.send('PATCH', `${services}/changing?dryRun=All`, bad, headers)).status).toBe(422)
  })
})
