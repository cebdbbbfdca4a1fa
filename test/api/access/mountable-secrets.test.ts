import { beforeAll, expect, test } from 'vitest'
import { apiServer, pod, STRATEGIC } from '../api-server.ts'
import { outcome } from './role-objects.ts'

const api = apiServer()
let ns = ''
beforeAll(async () => {
  ns = await api.namespace()
  await api.create(`${ns}/serviceaccounts`, {
    metadata: { name: 'strict', annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' } },
    secrets: [{ name: 'mine' }],
    imagePullSecrets: [{ name: 'pull' }],
  })
})

const from = (secret: string): object => ({
  name: 'c',
  image: 'i',
  env: [{ name: 'E', valueFrom: { secretKeyRef: { name: secret, key: 'k' } } }],
})
const volume = (secretName: string): object => ({ name: 'v', secret: { secretName } })
const strict = (name: string, spec: object): unknown => pod(name, { serviceAccountName: 'strict', ...spec })
const mirror = (spec: object): unknown => ({
  ...(pod('mirror', { nodeName: 'n', ...spec }) as object),
  metadata: { name: 'mirror', annotations: { 'kubernetes.io/config.mirror': 'x' } },
})
const REST = 'is not allowed because service account strict does not reference that'

test.each([
  [{ volumes: [volume('other')] }, `volume with secret.secretName="other" ${REST} secret`],
  [{ containers: [from('other')] }, `container c with envVar E referencing secret.secretName="other" ${REST} secret`],
  [
    { initContainers: [{ name: 'i', image: 'i', envFrom: [{ secretRef: { name: 'other' } }] }] },
    `init container i with envFrom referencing secret.secretName="other" ${REST} secret`,
  ],
  [{ imagePullSecrets: [{ name: 'other' }] }, `imagePullSecrets[0].name="other" ${REST} imagePullSecret`],
])('an account that lends the secrets that it lists lends no others, %#', async (spec, why) => {
  const answer = await api.send('POST', `${ns}/pods`, strict('other', spec))
  expect(outcome(answer)).toEqual([403, `pods "other" is forbidden: ${why}`])
})

test('an account that lends the secrets that it lists lends these, and no others to containers that come later', async () => {
  await api.create(`${ns}/pods`, strict('listed', { containers: [from('mine')], volumes: [volume('mine')] }))
  const add = (secret: string): ReturnType<typeof api.send> => {
    const ephemeralContainers = [{ ...from(secret), name: 'e' }]
    return api.send('PATCH', `${ns}/pods/listed/ephemeralcontainers`, { spec: { ephemeralContainers } }, STRATEGIC)
  }
  expect(outcome(await add('other'))).toEqual([
    403,
    `pods "listed" is forbidden: ephemeral container e with envVar E referencing secret.secretName="other" ${REST} secret`,
  ])
  expect((await add('mine')).status).toBe(200)
})

test.each([
  [{ serviceAccountName: 'strict' }, 'a mirror pod may not reference service accounts'],
  [{ volumes: [volume('mine')] }, 'a mirror pod may not reference secrets'],
  [{ containers: [from('mine')] }, 'a mirror pod may not reference secrets'],
  [
    { volumes: [{ name: 'v', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }] },
    'a mirror pod may not use ServiceAccountToken volume projections',
  ],
])('a pod that a node runs by itself has nothing of an account, %#', async (spec, why) => {
  expect(outcome(await api.send('POST', `${ns}/pods`, mirror(spec)))).toEqual([
    403,
    `pods "mirror" is forbidden: ${why}`,
  ])
})
